"""Faults put into the objects, which the checks must detect."""

import copy

from .objects import container_of, pod_of, the

NO_POD = "selector does not match"


def set_flag(objects, flag, value):
    arguments = container_of(objects)["args"]
    arguments[:] = [f"--{flag}={value}" if word.startswith(f"--{flag}=") else word for word in arguments]


def spec_of(objects, kind):
    return the(objects, kind)["spec"]


def rule(objects, number):
    return spec_of(objects, "PrometheusRule")["groups"][0]["rules"][number]


# The fault, the value file, how to make the fault, and a part of the problem that the checks must report.
MUTATIONS = [
    ("an unknown field of Kubernetes", "minimal",
     lambda o: pod_of(o).update(terminationGrace=1), "terminationGrace"),
    ("an unknown field of the Gateway API", "gateway",
     lambda o: spec_of(o, "GRPCRoute").update(timeouts={}), "timeouts"),
    ("an unknown field of the Prometheus operator", "production",
     lambda o: spec_of(o, "ServiceMonitor")["endpoints"][0].update(url="x"), "'url'"),
    ("an alert without an expression", "production", lambda o: rule(o, 0).pop("expr"), "'expr'"),
    ("a missing object", "production", lambda o: o.remove(the(o, "NetworkPolicy")), "kinds"),
    ("an object in another namespace", "minimal",
     lambda o: the(o, "Service")["metadata"].update(namespace="default"), "not in the namespace"),
    ("the same object twice", "minimal", lambda o: o.append(the(o, "Service")), "the same name"),
    # Pods
    ("root", "minimal", lambda o: pod_of(o)["securityContext"].update(runAsUser=0), "as root"),
    ("a capability", "minimal",
     lambda o: container_of(o)["securityContext"]["capabilities"].update(add=["NET_RAW"]), "capability"),
    ("no seccomp profile", "minimal", lambda o: pod_of(o)["securityContext"].pop("seccompProfile"), "seccomp"),
    ("privilege escalation", "minimal",
     lambda o: container_of(o)["securityContext"].update(allowPrivilegeEscalation=True), "escalate privileges"),
    ("a writable root file system", "minimal",
     lambda o: container_of(o)["securityContext"].pop("readOnlyRootFilesystem"), "is writable"),
    ("a mounted service account token", "minimal",
     lambda o: pod_of(o).pop("automountServiceAccountToken"), "token of the service account"),
    ("an unknown service account", "minimal",
     lambda o: pod_of(o).update(serviceAccountName="x"), "no service account x"),
    ("no memory limit", "minimal", lambda o: container_of(o)["resources"].pop("limits"), "memory"),
    ("a short grace period", "minimal",
     lambda o: pod_of(o).update(terminationGracePeriodSeconds=26), "grace period is 26 s"),
    ("a long drain timeout", "minimal", lambda o: set_flag(o, "drain-timeout", "25s"), "takes up to 31"),
    ("a long sleep before SIGTERM", "drain",
     lambda o: container_of(o)["lifecycle"]["preStop"]["sleep"].update(seconds=30), "takes up to 91.5"),
    ("a shell command before SIGTERM", "minimal",
     lambda o: container_of(o).update(lifecycle={"preStop": {"exec": {"command": ["sleep", "1"]}}}), "no shell"),
    ("a file that is not mounted", "tls",
     lambda o: set_flag(o, "tls-client-ca", "/etc/arbiter/tls/ca.crt"), "files of the flags and files mounted"),
    ("a world-readable secret", "tls",
     lambda o: pod_of(o)["volumes"][0]["secret"].update(defaultMode=0o444), "for the group of the pod only"),
    ("a rollout with unavailable pods", "minimal",
     lambda o: spec_of(o, "Deployment")["strategy"]["rollingUpdate"].update(maxUnavailable=1), "a rollout must not"),
    ("replicas and an autoscaler", "production",
     lambda o: spec_of(o, "Deployment").update(replicas=2), "there is no autoscaler"),
    # Networking
    ("a service without pods", "minimal", lambda o: spec_of(o, "Service")["selector"].update(x="y"), NO_POD),
    ("a budget without pods", "production",
     lambda o: spec_of(o, "PodDisruptionBudget")["selector"]["matchLabels"].update(x="y"), NO_POD),
    ("a policy without pods", "production",
     lambda o: spec_of(o, "NetworkPolicy")["podSelector"]["matchLabels"].update(x="y"), NO_POD),
    ("a ServiceMonitor without a service", "production",
     lambda o: spec_of(o, "ServiceMonitor")["selector"]["matchLabels"].update(x="y"), "matches 0 services"),
    ("an autoscaler without a deployment", "production",
     lambda o: spec_of(o, "HorizontalPodAutoscaler")["scaleTargetRef"].update(name="x"), "no such deployment"),
    ("a route without a service", "gateway",
     lambda o: spec_of(o, "GRPCRoute")["rules"][0]["backendRefs"][0].update(port=1), "with port 1"),
    ("a container port without a listener", "drain",
     lambda o: set_flag(o, "listen", "[::]:50051"), "ports of the container and of the flags"),
    ("an unknown target port", "minimal",
     lambda o: spec_of(o, "Service")["ports"][0].update(targetPort="web"), "no port web"),
    ("the admin port in the service for calls", "minimal",
     lambda o: spec_of(o, "Service")["ports"].append(
         {"name": "admin", "port": 50052, "targetPort": "admin", "appProtocol": "http"}), "both ports"),
    ("appProtocol https without TLS", "minimal",
     lambda o: spec_of(o, "Service")["ports"][0].update(appProtocol="https"), "the protocol of grpc"),
    ("a gRPC probe over TLS", "tls",
     lambda o: container_of(o).update(livenessProbe={"grpc": {"port": 50051}}), "gRPC probes do not work"),
    ("a liveness probe of /ready", "tls",
     lambda o: container_of(o)["livenessProbe"]["httpGet"].update(path="/ready"), "wrong path /ready"),
    ("an admin port open to all", "production",
     lambda o: spec_of(o, "NetworkPolicy")["ingress"][1].pop("from"), "open to all"),
    ("no ingress for calls", "production",
     lambda o: spec_of(o, "NetworkPolicy")["ingress"].pop(0), "no ingress to the grpc port"),
    ("unneeded egress", "production",
     lambda o: spec_of(o, "NetworkPolicy")["egress"].append({"ports": [{"port": 443, "protocol": "TCP"}]}), "443"),
    ("unrestricted egress", "production",
     lambda o: spec_of(o, "NetworkPolicy")["egress"].append({}), "egress to every port"),
    ("no egress to the collector", "tracing", lambda o: spec_of(o, "NetworkPolicy")["egress"].pop(0), "4317"),
    ("no egress to DNS", "tracing", lambda o: spec_of(o, "NetworkPolicy")["egress"].pop(1), "53"),
    # Alerts
    ("a missing alert", "production",
     lambda o: spec_of(o, "PrometheusRule")["groups"][0]["rules"].pop(), "alerts"),
    ("an alert with a syntax error", "production",
     lambda o: rule(o, 0).update(expr="sum(rate(x[5m])"), "ArbiterAbsent"),
    ("an alert on other pods", "production",
     lambda o: rule(o, 0).update(expr="absent(arbiter_connections)"), "ArbiterAbsent: metrics"),
    ("an alert on more pods", "production",
     lambda o: rule(o, 1).update(expr=rule(o, 1)["expr"].replace('job="', 'job=~"')), "ArbiterDown: metrics"),
    ("an alert with another threshold", "production",
     lambda o: rule(o, 2).update(expr=rule(o, 2)["expr"].replace("0.01", "0.5")), "ArbiterErrorRatio: expression"),
]


def mutations(rendered, problems_of):
    """What the checks must detect, each with a problem if they do not."""
    for what, name, mutate, expected in MUTATIONS:
        objects = copy.deepcopy(rendered[name])
        mutate(objects)
        found = problems_of(objects, name)
        yield what, [] if any(expected in one for one in found) else [f"not detected, but {found}"]
