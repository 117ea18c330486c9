"""Rights, files and the end of a pod."""

from .objects import all_of, container_of, flags_of, pod_of, seconds, the, unlike

FILE_FLAGS = {"tls-cert", "tls-key", "tls-client-ca", "token-file"}
# The own time of the server after the drain timeout, in seconds: always, and for the last traces.
FAREWELL, LAST_TRACES = 1, 2


def pod_complaints(objects):
    yield from security_complaints(pod_of(objects))
    yield from ending_complaints(objects)
    yield from mount_complaints(objects)
    yield from rollout_complaints(objects)
    accounts = {one["metadata"]["name"] for one in all_of(objects, "ServiceAccount")} or {"default"}
    if pod_of(objects)["serviceAccountName"] not in accounts:
        yield f"there is no service account {pod_of(objects)['serviceAccountName']}"


def security_complaints(pod):
    """The restricted profile of pod security, and more."""
    context = pod.get("securityContext", {})
    numbers = [context.get("runAsUser", 0), context.get("runAsGroup", 0)]
    if context.get("runAsNonRoot") is not True or min(numbers) < 1:
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


def ending_complaints(objects):
    """The pod must not be killed before the server has ended by itself."""
    before = container_of(objects).get("lifecycle", {}).get("preStop", {})
    if set(before) - {"sleep"}:
        yield "the image has no shell: only sleep can come before the end"
    given = flags_of(objects)
    drain = sum(seconds(given[flag]) for flag in ("drain-delay", "drain-timeout"))
    own = FAREWELL + (LAST_TRACES if "otlp-endpoint" in given else 0)
    needs = before.get("sleep", {}).get("seconds", 0) + drain + own
    grace = pod_of(objects)["terminationGracePeriodSeconds"]
    if grace <= needs:
        yield f"the grace period is {grace} s, and the end takes up to {needs} s"


def mount_complaints(objects):
    pod = pod_of(objects)
    volumes = {volume["name"]: volume["secret"] for volume in pod.get("volumes", [])}
    mounts = container_of(objects).get("volumeMounts", [])
    yield from unlike({mount["name"] for mount in mounts}, set(volumes), "mounts and volumes")
    files = set()
    for mount in mounts:
        secret = volumes.get(mount["name"], {})
        if mount.get("readOnly") is not True or "subPath" in mount:
            yield f"{mount['name']}: must be read only and follow its secret"
        if secret.get("defaultMode") != 0o440 or not pod["securityContext"].get("fsGroup"):
            yield f"{mount['name']}: must be read by the group of the pod alone"
        files |= {f"{mount['mountPath']}/{item['path']}" for item in secret.get("items", [])}
    given = {value for flag, value in flags_of(objects).items() if flag in FILE_FLAGS}
    yield from unlike(given, files, "files given and files mounted")


def rollout_complaints(objects):
    spec = the(objects, "Deployment")["spec"]
    if spec["strategy"].get("rollingUpdate") != {"maxUnavailable": 0, "maxSurge": 1}:
        yield f"a rollout must never be short of a pod: {spec['strategy']}"
    if ("replicas" in spec) == bool(all_of(objects, "HorizontalPodAutoscaler")):
        yield "replicas must be given if, and only if, nobody else decides on them"
