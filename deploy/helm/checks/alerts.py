"""The alerts: those of deploy/prometheus, which are tested there, asked of one release alone."""

import re

import promql_parser
import yaml

from .objects import all_of, named, rules_of, unlike
from .wanted import CHART, FOLDER, NAMESPACE

SOURCE, COPY = FOLDER.parent / "prometheus" / "alerts.yaml", CHART / "files" / "alerts.yaml"
# What Prometheus adds to what a server tells.
ADDED_METRICS, ADDED_LABELS = {"up"}, {"namespace", "job", "pod", "instance", "le"}
INNER = ("lhs", "rhs", "expr", "vector_selector", "param")
AGGREGATION = re.compile(r"\b(sum|min|max|avg|count|absent)\b")


def unlike_source():
    if SOURCE.exists() and SOURCE.read_bytes() != COPY.read_bytes():
        yield f"{COPY.name} is not that of deploy/prometheus: run check.py --write"


def write_copy():
    COPY.write_bytes(SOURCE.read_bytes())


def alert_complaints(objects):
    """Every alert must be as in the file, but for whom it asks of."""
    if not all_of(objects, "PrometheusRule"):
        return
    rules = rules_of(objects)
    originals = rules_of([{"kind": "PrometheusRule", "spec": yaml.safe_load(COPY.read_text(encoding="utf-8"))}])
    yield from unlike([without_expression(rule) for rule in rules], list(map(without_expression, originals)), "alerts")
    told_by = [name for name, one in named(objects, "Service").items() if one["spec"]["ports"][0]["name"] == "admin"]
    ((_, whose),) = asked_by(f'x{{namespace="{NAMESPACE}", job="{told_by[0]}"}}')
    for rule, original in zip(rules, originals, strict=False):
        try:
            asked = asked_by(rule["expr"])
        except ValueError as error:
            yield f"{rule['alert']}: {error}"
            continue
        wanted = [(metric, labels | whose) for metric, labels in asked_by(original["expr"])]
        yield from unlike(asked, wanted, f"{rule['alert']}: metrics")
        expression = without_labels(original["expr"])
        yield from unlike(without_labels(rule["expr"]), expression, f"{rule['alert']}: expression")


def metric_complaints(rendered, exposition):
    """Whether the server tells what the alerts ask for, and the alerts what they speak of."""
    told = {}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", exposition, re.M):
        told.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    rules = [rule for objects in rendered.values() for rule in rules_of(objects)]
    if not rules:
        yield "no alert asks for anything"
    for rule in rules:
        groups = re.findall(r"by \(([^)]*)\)", rule["expr"])
        grouped = {label for group in groups for label in re.findall(r"\w+", group)}
        left = set(rule["labels"]) | grouped
        for metric, labels in asked_by(rule["expr"]):
            if metric not in told and metric not in ADDED_METRICS:
                yield f"{rule['alert']}: the server has no metric {metric}"
            elif missing := (set(labels) | grouped) - (known := told.get(metric, set()) | ADDED_LABELS):
                yield f"{rule['alert']}: {metric} has no label {missing}"
            elif not AGGREGATION.search(rule["expr"]):
                left |= known
        spoken_of = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
        if missing := spoken_of - left:
            yield f"{rule['alert']}: speaks of {missing}, which it does not have"


def asked_by(expression):
    """The metrics of an expression, with the labels asked of each."""
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
