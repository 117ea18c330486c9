"""Selectors, ports, probes, and who may talk to whom."""

import re

from .objects import all_of, container_of, flags_of, named, ports_of, the, unlike

PROBES = {"startupProbe": "/ready", "livenessProbe": "/live", "readinessProbe": "/ready"}
DNS = {("TCP", 53), ("UDP", 53)}


def wiring_complaints(objects, wanted):
    yield from selector_complaints(objects)
    yield from target_complaints(objects)
    yield from port_complaints(objects)
    yield from probe_complaints(objects, wanted)
    for policy in all_of(objects, "NetworkPolicy"):
        yield from policy_complaints(policy["spec"], objects)


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


def selector_complaints(objects):
    labels = the(objects, "Deployment")["spec"]["template"]["metadata"]["labels"]
    for one in objects:
        for selector in selectors(one) if "spec" in one else []:
            if not selector or not selector.items() <= labels.items():
                yield f"{one['kind']} {one['metadata']['name']}: its selector does not match the pods: {selector}"
            if "app.kubernetes.io/version" in selector:
                yield f"{one['kind']}: a selector must not change with the version"


def target_complaints(objects):
    """What names another object, or asks for it by its labels, must find it."""
    services = named(objects, "Service")
    for one in all_of(objects, "HorizontalPodAutoscaler"):
        if one["spec"]["scaleTargetRef"]["name"] not in named(objects, "Deployment"):
            yield "HorizontalPodAutoscaler: there is no such deployment"
    for one in all_of(objects, "GRPCRoute"):
        for backend in (each for rule in one["spec"]["rules"] for each in rule["backendRefs"]):
            service = services.get(backend["name"], {"spec": {"ports": []}})
            if backend["port"] not in {port["port"] for port in service["spec"]["ports"]}:
                yield f"GRPCRoute: there is no service {backend['name']} with port {backend['port']}"
    for one in all_of(objects, "ServiceMonitor"):
        asked = one["spec"]["selector"]["matchLabels"].items()
        matched = [each for each in services.values() if asked <= each["metadata"]["labels"].items()]
        if len(matched) != 1:
            yield f"ServiceMonitor: it matches {len(matched)} services"
        for each in matched:
            if one["spec"]["endpoints"][0]["port"] not in {port["name"] for port in each["spec"]["ports"]}:
                yield "ServiceMonitor: the service has no such port"


def port_complaints(objects):
    ports, given = ports_of(objects), flags_of(objects)
    addresses = {"grpc": given["listen"], "admin": given["admin-listen"]}
    listened = {name: int(address.rpartition(":")[2]) for name, address in addresses.items()}
    yield from unlike(ports, listened, "ports of the container and of the flags")
    if any(address.startswith("127.") for address in addresses.values()):
        yield "nobody could reach the server"
    for name, service in named(objects, "Service").items():
        spec = service["spec"]
        for port in spec["ports"]:
            if port["targetPort"] not in ports:
                yield f"Service {name}: there is no port {port['targetPort']}"
            if port["name"] != port["targetPort"]:
                yield f"Service {name}: the port {port['name']} leads to {port['targetPort']}"
            if spec.get("clusterIP") == "None" and port["port"] != ports.get(port["targetPort"]):
                yield f"Service {name}: without an address, its port must be that of the container"
            protocol = "http" if port["name"] == "admin" else "https" if "tls-cert" in given else "kubernetes.io/h2c"
            if port.get("appProtocol") != protocol:
                yield f"Service {name}: the protocol of {port['name']} is {protocol}"
        if len({port["name"] for port in spec["ports"]}) != 1:
            yield f"Service {name}: callers and metrics are kept apart"


def probe_complaints(objects, wanted):
    container, ports, given = container_of(objects), ports_of(objects), flags_of(objects)
    by_grpc = "tls-cert" not in given and "health" in given.get("open-services", "health")
    types = []
    for kind, path in PROBES.items():
        probe = container.get(kind, {})
        types.append("grpc" if "grpc" in probe else "httpGet")
        where = probe.get("grpc") or probe.get("httpGet") or {"port": None, "path": None}
        port = "grpc" if "grpc" in probe else "admin"
        if where["port"] not in (port, ports[port]):
            yield f"{kind}: asks at {where['port']}"
        if "grpc" in probe and not by_grpc:
            yield f"{kind}: the kubelet cannot ask by gRPC"
        if "httpGet" in probe and where["path"] != path:
            yield f"{kind}: asks for {where['path']}"
    yield from unlike(tuple(types), wanted.probes, "types of probes")


def policy_complaints(spec, objects):
    yield from unlike(set(spec["policyTypes"]), {"Ingress", "Egress"}, "NetworkPolicy: what it rules")
    ports = ports_of(objects)
    let_in = set()
    for rule in spec["ingress"]:
        names = {port["port"] for port in rule["ports"]}
        let_in |= names
        if not names <= set(ports):
            yield f"NetworkPolicy: there is no port among {names}"
        if "admin" in names and not rule.get("from"):
            yield "NetworkPolicy: everyone may reach the admin port"
    if "grpc" not in let_in:
        yield "NetworkPolicy: nobody may call"
    if any(not rule.get("ports") for rule in spec["egress"]):
        yield "NetworkPolicy: every port may be called"
    let_out = {(port["protocol"], port["port"]) for rule in spec["egress"] for port in rule.get("ports", [])}
    collector = re.search(r":(\d+)$", flags_of(objects).get("otlp-endpoint", ""))
    called = {("TCP", int(collector[1]))} | DNS if collector else set()
    yield from unlike(let_out, called, "NetworkPolicy: ports that the server calls")
