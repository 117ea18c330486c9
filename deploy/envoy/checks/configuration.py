"""envoy.yaml, and how the configuration under test differs from it."""

import copy
from pathlib import Path

import yaml

FILE = Path(__file__).resolve().parents[1] / "envoy.yaml"

# The only differences from the file: Envoy's addresses, the port of the replicas, and the DNS resolver.
LISTENER = "static_resources.listeners.0.address.socket_address"
ENDPOINT = "static_resources.clusters.0.load_assignment.endpoints.0.lb_endpoints.0.endpoint.address.socket_address"
RESOLVER = "static_resources.clusters.0.cluster_type.typed_config.typed_dns_resolver_config"
DIFFERENT = {f"{LISTENER}.address", f"{LISTENER}.port_value", "admin.address.socket_address.port_value",
             f"{ENDPOINT}.port_value", RESOLVER}


def read():
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def at(value, path):
    """The value at a path such as `listeners.0.address`."""
    for step in path.split("."):
        value = value[int(step) if isinstance(value, list) else step]
    return value


def local(config, ports, dns_port):
    """The configuration on loopback, with these ports and a DNS server at `dns_port`."""
    config = copy.deepcopy(config)
    at(config, LISTENER).update(address="127.0.0.1", port_value=ports["calls"])
    at(config, "admin.address.socket_address").update(port_value=ports["admin"])
    at(config, ENDPOINT).update(port_value=ports["replicas"])
    cluster(config)["cluster_type"]["typed_config"]["typed_dns_resolver_config"] = {
        "name": "envoy.network.dns_resolver.cares",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig",
            "resolvers": [{"socket_address": {"address": "127.0.0.1", "port_value": dns_port}}],
            "dns_resolver_options": {"no_default_search_domain": True},
        },
    }
    return config


def differences(one, other, path=""):
    """The paths at which two configurations differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            below = f"{path}.{key}" if path else key
            if key in one and key in other:
                yield from differences(one[key], other[key], below)
            else:
                yield below
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other)):
            yield from differences(left, right, f"{path}.{index}")
    elif one != other:
        yield path


def virtual_host(config):
    manager = at(config, "static_resources.listeners.0.filter_chains.0.filters.0.typed_config")
    return at(manager, "route_config.virtual_hosts.0")


def cluster(config):
    return at(config, "static_resources.clusters.0")
