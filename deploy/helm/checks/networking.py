"""Selectors, ports, probes and the network policy."""

import re

from .objects import all_of, container_of, different, flags_of, named, ports_of, the

PROBES = {"startupProbe": "/ready", "livenessProbe": "/live", "readinessProbe": "/ready"}
DNS = {("TCP", 53), ("UDP", 53)}


def networking_problems(objects, expected):
    yield from selector_problems(objects)
    yield from target_problems(objects)
    yield from port_problems(objects)
    yield from probe_problems(objects, expected)
    for policy in all_of(objects, "NetworkPolicy"):
        yield from policy_problems(policy["spec"], objects)


def selectors(one):
    spec = one["spec"]
    match one["kind"]:
        case "Deployment":
            yield spec["selector"]["matchLabels"]
            for constraint in spec["template"]["spec"].get("topologySpreadConstraints", []):
                yield constraint["labelSelector"]["matchLabels"]
        case "Service":
            yield spec["selector"]
        case "PodDisruptionBudget":
            yield spec["selector"]["matchLabels"]
        case "NetworkPolicy":
            yield spec["podSelector"]["matchLabels"]


def selector_problems(objects):
    labels = the(objects, "Deployment")["spec"]["template"]["metadata"]["labels"]
    for one in objects:
        for selector in selectors(one) if "spec" in one else []:
            if not selector or not selector.items() <= labels.items():
                yield f"{one['kind']} {one['metadata']['name']}: its selector does not match the pods: {selector}"
            if "app.kubernetes.io/version" in selector:
                yield f"{one['kind']}: a selector must not change with the version"


def target_problems(objects):
    """References to other objects, by name or by labels, must resolve."""
    services = named(objects, "Service")
    for one in all_of(objects, "HorizontalPodAutoscaler"):
        if one["spec"]["scaleTargetRef"]["name"] not in named(objects, "Deployment"):
            yield "HorizontalPodAutoscaler: no such deployment"
    for one in all_of(objects, "GRPCRoute"):
        for backend in (each for rule in one["spec"]["rules"] for each in rule["backendRefs"]):
            service = services.get(backend["name"], {"spec": {"ports": []}})
            if backend["port"] not in {port["port"] for port in service["spec"]["ports"]}:
                yield f"GRPCRoute: no service {backend['name']} with port {backend['port']}"
    for one in all_of(objects, "ServiceMonitor"):
        labels = one["spec"]["selector"]["matchLabels"].items()
        matched = [each for each in services.values() if labels <= each["metadata"]["labels"].items()]
        if len(matched) != 1:
            yield f"ServiceMonitor: it matches {len(matched)} services"
        for each in matched:
            if one["spec"]["endpoints"][0]["port"] not in {port["name"] for port in each["spec"]["ports"]}:
                yield "ServiceMonitor: the service has no such port"


def port_problems(objects):
    ports, flags = ports_of(objects), flags_of(objects)
    addresses = {"grpc": flags["listen"], "admin": flags["admin-listen"]}
    listened = {name: int(address.rpartition(":")[2]) for name, address in addresses.items()}
    yield from different(ports, listened, "ports of the container and of the flags")
    if any(address.startswith("127.") for address in addresses.values()):
        yield "the server listens on loopback"
    for name, service in named(objects, "Service").items():
        spec = service["spec"]
        for port in spec["ports"]:
            if port["targetPort"] not in ports:
                yield f"Service {name}: no port {port['targetPort']}"
            if port["name"] != port["targetPort"]:
                yield f"Service {name}: the port {port['name']} targets {port['targetPort']}"
            if spec.get("clusterIP") == "None" and port["port"] != ports.get(port["targetPort"]):
                yield f"Service {name}: the port of a headless service must be the container port"
            protocol = "http" if port["name"] == "admin" else "https" if "tls-cert" in flags else "kubernetes.io/h2c"
            if port.get("appProtocol") != protocol:
                yield f"Service {name}: the protocol of {port['name']} must be {protocol}"
        if len({port["name"] for port in spec["ports"]}) != 1:
            yield f"Service {name}: must not have both ports"


def probe_problems(objects, expected):
    container, ports, flags = container_of(objects), ports_of(objects), flags_of(objects)
    grpc_works = "tls-cert" not in flags and "health" in flags.get("open-services", "health")
    types = []
    for kind, path in PROBES.items():
        probe = container.get(kind, {})
        types.append("grpc" if "grpc" in probe else "httpGet")
        target = probe.get("grpc") or probe.get("httpGet") or {"port": None, "path": None}
        port = "grpc" if "grpc" in probe else "admin"
        if target["port"] not in (port, ports[port]):
            yield f"{kind}: wrong port {target['port']}"
        if "grpc" in probe and not grpc_works:
            yield f"{kind}: gRPC probes do not work"
        if "httpGet" in probe and target["path"] != path:
            yield f"{kind}: wrong path {target['path']}"
    yield from different(tuple(types), expected.probes, "types of probes")


def policy_problems(spec, objects):
    yield from different(set(spec["policyTypes"]), {"Ingress", "Egress"}, "NetworkPolicy: policy types")
    ports = ports_of(objects)
    ingress = set()
    for rule in spec["ingress"]:
        names = {port["port"] for port in rule["ports"]}
        ingress |= names
        if not names <= set(ports):
            yield f"NetworkPolicy: unknown port in {names}"
        if "admin" in names and not rule.get("from"):
            yield "NetworkPolicy: the admin port is open to all"
    if "grpc" not in ingress:
        yield "NetworkPolicy: no ingress to the grpc port"
    if any(not rule.get("ports") for rule in spec["egress"]):
        yield "NetworkPolicy: egress to every port"
    egress = {(port["protocol"], port["port"]) for rule in spec["egress"] for port in rule.get("ports", [])}
    collector = re.search(r":(\d+)$", flags_of(objects).get("otlp-endpoint", ""))
    needed = {("TCP", int(collector[1]))} | DNS if collector else set()
    yield from different(egress, needed, "NetworkPolicy: egress")
