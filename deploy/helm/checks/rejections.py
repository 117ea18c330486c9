"""Values that helm must reject, by the schema or by a template, and a part of the error message."""

from .expected import VALUES

REJECTED = [
    ("an unknown value", ["replicas=3"], "replicas"),
    ("an unknown limit", ["limits.maxGames=3"], "maxGames"),
    ("a number as text", ['replicaCount="three"'], "replicaCount"),
    ("a time without a unit", ['limits.drainTimeout="20"'], "drainTimeout"),
    ("a time of zero", ['limits.callTimeout="0s"'], "callTimeout"),
    ("a missing limit", ["limits.drainDelay=null"], "drainDelay"),
    ("too many items", ["limits.maxBatchItems=16385"], "maxBatchItems"),
    ("root", ["runAsId=0"], "runAsId"),
    ("a privileged port", ["ports.grpc=443"], "grpc"),
    ("TLS without a secret", ["tls.enabled=true"], "secretName"),
    ("client certificates without TLS", ['tls.clientCa.secretName="ca"'], "clientCa"),
    ("CRLs without client certificates",
     ['tls.enabled=true', 'tls.secretName="tls"', 'tls.clientCrl.secretName="crl"'], "clientCrl"),
    ("none with others", ['tokens.openServices=["none","health"]'], "openServices"),
    ("a route without a gateway", ["gateway.enabled=true"], "parentRefs"),
    ("a disruption budget of 0", ["podDisruptionBudget.maxUnavailable=0"], "maxUnavailable"),
    ("an origin with a path", ['corsAllowOrigin=["https://play.example/x"]'], "corsAllowOrigin"),
    ("a collector without a port", ['traces.otlpEndpoint="http://collector"'], "otlpEndpoint"),
    ("a collector without a scheme", ['traces.otlpEndpoint="collector:4317"'], "otlpEndpoint"),
    ("a collector over TLS", ['traces.otlpEndpoint="https://collector:4317"'], "otlpEndpoint"),
    ("sampling above 1", ["traces.sampling=1.1"], "sampling"),
    ("an empty peer", ["networkPolicy.otlpTo=[{}]"], "otlpTo"),
    ("the same port twice", ["ports.admin=50051"], "must differ"),
    ("gRPC probes over TLS", ["tls.enabled=true", 'tls.secretName="t"', 'probes.liveness.type="grpc"'], "do not work"),
    ("gRPC probes without a token",
     ['tokens.secretName="t"', 'tokens.openServices=["none"]', 'probes.readiness.type="grpc"'], "do not work"),
    ("minReplicas above maxReplicas", ["autoscaling.enabled=true", "autoscaling.minReplicas=11"], "minReplicas"),
    ("autoscaling without a cpu request", ["autoscaling.enabled=true", "resources.requests.cpu=null"], "requests.cpu"),
    ("alerts without metrics", ["prometheusRule.enabled=true"], "serviceMonitor"),
    ("unreachable metrics", ["serviceMonitor.enabled=true", "networkPolicy.enabled=true"], "adminFrom"),
    ("a scrape timeout above the interval", ["serviceMonitor.enabled=true", 'serviceMonitor.interval="5s"'],
     "scrapeTimeout"),
    ("a drain timeout below the call timeout", ['limits.drainTimeout="9s"'], "callTimeout"),
]


def rejections(helm):
    """What helm must reject, each with its problems."""
    for what, values, expected in REJECTED:
        words = [word for value in values for word in ("--set-json", value)]
        yield what, not_rejected(helm.template(words), expected)
    yield "the sleep action before 1.30", not_rejected(helm.template(["--values", VALUES["drain"]], "1.29.0"), "1.30")
    yield "Kubernetes 1.26", not_rejected(helm.template([], "1.26.0"), "kubeVersion")


def not_rejected(done, expected):
    if done.returncode == 0:
        return ["not rejected"]
    return [] if expected in done.stderr else [f"rejected, but without {expected}: {done.stderr}"]
