"""Builds the image around a binary that is already compiled, and runs it as it should be run.

What is in it, and how it is described; then, read-only, without capabilities and with little memory: its health, a
whole game by grpcurl, what it must not be able to do, and its end under load. A call is lost if a server has answered
it and its caller has no answer: the callers count theirs, and the log of the server has a line for each.

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
# A binary that is already compiled takes the place of the stage that would compile it.
PREBUILT = ROOT / "target" / "image" / "arbiter"
STORAGE = ROOT / "target" / "podman"
IMAGE = "localhost/arbiter:test"
REVISION = "0000000000000000000000000000000000000000"
SERVICE = "arbiter.v1.RulesService"
USER = 65532
# The exit code for a program that is not there.
NOT_FOUND = 127
MEMORY = 64 << 20
# Seconds that a container has to end: --drain-delay and --drain-timeout, and some more.
GRACE = 25
PROCESSES, THREADS = 4, 4
# Answers that each thread must have had before and after whatever happens under load.
CALLS = 100
# What builders add to any image.
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Bytes of the image. What makes it larger should be looked at.
LARGEST = 16_000_000
# What is in the image, with its owner and its mode.
FILES = {"arbiter": (0, 0o755), "licenses/LICENSE-APACHE": (0, 0o644), "licenses/LICENSE-MIT": (0, 0o644)}

CONFINED = [
    "--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--security-opt=no-new-privileges",
    f"--memory={MEMORY}", f"--memory-swap={MEMORY}",
    # What the limits of this machine allow: podman's own defaults may be above them.
    "--ulimit=nofile=4096:4096", "--ulimit=nproc=1024:1024",
    # The timers of health checks are systemd's. Health is asked for by hand here.
    "--health-interval=disable",
]


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    # Told to end, it takes back what it has made, as on any other failure.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    grpcurl, binary = (Path(word).absolute() for word in sys.argv[1:])
    PREBUILT.parent.mkdir(parents=True, exist_ok=True)
    if binary != PREBUILT:
        shutil.copy(binary, PREBUILT)
    with Podman(STORAGE) as podman:
        test = Test(podman, grpcurl)
        test.image()
        test.as_it_is()
        test.confined()
        test.end_without_retries()
        test.replacement()
    if test.failed:
        raise SystemExit(f"{test.failed} of the checks failed")
    print("the image holds")


class Test:
    def __init__(self, podman, grpcurl):
        self.podman, self.grpcurl, self.failed = podman, grpcurl, 0

    def report(self, what, *complaints):
        complaints = [complaint for complaint in complaints if complaint]
        print(f"{'FAIL' if complaints else 'ok  '}  {what}", flush=True)
        for complaint in complaints:
            print(f"        {complaint}", flush=True)
        self.failed += bool(complaints)

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
        complaint = f"more than {LARGEST / 1e6:.0f} MB" if size > LARGEST else None
        modes = {name: (entry.uid, stat.S_IMODE(entry.mode)) for name, entry in files.items()}
        self.report(f"built: {size / 1e6:.1f} MB", unlike("files", modes, FILES), complaint)
        inside = config["config"]
        labels = {name: value for name, value in inside.get("Labels", {}).items() if not name.startswith("io.buildah.")}
        wanted = {
            "title": "Arbiter", "description": package["description"], "licenses": package["license"],
            "version": package["version"], "revision": REVISION,
        }
        environment = {"ARBITER_LISTEN=0.0.0.0:50051", "ARBITER_ADMIN_LISTEN=0.0.0.0:50052"}
        self.report(
            "described",
            unlike("labels", labels, {f"org.opencontainers.image.{name}": value for name, value in wanted.items()}),
            unlike("user", inside.get("User"), f"{USER}:{USER}"),
            unlike("entrypoint", inside.get("Entrypoint"), ["/arbiter"]),
            unlike("command", inside.get("Cmd") or [], []),
            unlike("environment", set(inside.get("Env", [])) - {PATH}, environment),
            unlike("ports", set(inside.get("ExposedPorts", [])), {"50051/tcp", "50052/tcp"}),
            unlike("volumes", inside.get("Volumes") or {}, {}),
            unlike("signal", inside.get("StopSignal"), "SIGTERM"),
            unlike("health check", inside.get("Healthcheck", {}).get("Test"), ["CMD", "/arbiter", "health"]),
        )
        toolchain = read_toml("rust-toolchain.toml")["toolchain"]["channel"]
        compiler = re.findall(r"^FROM \S+/rust:([\d.]+)-", DOCKERFILE.read_text(encoding="utf-8"), re.M)
        self.report("compiled by the toolchain of the project", unlike("toolchain", compiler, [toolchain]))

    # Containers

    @contextlib.contextmanager
    def running(self, name, *options):
        self.podman("run", "--detach", f"--name={name}", *CONFINED, *options, IMAGE)
        try:
            eventually(lambda: "admin" in self.podman("logs", name).stdout, f"{name} tells its addresses")
            yield
        finally:
            self.podman("rm", "--force", "--time=0", name, check=False)

    def on_loopback(self, name, port, *options):
        """A container that is called on this port of this machine."""
        addresses = [f"--env=ARBITER_LISTEN=127.0.0.1:{port}", f"--env=ARBITER_ADMIN_LISTEN=127.0.0.1:{port + 1}"]
        return self.running(name, "--network=host", *addresses, *options)

    def as_it_is(self):
        """No flag, no variable, no network: what the image itself says must be enough."""
        with self.running("plain", "--network=none"):
            banner = self.podman("logs", "plain").stdout
            health = self.podman("healthcheck", "run", "plain", check=False)
            self.report(
                "runs as it is, and is healthy",
                unlike("addresses", re.findall(r"0\.0\.0\.0:\d+", banner)[:2], ["0.0.0.0:50051", "0.0.0.0:50052"]),
                unlike("health", health.returncode, 0),
            )
            elsewhere = "--env=ARBITER_ADMIN_LISTEN=127.0.0.1:9"
            health = self.podman("exec", elsewhere, "plain", "/arbiter", "health", check=False)
            self.report("is not healthy where nobody answers", unlike("health", health.returncode, 1))

    def confined(self):
        port = free_port()
        with self.on_loopback("one", port):
            pid = self.podman.inspect("container", "one")["State"]["Pid"]
            status = dict(re.findall(r"^(\w+):\s+(.*)$", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"), re.M))
            self.report(
                "is nobody, and can become nobody else",
                unlike("user", status["Uid"].split(), [str(USER)] * 4),
                unlike("group", status["Gid"].split(), [str(USER)] * 4),
                *(unlike(name, int(status[name], 16), 0) for name in status if name.startswith("Cap")),
                unlike("NoNewPrivs", status["NoNewPrivs"], "1"),
            )
            self.report("cannot be written to", *map(written, (f"/proc/{pid}/root", f"/proc/{pid}/root/licenses")))
            self.report("has no shell", *map(self.started, ("sh", "/bin/sh", "bash", "/bin/busybox")))
            health = self.podman("exec", "one", "/arbiter", "health", check=False)
            self.report("is healthy", unlike("answer", (health.returncode, health.stdout), (0, "ready\n")))
            self.report("plays a game", *self.game(f"127.0.0.1:{port}"))
            limit, peak = memory(pid)
            self.report(f"has {limit >> 20} MiB, and took {peak / (1 << 20):.1f}", unlike("limit", limit, MEMORY))

    def started(self, program):
        done = self.podman("exec", "one", program, "-c", "true", check=False)
        return None if done.returncode == NOT_FOUND else f"{program} was started: {done.returncode} {done.stderr}"

    def game(self, address):
        state = self.call(address, "NewGame", {"connect_four": {}, "form": "STATE_FORM_NOTATION"})["state"]
        for move in "4152637":
            answer = self.call(address, "ApplyMove", {"state": state, "move": {"notation": move}})
            state = answer["state"]
        won = self.call(address, "DetermineWinner", {"state": state})["outcome"]
        yield unlike("state", state, {"notation": "c4:7x6x4:4152637"})
        yield unlike("result", (won["result"], won.get("winner")), ("GAME_RESULT_WINNER_DETERMINED", "PLAYER_ONE"))

    def call(self, address, method, request):
        words = [self.grpcurl, "-plaintext", "-d", json.dumps(request), address, f"{SERVICE}/{method}"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
        if done.returncode:
            raise SystemExit(f"{method}: {done.stderr}")
        return json.loads(done.stdout)

    # The end

    def stop(self, name):
        """Ends a container as an operator does; what is wrong with how it ended."""
        began = time.monotonic()
        self.podman("stop", f"--time={GRACE}", name)
        took = time.monotonic() - began
        state = self.podman.inspect("container", name)["State"]
        return took, [unlike("exit code", state["ExitCode"], 0), unlike("out of memory", state["OOMKilled"], False)]

    def answered(self, *names):
        """How many calls of the load the servers say that they have answered."""
        lines = (line for name in names for line in self.podman("logs", name).stderr.splitlines())
        told = (json.loads(line) for line in lines if '"answered"' in line)
        return sum(line["message"] == "answered" and line["method"] == "ValidateMove" for line in told)

    def end_without_retries(self):
        """Callers that try nothing twice: each call is answered, or there was nobody to send it to."""
        port = free_port()
        with self.on_loopback("alone", port, *EVERY_CALL_LOGGED):
            with Load([port], "--no-retry") as load:
                load.goes_on()
                took, complaints = self.stop("alone")
            told, counts = self.answered("alone"), load.counts
            self.report(f"ended under load, after {took:.1f} s", *complaints)
            self.report(
                f"without retries: {counts['answered']} calls answered, {told - counts['answered']} lost, "
                f"{counts['never sent']} found nobody",
                *load_complaints(counts, told, allowed={"answered", "never sent"}),
                unlike("callers that saw the end", counts["never sent"], PROCESSES * THREADS),
            )

    def replacement(self):
        """Two replicas, each ended and started again, one after the other, under the clients as they are."""
        ports = [free_port(), free_port()]
        with contextlib.ExitStack() as stack:
            for name, port in zip(("first", "second"), ports, strict=True):
                stack.enter_context(self.on_loopback(name, port, *EVERY_CALL_LOGGED))
            with Load(ports) as load:
                for name in ("first", "second"):
                    load.goes_on()
                    took, complaints = self.stop(name)
                    self.podman("start", name)
                    eventually(
                        lambda name=name: not self.podman("exec", name, "/arbiter", "health", check=False).returncode,
                        f"{name} is healthy again",
                    )
                    self.report(f"{name} replica replaced under load, after {took:.1f} s", *complaints)
                load.goes_on()
            told, counts = self.answered("first", "second"), load.counts
            self.report(
                f"as clients are: {counts['answered']} calls answered, {told - counts['answered']} lost",
                *load_complaints(counts, told, allowed={"answered"}),
            )


EVERY_CALL_LOGGED = ["--env=ARBITER_LOG=arbiter=debug", "--env=ARBITER_LOG_FORMAT=json"]


class Load:
    """Callers in processes of their own, each with a connection of its own, until the block ends."""

    def __init__(self, ports, *flags):
        addresses = ",".join(f"127.0.0.1:{port}" for port in ports)
        self.words = [sys.executable, HERE / "load.py", addresses, str(THREADS), *flags]
        self.counts = Counter()

    def __enter__(self):
        pipe = subprocess.PIPE
        self.processes = [subprocess.Popen(self.words, stdin=pipe, stdout=pipe, text=True) for _ in range(PROCESSES)]
        return self

    def goes_on(self):
        """Waits until every caller has had answers."""
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


def load_complaints(counts, told, allowed):
    for what in sorted(set(counts) - allowed):
        yield f"{counts[what]} calls: {what}"
    yield unlike("answers that callers have", counts["answered"], told)
    if counts["answered"] < PROCESSES * THREADS * CALLS:
        yield "that is no load"


def read_toml(name):
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def read_image(archive):
    """The configuration of an image, and every file of it."""
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
        return unlike(f"why {folder} cannot be", error.errno, errno.EROFS)
    return f"{folder} was"


def memory(pid):
    """The limit of the group of a process and the most that it took, by cgroup v1 or v2."""
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
    """A free port with another after it, below those that the system hands out: clients can meet themselves there."""
    while True:
        port = random.randrange(20000, 32000, 2)
        with contextlib.suppress(OSError), socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", port + 1))
            return port


def eventually(holds, what, within=20):
    until = time.monotonic() + within
    while not holds():
        if time.monotonic() > until:
            raise SystemExit(f"not within {within} s: {what}")
        time.sleep(0.1)


def unlike(what, found, wanted):
    return None if found == wanted else f"{what}: {found!r} instead of {wanted!r}"


if __name__ == "__main__":
    main()
