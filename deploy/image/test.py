"""Builds the image with a binary that is already compiled, and tests it.

- Its files and metadata.
- Confined (read-only, no capabilities, little memory): health, a game with grpcurl, and what it must not be able to do.
- Graceful shutdown under load. A call is lost if the server answered it, but the client received no response: clients
  count their responses, and the log of the server has a line for each call.

Usage: python3 deploy/image/test.py GRPCURL BINARY
Needs podman and runc, and the packages of requirements.txt.
"""

import contextlib
import errno
import io
import json
import random
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import time
import tomllib
from collections import Counter
from pathlib import Path

from podman import Podman

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
# The binary that replaces the build stage.
PREBUILT = ROOT / "target" / "image" / "arbiter"
STORAGE = ROOT / "target" / "podman"
IMAGE = "localhost/arbiter:test"
REVISION = "0000000000000000000000000000000000000000"
SERVICE = "arbiter.v1.RulesService"
USER = 65532
# The exit code for a program that does not exist.
NOT_FOUND = 127
MEMORY = 64 << 20
# Stop timeout in seconds: more than --drain-delay plus --drain-timeout.
GRACE = 25
PROCESSES, THREADS = 4, 4
# Responses that each thread must receive before and after each step under load.
CALLS = 100
# Builders add this to every image.
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Maximum size in bytes. Find out why before you raise it.
MAX_SIZE = 16_000_000
# The files of the image, with owner and mode.
FILES = {"arbiter": (0, 0o755), "licenses/LICENSE-APACHE": (0, 0o644), "licenses/LICENSE-MIT": (0, 0o644)}

CONFINED = [
    "--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--security-opt=no-new-privileges",
    f"--memory={MEMORY}", f"--memory-swap={MEMORY}",
    # Podman's defaults may exceed the limits of this machine.
    "--ulimit=nofile=4096:4096", "--ulimit=nproc=1024:1024",
    # Periodic health checks need systemd. The tests run the health check themselves.
    "--health-interval=disable",
]


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    # Clean up on SIGTERM, as after any other failure.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    grpcurl, binary = (Path(word).absolute() for word in sys.argv[1:])
    PREBUILT.parent.mkdir(parents=True, exist_ok=True)
    if binary != PREBUILT:
        shutil.copy(binary, PREBUILT)
    with Podman(STORAGE) as podman:
        test = Test(podman, grpcurl)
        test.image()
        test.defaults()
        test.confined()
        test.shutdown_without_retries()
        test.replacement()
    if test.failed:
        raise SystemExit(f"{test.failed} checks failed")
    print("all checks passed")


class Test:
    def __init__(self, podman, grpcurl):
        self.podman, self.grpcurl, self.failed = podman, grpcurl, 0

    def report(self, what, *problems):
        problems = [problem for problem in problems if problem]
        print(f"{'FAIL' if problems else 'ok  '}  {what}", flush=True)
        for problem in problems:
            print(f"        {problem}", flush=True)
        self.failed += bool(problems)

    # The image

    def image(self):
        manifest = read_toml("Cargo.toml")
        package = manifest["package"] | manifest["workspace"]["package"]
        arguments = {"VERSION": package["version"], "REVISION": REVISION}
        self.podman(
            "build", "--isolation=chroot", "--format=docker", "--pull=never", f"--file={DOCKERFILE}",
            f"--build-context=build={PREBUILT.parent}", f"--tag={IMAGE}",
            *(f"--build-arg={name}={value}" for name, value in arguments.items()), ROOT,
        )
        archive = self.podman.folder / "image.tar"
        self.podman("save", "--format=docker-archive", f"--output={archive}", IMAGE)
        config, files = read_image(archive)
        size = sum(entry.size for entry in files.values())
        problem = f"more than {MAX_SIZE / 1e6:.0f} MB" if size > MAX_SIZE else None
        modes = {name: (entry.uid, stat.S_IMODE(entry.mode)) for name, entry in files.items()}
        self.report(f"built: {size / 1e6:.1f} MB", different("files", modes, FILES), problem)
        inside = config["config"]
        labels = {name: value for name, value in inside.get("Labels", {}).items() if not name.startswith("io.buildah.")}
        wanted = {
            "title": "Arbiter", "description": package["description"], "licenses": package["license"],
            "version": package["version"], "revision": REVISION,
        }
        environment = {"ARBITER_LISTEN=0.0.0.0:50051", "ARBITER_ADMIN_LISTEN=0.0.0.0:50052"}
        self.report(
            "metadata",
            different("labels", labels, {f"org.opencontainers.image.{name}": value for name, value in wanted.items()}),
            different("user", inside.get("User"), f"{USER}:{USER}"),
            different("entrypoint", inside.get("Entrypoint"), ["/arbiter"]),
            different("command", inside.get("Cmd") or [], []),
            different("environment", set(inside.get("Env", [])) - {PATH}, environment),
            different("ports", set(inside.get("ExposedPorts", [])), {"50051/tcp", "50052/tcp"}),
            different("volumes", inside.get("Volumes") or {}, {}),
            different("signal", inside.get("StopSignal"), "SIGTERM"),
            different("health check", inside.get("Healthcheck", {}).get("Test"), ["CMD", "/arbiter", "health"]),
        )
        toolchain = read_toml("rust-toolchain.toml")["toolchain"]["channel"]
        compiler = re.findall(r"^FROM \S+/rust:([\d.]+)-", DOCKERFILE.read_text(encoding="utf-8"), re.M)
        self.report("the build stage uses the toolchain of the project", different("toolchain", compiler, [toolchain]))

    # Containers

    @contextlib.contextmanager
    def running(self, name, *options):
        self.podman("run", "--detach", f"--name={name}", *CONFINED, *options, IMAGE)
        try:
            eventually(lambda: "admin" in self.podman("logs", name).stdout, f"{name} prints its addresses")
            yield
        finally:
            self.podman("rm", "--force", "--time=0", name, check=False)

    def on_loopback(self, name, port, *options):
        """A container that listens on this port of the host."""
        addresses = [f"--env=ARBITER_LISTEN=127.0.0.1:{port}", f"--env=ARBITER_ADMIN_LISTEN=127.0.0.1:{port + 1}"]
        return self.running(name, "--network=host", *addresses, *options)

    def defaults(self):
        """The image runs without flags, variables and network."""
        with self.running("plain", "--network=none"):
            banner = self.podman("logs", "plain").stdout
            health = self.podman("healthcheck", "run", "plain", check=False)
            self.report(
                "runs with defaults, and is healthy",
                different("addresses", re.findall(r"0\.0\.0\.0:\d+", banner)[:2], ["0.0.0.0:50051", "0.0.0.0:50052"]),
                different("health", health.returncode, 0),
            )
            elsewhere = "--env=ARBITER_ADMIN_LISTEN=127.0.0.1:9"
            health = self.podman("exec", elsewhere, "plain", "/arbiter", "health", check=False)
            self.report("is unhealthy if the admin port does not respond", different("health", health.returncode, 1))

    def confined(self):
        port = free_port()
        with self.on_loopback("one", port):
            pid = self.podman.inspect("container", "one")["State"]["Pid"]
            status = dict(re.findall(r"^(\w+):\s+(.*)$", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"), re.M))
            self.report(
                "runs as an unprivileged user, without capabilities",
                different("user", status["Uid"].split(), [str(USER)] * 4),
                different("group", status["Gid"].split(), [str(USER)] * 4),
                *(different(name, int(status[name], 16), 0) for name in status if name.startswith("Cap")),
                different("NoNewPrivs", status["NoNewPrivs"], "1"),
            )
            folders = (f"/proc/{pid}/root", f"/proc/{pid}/root/licenses")
            self.report("has a read-only file system", *map(written, folders))
            self.report("has no shell", *map(self.started, ("sh", "/bin/sh", "bash", "/bin/busybox")))
            health = self.podman("exec", "one", "/arbiter", "health", check=False)
            self.report("is healthy", different("health", (health.returncode, health.stdout), (0, "ready\n")))
            self.report("plays a game", *self.game(f"127.0.0.1:{port}"))
            limit, peak = memory(pid)
            usage = f"memory: limit {limit >> 20} MiB, peak {peak / (1 << 20):.1f} MiB"
            self.report(usage, different("limit", limit, MEMORY))

    def started(self, program):
        done = self.podman("exec", "one", program, "-c", "true", check=False)
        return None if done.returncode == NOT_FOUND else f"{program} was started: {done.returncode} {done.stderr}"

    def game(self, address):
        state = self.call(address, "NewGame", {"connect_four": {}, "form": "STATE_FORM_NOTATION"})["state"]
        for move in "4152637":
            state = self.call(address, "ApplyMove", {"state": state, "move": {"notation": move}})["state"]
        won = self.call(address, "DetermineWinner", {"state": state})["outcome"]
        yield different("state", state, {"notation": "c4:7x6x4:4152637"})
        yield different("result", (won["result"], won.get("winner")), ("GAME_RESULT_WINNER_DETERMINED", "PLAYER_ONE"))

    def call(self, address, method, request):
        words = [self.grpcurl, "-plaintext", "-d", json.dumps(request), address, f"{SERVICE}/{method}"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
        if done.returncode:
            raise SystemExit(f"{method}: {done.stderr}")
        return json.loads(done.stdout)

    # Shutdown

    def stop(self, name):
        """Stops a container as an operator does. Returns how long it took, and the problems."""
        began = time.monotonic()
        self.podman("stop", f"--time={GRACE}", name)
        took = time.monotonic() - began
        state = self.podman.inspect("container", name)["State"]
        exit_code = different("exit code", state["ExitCode"], 0)
        return took, [exit_code, different("out of memory", state["OOMKilled"], False)]

    def answered(self, *names):
        """How many calls of the load the servers have answered, from their logs."""
        lines = (line for name in names for line in self.podman("logs", name).stderr.splitlines())
        logged = (json.loads(line) for line in lines if '"ValidateMove"' in line)
        return sum(line["method"] == "ValidateMove" and line["code"] == "OK" for line in logged)

    def shutdown_without_retries(self):
        """Clients without retries: each call is answered, or could not be sent."""
        port = free_port()
        with self.on_loopback("alone", port, *EVERY_CALL_LOGGED):
            with Load([port], "--no-retry") as load:
                load.wait_for_responses()
                took, problems = self.stop("alone")
            logged, counts = self.answered("alone"), load.counts
            self.report(f"stopped under load, after {took:.1f} s", *problems)
            self.report(
                f"without retries: {counts['answered']} calls answered, {logged - counts['answered']} lost, "
                f"{counts['never sent']} not sent",
                *load_problems(counts, logged, allowed={"answered", "never sent"}),
                different("threads that could not connect any more", counts["never sent"], PROCESSES * THREADS),
            )

    def replacement(self):
        """Two replicas are restarted in sequence, with the default retries of the client."""
        ports = [free_port(), free_port()]
        with contextlib.ExitStack() as stack:
            for name, port in zip(("first", "second"), ports, strict=True):
                stack.enter_context(self.on_loopback(name, port, *EVERY_CALL_LOGGED))
            with Load(ports) as load:
                for name in ("first", "second"):
                    load.wait_for_responses()
                    took, problems = self.stop(name)
                    self.podman("start", name)
                    eventually(
                        lambda name=name: not self.podman("exec", name, "/arbiter", "health", check=False).returncode,
                        f"{name} is healthy again",
                    )
                    self.report(f"{name} replica replaced under load, after {took:.1f} s", *problems)
                load.wait_for_responses()
            logged, counts = self.answered("first", "second"), load.counts
            self.report(
                f"with retries: {counts['answered']} calls answered, {logged - counts['answered']} lost",
                *load_problems(counts, logged, allowed={"answered"}),
            )


EVERY_CALL_LOGGED = ["--env=ARBITER_LOG=arbiter=debug", "--env=ARBITER_LOG_FORMAT=json"]


class Load:
    """Runs load.py in several processes, each with its own connection, until the block ends."""

    def __init__(self, ports, *flags):
        addresses = ",".join(f"127.0.0.1:{port}" for port in ports)
        self.words = [sys.executable, HERE / "load.py", addresses, str(THREADS), *flags]
        self.counts = Counter()

    def __enter__(self):
        pipe = subprocess.PIPE
        self.processes = [subprocess.Popen(self.words, stdin=pipe, stdout=pipe, text=True) for _ in range(PROCESSES)]
        return self

    def wait_for_responses(self):
        """Waits until every thread has received CALLS more responses."""
        for process in self.processes:
            process.stdin.write(f"{CALLS}\n")
            process.stdin.flush()
        for process in self.processes:
            process.stdout.readline()

    def __exit__(self, kind, *_):
        for process in self.processes:
            if kind:
                process.kill()
        for process in self.processes:
            printed, _ = process.communicate(timeout=30)
            if not kind:
                self.counts.update(json.loads(printed))


def load_problems(counts, logged, allowed):
    for what in sorted(set(counts) - allowed):
        yield f"{counts[what]} calls: {what}"
    yield different("responses that clients received", counts["answered"], logged)
    if counts["answered"] < PROCESSES * THREADS * CALLS:
        yield "too few calls"


def read_toml(name):
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def read_image(archive):
    """The configuration and the files of an image."""
    with tarfile.open(archive) as outer:
        manifest = json.load(outer.extractfile("manifest.json"))[0]
        config = json.load(outer.extractfile(manifest["Config"]))
        files = {}
        for layer in manifest["Layers"]:
            with tarfile.open(fileobj=io.BytesIO(outer.extractfile(layer).read())) as inner:
                files |= {entry.name.strip("/"): entry for entry in inner if not entry.isdir()}
    return config, files


def written(folder):
    try:
        Path(folder, "written").write_bytes(b"")
    except OSError as error:
        return different(f"error of a write to {folder}", error.errno, errno.EROFS)
    return f"{folder} is writable"


def memory(pid):
    """The memory limit and the peak usage of the cgroup of a process, for cgroup v1 or v2."""
    groups = {}
    for line in Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(","), path)
    if "memory" in groups:
        folder, limit, peak = f"memory{groups['memory']}", "memory.limit_in_bytes", "memory.max_usage_in_bytes"
    else:
        folder, limit, peak = groups[""].strip("/"), "memory.max", "memory.peak"
    return [int(Path("/sys/fs/cgroup", folder, name).read_text(encoding="utf-8")) for name in (limit, peak)]


def free_port():
    """A port that is free, as is the next one. Below the ephemeral range, where a client could connect to itself."""
    while True:
        port = random.randrange(20000, 32000, 2)
        with contextlib.suppress(OSError), socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", port + 1))
            return port


def eventually(holds, what, timeout=20):
    until = time.monotonic() + timeout
    while not holds():
        if time.monotonic() > until:
            raise SystemExit(f"not within {timeout} s: {what}")
        time.sleep(0.1)


def different(what, found, wanted):
    return None if found == wanted else f"{what}: {found!r} instead of {wanted!r}"


if __name__ == "__main__":
    main()
