"""Checks compose.yaml: Compose's loader accepts it, mounted files exist, ports are published on loopback only, and
containers are confined."""

import re
import subprocess

import yaml

CONFINED = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}


def problems(compose_loader, path, defaults):
    """The problems of the file, for a server whose flags have these defaults."""
    command = [compose_loader, path]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        yield done.stdout + done.stderr
        return
    whole = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, service in whole["services"].items():
        for problem in service_problems(path.parent, service, set(whole["volumes"])):
            yield f"{name}: {problem}"
        for other in set(service.get("depends_on", [])) - set(whole["services"]):
            yield f"{name}: depends on an unknown service {other}"
    yield from arbiter_problems(whole["services"]["arbiter"], defaults)


def service_problems(folder, service, volumes):
    for key, expected in CONFINED.items():
        if service.get(key) != expected:
            yield f"{key} is {service.get(key)}"
    if "mem_limit" not in service:
        yield "has no memory limit"
    if service.get("privileged") or service.get("network_mode"):
        yield "is privileged, or has its own network mode"
    if "build" not in service and not re.search(r":[a-z-]*v?\d+\.\d+\.\d+$", service["image"]):
        yield f"{service['image']} has no pinned version"
    for mount in service.get("volumes", []):
        source, _, rest = mount.partition(":")
        if source.startswith("."):
            if not (folder / source).exists():
                yield f"{source} does not exist"
            if not rest.endswith(":ro"):
                yield f"{source} is mounted writable"
        elif source not in volumes:
            yield f"unknown volume {source}"
    for port in service.get("ports", []):
        if not re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port):
            yield f"publishes {port}, not on 127.0.0.1"


def arbiter_problems(service, defaults):
    environment = service["environment"].items()
    settings = {name.removeprefix("ARBITER_").lower().replace("_", "-"): value for name, value in environment}
    flags = defaults | settings
    needed = seconds(flags["drain-delay"]) + seconds(flags["drain-timeout"])
    if seconds(service["stop_grace_period"]) < needed + 1:
        yield f"arbiter: drains for up to {needed} s, but is killed after {service['stop_grace_period']}"
    if service["ulimits"]["nofile"] < 1.1 * int(flags["max-connections"]):
        yield "arbiter: fewer open files than connections"
    for name in settings.keys() - defaults.keys():
        yield f"arbiter: unknown flag --{name}"
    if service.get("ports"):
        yield "arbiter: replicas cannot share a published port"


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(ms|s|m)", text).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60}[unit]
