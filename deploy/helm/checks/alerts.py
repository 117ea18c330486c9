"""The alerts of deploy/prometheus, which are tested there, restricted to one release."""

import re

import promql_parser
import yaml

from .expected import CHART, FOLDER, NAMESPACE
from .objects import all_of, different, named, rules_of

SOURCE, COPY = FOLDER.parent / "prometheus" / "alerts.yaml", CHART / "files" / "alerts.yaml"
# What Prometheus adds to the metrics of a server.
ADDED_METRICS, ADDED_LABELS = {"up"}, {"namespace", "job", "pod", "instance", "le"}
INNER = ("lhs", "rhs", "expr", "vector_selector", "param")
AGGREGATION = re.compile(r"\b(sum|min|max|avg|count|absent)\b")


def differs_from_source():
    if SOURCE.exists() and SOURCE.read_bytes() != COPY.read_bytes():
        yield f"{COPY.name} differs from that of deploy/prometheus: run check.py --write"


def write_copy():
    COPY.write_bytes(SOURCE.read_bytes())


def alert_problems(objects):
    """Every alert must be as in the file, apart from the label matchers for the release."""
    if not all_of(objects, "PrometheusRule"):
        return
    rules = rules_of(objects)
    originals = rules_of([{"kind": "PrometheusRule", "spec": yaml.safe_load(COPY.read_text(encoding="utf-8"))}])
    found, wanted = ([without_expression(rule) for rule in each] for each in (rules, originals))
    yield from different(found, wanted, "alerts")
    services = [name for name, one in named(objects, "Service").items() if one["spec"]["ports"][0]["name"] == "admin"]
    ((_, release),) = selectors(f'x{{namespace="{NAMESPACE}", job="{services[0]}"}}')
    for rule, original in zip(rules, originals, strict=False):
        try:
            found = selectors(rule["expr"])
        except ValueError as error:
            yield f"{rule['alert']}: {error}"
            continue
        wanted = [(metric, labels | release) for metric, labels in selectors(original["expr"])]
        yield from different(found, wanted, f"{rule['alert']}: metrics")
        expression = without_labels(original["expr"])
        yield from different(without_labels(rule["expr"]), expression, f"{rule['alert']}: expression")


def metric_problems(rendered, exposition):
    """Metrics and labels of the alerts that the server does not export, and labels in annotations that do not exist."""
    exported = {}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", exposition, re.M):
        exported.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    rules = [rule for objects in rendered.values() for rule in rules_of(objects)]
    if not rules:
        yield "there are no alerts"
    for rule in rules:
        groups = re.findall(r"by \(([^)]*)\)", rule["expr"])
        grouped = {label for group in groups for label in re.findall(r"\w+", group)}
        available = set(rule["labels"]) | grouped
        for metric, labels in selectors(rule["expr"]):
            if metric not in exported and metric not in ADDED_METRICS:
                yield f"{rule['alert']}: the server has no metric {metric}"
            elif missing := (set(labels) | grouped) - (known := exported.get(metric, set()) | ADDED_LABELS):
                yield f"{rule['alert']}: {metric} has no label {missing}"
            elif not AGGREGATION.search(rule["expr"]):
                available |= known
        used = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
        if missing := used - available:
            yield f"{rule['alert']}: its annotations use {missing}, which it does not have"


def selectors(expression):
    """The metrics of an expression, with their label matchers."""
    found = []

    def visit(node):
        if isinstance(node, promql_parser.VectorSelector):
            found.append((node.name, {each.name: f"{each.op} {each.value}" for each in node.matchers.matchers}))
            return
        for inner in [getattr(node, part, None) for part in INNER] + list(getattr(node, "args", None) or []):
            if inner is not None:
                visit(inner)

    visit(promql_parser.parse(expression))
    return found


def without_labels(expression):
    return re.sub(r"\{[^}]*\}", "", expression)


def without_expression(rule):
    return {key: value for key, value in rule.items() if key != "expr"}
