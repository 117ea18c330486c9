"""Faults put into the configuration, which the checks must detect."""

from . import failover, load
from .configuration import cluster, virtual_host


def kills(envoy, replicas, large=load.LARGE):
    """Kills one replica after the other until a call fails."""
    with load.Load(envoy.address, large=large) as calls:
        for replica in replicas:
            load.kill_with_calls_in_flight(replica)
            replica.start()
            envoy.wait_until_used(replica)
            if calls.failures:
                break
    yield from calls.problems()


def kills_in_batches(envoy, replicas):
    return kills(envoy, replicas, large=2)


# The fault, how to make it, the check that must detect it, and a part of the problem that the check must report.
MUTATIONS = [
    ("no retries", lambda config: virtual_host(config).pop("retry_policy"), kills, "connection termination"),
    ("the default retry budget", lambda config: cluster(config).pop("circuit_breakers"), kills,
     "connection termination"),
    ("batches too large to retry", lambda config: virtual_host(config).pop("request_body_buffer_limit"),
     kills_in_batches, "EvaluateBatch"),
    ("no per-try timeout", lambda config: virtual_host(config)["retry_policy"].pop("per_try_timeout"),
     failover.hanging, "the slowest call"),
    ("rare health checks", lambda config: cluster(config)["health_checks"][0].update(interval="30s"),
     failover.draining, failover.UNHEALTHY),
    ("delayed health changes", lambda config: cluster(config)["common_lb_config"].pop("update_merge_window"),
     failover.draining, "needed a retry"),
]
