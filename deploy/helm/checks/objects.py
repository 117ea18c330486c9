"""Accessors for rendered objects."""

import re


def all_of(objects, kind):
    return [one for one in objects if one["kind"] == kind]


def the(objects, kind):
    return all_of(objects, kind)[0]


def named(objects, kind):
    return {one["metadata"]["name"]: one for one in all_of(objects, kind)}


def pod_of(objects):
    return the(objects, "Deployment")["spec"]["template"]["spec"]


def container_of(objects):
    return pod_of(objects)["containers"][0]


def flags_of(objects):
    """The flags of the server, with their values."""
    return dict(re.fullmatch(r"--([a-z-]+)=(.*)", word).groups() for word in container_of(objects)["args"])


def ports_of(objects):
    return {port["name"]: port["containerPort"] for port in container_of(objects)["ports"]}


def rules_of(objects):
    """All alerts."""
    groups = [group for one in all_of(objects, "PrometheusRule") for group in one["spec"]["groups"]]
    return [rule for group in groups for rule in group["rules"]]


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h)", text).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]


def different(found, wanted, what):
    return [] if found == wanted else [f"{what}: {found} instead of {wanted}"]
