"""The server under attack: a process with a memory limit, its metrics and its log."""

import contextlib
import http.client
import os
import random
import re
import resource
import signal
import socket
import subprocess
import threading
import time
from collections import Counter, deque
from pathlib import Path

MEMORY_LIMIT = 512 << 20
# Maximum time in seconds from SIGTERM to the exit: more than --drain-delay plus --drain-timeout.
EXIT_TIMEOUT = 25
CGROUPS = Path("/sys/fs/cgroup")


class MemoryGroup:
    """A memory cgroup, version 1 or 2. Without the right to create one, RLIMIT_DATA limits the process."""

    def __init__(self):
        self.folder, self.names = None, (None, None, None)
        version_1 = ("memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.kmem.tcp.max_usage_in_bytes")
        for root, names in ((CGROUPS / "memory", version_1), (CGROUPS, ("memory.max", "memory.peak", None))):
            folder = root / f"arbiter-hostile-{os.getpid()}"
            with contextlib.suppress(OSError):
                folder.mkdir()
                try:
                    (folder / names[0]).write_text(str(MEMORY_LIMIT))
                    # Counts socket buffers, which version 1 does not include in the usage.
                    if names[2]:
                        (folder / "memory.kmem.tcp.limit_in_bytes").write_text(str(4 * MEMORY_LIMIT))
                except OSError:
                    folder.rmdir()
                    raise
                self.folder, self.names = folder, names
                return

    @property
    def kind(self):
        return "memory cgroup" if self.folder else "RLIMIT_DATA, because no memory cgroup can be created"

    def enter(self):
        """Moves this process into the group."""
        if self.folder:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))
        else:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))

    def peaks(self):
        """The peak usage, and that of socket buffers where it is counted separately. None: not known."""
        read = lambda name: int((self.folder / name).read_text()) if self.folder and name else None
        return read(self.names[1]), read(self.names[2])

    def remove(self):
        if self.folder:
            self.folder.rmdir()


class Server:
    """`log`: "read", "stalled" (a pipe that nobody reads), or "closed" (a pipe whose reader has gone away)."""

    def __init__(self, binary, flags, log="read"):
        self.port = free_port()
        self.admin_port = self.port + 1
        self.memory = MemoryGroup()
        self.log_bytes, self.log_lines, self.last_lines = 0, 0, deque(maxlen=20)
        reader, writer = os.pipe()
        self.log_reader = os.fdopen(reader, "rb")
        addresses = ["--listen", f"127.0.0.1:{self.port}", "--admin-listen", f"127.0.0.1:{self.admin_port}"]
        self.process = subprocess.Popen(
            [binary, *addresses, *flags], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer,
            text=True, preexec_fn=self.enter,
        )
        os.close(writer)
        if log == "read":
            threading.Thread(target=self.read_log, daemon=True).start()
        while "admin" not in (line := self.process.stdout.readline()):
            if not line:
                raise SystemExit(f"the server did not start: {self.log_reader.read().decode()}")
        if log == "closed":
            self.log_reader.close()
        self.highest, self.last, self.slowest_admin = Counter(), {}, 0.0

    def enter(self):
        """Prepares the process of the server: memory, and if allowed a higher priority than other work of the machine."""
        self.memory.enter()
        with contextlib.suppress(PermissionError):
            os.nice(-5)

    def read_log(self):
        for line in self.log_reader:
            self.log_bytes += len(line)
            self.log_lines += 1
            self.last_lines.append(line.decode(errors="replace"))

    def is_running(self):
        return self.process.poll() is None

    def get(self, path):
        """A response of the admin port and the time it took. None: there was none."""
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=3)
        try:
            connection.request("GET", path)
            response = connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            response = None
        connection.close()
        self.slowest_admin = max(self.slowest_admin, time.monotonic() - began)
        return response

    def sample(self):
        """Reads the metrics. Keeps the last value and the highest of each."""
        text = self.get("/metrics")
        if text is None:
            return
        self.get("/ready")
        self.last = {name: float(value) for name, value in re.findall(r"^([a-z]\S*) (\S+)$", text, re.M)}
        for name, value in self.last.items():
            self.highest[name] = max(self.highest[name], value)

    def codes(self):
        """Completed calls by status code."""
        codes = Counter()
        for name, value in self.last.items():
            if match := re.match(r'grpc_server_handled_total{.*grpc_code="(\w+)"', name):
                codes[match[1]] += int(value)
        return codes

    def memory_peaks(self):
        """The peaks in bytes of the cgroup, of socket buffers, and of the process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text() if self.is_running() else ""
        resident = re.search(r"VmHWM:\s+(\d+) kB", status)
        return *self.memory.peaks(), int(resident[1]) << 10 if resident else None

    def stop(self):
        """Ends the server as a process manager does. Returns its exit code and how long that took."""
        began = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        took = time.monotonic() - began
        self.process.stdout.close()
        self.memory.remove()
        return code, took


def free_port():
    """A port that is free, as is the next one. Below the ephemeral range, where a client could connect to itself."""
    while True:
        port = random.randrange(20000, 32000, 2)
        with contextlib.suppress(OSError), socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", port + 1))
            return port
