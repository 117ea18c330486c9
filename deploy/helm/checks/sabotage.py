"""What is broken on purpose, in which values, and what the complaint must say."""

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


SABOTAGE = [
    ("a field that Kubernetes does not know", "minimal",
     lambda o: pod_of(o).update(terminationGrace=1), "terminationGrace"),
    ("a field that the Gateway API does not know", "gateway",
     lambda o: spec_of(o, "GRPCRoute").update(timeouts={}), "timeouts"),
    ("a field that the operator does not know", "production",
     lambda o: spec_of(o, "ServiceMonitor")["endpoints"][0].update(url="x"), "'url'"),
    ("an alert without an expression", "production", lambda o: rule(o, 0).pop("expr"), "'expr'"),
    ("an object that is missing", "production", lambda o: o.remove(the(o, "NetworkPolicy")), "kinds"),
    ("an object of another namespace", "minimal",
     lambda o: the(o, "Service")["metadata"].update(namespace="default"), "not in the namespace"),
    ("one object twice", "minimal", lambda o: o.append(the(o, "Service")), "the same name"),
    # Pods
    ("root", "minimal", lambda o: pod_of(o)["securityContext"].update(runAsUser=0), "as root"),
    ("a capability", "minimal",
     lambda o: container_of(o)["securityContext"]["capabilities"].update(add=["NET_RAW"]), "capability"),
    ("any call of the kernel", "minimal", lambda o: pod_of(o)["securityContext"].pop("seccompProfile"), "seccomp"),
    ("rights to be gained", "minimal",
     lambda o: container_of(o)["securityContext"].update(allowPrivilegeEscalation=True), "gain rights"),
    ("a file system to write to", "minimal",
     lambda o: container_of(o)["securityContext"].pop("readOnlyRootFilesystem"), "can write"),
    ("a mounted token", "minimal",
     lambda o: pod_of(o).pop("automountServiceAccountToken"), "token of the service account"),
    ("an account that is not there", "minimal",
     lambda o: pod_of(o).update(serviceAccountName="x"), "no service account x"),
    ("memory without end", "minimal", lambda o: container_of(o)["resources"].pop("limits"), "memory"),
    ("a grace period that is too short", "minimal",
     lambda o: pod_of(o).update(terminationGracePeriodSeconds=26), "grace period is 26 s"),
    ("a drain that is too long", "minimal", lambda o: set_flag(o, "drain-timeout", "25s"), "takes up to 31"),
    ("a sleep that was not reckoned with", "drain",
     lambda o: container_of(o)["lifecycle"]["preStop"]["sleep"].update(seconds=30), "takes up to 91.5"),
    ("a shell before the end", "minimal",
     lambda o: container_of(o).update(lifecycle={"preStop": {"exec": {"command": ["sleep", "1"]}}}), "no shell"),
    ("a file that is not mounted", "tls",
     lambda o: set_flag(o, "tls-client-ca", "/etc/arbiter/tls/ca.crt"), "files given and files mounted"),
    ("a secret that all may read", "tls",
     lambda o: pod_of(o)["volumes"][0]["secret"].update(defaultMode=0o444), "by the group of the pod alone"),
    ("a rollout that is short of a pod", "minimal",
     lambda o: spec_of(o, "Deployment")["strategy"]["rollingUpdate"].update(maxUnavailable=1), "short of a pod"),
    ("two who decide on replicas", "production",
     lambda o: spec_of(o, "Deployment").update(replicas=2), "nobody else decides"),
    # Wiring
    ("a service without pods", "minimal", lambda o: spec_of(o, "Service")["selector"].update(x="y"), NO_POD),
    ("a budget without pods", "production",
     lambda o: spec_of(o, "PodDisruptionBudget")["selector"]["matchLabels"].update(x="y"), NO_POD),
    ("a policy without pods", "production",
     lambda o: spec_of(o, "NetworkPolicy")["podSelector"]["matchLabels"].update(x="y"), NO_POD),
    ("a monitor of nothing", "production",
     lambda o: spec_of(o, "ServiceMonitor")["selector"]["matchLabels"].update(x="y"), "matches 0 services"),
    ("a scaler of nothing", "production",
     lambda o: spec_of(o, "HorizontalPodAutoscaler")["scaleTargetRef"].update(name="x"), "no such deployment"),
    ("a route to nothing", "gateway",
     lambda o: spec_of(o, "GRPCRoute")["rules"][0]["backendRefs"][0].update(port=1), "with port 1"),
    ("a port that is not listened on", "drain",
     lambda o: set_flag(o, "listen", "[::]:50051"), "ports of the container and of the flags"),
    ("a port that leads nowhere", "minimal",
     lambda o: spec_of(o, "Service")["ports"][0].update(targetPort="web"), "no port web"),
    ("metrics beside calls", "minimal",
     lambda o: spec_of(o, "Service")["ports"].append(
         {"name": "admin", "port": 50052, "targetPort": "admin", "appProtocol": "http"}), "kept apart"),
    ("calls in the open that are said to be TLS", "minimal",
     lambda o: spec_of(o, "Service")["ports"][0].update(appProtocol="https"), "the protocol of grpc"),
    ("a gRPC probe over TLS", "tls",
     lambda o: container_of(o).update(livenessProbe={"grpc": {"port": 50051}}), "cannot ask by gRPC"),
    ("liveness by readiness", "tls",
     lambda o: container_of(o)["livenessProbe"]["httpGet"].update(path="/ready"), "asks for /ready"),
    ("an admin port open to all", "production",
     lambda o: spec_of(o, "NetworkPolicy")["ingress"][1].pop("from"), "everyone may reach"),
    ("calls that are not let in", "production",
     lambda o: spec_of(o, "NetworkPolicy")["ingress"].pop(0), "nobody may call"),
    ("a way out that nobody needs", "production",
     lambda o: spec_of(o, "NetworkPolicy")["egress"].append({"ports": [{"port": 443, "protocol": "TCP"}]}), "443"),
    ("every way out", "production",
     lambda o: spec_of(o, "NetworkPolicy")["egress"].append({}), "every port may be called"),
    ("no way to the collector", "tracing", lambda o: spec_of(o, "NetworkPolicy")["egress"].pop(0), "4317"),
    ("no way to its name", "tracing", lambda o: spec_of(o, "NetworkPolicy")["egress"].pop(1), "53"),
    # Alerts
    ("an alert that is missing", "production",
     lambda o: spec_of(o, "PrometheusRule")["groups"][0]["rules"].pop(), "alerts"),
    ("an alert that cannot be read", "production",
     lambda o: rule(o, 0).update(expr="sum(rate(x[5m])"), "ArbiterAbsent"),
    ("an alert on other pods", "production",
     lambda o: rule(o, 0).update(expr="absent(arbiter_connections)"), "ArbiterAbsent: metrics"),
    ("an alert on other pods too", "production",
     lambda o: rule(o, 1).update(expr=rule(o, 1)["expr"].replace('job="', 'job=~"')), "ArbiterDown: metrics"),
    ("an alert at another height", "production",
     lambda o: rule(o, 2).update(expr=rule(o, 2)["expr"].replace("0.01", "0.5")), "ArbiterErrorRatio: expression"),
]


def sabotages(rendered, complaints_about):
    """What must be found, each with its complaints if it was not."""
    for what, name, breaking, said in SABOTAGE:
        objects = copy.deepcopy(rendered[name])
        breaking(objects)
        found = complaints_about(objects, name)
        yield what, [] if any(said in one for one in found) else [f"it was not, but {found}"]
