"""The schemas of Kubernetes, the Gateway API and the Prometheus operator. No cluster is needed."""

import json
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import jsonschema
import kubernetes_validate
import yaml

OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.94.1"
# Later versions need a later Go.
GATEWAY_API = "sigs.k8s.io/gateway-api@v1.6.3"
# The custom resource definitions.
DEFINITIONS = {
    "ServiceMonitor": (OPERATOR, "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"),
    "PrometheusRule": (OPERATOR, "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"),
    "GRPCRoute": (GATEWAY_API, "config/crd/standard/gateway.networking.k8s.io_grpcroutes.yaml"),
}


def schema_problems(thing, version):
    kind = thing["kind"]
    if kind in DEFINITIONS:
        for error in validator(kind).iter_errors(thing):
            yield f"{kind}: {error.json_path}: {error.message}"
        return
    try:
        kubernetes_validate.validate(thing, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        yield f"{kind} {thing['metadata']['name']}: {'.'.join(map(str, error.path))}: {error.message}"
    except kubernetes_validate.SchemaNotFoundError as error:
        yield error.message


@cache
def validator(kind):
    module, path = DEFINITIONS[kind]
    text = (module_folder(module) / path).read_text(encoding="utf-8")
    definition = next(one for one in yaml.safe_load_all(text) if one and one["kind"] == "CustomResourceDefinition")
    version = next(each for each in definition["spec"]["versions"] if each["name"] == "v1")
    schema = version["schema"]["openAPIV3Schema"]
    schema["properties"]["metadata"] = True
    return jsonschema.Draft202012Validator(strict(schema))


@cache
def module_folder(module):
    with tempfile.TemporaryDirectory() as folder:
        command = ["go", "mod", "download", "-json", module]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise SystemExit(f"cannot download {module}: {done.stdout}{done.stderr}")
    return Path(json.loads(done.stdout)["Dir"])


def strict(schema):
    """A schema that rejects unknown fields; the API server only drops them."""
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
