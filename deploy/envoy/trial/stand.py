"""The processes: replicas, Envoy, and who tells it their addresses."""

import json
import random
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

import yaml

from . import configuration

LOGS = Path(__file__).resolve().parents[3] / "target" / "envoy"
# The addresses of a name differ in nothing but the address: so each replica has one of its own.
ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
ONE_MORE = "127.0.0.5"
# How long what must happen may take, in seconds. It takes far less.
PATIENCE = 20
# How long a call may be missing in the log of Envoy, in milliseconds.
FLUSHED = 100


class Trouble(Exception):
    """What must happen has not."""


def wait_until(condition, what, within=PATIENCE):
    """Waits until something is so, and tells how long it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > within:
            raise Trouble(f"{what}: not within {within} s")
        time.sleep(0.01)
    return time.monotonic() - began


def free_ports(count):
    """Ports that are free at all addresses, below those that the system itself gives to clients: a client that tries to
    reach a replica which is not there would otherwise be given its port at times, and reach itself."""
    found = []
    for port in random.sample(range(20000, 30000), 1000):
        if all(is_free(address, port) for address in ["127.0.0.1", *ADDRESSES, ONE_MORE]):
            found.append(port)
        if len(found) == count:
            return found
    raise Trouble("there are no free ports")


def is_free(address, port):
    with socket.socket() as probe:
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


class Names:
    """Tells the addresses of the name `arbiter`, by DNS, as the network of a composition does."""

    def __init__(self):
        self.addresses = list(ADDRESSES)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        while True:
            question, caller = self.socket.recvfrom(512)
            self.socket.sendto(self.reply(question), caller)

    def reply(self, question):
        name, end = [], 12
        while length := question[end]:
            name.append(question[end + 1 : end + 1 + length].decode())
            end += 1 + length
        end += 5
        is_ipv4 = question[end - 4 : end] == struct.pack("!HH", 1, 1)
        known = name == ["arbiter"]
        addresses = self.addresses if known and is_ipv4 else []
        # Ten minutes, as Docker says. Envoy must ask again before.
        answers = b"".join(
            struct.pack("!HHHIH", 0xC00C, 1, 1, 600, 4) + socket.inet_aton(address) for address in addresses
        )
        flags = 0x8180 if known else 0x8183
        return question[:2] + struct.pack("!HHHHH", flags, 1, len(addresses), 0, 0) + question[12:end] + answers


class Replica:
    def __init__(self, arbiter, address, port):
        self.arbiter, self.address, self.port = arbiter, address, port
        self.process = None

    def start(self):
        with open(LOGS / f"replica-{self.address}.log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [self.arbiter, "--listen", at(self), "--admin-listen", "127.0.0.1:0", "--log", "warn"],
                stdout=subprocess.PIPE, stderr=log, text=True,
            )
        for line in self.process.stdout:
            if admin := re.match(r" +admin +(http://\S+)", line):
                self.admin = admin[1]
                return
        raise Trouble(f"the replica {self.address} does not tell its address")

    def signal(self, number):
        self.process.send_signal(number)

    def end(self, number):
        """Ends it by a signal, and tells its exit code."""
        self.signal(number)
        return self.wait()

    def wait(self):
        """Waits until it has ended, and tells its exit code."""
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code

    def handled(self):
        """How many calls it has answered."""
        counts = re.findall(r"^grpc_server_handled_total\{.*\} (\d+)$", fetch(f"{self.admin}/metrics"), re.M)
        return sum(map(int, counts))

    def is_running(self):
        return self.process is not None and self.process.poll() is None


class Replicas(list):
    """All replicas. Whatever is still running is ended with the block."""

    def __init__(self, arbiter, port):
        super().__init__(Replica(arbiter, address, port) for address in ADDRESSES)
        self.one_more = Replica(arbiter, ONE_MORE, port)

    def __enter__(self):
        self.revive()
        return self

    def revive(self):
        """Starts those that are not running."""
        for replica in self:
            if not replica.is_running():
                replica.start()

    def __exit__(self, *_):
        for replica in [*self, self.one_more]:
            if replica.is_running():
                replica.end(signal.SIGKILL)


class Envoy:
    """Envoy in front of the replicas, with a configuration. It is ended with the block."""

    def __init__(self, path, config, ports, names, name="envoy"):
        self.path, self.name = path, name
        self.address = f"127.0.0.1:{ports['calls']}"
        self.admin = f"http://127.0.0.1:{ports['admin']}"
        self.config = configuration.placed(config, ports, names.port)
        self.names = names

    def __enter__(self):
        file, self.calls, self.log = (LOGS / f"{self.name}.{kind}" for kind in ("yaml", "calls", "log"))
        file.write_text(yaml.safe_dump(self.config), encoding="utf-8")
        with self.calls.open("w") as calls, self.log.open("w") as log:
            self.process = subprocess.Popen(
                [self.path, "-c", file, "--concurrency", "2", "--disable-hot-restart", "--log-level", "warning",
                 "--file-flush-interval-msec", str(FLUSHED)],
                stdout=calls, stderr=log,
            )
        try:
            wait_until(self.is_ready, "Envoy is ready and knows all replicas")
        except Trouble:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def is_ready(self):
        if self.process.poll() is not None:
            raise Trouble(f"Envoy has ended: {self.log.read_text(encoding='utf-8')}")
        try:
            return all(self.is_in(address) for address in self.names.addresses)
        except OSError:
            return False

    def hosts(self):
        """What Envoy knows of each replica: the reasons not to ask it."""
        clusters = json.loads(fetch(f"{self.admin}/clusters?format=json"))["cluster_statuses"]
        statuses = next(each for each in clusters if each["name"] == "arbiter").get("host_statuses", [])
        reasons = ({key for key, value in each["health_status"].items() if value is True} for each in statuses)
        return dict(zip((each["address"]["socket_address"]["address"] for each in statuses), reasons))

    def is_in(self, address):
        """Whether a replica is asked."""
        return self.hosts().get(address) == set()

    def wait_in(self, replica):
        """Waits until a replica is asked and has answered a call."""
        before = replica.handled()
        wait_until(lambda: self.is_in(replica.address), f"{replica.address} is taken in")
        wait_until(lambda: replica.handled() > before, f"{replica.address} is asked")

    def wait_out(self, replica, reason, within=PATIENCE):
        what = f"{replica.address}: {reason}"
        return wait_until(lambda: reason in self.hosts().get(replica.address, ()), what, within)

    def wait_gone(self, replica):
        wait_until(lambda: replica.address not in self.hosts(), f"{replica.address} is forgotten")

    def log_of_calls(self):
        time.sleep(5 * FLUSHED / 1000)
        lines = self.calls.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.endswith("}")]

    def statistics(self):
        """The counters of the replicas together."""
        text = fetch(f"{self.admin}/stats?filter=^cluster.arbiter.")
        return {name: int(value) for name, value in re.findall(r"^cluster\.arbiter\.(\S+): (\d+)$", text, re.M)}


def at(replica):
    return f"{replica.address}:{replica.port}"


def fetch(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read().decode()
