"""The order of the checks, and the count."""

from collections import Counter

from .alerts import alert_complaints, unlike_source
from .documentation import undocumented, unlike_schema
from .helm import Helm
from .objects import unlike
from .pods import pod_complaints
from .refusals import refusals
from .sabotage import sabotages
from .schemas import schema_complaints
from .server import server_checks
from .wanted import NAMESPACE, NEWEST, VALUES, WANTED
from .wiring import wiring_complaints


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, what, complaints):
        complaints = list(complaints)
        print(f"{'FAIL' if complaints else 'ok  '}  {what}", flush=True)
        for complaint in complaints:
            print(f"        {complaint}", flush=True)
        self.passed += not complaints
        self.failed += bool(complaints)


def run(helm_path, arbiter=None):
    """Makes every check, and answers the exit status."""
    helm, report = Helm(helm_path), Report()
    report("every value file is known here", unlike(set(VALUES), set(WANTED), "value files"))
    report("values are documented", undocumented())
    report("the schema is that of the values", unlike_schema())
    report("the alerts are those of deploy/prometheus", unlike_source())
    rendered = {}
    for name, wanted in WANTED.items():
        for version in wanted.clusters():
            report(f"{name}: lint, Kubernetes {version}", helm.lint(name, version))
            objects, complaints = helm.render(name, version)
            complaints = complaints or complaints_about(objects, name, version)
            report(f"{name}: {len(objects)} objects, Kubernetes {version}", complaints)
            rendered[name] = objects
        report(f"{name}: notes", helm.notes(name))
        report(f"{name}: names that look like numbers and truths", odd_names(helm, name))
    if not all(rendered.values()):
        raise SystemExit("not everything could be rendered: the rest is left out")
    report("a long name", long_name(helm))
    for what, complaints in refusals(helm):
        report(f"refused: {what}", complaints)
    if arbiter:
        for what, complaints in server_checks(arbiter, rendered):
            report(what, complaints)
    else:
        print("skip  flags, arguments, the end, metrics: no binary given")
    for what, complaints in sabotages(rendered, complaints_about):
        report(f"found: {what}", complaints)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


def complaints_about(objects, name, version=NEWEST):
    complaints = [one for thing in objects for one in schema_complaints(thing, version)]
    # What has the wrong shape is not looked at any further.
    return complaints or list(inner_complaints(objects, WANTED[name]))


def inner_complaints(objects, wanted):
    """What no schema can tell."""
    kinds = Counter(one["kind"] for one in objects)
    yield from unlike(dict(kinds), {"Deployment": 1} | wanted.kinds, "kinds")
    if len({(one["kind"], one["metadata"]["name"]) for one in objects}) != len(objects):
        yield "two objects have the same name"
    for one in objects:
        if one["metadata"]["namespace"] != NAMESPACE:
            yield f"{one['kind']}: not in the namespace of the release"
        if len(one["metadata"]["name"]) > 63:
            yield f"{one['kind']}: its name is too long"
    yield from pod_complaints(objects)
    yield from wiring_complaints(objects, wanted)
    yield from alert_complaints(objects)


def long_name(helm):
    objects, complaints = helm.render("production", release="a" * 53)
    return complaints or complaints_about(objects, "production")


def odd_names(helm, name):
    """Names that YAML takes for something else unless they are quoted."""
    odd = ["serviceAccount.name", "priorityClassName", "tls.certKey", "tls.keyKey", "tls.clientCa.key", "tokens.key"]
    words = [word for each in odd for word in ("--set-string", f"{each}=0")]
    words += ["--set-string", "fullnameOverride=true"]
    if name == "tls":
        words += ["--set-string", "tls.secretName=1,tls.clientCa.secretName=1e3,tokens.secretName=007"]
    objects, complaints = helm.render(name, words=words, release="123", namespace="456")
    return complaints or [one for thing in objects for one in schema_complaints(thing, NEWEST)]
