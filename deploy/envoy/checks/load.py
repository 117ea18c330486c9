"""Many concurrent clients, and the responses that they get."""

import collections
import signal
import threading
import time

from .calls import BATCH, BROKEN, GOOD, LARGEST, MOVES, Grpc, Json, Web

# Clients per protocol. Each has its own connection and makes one call at a time, without a pause.
MANY = {Grpc: 24, Json: 12, Web: 6}
FEW = {Grpc: 4, Json: 2, Web: 2}
# One call in 10 is a batch, one in 200 is a batch of the maximum size.
BATCHES, LARGE = 10, 200

EXPECTED = {}


class Load:
    """Makes calls until the block ends, and compares every response with that of a replica without Envoy."""

    def __init__(self, address, few=False, large=LARGE):
        self.address, self.clients, self.large = address, FEW if few else MANY, large
        self.stopped = threading.Event()
        self.took = {protocol.name: [] for protocol in self.clients}
        self.failures = []

    def __enter__(self):
        self.began = time.monotonic()
        self.threads = [
            threading.Thread(target=self.call, args=(protocol, number), daemon=True)
            for protocol, count in self.clients.items()
            for number in range(count)
        ]
        for thread in self.threads:
            thread.start()
        # Until the load is steady.
        time.sleep(0.5)
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        self.lasted = time.monotonic() - self.began

    def call(self, protocol, number):
        client, took = protocol(self.address), self.took[protocol.name]
        while not self.stopped.is_set():
            number += 1
            call = self.choose(number)
            began = time.monotonic()
            try:
                response = client.call(call)
            except Exception as error:  # Keep the thread running: it is part of the load.
                response = BROKEN, repr(error).encode()
            took.append(time.monotonic() - began)
            if response != EXPECTED[protocol.name, call]:
                self.failures.append((time.monotonic() - self.began, protocol.name, call.method, response))
        client.close()

    def choose(self, number):
        if number % self.large == 0:
            return LARGEST
        return BATCH if number % BATCHES == 0 else MOVES[number % len(MOVES)]

    def calls(self):
        return sum(map(len, self.took.values()))

    def slowest(self):
        return max(max(took, default=0) for took in self.took.values())

    def problems(self):
        """The failed calls, grouped by response."""
        if not all(self.took.values()):
            yield f"only {[name for name, took in self.took.items() if took]} made calls"
        kinds = collections.defaultdict(list)
        for when, protocol, method, (status, content) in self.failures:
            what = "wrong response" if status == GOOD[protocol] else f"{status}, {content[:200]!r}"
            kinds[f"{method} over {protocol}: {what}"].append(when)
        for kind, times in kinds.items():
            yield f"{len(times)} failed, the first after {times[0]:.2f} s: {kind}"

    def summary(self):
        all_of_them = [each for took in self.took.values() for each in took]
        parts = ", ".join(f"{len(took)} {name}" for name, took in self.took.items())
        return (
            f"{self.calls()} calls ({parts}) in {self.lasted:.1f} s, {self.calls() / self.lasted:.0f} per second; "
            f"p50 {percentile(all_of_them, 50):.1f} ms, p99 {percentile(all_of_them, 99):.1f} ms, "
            f"slowest {1000 * self.slowest():.0f} ms; {len(self.failures)} failed"
        )


def percentile(times, part):
    return 1000 * sorted(times)[len(times) * part // 100] if times else 0


def restart_replicas(envoy, replicas, rounds):
    """In each round: kills one replica, kills another with calls in flight, and restarts two gracefully. The roles of
    the replicas change with the round."""
    for number in range(rounds):
        killed, stopped, *others = (replicas[(number + index) % len(replicas)] for index in (0, 1, 1, 2))
        killed.stop(signal.SIGKILL)
        time.sleep(0.3)
        killed.start()
        envoy.wait_until_used(killed)
        kill_with_calls_in_flight(stopped)
        stopped.start()
        envoy.wait_until_used(stopped)
        for replica in others:
            code = replica.stop(signal.SIGTERM)
            if code != 0:
                yield f"{replica.address} exited with {code}"
            replica.start()
            envoy.wait_until_used(replica)


def kill_with_calls_in_flight(replica):
    """Suspends a replica, so that calls accumulate there, then kills it: it cannot have answered any of them."""
    replica.signal(signal.SIGSTOP)
    time.sleep(0.2)
    replica.stop(signal.SIGKILL)


def restarts(envoy, replicas, rounds, note):
    """No call fails while replicas are killed and restarted. Some calls must have been retried, or the check proves
    nothing."""
    before = envoy.statistics()
    with Load(envoy.address) as load:
        yield from restart_replicas(envoy, replicas, rounds)
    yield from load.problems()
    now = envoy.statistics()
    counted = {name: now.get(name, 0) - before.get(name, 0) for name in now}
    note(load.summary())
    note(
        f"retries by Envoy: {counted['upstream_rq_retry']}, {counted['upstream_rq_retry_success']} successful; "
        f"not retried: {counted['upstream_rq_retry_overflow']} over the retry budget, "
        f"{counted['upstream_rq_retry_limit_exceeded']} over num_retries"
    )
    if counted["upstream_rq_retry"] < rounds:
        yield "too few calls were in flight when replicas were killed"
