"""Who is asked no more, and who is again. All of it under load: no call may fail meanwhile."""

import datetime
import signal
import time

from .load import Load
from .stand import at

# How long a replica that was told to end goes on (--drain-delay), in seconds.
DRAIN_DELAY = 0.5
# How long an attempt may take (per_try_timeout), in seconds.
ATTEMPT = 3
UNHEALTHY = "failed_active_health_check"


def draining(envoy, replicas):
    """A replica that was told to end must be left while it still answers: no call has to be repeated. One after the
    other, at once: it must not matter that others have just changed."""
    before, left = envoy.statistics(), []
    with Load(envoy.address, few=True) as load:
        for replica in replicas:
            replica.signal(signal.SIGTERM)
            # Twice the time: who has not noticed then never will.
            took, since = envoy.wait_out(replica, UNHEALTHY, 2 * DRAIN_DELAY), time.time()
            if took >= DRAIN_DELAY:
                yield f"Envoy has noticed only after {took:.2f} s"
            code = replica.wait()
            if code != 0:
                yield f"{replica.address} has ended with {code}"
            replica.start()
            left.append((replica, since, time.time()))
            envoy.wait_in(replica)
    yield from load.complaints()
    if repeated := envoy.statistics()["upstream_rq_retry"] - before["upstream_rq_retry"]:
        yield f"{repeated} calls had to be repeated"
    calls = envoy.log_of_calls()
    for replica, since, until in left:
        asked = [call for call in calls if call["replica"] == at(replica) and since + 0.1 < begun(call) < until]
        if asked:
            yield f"{replica.address} was asked {len(asked)} times after Envoy had left it: {asked[0]}"


def begun(call):
    return datetime.datetime.fromisoformat(call["time"].replace("Z", "+00:00")).timestamp()


def killed(envoy, replicas):
    """A replica that is gone must be left, and one that is back must be asked again."""
    with Load(envoy.address, few=True) as load:
        replicas[1].end(signal.SIGKILL)
        envoy.wait_out(replicas[1], UNHEALTHY)
        replicas[1].start()
        envoy.wait_in(replicas[1])
    yield from load.complaints()


def hanging(envoy, replicas):
    """The calls of a replica that says nothing any more must be answered by others."""
    with Load(envoy.address, few=True) as load:
        replicas[2].signal(signal.SIGSTOP)
        try:
            envoy.wait_out(replicas[2], UNHEALTHY)
            # Until those that had asked it have been answered.
            time.sleep(ATTEMPT)
        finally:
            replicas[2].signal(signal.SIGCONT)
        envoy.wait_in(replicas[2])
    yield from load.complaints()
    if not ATTEMPT <= load.slowest() < ATTEMPT + 1.5:
        yield f"the slowest call took {load.slowest():.1f} s: what is under way should be sent again after {ATTEMPT} s"


def alone(envoy, replicas):
    """One replica of three must do."""
    with Load(envoy.address, few=True) as load:
        for replica in replicas[:2]:
            replica.end(signal.SIGKILL)
        for replica in replicas[:2]:
            envoy.wait_out(replica, UNHEALTHY)
        time.sleep(0.5)
        for replica in replicas[:2]:
            replica.start()
            envoy.wait_in(replica)
    yield from load.complaints()


def one_more(envoy, replicas, names):
    """A replica that has joined the name must be asked; one that has left it and ended must be forgotten."""
    with Load(envoy.address, few=True) as load:
        replicas.one_more.start()
        names.addresses.append(replicas.one_more.address)
        envoy.wait_in(replicas.one_more)
        names.addresses.remove(replicas.one_more.address)
        replicas.one_more.end(signal.SIGTERM)
        envoy.wait_gone(replicas.one_more)
    yield from load.complaints()
