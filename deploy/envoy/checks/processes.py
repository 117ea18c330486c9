"""The replicas, Envoy, and a DNS server with the addresses of the replicas."""

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
# One address per replica: a DNS A record has no port, so all use the same port.
ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
EXTRA_ADDRESS = "127.0.0.5"
# In seconds. Much more than anything here takes.
TIMEOUT = 20
# How often Envoy writes its access log, in milliseconds.
FLUSH_INTERVAL = 100


class CheckError(Exception):
    """An expected event did not happen."""


def wait_until(condition, what, timeout=TIMEOUT):
    """Waits until the condition holds, and returns how long it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > timeout:
            raise CheckError(f"{what}: not within {timeout} s")
        time.sleep(0.01)
    return time.monotonic() - began


def free_ports(count):
    """Ports that are free at all addresses, below the ephemeral range: otherwise the system could give a client that
    connects to a stopped replica the port of that replica, and the client would connect to itself."""
    found = []
    for port in random.sample(range(20000, 30000), 1000):
        if all(is_free(address, port) for address in ["127.0.0.1", *ADDRESSES, EXTRA_ADDRESS]):
            found.append(port)
        if len(found) == count:
            return found
    raise CheckError("there are no free ports")


def is_free(address, port):
    with socket.socket() as probe:
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


class DnsServer:
    """Resolves the name `arbiter` to the addresses of the replicas, as Docker's DNS does in a compose network."""

    def __init__(self):
        self.addresses = list(ADDRESSES)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            query, client = self.socket.recvfrom(512)
            self.socket.sendto(self.response(query), client)

    def response(self, query):
        name, end = [], 12
        while length := query[end]:
            name.append(query[end + 1 : end + 1 + length].decode())
            end += 1 + length
        end += 5
        is_ipv4 = query[end - 4 : end] == struct.pack("!HH", 1, 1)
        known = name == ["arbiter"]
        addresses = self.addresses if known and is_ipv4 else []
        # A TTL of ten minutes, as Docker's. Envoy must resolve the name again before.
        answers = b"".join(
            struct.pack("!HHHIH", 0xC00C, 1, 1, 600, 4) + socket.inet_aton(address) for address in addresses
        )
        flags = 0x8180 if known else 0x8183
        return query[:2] + struct.pack("!HHHHH", flags, 1, len(addresses), 0, 0) + query[12:end] + answers


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
        raise CheckError(f"the replica {self.address} does not print its admin address")

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, number):
        """Sends a signal, waits until the process exits, and returns its exit code."""
        self.signal(number)
        return self.wait()

    def wait(self):
        """Waits until the process exits, and returns its exit code."""
        code = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        return code

    def handled(self):
        """How many calls the replica has completed."""
        counts = re.findall(r"^grpc_server_handled_total\{.*\} (\d+)$", fetch(f"{self.admin}/metrics"), re.M)
        return sum(map(int, counts))

    def is_running(self):
        return self.process is not None and self.process.poll() is None


class Replicas(list):
    """All replicas. They are killed when the block ends."""

    def __init__(self, arbiter, port):
        super().__init__(Replica(arbiter, address, port) for address in ADDRESSES)
        self.extra = Replica(arbiter, EXTRA_ADDRESS, port)

    def __enter__(self):
        self.start_stopped()
        return self

    def start_stopped(self):
        """Starts the replicas that are not running."""
        for replica in self:
            if not replica.is_running():
                replica.start()

    def __exit__(self, *_):
        for replica in [*self, self.extra]:
            if replica.is_running():
                replica.stop(signal.SIGKILL)


class Envoy:
    """Envoy in front of the replicas. It is stopped when the block ends."""

    def __init__(self, path, config, ports, dns, name="envoy"):
        self.path, self.name = path, name
        self.address = f"127.0.0.1:{ports['calls']}"
        self.admin = f"http://127.0.0.1:{ports['admin']}"
        self.config = configuration.local(config, ports, dns.port)
        self.dns = dns

    def __enter__(self):
        file, self.calls, self.log = (LOGS / f"{self.name}.{kind}" for kind in ("yaml", "calls", "log"))
        file.write_text(yaml.safe_dump(self.config), encoding="utf-8")
        with self.calls.open("w") as calls, self.log.open("w") as log:
            self.process = subprocess.Popen(
                [self.path, "-c", file, "--concurrency", "2", "--disable-hot-restart", "--log-level", "warning",
                 "--file-flush-interval-msec", str(FLUSH_INTERVAL)],
                stdout=calls, stderr=log,
            )
        try:
            wait_until(self.is_ready, "Envoy is ready and uses all replicas")
        except CheckError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def is_ready(self):
        if self.process.poll() is not None:
            raise CheckError(f"Envoy has exited: {self.log.read_text(encoding='utf-8')}")
        try:
            return all(self.is_used(address) for address in self.dns.addresses)
        except OSError:
            return False

    def hosts(self):
        """For each replica that Envoy knows, the reasons why it is not used."""
        clusters = json.loads(fetch(f"{self.admin}/clusters?format=json"))["cluster_statuses"]
        statuses = next(each for each in clusters if each["name"] == "arbiter").get("host_statuses", [])
        reasons = ({key for key, value in each["health_status"].items() if value is True} for each in statuses)
        return dict(zip((each["address"]["socket_address"]["address"] for each in statuses), reasons))

    def is_used(self, address):
        """Whether Envoy sends calls to a replica."""
        return self.hosts().get(address) == set()

    def wait_until_used(self, replica):
        """Waits until Envoy uses a replica, and the replica has completed a call."""
        before = replica.handled()
        wait_until(lambda: self.is_used(replica.address), f"{replica.address} is added")
        wait_until(lambda: replica.handled() > before, f"{replica.address} gets calls")

    def wait_until_removed(self, replica, reason, timeout=TIMEOUT):
        what = f"{replica.address}: {reason}"
        return wait_until(lambda: reason in self.hosts().get(replica.address, ()), what, timeout)

    def wait_until_forgotten(self, replica):
        wait_until(lambda: replica.address not in self.hosts(), f"{replica.address} is forgotten")

    def access_log(self):
        time.sleep(5 * FLUSH_INTERVAL / 1000)
        lines = self.calls.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.endswith("}")]

    def statistics(self):
        """The counters of the cluster."""
        text = fetch(f"{self.admin}/stats?filter=^cluster.arbiter.")
        return {name: int(value) for name, value in re.findall(r"^cluster\.arbiter\.(\S+): (\d+)$", text, re.M)}


def at(replica):
    return f"{replica.address}:{replica.port}"


def fetch(url):
    with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
        return response.read().decode()
