"""How Envoy removes replicas that drain, die or hang, and adds them again. Under load; no call may fail."""

import datetime
import signal
import time

from .load import Load
from .processes import at

# --drain-delay, in seconds.
DRAIN_DELAY = 0.5
# per_try_timeout, in seconds.
PER_TRY_TIMEOUT = 3
UNHEALTHY = "failed_active_health_check"


def draining(envoy, replicas):
    """Envoy removes a draining replica while it still answers, so that no call needs a retry. The replicas drain in
    sequence without a pause: recent changes of the others must not matter."""
    before, removed = envoy.statistics(), []
    with Load(envoy.address, few=True) as load:
        for replica in replicas:
            replica.signal(signal.SIGTERM)
            took, since = envoy.wait_until_removed(replica, UNHEALTHY, 2 * DRAIN_DELAY), time.time()
            if took >= DRAIN_DELAY:
                yield f"Envoy removed {replica.address} only after {took:.2f} s"
            code = replica.wait()
            if code != 0:
                yield f"{replica.address} exited with {code}"
            replica.start()
            removed.append((replica, since, time.time()))
            envoy.wait_until_used(replica)
    yield from load.problems()
    if retries := envoy.statistics()["upstream_rq_retry"] - before["upstream_rq_retry"]:
        yield f"{retries} calls needed a retry"
    calls = envoy.access_log()
    for replica, since, until in removed:
        late = [call for call in calls if call["replica"] == at(replica) and since + 0.1 < start_time(call) < until]
        if late:
            yield f"{replica.address} got {len(late)} calls after Envoy had removed it: {late[0]}"


def start_time(call):
    return datetime.datetime.fromisoformat(call["time"].replace("Z", "+00:00")).timestamp()


def killed(envoy, replicas):
    """Envoy removes a replica that dies, and adds it again after its restart."""
    with Load(envoy.address, few=True) as load:
        replicas[1].stop(signal.SIGKILL)
        envoy.wait_until_removed(replicas[1], UNHEALTHY)
        replicas[1].start()
        envoy.wait_until_used(replicas[1])
    yield from load.problems()


def hanging(envoy, replicas):
    """Envoy retries the calls of a hanging replica on others."""
    with Load(envoy.address, few=True) as load:
        replicas[2].signal(signal.SIGSTOP)
        try:
            envoy.wait_until_removed(replicas[2], UNHEALTHY)
            # Until its calls in flight were retried.
            time.sleep(PER_TRY_TIMEOUT)
        finally:
            replicas[2].signal(signal.SIGCONT)
        envoy.wait_until_used(replicas[2])
    yield from load.problems()
    slowest = load.slowest()
    if not PER_TRY_TIMEOUT <= slowest < PER_TRY_TIMEOUT + 1.5:
        yield f"the slowest call took {slowest:.1f} s: calls in flight should be retried after {PER_TRY_TIMEOUT} s"


def single(envoy, replicas):
    """One replica of three is enough."""
    with Load(envoy.address, few=True) as load:
        for replica in replicas[:2]:
            replica.stop(signal.SIGKILL)
        for replica in replicas[:2]:
            envoy.wait_until_removed(replica, UNHEALTHY)
        time.sleep(0.5)
        for replica in replicas[:2]:
            replica.start()
            envoy.wait_until_used(replica)
    yield from load.problems()


def discovery(envoy, replicas, dns):
    """Envoy uses a replica that joins the DNS name, and forgets one that leaves it and exits."""
    with Load(envoy.address, few=True) as load:
        replicas.extra.start()
        dns.addresses.append(replicas.extra.address)
        envoy.wait_until_used(replicas.extra)
        dns.addresses.remove(replicas.extra.address)
        replicas.extra.stop(signal.SIGTERM)
        envoy.wait_until_forgotten(replicas.extra)
    yield from load.problems()
