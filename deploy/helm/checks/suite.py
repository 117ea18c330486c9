"""Runs all checks and counts the results."""

from collections import Counter

from .alerts import alert_problems, differs_from_source
from .documentation import differs_from_schema, undocumented
from .expected import EXPECTED, NAMESPACE, NEWEST, VALUES
from .helm import Helm
from .mutations import mutations
from .networking import networking_problems
from .objects import different
from .pods import pod_problems
from .rejections import rejections
from .schemas import schema_problems
from .server import server_checks


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, what, problems):
        problems = list(problems)
        print(f"{'FAIL' if problems else 'ok  '}  {what}", flush=True)
        for problem in problems:
            print(f"        {problem}", flush=True)
        self.passed += not problems
        self.failed += bool(problems)


def run(helm_path, arbiter=None):
    """Runs every check and returns the exit code."""
    helm, report = Helm(helm_path), Report()
    report("every value file is checked", different(set(VALUES), set(EXPECTED), "value files"))
    report("values are documented", undocumented())
    report("the schema matches values.yaml", differs_from_schema())
    report("the alerts are those of deploy/prometheus", differs_from_source())
    rendered = {}
    for name, expected in EXPECTED.items():
        for version in expected.versions():
            report(f"{name}: lint, Kubernetes {version}", helm.lint(name, version))
            objects, problems = helm.render(name, version)
            problems = problems or problems_of(objects, name, version)
            report(f"{name}: {len(objects)} objects, Kubernetes {version}", problems)
            rendered[name] = objects
        report(f"{name}: notes", helm.notes(name))
        report(f"{name}: names that look like numbers and booleans", odd_names(helm, name))
    if not all(rendered.values()):
        raise SystemExit("helm could not render everything: skipping the other checks")
    report("a long name", long_name(helm))
    for what, problems in rejections(helm):
        report(f"rejected: {what}", problems)
    if arbiter:
        for what, problems in server_checks(arbiter, rendered):
            report(what, problems)
    else:
        print("skip  flags, arguments, shutdown, metrics: no binary given")
    for what, problems in mutations(rendered, problems_of):
        report(f"detected: {what}", problems)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


def problems_of(objects, name, version=NEWEST):
    problems = [one for thing in objects for one in schema_problems(thing, version)]
    # The other checks need objects that match their schema.
    return problems or list(consistency_problems(objects, EXPECTED[name]))


def consistency_problems(objects, expected):
    """Problems that the schemas do not detect."""
    kinds = Counter(one["kind"] for one in objects)
    yield from different(dict(kinds), {"Deployment": 1} | expected.kinds, "kinds")
    if len({(one["kind"], one["metadata"]["name"]) for one in objects}) != len(objects):
        yield "two objects have the same name"
    for one in objects:
        if one["metadata"]["namespace"] != NAMESPACE:
            yield f"{one['kind']}: not in the namespace of the release"
        if len(one["metadata"]["name"]) > 63:
            yield f"{one['kind']}: its name is too long"
    yield from pod_problems(objects)
    yield from networking_problems(objects, expected)
    yield from alert_problems(objects)


def long_name(helm):
    objects, problems = helm.render("production", release="a" * 53)
    return problems or problems_of(objects, "production")


def odd_names(helm, name):
    """Names that are not strings in YAML unless they are quoted."""
    odd = ["serviceAccount.name", "priorityClassName", "tls.certKey", "tls.keyKey", "tls.clientCa.key",
           "tls.clientCrl.key", "tokens.key"]
    words = [word for each in odd for word in ("--set-string", f"{each}=0")]
    words += ["--set-string", "fullnameOverride=true"]
    if name == "tls":
        words += ["--set-string", "tls.secretName=1,tls.clientCa.secretName=1e3,tls.clientCrl.secretName=0x1,tokens.secretName=007"]
    objects, problems = helm.render(name, words=words, release="123", namespace="456")
    return problems or [one for thing in objects for one in schema_problems(thing, NEWEST)]
