"""Checks compose.yaml: compose itself reads it, all it mounts is there, it publishes to this machine only, and confines."""

import re
import subprocess

import yaml

CONFINED = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}


def complaints(reader, path, defaults):
    """What is wrong with the file, by compose's own reader, and for a server whose flags have these defaults."""
    done = subprocess.run([reader, path], cwd=path.parent, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        yield done.stdout + done.stderr
        return
    whole = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, service in whole["services"].items():
        for complaint in service_complaints(path.parent, service, set(whole["volumes"])):
            yield f"{name}: {complaint}"
        for other in set(service.get("depends_on", [])) - set(whole["services"]):
            yield f"{name}: there is no {other} to wait for"
    yield from arbiter_complaints(whole["services"]["arbiter"], defaults)


def service_complaints(folder, service, volumes):
    for key, wanted in CONFINED.items():
        if service.get(key) != wanted:
            yield f"{key} is {service.get(key)}"
    if "mem_limit" not in service:
        yield "takes memory without a limit"
    if service.get("privileged") or service.get("network_mode"):
        yield "shares what is the machine's"
    if "build" not in service and not re.search(r":[a-z-]*v?\d+\.\d+\.\d+$", service["image"]):
        yield f"{service['image']} is of no fixed version"
    for mount in service.get("volumes", []):
        source, _, rest = mount.partition(":")
        if source.startswith("."):
            if not (folder / source).exists():
                yield f"{source} is not there"
            if not rest.endswith(":ro"):
                yield f"{source} can be written to"
        elif source not in volumes:
            yield f"there is no volume {source}"
    for port in service.get("ports", []):
        if not re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port):
            yield f"publishes {port}"


def arbiter_complaints(service, defaults):
    environment = service["environment"].items()
    settings = {name.removeprefix("ARBITER_").lower().replace("_", "-"): value for name, value in environment}
    of = defaults | settings
    needed = seconds(of["drain-delay"]) + seconds(of["drain-timeout"])
    if seconds(service["stop_grace_period"]) < needed + 1:
        yield f"arbiter: ends by {needed} s, and is killed after {service['stop_grace_period']}"
    if service["ulimits"]["nofile"] < 1.1 * int(of["max-connections"]):
        yield "arbiter: has fewer files than connections"
    for name in settings.keys() - defaults.keys():
        yield f"arbiter: there is no flag --{name}"
    if service.get("ports"):
        yield "arbiter: replicas cannot share a published port"


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(ms|s|m)", text).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60}[unit]
