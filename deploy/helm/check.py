"""Checks the chart by what helm makes of it, for every file of values/.

What is rendered is held against the schemas of Kubernetes, of the Gateway API and of the Prometheus operator, and against
itself: selectors, ports, mounts, rights, the time to end. Wrong values must be refused. With the binary: every flag exists,
the server takes the arguments of the chart, ends within the grace period, and has the metrics that the alerts ask for.
At last the checks are checked: each thing broken on purpose must be found.

Usage: python3 deploy/helm/check.py HELM [ARBITER]     the checks
       python3 deploy/helm/check.py --readme           writes the table of values into the README
Needs Go and the network once, for the schemas; makes its own folder for Python under target/tools.
"""

import copy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHART = HERE / "arbiter"
VENV = ROOT / "target" / "tools" / "helm-python"
PACKAGES = ["kubernetes-validate==1.37.0", "promql-parser==0.11.0"]

# The oldest that the chart takes, the first with the sleep action, the newest there is a schema of.
KUBERNETES = ["1.27.0", "1.30.0", "1.37.0"]
NEWEST = KUBERNETES[-1]
NEEDS_SLEEP = {"drain"}
CRDS = {
    "ServiceMonitor": (
        "github.com/prometheus-operator/prometheus-operator@v0.94.1",
        "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
    ),
    "PrometheusRule": (
        "github.com/prometheus-operator/prometheus-operator@v0.94.1",
        "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
    ),
    "GRPCRoute": (
        "sigs.k8s.io/gateway-api@v1.6.3",
        "config/crd/standard/gateway.networking.k8s.io_grpcroutes.yaml",
    ),
}
# Every value file, and the kinds that it must make beside those that are always there.
ALWAYS = {"Deployment": 1, "Service": 1}
KINDS = {
    "minimal": {"Service": 2, "ServiceAccount": 1},
    "production": {
        "Service": 3, "ServiceAccount": 1, "HorizontalPodAutoscaler": 1, "PodDisruptionBudget": 1, "NetworkPolicy": 1,
        "ServiceMonitor": 1, "PrometheusRule": 1,
    },
    "tls": {"Service": 3, "ServiceAccount": 1, "ServiceMonitor": 1, "PrometheusRule": 1},
    "tokens": {"Service": 2, "ServiceAccount": 1},
    "gateway": {"ServiceAccount": 1, "GRPCRoute": 1},
    "drain": {"Service": 2, "NetworkPolicy": 1},
}
PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
# How each file wants its probes: start, liveness, readiness.
PROBE_TYPES = {
    "minimal": ["grpc"] * 3,
    "production": ["grpc"] * 3,
    "tls": ["httpGet"] * 3,
    "tokens": ["grpc"] * 3,
    "gateway": ["grpc"] * 3,
    "drain": ["grpc", "httpGet", "grpc"],
}
# Labels that Prometheus adds to what a server tells.
ADDED_LABELS = {"namespace", "job", "pod", "le"}
# The server's own time after the drain timeout, in seconds.
FAREWELL = 1
RELEASE, NAMESPACE = "arbiter", "games"

# Values that must be refused, with what the refusal must say.
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
    ("one port twice", ["ports.admin=50051"], "must differ"),
    ("gRPC probes over TLS", ["tls.enabled=true", 'tls.secretName="t"', 'probes.liveness.type="grpc"'], "cannot ask"),
    ("gRPC probes without a token",
     ['tokens.secretName="t"', 'tokens.openServices=["none"]', 'probes.readiness.type="grpc"'], "cannot ask"),
    ("fewest above most", ["autoscaling.enabled=true", "autoscaling.minReplicas=11"], "minReplicas"),
    ("autoscaling by no request", ["autoscaling.enabled=true", "resources.requests.cpu=null"], "requests.cpu"),
    ("alerts on nothing", ["prometheusRule.enabled=true"], "serviceMonitor"),
    ("metrics that nobody reaches", ["serviceMonitor.enabled=true", "networkPolicy.enabled=true"], "adminFrom"),
]


def main():
    arguments = sys.argv[1:]
    if arguments != ["--readme"] and len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    in_own_python()
    if arguments == ["--readme"]:
        write_readme()
        return
    helm = str(Path(arguments[0]).absolute())
    arbiter = str(Path(arguments[1]).absolute()) if len(arguments) == 2 else None
    run = Run(helm, arbiter)
    run.everything()
    if run.complaints:
        raise SystemExit(f"{len(run.complaints)} complaints")
    print("the chart holds")


def in_own_python():
    """Goes on in a Python that has the packages, after making it if it is not there."""
    stamp = VENV / "packages.txt"
    wanted = "\n".join(PACKAGES)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    if Path(sys.prefix).resolve() != VENV.resolve():
        python = str(VENV / "bin" / "python")
        os.execv(python, [python, __file__, *sys.argv[1:]])


class Run:
    def __init__(self, helm, arbiter):
        self.helm_path, self.arbiter = helm, arbiter
        self.complaints = []
        self.crds = {kind: crd_schema(*source) for kind, source in CRDS.items()}

    def report(self, what, complaints):
        complaints = list(complaints)
        print(f"{'FAIL' if complaints else 'ok  '}  {what}", flush=True)
        for complaint in complaints:
            print(f"        {complaint}", flush=True)
        self.complaints += complaints

    def everything(self):
        files = {path.stem: path for path in sorted((HERE / "values").glob("*.yaml"))}
        self.report("every value file is known here", unlike(set(files), set(KINDS), "value files"))
        self.report("values are documented", undocumented())
        rendered = {}
        for name, path in files.items():
            for version in KUBERNETES:
                if version < "1.30" and name in NEEDS_SLEEP:
                    continue
                self.report(f"{name}: lint, Kubernetes {version}", self.lint(path, version))
                objects, complaints = self.render(["--values", path], version)
                complaints += self.complaints_about(objects, name, version)
                self.report(f"{name}: {len(objects)} objects, Kubernetes {version}", complaints)
                rendered[name] = objects
            self.report(f"{name}: notes", self.notes(path))
        self.report("a long name", self.long_name())
        for name, path in files.items():
            self.report(f"{name}: names that look like numbers and truths", self.odd_names(path))
        self.refusals(files)
        if self.arbiter:
            self.with_server(rendered)
        else:
            print("skip  flags, arguments, metrics: no binary given")
        self.sabotage(rendered)

    # What helm does

    def helm(self, *words):
        # Nobody's settings, and no cluster.
        homes = {f"HELM_{home}_HOME": str(VENV / "helm") for home in ("CACHE", "CONFIG", "DATA")}
        return subprocess.run(
            [self.helm_path, *map(str, words)], capture_output=True, text=True, timeout=120, check=False,
            env=os.environ | homes | {"KUBECONFIG": os.devnull},
        )

    def lint(self, path, version):
        done = self.helm("lint", "--strict", "--kube-version", version, "--values", path, CHART)
        return [] if done.returncode == 0 else [done.stdout + done.stderr]

    def template(self, words, version=NEWEST, release=RELEASE, namespace=NAMESPACE):
        return self.helm("template", release, CHART, "--namespace", namespace, "--kube-version", version, *words)

    def render(self, words, version=NEWEST, release=RELEASE, namespace=NAMESPACE):
        import yaml

        done = self.template(words, version, release, namespace)
        if done.returncode:
            return [], [done.stderr]
        return [one for one in yaml.load_all(done.stdout, unique_loader()) if one], []

    def notes(self, path):
        done = self.helm("install", RELEASE, CHART, "--namespace", NAMESPACE, "--dry-run=client", "--values", path)
        if done.returncode:
            return [done.stderr]
        notes = done.stdout.partition("NOTES:")[2]
        calls = re.findall(r"^  grpcurl .*arbiter\.v1\.RulesService/NewGame$", notes, re.M)
        return [] if len(calls) == 1 else [f"expected one call by grpcurl in the notes: {notes}"]

    def long_name(self):
        everything = ["--values", HERE / "values" / "production.yaml"]
        objects, complaints = self.render(everything, release="a" * 53)
        return complaints + list(self.complaints_about(objects, "production", NEWEST))

    def odd_names(self, path):
        """Names that YAML takes for something else unless they are quoted."""
        odd = ["serviceAccount.name", "priorityClassName", "tls.certKey", "tls.keyKey", "tls.clientCa.key", "tokens.key"]
        words = [word for each in odd for word in ("--set-string", f"{each}=0")]
        words += ["--set-string", "fullnameOverride=true"]
        if path.stem == "tls":
            words += ["--set-string", "tls.secretName=1,tls.clientCa.secretName=1e3,tokens.secretName=007"]
        objects, complaints = self.render(["--values", path, *words], release="123", namespace="456")
        return complaints + [one for thing in objects for one in self.schema_complaints(thing, NEWEST)]

    def refusals(self, files):
        for what, values, said in REFUSED:
            words = [word for value in values for word in ("--set-json", value)]
            self.report(f"refused: {what}", unrefused(self.template(words), said))
        too_old = self.template(["--values", files["drain"]], "1.29.0")
        self.report("refused: the sleep action before 1.30", unrefused(too_old, "1.30"))
        self.report("refused: Kubernetes 1.26", unrefused(self.template([], "1.26.0"), "kubeVersion"))

    # What the objects must hold

    def complaints_about(self, objects, name, version):
        complaints = [one for thing in objects for one in self.schema_complaints(thing, version)]
        # What has the wrong shape is not looked at any further.
        return complaints or list(inner_complaints(objects, name))

    def schema_complaints(self, thing, version):
        import jsonschema
        import kubernetes_validate

        kind = thing["kind"]
        if kind in self.crds:
            for error in jsonschema.Draft202012Validator(self.crds[kind]).iter_errors(thing):
                yield f"{kind}: {error.json_path}: {error.message}"
            return
        try:
            kubernetes_validate.validate(thing, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"{kind} {thing['metadata']['name']}: {'.'.join(map(str, error.path))}: {error.message}"
        except kubernetes_validate.SchemaNotFoundError as error:
            yield error.message

    # What the binary says

    def with_server(self, rendered):
        text = subprocess.run([self.arbiter, "--help"], capture_output=True, text=True, timeout=30, check=True).stdout
        known = flags_of_help(text)
        done = subprocess.run([self.arbiter, "--version"], capture_output=True, text=True, timeout=30, check=True)
        chart = re.search(r'^appVersion: "(.*)"$', (CHART / "Chart.yaml").read_text(encoding="utf-8"), re.M)
        self.report("the version is that of the server", unlike(chart[1], done.stdout.split()[1], "appVersion"))
        self.report("every flag exists, and each one is given by some value", flag_complaints(rendered, known))
        for name, objects in rendered.items():
            self.report(f"{name}: the server takes the arguments", self.serve(name, objects, rendered))

    def serve(self, name, objects, rendered):
        deployment = the(objects, "Deployment")
        pod = deployment["spec"]["template"]["spec"]
        with tempfile.TemporaryDirectory() as folder:
            files = make_files(Path(folder))
            words = [replaced(word, files) for word in pod["containers"][0]["args"]]
            process = subprocess.Popen(
                [self.arbiter, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env={key: value for key, value in os.environ.items() if not key.startswith("ARBITER_")},
            )
            try:
                banner = []
                for line in process.stdout:
                    banner.append(line)
                    if "/NewGame" in line and "curl -" in line and "grpcurl" not in line:
                        break
                addresses = re.findall(r"127\.0\.0\.1:\d+", "".join(banner))
                if len(addresses) < 2:
                    process.wait(10)
                    return [f"it does not start: {process.stderr.read()}"]
                admin = f"http://{addresses[1]}"
                complaints = [
                    f"{path} is not answered" for path in probe_paths(pod) | {"/ready"} if fetch(admin + path) is None
                ]
                if name == "minimal":
                    call(f"http://{addresses[0]}")
                    complaints += metric_complaints(rendered, fetch(admin + "/metrics"))
                    complaints += ends_in_time(process, pod)
                return complaints
            finally:
                # The second order ends it at once.
                for _ in range(2):
                    process.send_signal(signal.SIGTERM)
                    time.sleep(0.2)
                try:
                    process.communicate(timeout=20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()

    # What must be found

    def sabotage(self, rendered):
        for what, name, breaking in SABOTAGE:
            objects = copy.deepcopy(rendered[name])
            breaking(objects)
            found = list(self.complaints_about(objects, name, NEWEST))
            self.report(f"found: {what}", [] if found else ["it was not"])


def inner_complaints(objects, name):
    """What no schema can tell."""
    deployment = the(objects, "Deployment")
    pod_labels = deployment["spec"]["template"]["metadata"]["labels"]
    pod = deployment["spec"]["template"]["spec"]
    container = pod["containers"][0]
    services = {one["metadata"]["name"]: one for one in objects if one["kind"] == "Service"}

    kinds = {}
    for one in objects:
        kinds[one["kind"]] = kinds.get(one["kind"], 0) + 1
        if one["metadata"]["namespace"] != NAMESPACE:
            yield f"{one['kind']}: not in the namespace of the release"
        if len(one["metadata"]["name"]) > 63:
            yield f"{one['kind']}: its name is too long"
    yield from unlike(kinds, ALWAYS | KINDS[name], "kinds")
    if len({(one["kind"], one["metadata"]["name"]) for one in objects}) != len(objects):
        yield "two objects have the same name"

    yield from security_complaints(pod)
    yield from ending_complaints(pod, container)
    yield from mount_complaints(pod, container)
    yield from selector_complaints(objects, pod_labels, services)
    yield from port_complaints(objects, container, services, name)

    strategy = deployment["spec"]["strategy"].get("rollingUpdate")
    if strategy != {"maxUnavailable": 0, "maxSurge": 1}:
        yield f"a rollout must never be short of a pod: {strategy}"
    if ("replicas" in deployment["spec"]) == ("HorizontalPodAutoscaler" in kinds):
        yield "replicas must be given if, and only if, nobody else decides on them"
    accounts = {one["metadata"]["name"] for one in objects if one["kind"] == "ServiceAccount"} or {"default"}
    if pod["serviceAccountName"] not in accounts:
        yield f"there is no service account {pod['serviceAccountName']}"
    for one in objects:
        if one["kind"] == "PrometheusRule":
            yield from rule_complaints(one, services)


def security_complaints(pod):
    """The restricted profile of pod security, and more."""
    context = pod.get("securityContext", {})
    if not (context.get("runAsNonRoot") is True and context.get("runAsUser", 0) > 0 and context.get("runAsGroup", 0) > 0):
        yield "the pod may run as root"
    if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "seccomp is not RuntimeDefault"
    if pod.get("automountServiceAccountToken") is not False:
        yield "the token of the service account is mounted"
    if pod.get("enableServiceLinks") is not False:
        yield "variables of services may look like settings"
    for shared in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(shared):
            yield f"{shared} is on"
    if any(set(volume) - {"name", "secret"} for volume in pod.get("volumes", [])):
        yield "a volume is not a secret"
    if len(pod["containers"]) != 1 or pod.get("initContainers"):
        yield "expected one container"
    for container in pod["containers"]:
        rights = container.get("securityContext", {})
        if rights.get("capabilities") != {"drop": ["ALL"]}:
            yield "the container has a capability"
        if rights.get("allowPrivilegeEscalation") is not False or rights.get("privileged"):
            yield "the container can gain rights"
        if rights.get("readOnlyRootFilesystem") is not True:
            yield "the container can write"
        if {"runAsUser", "runAsNonRoot", "seccompProfile"} & set(rights):
            yield "the container overrides the pod"
        if any("hostPort" in port for port in container["ports"]):
            yield "a port of the host is taken"
        if "memory" not in container["resources"].get("limits", {}):
            yield "memory is not limited"


def ending_complaints(pod, container):
    """The pod must not be killed before the server has ended by itself."""
    lifecycle = container.get("lifecycle", {}).get("preStop", {})
    if set(lifecycle) - {"sleep"}:
        yield "the image has no shell: only sleep can come before the end"
    needs = lifecycle.get("sleep", {}).get("seconds", 0) + ending_seconds(container) + FAREWELL
    if pod["terminationGracePeriodSeconds"] <= needs:
        yield f"the grace period is {pod['terminationGracePeriodSeconds']} s, and the end takes up to {needs} s"


def ending_seconds(container):
    return sum(seconds(flags(container)[flag]) for flag in ("drain-delay", "drain-timeout"))


def mount_complaints(pod, container):
    volumes = {volume["name"]: volume["secret"] for volume in pod.get("volumes", [])}
    mounts = container.get("volumeMounts", [])
    yield from unlike({mount["name"] for mount in mounts}, set(volumes), "mounts and volumes")
    files = set()
    for mount in mounts:
        secret = volumes.get(mount["name"], {})
        if mount.get("readOnly") is not True or "subPath" in mount:
            yield f"{mount['name']}: must be read only and follow its secret"
        if secret.get("defaultMode") != 0o440 or not pod["securityContext"].get("fsGroup"):
            yield f"{mount['name']}: must be read by the group of the pod alone"
        files |= {f"{mount['mountPath']}/{item['path']}" for item in secret.get("items", [])}
    given = {value for flag, value in flags(container).items() if flag in FILE_FLAGS}
    yield from unlike(given, files, "files given and files mounted")


def selector_complaints(objects, pod_labels, services):
    for one in objects:
        kind, spec = one["kind"], one.get("spec", {})
        selectors = {
            "Deployment": lambda: [spec["selector"]["matchLabels"]]
            + [each["labelSelector"]["matchLabels"]
               for each in spec["template"]["spec"].get("topologySpreadConstraints", [])],
            "Service": lambda: [spec["selector"]],
            "PodDisruptionBudget": lambda: [spec["selector"]["matchLabels"]],
            "NetworkPolicy": lambda: [spec["podSelector"]["matchLabels"]],
        }.get(kind, list)()
        for selector in selectors:
            if not selector or not selector.items() <= pod_labels.items():
                yield f"{kind} {one['metadata']['name']}: its selector does not match the pods: {selector}"
            if "app.kubernetes.io/version" in selector:
                yield f"{kind}: a selector must not change with the version"
        if kind == "ServiceMonitor":
            wanted = spec["selector"]["matchLabels"].items()
            matched = [each for each in services.values() if wanted <= each["metadata"]["labels"].items()]
            if len(matched) != 1:
                yield f"ServiceMonitor: it matches {len(matched)} services"
            for each in matched:
                if spec["endpoints"][0]["port"] not in {port["name"] for port in each["spec"]["ports"]}:
                    yield "ServiceMonitor: the service has no such port"
        deployment = the(objects, "Deployment")["metadata"]["name"]
        if kind == "HorizontalPodAutoscaler" and spec["scaleTargetRef"]["name"] != deployment:
            yield "HorizontalPodAutoscaler: there is no such deployment"
        if kind == "GRPCRoute":
            for backend in (each for rule in spec["rules"] for each in rule["backendRefs"]):
                service = services.get(backend["name"], {"spec": {"ports": []}})
                if backend["port"] not in {port["port"] for port in service["spec"]["ports"]}:
                    yield f"GRPCRoute: there is no service {backend['name']} with port {backend['port']}"


def port_complaints(objects, container, services, name):
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    given = flags(container)
    listened = {
        "grpc": int(given["listen"].rpartition(":")[2]),
        "admin": int(given["admin-listen"].rpartition(":")[2]),
    }
    yield from unlike(ports, listened, "ports of the container and of the flags")
    if any(given[flag].startswith("127.") for flag in ("listen", "admin-listen")):
        yield "nobody could reach the server"
    for service, spec in ((each, one["spec"]) for each, one in services.items()):
        for port in spec["ports"]:
            if port["targetPort"] not in ports:
                yield f"Service {service}: there is no port {port['targetPort']}"
            if port["name"] != port["targetPort"]:
                yield f"Service {service}: the port {port['name']} leads to {port['targetPort']}"
            if spec.get("clusterIP") == "None" and port["port"] != ports.get(port["targetPort"]):
                yield f"Service {service}: without an address, its port must be that of the container"
            protocol = "http" if port["name"] == "admin" else "https" if "tls-cert" in given else "kubernetes.io/h2c"
            if port.get("appProtocol") != protocol:
                yield f"Service {service}: the protocol of {port['name']} is {protocol}"
        if len({port["name"] for port in spec["ports"]}) != 1:
            yield f"Service {service}: callers and metrics are kept apart"
    types = []
    for kind in PROBES:
        probe = container.get(kind, {})
        types.append("grpc" if "grpc" in probe else "httpGet")
        where = probe.get("grpc") or probe.get("httpGet") or {"port": None}
        port = "grpc" if "grpc" in probe else "admin"
        if where["port"] not in (port, ports[port]):
            yield f"{kind}: asks at {where['port']}"
        if "grpc" in probe and ("tls-cert" in given or "health" not in given.get("open-services", "health")):
            yield f"{kind}: the kubelet cannot ask by gRPC"
        if "httpGet" in probe and where["path"] != ("/live" if kind == "livenessProbe" else "/ready"):
            yield f"{kind}: asks for {where['path']}"
    yield from unlike(types, PROBE_TYPES[name], "types of probes")
    for one in objects:
        if one["kind"] != "NetworkPolicy":
            continue
        spec = one["spec"]
        if set(spec["policyTypes"]) != {"Ingress", "Egress"} or spec["egress"]:
            yield "NetworkPolicy: the server calls nobody"
        for rule in spec["ingress"]:
            names = {port["port"] for port in rule["ports"]}
            if not names <= set(ports):
                yield f"NetworkPolicy: there is no port among {names}"
            if "admin" in names and not rule.get("from"):
                yield "NetworkPolicy: everyone may reach the admin port"
        if not any("grpc" in {port["port"] for port in rule["ports"]} for rule in spec["ingress"]):
            yield "NetworkPolicy: nobody may call"


def rule_complaints(one, services):
    names = []
    for rule in (rule for group in one["spec"]["groups"] for rule in group["rules"]):
        names.append(rule["alert"])
        try:
            found, _ = selectors_of(rule["expr"])
        except ValueError as error:
            yield f"{rule['alert']}: {error}"
            continue
        for metric, labels in found:
            if labels.get("namespace") != NAMESPACE or labels.get("job") not in services:
                yield f"{rule['alert']}: {metric} is asked of {labels}"
        for template in re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]):
            if not re.search(rf"by \([^)]*\b{template}\b", rule["expr"]):
                yield f"{rule['alert']}: the expression has no label {template}"
    if len(set(names)) != len(names):
        yield "two alerts have the same name"


def selectors_of(expression):
    """The metrics of an expression with the labels asked of each, and the labels that are grouped by."""
    import promql_parser

    found, grouped = [], set()

    def visit(node):
        if isinstance(node, promql_parser.VectorSelector):
            found.append((node.name, {each.name: each.value for each in node.matchers.matchers}))
            return
        for part in ("lhs", "rhs", "expr", "vector_selector", "param"):
            inner = getattr(node, part, None)
            if inner is not None:
                visit(inner)
        for inner in getattr(node, "args", None) or []:
            visit(inner)

    visit(promql_parser.parse(expression))
    for group in re.findall(r"by \(([^)]*)\)", expression):
        grouped |= {label.strip() for label in group.split(",")}
    return found, grouped


def metric_complaints(rendered, exposition):
    """Whether the server tells what the alerts ask for."""
    told = {}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", exposition or "", re.M):
        told.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    asked = 0
    for objects in rendered.values():
        for one in (one for one in objects if one["kind"] == "PrometheusRule"):
            for rule in (rule for group in one["spec"]["groups"] for rule in group["rules"]):
                found, grouped = selectors_of(rule["expr"])
                for metric, labels in found:
                    asked += 1
                    if metric not in told:
                        yield f"{rule['alert']}: the server has no metric {metric}"
                    elif missing := (set(labels) | grouped) - told[metric] - ADDED_LABELS:
                        yield f"{rule['alert']}: {metric} has no label {missing}"
    if not asked:
        yield "no alert asks for anything"


def flags_of_help(text):
    """The flags that a help explains, with their defaults."""
    known, flag = {}, None
    for line in text.splitlines():
        if begins := re.match(r" +(?:-\w, )?--([a-z-]+)(?: <|$)", line):
            flag = begins[1]
            known[flag] = None
        elif default := re.match(r" +\[default: (.*)\]$", line):
            known[flag] = default[1]
    return known


def flag_complaints(rendered, known):
    if len(known) < 20:
        yield f"the help could not be read: {sorted(known)}"
    given = {}
    for name, objects in rendered.items():
        for flag in flags(the(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]):
            given.setdefault(flag, name)
    for flag in sorted(set(given) - set(known)):
        yield f"{given[flag]}: there is no flag --{flag}"
    for flag in sorted(set(known) - set(given) - {"help", "version"}):
        yield f"no value gives --{flag}"
    for flag, value in flags(the(rendered["minimal"], "Deployment")["spec"]["template"]["spec"]["containers"][0]).items():
        if flag in known and flag not in OWN_DEFAULTS and value != known[flag]:
            yield f"--{flag}: the default of the chart is {value}, that of the server {known[flag]}"


# Where the chart wants something else than the server.
OWN_DEFAULTS = {"listen", "admin-listen", "log-format", "drain-delay"}
FILE_FLAGS = {"tls-cert", "tls-key", "tls-client-ca", "token-file"}


def flags(container):
    return dict(re.fullmatch(r"--([a-z-]+)=(.*)", word).groups() for word in container["args"])


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h)", text).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]


def make_files(folder):
    """Files for the flags that name some."""
    tokens = folder / "tokens"
    tokens.write_text(f"someone {'0' * 64}\n", encoding="utf-8")
    files = {"token-file": tokens}
    if shutil.which("openssl"):
        certificate, key = folder / "tls.crt", folder / "tls.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
             "-subj", "/CN=arbiter", "-addext", "subjectAltName=DNS:arbiter", "-keyout", key, "-out", certificate],
            check=True, capture_output=True,
        )
        files |= {"tls-cert": certificate, "tls-key": key, "tls-client-ca": certificate}
    return files


def replaced(word, files):
    """An argument as it can be given on this machine."""
    flag = word[2:].partition("=")[0]
    if flag in ("listen", "admin-listen"):
        return f"--{flag}=127.0.0.1:0"
    if flag in FILE_FLAGS:
        if flag not in files:
            raise SystemExit("openssl is needed to make certificates")
        return f"--{flag}={files[flag]}"
    return word


def probe_paths(pod):
    probes = [pod["containers"][0][kind] for kind in PROBES]
    return {probe["httpGet"]["path"] for probe in probes if "httpGet" in probe}


def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return None


def call(address):
    request = urllib.request.Request(
        f"{address}/arbiter.v1.RulesService/NewGame", b'{"connectFour": {}}', {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=5) as answer:
        answer.read()


def ends_in_time(process, pod):
    container, grace = pod["containers"][0], pod["terminationGracePeriodSeconds"]
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    try:
        code = process.wait(grace)
    except subprocess.TimeoutExpired:
        yield f"the server has not ended within the grace period of {grace} s"
        return
    took = time.monotonic() - began
    if code or took < seconds(flags(container)["drain-delay"]):
        yield f"the server ended with {code} after {took:.1f} s"


def crd_schema(module, path):
    """The schema of a kind that Kubernetes itself does not have, strict as the API server is not."""
    import yaml

    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["go", "mod", "download", "-json", module], cwd=folder, capture_output=True, text=True, timeout=300, check=False
        )
    if done.returncode:
        raise SystemExit(f"cannot get {module}: {done.stdout}{done.stderr}")
    text = (Path(json.loads(done.stdout)["Dir"]) / path).read_text(encoding="utf-8")
    definition = next(one for one in yaml.safe_load_all(text) if one and one["kind"] == "CustomResourceDefinition")
    version = next(each for each in definition["spec"]["versions"] if each["name"] == "v1")
    schema = version["schema"]["openAPIV3Schema"]
    schema["properties"]["metadata"] = True
    return strict(schema)


def strict(schema):
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: strict(value) for key, value in schema.items()}
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if schema.get("type") == "object" and "properties" in schema and not is_open:
        schema["additionalProperties"] = False
    return schema


def unique_loader():
    """Reads YAML as Kubernetes does: no key twice."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node, deep=False):
            keys = [key.value for key, _ in node.value]
            if len(set(keys)) != len(keys):
                raise yaml.constructor.ConstructorError(None, None, f"a key twice among {keys}", node.start_mark)
            return super().construct_mapping(node, deep)

    return Loader


def the(objects, kind):
    return next(one for one in objects if one["kind"] == kind)


def unlike(found, wanted, what):
    return [] if found == wanted else [f"{what}: {found} instead of {wanted}"]


def unrefused(done, said):
    if done.returncode == 0:
        return ["it was not"]
    return [] if said in done.stderr else [f"it was, but not for {said}: {done.stderr}"]


# Values and their documentation

# Whose inside is Kubernetes' business.
LEAVES = {"resources.requests", "resources.limits"}


def documented_values():
    """Path, default and comment of each value."""
    import yaml

    text = (CHART / "values.yaml").read_text(encoding="utf-8")
    lines = text.splitlines()
    values = yaml.safe_load(text)

    def comment_above(number):
        words = []
        while number > 0 and lines[number - 1].strip().startswith("#"):
            number -= 1
            words.insert(0, lines[number].strip().lstrip("# "))
        return " ".join(words)

    def walk(node, value, before):
        for key, inner in node.value:
            path = f"{before}{key.value}"
            here = value[key.value]
            if isinstance(here, dict) and here and path not in LEAVES:
                yield from walk(inner, here, path + ".")
            else:
                yield path, here, comment_above(key.start_mark.line)

    return list(walk(yaml.compose(text), values, ""))


def table():
    rows = ["| Value | Default | |", "|---|---|---|"]
    for path, default, comment in documented_values():
        rows.append(f"| `{path}` | `{json.dumps(default)}` | {comment.replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"


TABLE = re.compile(r"(?<=\n\n)\| Value \|.*?\|\n(?=\n|\Z)", re.S)


def write_readme():
    readme = CHART / "README.md"
    text, count = TABLE.subn(lambda _: table(), readme.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit("the README has no table of values")
    readme.write_text(text, encoding="utf-8")


def undocumented():
    for path, _, comment in documented_values():
        if not comment:
            yield f"{path} has no comment"
    if table() not in (CHART / "README.md").read_text(encoding="utf-8"):
        yield "the table of the README is not that of values.yaml: run check.py --readme"


# What is broken on purpose, and in which values


def pod_of(objects):
    return the(objects, "Deployment")["spec"]["template"]["spec"]


def container_of(objects):
    return pod_of(objects)["containers"][0]


def set_flag(objects, flag, value):
    arguments = container_of(objects)["args"]
    arguments[:] = [f"--{flag}={value}" if word.startswith(f"--{flag}=") else word for word in arguments]


SABOTAGE = [
    ("a field that Kubernetes does not know", "minimal", lambda o: pod_of(o).update(terminationGrace=1)),
    ("a field that the Gateway API does not know", "gateway", lambda o: the(o, "GRPCRoute")["spec"].update(timeouts={})),
    ("a field that the operator does not know", "production",
     lambda o: the(o, "ServiceMonitor")["spec"]["endpoints"][0].update(url="x")),
    ("a grace period that is too short", "minimal", lambda o: pod_of(o).update(terminationGracePeriodSeconds=26)),
    ("a drain that is too long", "minimal", lambda o: set_flag(o, "drain-timeout", "25s")),
    ("a sleep that was not reckoned with", "drain",
     lambda o: container_of(o)["lifecycle"]["preStop"]["sleep"].update(seconds=30)),
    ("a shell before the end", "minimal",
     lambda o: container_of(o).update(lifecycle={"preStop": {"exec": {"command": ["sleep", "1"]}}})),
    ("a capability", "minimal", lambda o: container_of(o)["securityContext"]["capabilities"].update(add=["NET_RAW"])),
    ("root", "minimal", lambda o: pod_of(o)["securityContext"].update(runAsUser=0)),
    ("a mounted token", "minimal", lambda o: pod_of(o).pop("automountServiceAccountToken")),
    ("a file system to write to", "minimal", lambda o: container_of(o)["securityContext"].pop("readOnlyRootFilesystem")),
    ("a service without pods", "minimal", lambda o: the(o, "Service")["spec"]["selector"].update(x="y")),
    ("a budget without pods", "production",
     lambda o: the(o, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"].update(x="y")),
    ("a monitor of nothing", "production",
     lambda o: the(o, "ServiceMonitor")["spec"]["selector"]["matchLabels"].update(x="y")),
    ("a scaler of nothing", "production",
     lambda o: the(o, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"].update(name="x")),
    ("a route to nothing", "gateway",
     lambda o: the(o, "GRPCRoute")["spec"]["rules"][0]["backendRefs"][0].update(port=1)),
    ("a port that is not listened on", "drain", lambda o: set_flag(o, "listen", "[::]:50051")),
    ("a port that leads nowhere", "minimal", lambda o: the(o, "Service")["spec"]["ports"][0].update(targetPort="web")),
    ("a gRPC probe over TLS", "tls",
     lambda o: container_of(o).update(livenessProbe={"grpc": {"port": 50051}, "periodSeconds": 1})),
    ("a file that is not mounted", "tls", lambda o: set_flag(o, "tls-client-ca", "/etc/arbiter/tls/ca.crt")),
    ("a secret that all may read", "tls", lambda o: pod_of(o)["volumes"][0]["secret"].update(defaultMode=0o444)),
    ("an admin port open to all", "production", lambda o: the(o, "NetworkPolicy")["spec"]["ingress"][1].pop("from")),
    ("an alert that cannot be read", "production",
     lambda o: the(o, "PrometheusRule")["spec"]["groups"][0]["rules"][1].update(expr="sum(rate(x[5m])")),
    ("an alert on other pods", "production",
     lambda o: the(o, "PrometheusRule")["spec"]["groups"][0]["rules"][0].update(expr="absent(arbiter_connections)")),
    ("a rollout that is short of a pod", "minimal",
     lambda o: the(o, "Deployment")["spec"]["strategy"]["rollingUpdate"].update(maxUnavailable=1)),
    ("an object that is missing", "production", lambda o: o.remove(the(o, "NetworkPolicy"))),
]


if __name__ == "__main__":
    main()
