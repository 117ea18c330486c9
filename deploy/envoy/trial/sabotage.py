"""What is spoilt on purpose, and must be found."""

from . import leaving, load
from .configuration import of_cluster, of_host


def kills(envoy, replicas, large=load.LARGE):
    """Kills replicas until a call fails, or all were."""
    with load.Load(envoy.address, large=large) as calls:
        for replica in replicas:
            load.kill_in_calls(replica)
            replica.start()
            envoy.wait_in(replica)
            if calls.failures:
                break
    yield from calls.complaints()


def kills_in_batches(envoy, replicas):
    return kills(envoy, replicas, large=2)


# What is spoilt, how, the check that must find it, and what it must say.
SPOILT = [
    ("no retries", lambda config: of_host(config).pop("retry_policy"), kills, "connection termination"),
    ("as many retries as by default", lambda config: of_cluster(config).pop("circuit_breakers"), kills,
     "connection termination"),
    ("batches that are too large to be repeated", lambda config: of_host(config).pop("request_body_buffer_limit"),
     kills_in_batches, "EvaluateBatch"),
    ("no time for an attempt", lambda config: of_host(config)["retry_policy"].pop("per_try_timeout"), leaving.hanging,
     "sent again"),
    ("health asked for too seldom", lambda config: of_cluster(config)["health_checks"][0].update(interval="30s"),
     leaving.draining, leaving.UNHEALTHY),
    ("news that come late", lambda config: of_cluster(config)["common_lb_config"].pop("update_merge_window"),
     leaving.draining, "had to be repeated"),
]
