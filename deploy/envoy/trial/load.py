"""Many callers at once, and what they were answered."""

import collections
import signal
import threading
import time

from .calls import BATCH, BROKEN, GOOD, LARGEST, MOVES, Grpc, Json, Web

# Callers of each protocol; each has a connection of its own, and the next call as soon as the last is answered.
MANY = {Grpc: 24, Json: 12, Web: 6}
FEW = {Grpc: 4, Json: 2, Web: 2}
# Of so many calls one is a batch, and of so many one is the largest there can be.
BATCHES, LARGE = 10, 200

WANTED = {}


class Load:
    """Calls without a pause until the block ends. Every answer is held against that of a replica by itself."""

    def __init__(self, address, few=False, large=LARGE):
        self.address, self.callers, self.large = address, FEW if few else MANY, large
        self.over = threading.Event()
        self.took = {protocol.name: [] for protocol in self.callers}
        self.failures = []

    def __enter__(self):
        self.began = time.monotonic()
        self.threads = [
            threading.Thread(target=self.call, args=(protocol, number), daemon=True)
            for protocol, count in self.callers.items()
            for number in range(count)
        ]
        for thread in self.threads:
            thread.start()
        # Whatever happens next happens under load.
        time.sleep(0.5)
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()
        self.lasted = time.monotonic() - self.began

    def call(self, protocol, number):
        client, took = protocol(self.address), self.took[protocol.name]
        while not self.over.is_set():
            number += 1
            call = self.choose(number)
            began = time.monotonic()
            try:
                answer = client.ask(call)
            except Exception as error:  # A caller that gave up would be missed.
                answer = BROKEN, repr(error).encode()
            took.append(time.monotonic() - began)
            if answer != WANTED[protocol.name, call]:
                self.failures.append((time.monotonic() - self.began, protocol.name, call.method, answer))
        client.close()

    def choose(self, number):
        if number % self.large == 0:
            return LARGEST
        return BATCH if number % BATCHES == 0 else MOVES[number % len(MOVES)]

    def calls(self):
        return sum(map(len, self.took.values()))

    def slowest(self):
        return max(max(took, default=0) for took in self.took.values())

    def complaints(self):
        """The calls that failed, by what they were answered."""
        if not all(self.took.values()):
            yield f"calls were made by {[name for name, took in self.took.items() if took]} only"
        kinds = collections.defaultdict(list)
        for when, protocol, method, (status, content) in self.failures:
            what = "a wrong answer" if status == GOOD[protocol] else f"{status}, {content[:200]!r}"
            kinds[f"{method} by {protocol}: {what}"].append(when)
        for kind, times in kinds.items():
            yield f"{len(times)} failed, the first after {times[0]:.2f} s: {kind}"

    def summary(self):
        all_of_them = [each for took in self.took.values() for each in took]
        parts = ", ".join(f"{len(took)} {name}" for name, took in self.took.items())
        return (
            f"{self.calls()} calls ({parts}) in {self.lasted:.1f} s, {self.calls() / self.lasted:.0f} a second; "
            f"p50 {percentile(all_of_them, 50):.1f} ms, p99 {percentile(all_of_them, 99):.1f} ms, "
            f"slowest {1000 * self.slowest():.0f} ms; {len(self.failures)} failed"
        )


def percentile(times, part):
    return 1000 * sorted(times)[len(times) * part // 100] if times else 0


def restarts(envoy, replicas, rounds):
    """Kills one replica hard, one more in the middle of its calls, and restarts the others one by one; in each round
    others are hit."""
    for turn in range(rounds):
        hit, stopped, *others = (replicas[(turn + index) % len(replicas)] for index in (0, 1, 1, 2))
        hit.end(signal.SIGKILL)
        time.sleep(0.3)
        hit.start()
        envoy.wait_in(hit)
        kill_in_calls(stopped)
        stopped.start()
        envoy.wait_in(stopped)
        for replica in others:
            code = replica.end(signal.SIGTERM)
            if code != 0:
                yield f"{replica.address} has ended with {code}"
            replica.start()
            envoy.wait_in(replica)


def kill_in_calls(replica):
    """Stops a replica, so that calls pile up there, then kills it: none of them can have been answered."""
    replica.signal(signal.SIGSTOP)
    time.sleep(0.2)
    replica.end(signal.SIGKILL)


def storm(envoy, replicas, rounds, note):
    """No call may fail while replicas die and are started anew. Some must have been hit, or it has shown nothing."""
    before = envoy.statistics()
    with Load(envoy.address) as load:
        yield from restarts(envoy, replicas, rounds)
    yield from load.complaints()
    now = envoy.statistics()
    counted = {name: now.get(name, 0) - before.get(name, 0) for name in now}
    note(load.summary())
    note(
        f"Envoy has repeated {counted['upstream_rq_retry']} calls, {counted['upstream_rq_retry_success']} with "
        f"success; {counted['upstream_rq_retry_overflow']} more than it may, "
        f"{counted['upstream_rq_retry_limit_exceeded']} too often"
    )
    if counted["upstream_rq_retry"] < rounds:
        yield "hardly a call was under way when replicas were killed"
