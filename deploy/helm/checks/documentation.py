"""The comments of values.yaml, its schema, and the table of the README."""

import json
import re

import yaml

from .expected import CHART

VALUES, SCHEMA, README = CHART / "values.yaml", CHART / "values.schema.json", CHART / "README.md"
# Values whose content Kubernetes defines.
LEAVES = {"resources.requests", "resources.limits"}
TABLE = re.compile(r"(?<=\n\n)\| Value \|.*?\|\n(?=\n|\Z)", re.S)


def documented_values():
    """The path, default and comment of each value."""
    text = VALUES.read_text(encoding="utf-8")
    lines = text.splitlines()

    def comment_above(number):
        words = []
        while number > 0 and lines[number - 1].strip().startswith("#"):
            number -= 1
            words.insert(0, lines[number].strip().lstrip("# "))
        return " ".join(words)

    def walk(node, value, before):
        for key, inner in node.value:
            path = f"{before}{key.value}"
            here = value[key.value]
            if isinstance(here, dict) and here and path not in LEAVES:
                yield from walk(inner, here, path + ".")
            else:
                yield path, here, comment_above(key.start_mark.line)

    return list(walk(yaml.compose(text), yaml.safe_load(text), ""))


def table():
    rows = ["| Value | Default | |", "|---|---|---|"]
    for path, default, comment in documented_values():
        rows.append(f"| `{path}` | `{json.dumps(default)}` | {comment.replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"


def write_readme():
    text, count = TABLE.subn(lambda _: table(), README.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit("the README has no table of values")
    README.write_text(text, encoding="utf-8")


def undocumented():
    for path, _, comment in documented_values():
        if not comment:
            yield f"{path} has no comment"
    if table() not in README.read_text(encoding="utf-8"):
        yield "the table of the README differs from values.yaml: run check.py --write"


def differs_from_schema():
    """The schema must require every value of values.yaml, and reject any other."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    # Parent charts pass it; this chart ignores it.
    del schema["properties"]["global"]

    def walk(part, value, path):
        part = part | schema["definitions"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
        if "properties" not in part:
            return
        if part.get("additionalProperties") is not False:
            yield f"{path or 'the schema'}: accepts unknown values"
        for what in ("properties", "required"):
            if different := set(part.get(what, [])) ^ set(value):
                yield f"{path or 'the schema'}: {sorted(different)} is in values.yaml or in its {what}, but not in both"
        for key in set(part["properties"]) & set(value):
            yield from walk(part["properties"][key], value[key], f"{path}.{key}".lstrip("."))

    yield from walk(schema, yaml.safe_load(VALUES.read_text(encoding="utf-8")), "")
