"""Permissions, mounts and shutdown of the pods."""

from .objects import all_of, container_of, different, flags_of, pod_of, seconds, the

FILE_FLAGS = {"tls-cert", "tls-key", "tls-client-ca", "tls-client-crl", "token-file"}
# What the server needs after the drain timeout, in seconds: to close connections, and to flush traces.
CLOSE_TIME, FLUSH_TIME = 1, 2


def pod_problems(objects):
    yield from security_problems(pod_of(objects))
    yield from shutdown_problems(objects)
    yield from mount_problems(objects)
    yield from rollout_problems(objects)
    accounts = {one["metadata"]["name"] for one in all_of(objects, "ServiceAccount")} or {"default"}
    if pod_of(objects)["serviceAccountName"] not in accounts:
        yield f"there is no service account {pod_of(objects)['serviceAccountName']}"


def security_problems(pod):
    """The restricted Pod Security Standard, and more."""
    context = pod.get("securityContext", {})
    numbers = [context.get("runAsUser", 0), context.get("runAsGroup", 0)]
    if context.get("runAsNonRoot") is not True or min(numbers) < 1:
        yield "the pod may run as root"
    if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "seccomp is not RuntimeDefault"
    if pod.get("automountServiceAccountToken") is not False:
        yield "the token of the service account is mounted"
    if pod.get("enableServiceLinks") is not False:
        yield "service links may set ARBITER_ variables"
    for shared in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(shared):
            yield f"{shared} is on"
    if any(set(volume) - {"name", "secret"} for volume in pod.get("volumes", [])):
        yield "a volume is not a secret"
    if len(pod["containers"]) != 1 or pod.get("initContainers"):
        yield "expected one container"
    for container in pod["containers"]:
        context = container.get("securityContext", {})
        if context.get("capabilities") != {"drop": ["ALL"]}:
            yield "the container has a capability"
        if context.get("allowPrivilegeEscalation") is not False or context.get("privileged"):
            yield "the container can escalate privileges"
        if context.get("readOnlyRootFilesystem") is not True:
            yield "the root file system is writable"
        if {"runAsUser", "runAsNonRoot", "seccompProfile"} & set(context):
            yield "the container overrides the security context of the pod"
        if any("hostPort" in port for port in container["ports"]):
            yield "the container uses a host port"
        if "memory" not in container["resources"].get("limits", {}):
            yield "memory is not limited"


def shutdown_problems(objects):
    """The grace period must be longer than a graceful shutdown."""
    pre_stop = container_of(objects).get("lifecycle", {}).get("preStop", {})
    if set(pre_stop) - {"sleep"}:
        yield "the image has no shell: preStop can only sleep"
    flags = flags_of(objects)
    drain = sum(seconds(flags[flag]) for flag in ("drain-delay", "drain-timeout"))
    rest = CLOSE_TIME + (FLUSH_TIME if "otlp-endpoint" in flags else 0)
    needed = pre_stop.get("sleep", {}).get("seconds", 0) + drain + rest
    grace = pod_of(objects)["terminationGracePeriodSeconds"]
    if grace <= needed:
        yield f"the grace period is {grace} s, but a shutdown takes up to {needed} s"


def mount_problems(objects):
    pod = pod_of(objects)
    volumes = {volume["name"]: volume["secret"] for volume in pod.get("volumes", [])}
    mounts = container_of(objects).get("volumeMounts", [])
    yield from different({mount["name"] for mount in mounts}, set(volumes), "mounts and volumes")
    files = set()
    for mount in mounts:
        secret = volumes.get(mount["name"], {})
        if mount.get("readOnly") is not True or "subPath" in mount:
            yield f"{mount['name']}: must be read-only and without subPath"
        if secret.get("defaultMode") != 0o440 or not pod["securityContext"].get("fsGroup"):
            yield f"{mount['name']}: must be readable for the group of the pod only"
        files |= {f"{mount['mountPath']}/{item['path']}" for item in secret.get("items", [])}
    given = {value for flag, value in flags_of(objects).items() if flag in FILE_FLAGS}
    yield from different(given, files, "files of the flags and files mounted")


def rollout_problems(objects):
    spec = the(objects, "Deployment")["spec"]
    if spec["strategy"].get("rollingUpdate") != {"maxUnavailable": 0, "maxSurge": 1}:
        yield f"a rollout must not reduce the number of available pods: {spec['strategy']}"
    if ("replicas" in spec) == bool(all_of(objects, "HorizontalPodAutoscaler")):
        yield "replicas must be set if and only if there is no autoscaler"
