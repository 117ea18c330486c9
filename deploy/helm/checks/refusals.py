"""Values that must be refused, by the schema or by the chart, with what the refusal must say."""

from .wanted import VALUES

REFUSED = [
    ("a value that is not there", ["replicas=3"], "replicas"),
    ("a limit that is not there", ["limits.maxGames=3"], "maxGames"),
    ("a number as text", ['replicaCount="three"'], "replicaCount"),
    ("a time without a unit", ['limits.drainTimeout="20"'], "drainTimeout"),
    ("a time of zero", ['limits.callTimeout="0s"'], "callTimeout"),
    ("a limit taken away", ["limits.drainDelay=null"], "drainDelay"),
    ("too many items", ["limits.maxBatchItems=16385"], "maxBatchItems"),
    ("root", ["runAsId=0"], "runAsId"),
    ("a privileged port", ["ports.grpc=443"], "grpc"),
    ("TLS without a secret", ["tls.enabled=true"], "secretName"),
    ("client certificates without TLS", ['tls.clientCa.secretName="ca"'], "clientCa"),
    ("none with others", ['tokens.openServices=["none","health"]'], "openServices"),
    ("a route to no gateway", ["gateway.enabled=true"], "parentRefs"),
    ("a budget of nothing", ["podDisruptionBudget.maxUnavailable=0"], "maxUnavailable"),
    ("an origin with a path", ['corsAllowOrigin=["https://play.example/x"]'], "corsAllowOrigin"),
    ("a collector without a port", ['traces.otlpEndpoint="http://collector"'], "otlpEndpoint"),
    ("a collector without a scheme", ['traces.otlpEndpoint="collector:4317"'], "otlpEndpoint"),
    ("a collector over TLS", ['traces.otlpEndpoint="https://collector:4317"'], "otlpEndpoint"),
    ("more than every call", ["traces.sampling=1.1"], "sampling"),
    ("a peer that is nobody", ["networkPolicy.otlpTo=[{}]"], "otlpTo"),
    ("one port twice", ["ports.admin=50051"], "must differ"),
    ("gRPC probes over TLS", ["tls.enabled=true", 'tls.secretName="t"', 'probes.liveness.type="grpc"'], "cannot ask"),
    ("gRPC probes without a token",
     ['tokens.secretName="t"', 'tokens.openServices=["none"]', 'probes.readiness.type="grpc"'], "cannot ask"),
    ("fewest above most", ["autoscaling.enabled=true", "autoscaling.minReplicas=11"], "minReplicas"),
    ("autoscaling by no request", ["autoscaling.enabled=true", "resources.requests.cpu=null"], "requests.cpu"),
    ("alerts on nothing", ["prometheusRule.enabled=true"], "serviceMonitor"),
    ("metrics that nobody reaches", ["serviceMonitor.enabled=true", "networkPolicy.enabled=true"], "adminFrom"),
    ("a scrape longer than its turn", ["serviceMonitor.enabled=true", 'serviceMonitor.interval="5s"'], "scrapeTimeout"),
    ("an end before the longest call", ['limits.drainTimeout="9s"'], "callTimeout"),
]


def refusals(helm):
    """What must be refused, each with its complaints."""
    for what, values, said in REFUSED:
        words = [word for value in values for word in ("--set-json", value)]
        yield what, unrefused(helm.template(words), said)
    yield "the sleep action before 1.30", unrefused(helm.template(["--values", VALUES["drain"]], "1.29.0"), "1.30")
    yield "Kubernetes 1.26", unrefused(helm.template([], "1.26.0"), "kubeVersion")


def unrefused(done, said):
    if done.returncode == 0:
        return ["it was not"]
    return [] if said in done.stderr else [f"it was, but not for {said}: {done.stderr}"]
