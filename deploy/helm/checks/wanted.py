"""The clusters that the chart is rendered for, and what each value file must make of it."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
TOOLS = FOLDER.parents[1] / "target" / "tools"
CHART = FOLDER / "arbiter"
VALUES = {path.stem: path for path in sorted((FOLDER / "values").glob("*.yaml"))}

RELEASE, NAMESPACE = "arbiter", "games"
# The oldest that the chart takes, the first with the sleep action, the newest there is a schema of.
OLDEST, WITH_SLEEP, NEWEST = KUBERNETES = ["1.27.0", "1.30.0", "1.37.0"]


@dataclass(frozen=True)
class Wanted:
    # How many objects of each kind there are beside the Deployment.
    kinds: dict[str, int]
    # How the pod is asked at its start, whether it lives, and whether it is ready.
    probes: tuple[str, str, str] = ("grpc", "grpc", "grpc")
    # The first cluster that it can be rendered for.
    since: str = OLDEST

    def clusters(self):
        return KUBERNETES[KUBERNETES.index(self.since):]


WANTED = {
    "minimal": Wanted({"Service": 2, "ServiceAccount": 1}),
    "production": Wanted({
        "Service": 3, "ServiceAccount": 1, "HorizontalPodAutoscaler": 1, "PodDisruptionBudget": 1, "NetworkPolicy": 1,
        "ServiceMonitor": 1, "PrometheusRule": 1,
    }),
    "tls": Wanted(
        {"Service": 3, "ServiceAccount": 1, "ServiceMonitor": 1, "PrometheusRule": 1}, probes=("httpGet",) * 3
    ),
    "tokens": Wanted({"Service": 2, "ServiceAccount": 1}),
    "tracing": Wanted({"Service": 2, "ServiceAccount": 1, "NetworkPolicy": 1}),
    "gateway": Wanted({"Service": 1, "ServiceAccount": 1, "GRPCRoute": 1}),
    "drain": Wanted({"Service": 2, "NetworkPolicy": 1}, probes=("grpc", "httpGet", "grpc"), since=WITH_SLEEP),
}
