"""The Kubernetes versions that the chart is rendered for, and the objects expected from each value file."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
TOOLS = FOLDER.parents[1] / "target" / "tools"
CHART = FOLDER / "arbiter"
VALUES = {path.stem: path for path in sorted((FOLDER / "values").glob("*.yaml"))}

RELEASE, NAMESPACE = "arbiter", "games"
# The oldest supported version, the first with the sleep action, and the newest with a schema.
OLDEST, WITH_SLEEP, NEWEST = KUBERNETES = ["1.27.0", "1.30.0", "1.37.0"]


@dataclass(frozen=True)
class Expected:
    # The number of objects per kind, apart from the Deployment.
    kinds: dict[str, int]
    # The types of the startup, liveness and readiness probes.
    probes: tuple[str, str, str] = ("grpc", "grpc", "grpc")
    # The first Kubernetes version that supports these values.
    since: str = OLDEST

    def versions(self):
        return KUBERNETES[KUBERNETES.index(self.since):]


EXPECTED = {
    "minimal": Expected({"Service": 2, "ServiceAccount": 1}),
    "production": Expected({
        "Service": 3, "ServiceAccount": 1, "HorizontalPodAutoscaler": 1, "PodDisruptionBudget": 1, "NetworkPolicy": 1,
        "ServiceMonitor": 1, "PrometheusRule": 1,
    }),
    "tls": Expected(
        {"Service": 3, "ServiceAccount": 1, "ServiceMonitor": 1, "PrometheusRule": 1}, probes=("httpGet",) * 3
    ),
    "tokens": Expected({"Service": 2, "ServiceAccount": 1}),
    "tracing": Expected({"Service": 2, "ServiceAccount": 1, "NetworkPolicy": 1}),
    "gateway": Expected({"Service": 1, "ServiceAccount": 1, "GRPCRoute": 1}),
    "drain": Expected({"Service": 2, "NetworkPolicy": 1}, probes=("grpc", "httpGet", "grpc"), since=WITH_SLEEP),
}
