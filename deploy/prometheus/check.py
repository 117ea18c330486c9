"""Checks the monitoring of Arbiter: Prometheus configuration and alerts, the Grafana dashboard, compose.yaml.

Static checks: promtool accepts the files and runs alerts_test.yaml, every alert has a test in which it fires and one in
which it does not, and Compose's own loader accepts compose.yaml, which confines its containers.

Live checks: Prometheus scrapes two servers under load. These, and a third one with TLS, export every metric and label that
is used, every panel of the dashboard has data, no alert is active, and ArbiterDown becomes pending when a server is killed.

Usage: python3 deploy/prometheus/check.py PROMETHEUS PROMTOOL COMPOSE ARBITER
Needs the packages of requirements.txt.
"""

import contextlib
import json
import math
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import promql_parser
import yaml

import compose

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ALERTS = HERE / "alerts.yaml"
TESTS = HERE / "alerts_test.yaml"
CONFIG = HERE / "prometheus.yml"
DASHBOARD = HERE.parent / "grafana" / "dashboards" / "arbiter.json"
DATASOURCES = HERE.parent / "grafana" / "provisioning" / "datasources" / "prometheus.yaml"
OPERATIONS = ROOT / "docs" / "operations.md"
SERVICE = "arbiter.v1.RulesService"
SEVERITIES = {"critical", "warning"}
# Labels that Prometheus adds to the metrics of a server.
ADDED_LABELS = {"job", "instance"}
# Metrics that Prometheus generates.
GENERATED_METRICS = {"up", "ALERTS"}
# Values for the variables of Grafana.
VARIABLES = {"$__rate_interval": "10s", "$job": ".+", "$instance": ".+"}


def main():
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    prometheus, promtool, compose_loader, arbiter = (str(Path(word).absolute()) for word in sys.argv[1:])
    check = Check()
    rules = [rule for group in read(ALERTS)["groups"] for rule in group["rules"]]
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    queries = [(f"alert {rule['alert']}", rule["expr"]) for rule in rules] + list(expressions(dashboard))

    check("configuration", promtool_problems(promtool, "check", "config", CONFIG))
    check("alerts", promtool_problems(promtool, "check", "rules", "--lint=all", "--lint-fatal", ALERTS))
    check("alert tests", promtool_problems(promtool, "test", "rules", TESTS))
    check("every alert has a test that fires and one that does not", untested(rules, read(TESTS)))
    check("alerts have a severity and a runbook", alert_problems(rules))
    check("dashboard", dashboard_problems(dashboard))
    check("compose.yaml", compose.problems(compose_loader, HERE.parent / "compose.yaml", default_flags(arbiter)))

    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server(arbiter)) for _ in range(2)]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        tls_server = stack.enter_context(Server(arbiter, tls_flags(folder)))
        stack.enter_context(Clients(servers))
        running = stack.enter_context(Prometheus(prometheus, [server.admin for server in servers]))
        check.live(running, servers, tls_server, queries)
    if check.failed:
        raise SystemExit(f"{check.failed} checks failed")
    print("all checks passed")


class Check:
    def __init__(self):
        self.failed = 0

    def __call__(self, what, problems):
        problems = [problem for problem in problems if problem]
        print(f"{'FAIL' if problems else 'ok  '}  {what}", flush=True)
        for problem in problems:
            print(f"        {problem}", flush=True)
        self.failed += bool(problems)

    def live(self, prometheus, servers, tls_server, queries):
        """The checks of a real Prometheus with real servers."""
        self("Prometheus scrapes both servers", [prometheus.until("sum(up) == 2")])
        # A rate needs some samples.
        self("calls are counted", [prometheus.until("sum(rate(grpc_server_handled_total[10s])) > 10")])
        exposition = get(servers[0].admin, "/metrics") + get(tls_server.admin, "/metrics")
        self(f"the servers export the metrics of {len(queries)} expressions", metric_problems(queries, exposition))
        panels = [each for each in queries if each[0].startswith("panel")]
        self(f"{len(panels)} expressions of panels have data", (no_data(prometheus, *each) for each in panels))
        self("all alerts can be evaluated, and none is active", rule_states(prometheus, expected={}))
        servers[0].kill()
        down = {"ArbiterDown": "pending"}
        self("a killed server is detected", [eventually(lambda: list(rule_states(prometheus, expected=down)))])


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


# Static checks


def promtool_problems(promtool, *words):
    done = subprocess.run([promtool, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)
    return [done.stdout + done.stderr] if done.returncode else []


def untested(rules, tests):
    """Alerts without a test that fires, or without one that does not. The `limit` label distinguishes equal names."""
    fired, silent = set(), set()
    for each in (each for test in tests["tests"] for each in test["alert_rule_test"]):
        alerts = each.get("exp_alerts") or []
        fired |= {(each["alertname"], alert["exp_labels"].get("limit")) for alert in alerts}
        if not alerts:
            silent.add(each["alertname"])
    for rule in rules:
        if (rule["alert"], rule["labels"].get("limit")) not in fired:
            yield f"{rule['alert']} {rule['labels'].get('limit', '')} fires in no test"
        if rule["alert"] not in silent:
            yield f"{rule['alert']} fires in all tests"


def alert_problems(rules):
    headings = set(re.findall(r"^#+ `?(\w+)`?$", OPERATIONS.read_text(encoding="utf-8"), re.M))
    for rule in rules:
        name, annotations = rule["alert"], rule["annotations"]
        if rule["labels"].get("severity") not in SEVERITIES:
            yield f"{name}: severity {rule['labels'].get('severity')}"
        if set(annotations) != {"summary", "description", "runbook"}:
            yield f"{name}: annotations {sorted(annotations)}"
        elif annotations["runbook"] != f"docs/operations.md#{name.lower()}":
            yield f"{name}: the runbook is {annotations['runbook']}"
        if name not in headings:
            yield f"{name}: docs/operations.md has no such section"


def default_flags(arbiter):
    """The flags of the server with their defaults."""
    text = subprocess.run([arbiter, "--help"], capture_output=True, text=True, timeout=10, check=True).stdout
    known, flag = {}, None
    for line in text.splitlines():
        if begins := re.match(r" +(?:-\w, )?--([a-z-]+)(?: <|$)", line):
            flag = begins[1]
        elif default := re.match(r" +\[default: (.*)\]$", line):
            known[flag] = default[1]
    return known


def dashboard_problems(dashboard):
    panels = dashboard["panels"]
    identifiers = [panel["id"] for panel in panels]
    if len(set(identifiers)) != len(identifiers):
        yield f"duplicate id in {identifiers}"
    taken = {}
    for panel in panels:
        place, title = panel["gridPos"], panel["title"]
        if place["x"] + place["w"] > 24:
            yield f"{title}: wider than the grid"
        columns, rows = range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        below = {taken.setdefault((column, row), title) for column in columns for row in rows} - {title}
        if below:
            yield f"{title}: overlaps {below}"
        if panel["type"] == "row":
            continue
        if not panel["description"] or not panel["fieldConfig"]["defaults"]["unit"]:
            yield f"{title}: no description, or no unit"
        if not panel["targets"]:
            yield f"{title}: no targets"
    for source in datasources(dashboard):
        if source != {"type": "prometheus", "uid": "${datasource}"}:
            yield f"unexpected data source {source}"
    known = {variable["name"] for variable in dashboard["templating"]["list"]} | {"__rate_interval"}
    for name in set(re.findall(r"\$\{?(\w+)", DASHBOARD.read_text(encoding="utf-8"))) - known - {"__all"}:
        yield f"undefined variable {name}"
    interval = read(DATASOURCES)["datasources"][0]["jsonData"]["timeInterval"]
    if interval != read(CONFIG)["global"]["scrape_interval"]:
        yield f"timeInterval of the data source is {interval}, unlike scrape_interval"


def datasources(part):
    """All data sources, anywhere in the dashboard."""
    if isinstance(part, dict):
        if "datasource" in part:
            yield part["datasource"]
        for inner in part.values():
            yield from datasources(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from datasources(inner)


def expressions(dashboard):
    """All queries of the dashboard."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"panel {panel['title']}, {target['refId']}", target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            series, label = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"]).groups()
            yield f"variable {variable['name']}", f"sum by ({label}) ({series})"
    for annotation in dashboard["annotations"]["list"]:
        yield f"annotation {annotation['name']}", annotation["expr"]


def with_values(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return expression


def metric_problems(queries, exposition):
    """Metrics and labels that are queried but not exported, and queries that do not select the service."""
    exported = {}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", exposition, re.M):
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels):
            exported.setdefault(name, {}).setdefault(label, set()).add(value)
        exported.setdefault(name, {})
    for what, expression in queries:
        try:
            found, grouped = selectors_of(with_values(expression))
        except ValueError as error:
            yield f"{what}: {error}"
            continue
        for metric, labels in found:
            if metric in GENERATED_METRICS:
                continue
            if metric not in exported:
                yield f"{what}: the server has no metric {metric}"
            elif missing := (set(labels) | grouped) - set(exported[metric]) - ADDED_LABELS:
                yield f"{what}: {metric} has no label {missing}"
            # Other gRPC services have metrics of the same names.
            elif metric.startswith("grpc_") and labels.get("grpc_service") != SERVICE:
                yield f"{what}: {metric} does not select {SERVICE}"
            elif SERVICE not in exported[metric].get("grpc_service", {SERVICE}):
                yield f"{what}: {metric} is not exported for {SERVICE}"


def selectors_of(expression):
    """The metrics of an expression with their label matchers, and the labels of its `by` clauses."""
    found = []

    def visit(node):
        if isinstance(node, promql_parser.VectorSelector):
            found.append((node.name, {each.name: each.value for each in node.matchers.matchers}))
            return
        for part in ("lhs", "rhs", "expr", "vector_selector", "param"):
            inner = getattr(node, part, None)
            if inner is not None:
                visit(inner)
        for inner in getattr(node, "args", None) or []:
            visit(inner)

    visit(promql_parser.parse(expression))
    groups = re.findall(r"by \(([^)]*)\)", expression)
    return found, {label.strip() for group in groups for label in group.split(",")}


# Live checks

# A legal move, an illegal one, an invalid request, and a batch: covers every kind of response.
CALLS = [
    ("ValidateMove", {"state": {"notation": "445566"}, "move": {"notation": "7"}}),
    ("ApplyMove", {"state": {"notation": "444444"}, "move": {"notation": "4"}}),
    ("RenderState", {"state": {"notation": "nonsense"}}),
    ("NewGame", {"tripleTriad": {}}),
    ("EvaluateBatch", {"calls": [{"applyMove": {"state": {"notation": "44"}, "move": {"notation": "4"}}}]}),
]


class Server:
    """Arbiter, on free ports."""

    def __init__(self, arbiter, flags=()):
        self.arbiter, self.flags = arbiter, flags

    def __enter__(self):
        flags = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log", "off", *self.flags]
        self.process = subprocess.Popen([self.arbiter, *flags], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["gRPC"]:
                self.address = words[1]
            if words[:1] == ["admin"]:
                self.admin = words[1].removeprefix("http://")
                return self
        raise SystemExit("the server does not print its admin address")

    def kill(self):
        self.process.kill()

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def tls_flags(folder):
    """The flags of a server with mutual TLS and a CRL. Some metrics exist only with them."""
    certificate, key, crl = folder / "tls.crt", folder / "tls.key", folder / "crl.pem"
    index, number, config = folder / "index", folder / "number", folder / "openssl.cnf"
    index.touch()
    number.write_text("01\n", encoding="utf-8")
    # The server accepts only CRLs of version 2, which have a number.
    config.write_text(f"[ca]\ndefault_ca = ca\ndatabase = {index}\ncrlnumber = {number}\n", encoding="utf-8")
    for words in (
        ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
         "-subj", "/CN=arbiter", "-addext", "subjectAltName=DNS:arbiter", "-keyout", key, "-out", certificate],
        ["ca", "-gencrl", "-config", config, "-md", "sha256", "-crldays", "90",
         "-cert", certificate, "-keyfile", key, "-out", crl],
    ):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    files = {"--tls-cert": certificate, "--tls-key": key, "--tls-client-ca": certificate, "--tls-client-crl": crl}
    return [str(word) for pair in files.items() for word in pair]


class Clients:
    """Calls the servers in sequence until the block ends. A server may be down."""

    def __init__(self, servers):
        self.servers, self.stop = servers, threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def work(self):
        while not self.stop.wait(0.01):
            for server in self.servers:
                for method, request in CALLS:
                    with contextlib.suppress(OSError):
                        post(server.address, f"/{SERVICE}/{method}", request)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


class Prometheus:
    """Prometheus with the configuration of the project, apart from its targets and intervals."""

    def __init__(self, prometheus, targets):
        self.prometheus, self.targets = prometheus, targets

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        config = read(CONFIG)
        config["global"] |= {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(HERE / name) for name in config["rule_files"]]
        arbiter = next(each for each in config["scrape_configs"] if each["job_name"] == "arbiter")
        del arbiter["dns_sd_configs"]
        arbiter["static_configs"] = [{"targets": self.targets}]
        config["scrape_configs"] = [arbiter]
        path = Path(self.folder.name, "prometheus.yml")
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        self.address = f"127.0.0.1:{free_port()}"
        data = Path(self.folder.name, "data")
        flags = {"config.file": path, "storage.tsdb.path": data, "web.listen-address": self.address}
        words = [self.prometheus, *(f"--{name}={value}" for name, value in flags.items())]
        self.log = Path(self.folder.name, "log")
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)
        if problem := eventually(lambda: [] if get(self.address, "/-/ready") else ["not ready"]):
            raise SystemExit(f"Prometheus: {problem}\n{self.log.read_text(encoding='utf-8')}")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.folder.cleanup()

    def get(self, path, **values):
        response = json.loads(get(self.address, f"/api/v1/{path}?{urllib.parse.urlencode(values)}") or "{}")
        return response.get("data")

    def values(self, expression):
        """The values of an expression without NaN, or None if it cannot be evaluated."""
        data = self.get("query", query=expression)
        if data is None:
            return None
        return [value for sample in data["result"] if not math.isnan(value := float(sample["value"][1]))]

    def until(self, expression):
        return eventually(lambda: [] if self.values(expression) else [f"does not hold: {expression}"])


def no_data(prometheus, what, expression):
    values = prometheus.values(with_values(expression))
    if values is None:
        return f"{what}: cannot be evaluated: {expression}"
    return None if values else f"{what}: no data: {expression}"


def rule_states(prometheus, expected):
    """Alerts with an error or an unexpected state. Alerts that are not in `expected` must be inactive."""
    rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
    if not rules:
        yield "there are no alerts"
    for rule in rules:
        state = expected.get(rule["name"], "inactive")
        if rule["health"] != "ok" or rule["state"] != state:
            yield f"{rule['name']}: {rule['health']}, {rule['state']} instead of {state}: {rule.get('lastError', '')}"


def get(address, path):
    """The body of a successful response, or None."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=5) as response:
            return response.read().decode()
    except OSError:
        return None


def post(address, path, request):
    body = json.dumps(request).encode()
    post_request = urllib.request.Request(f"http://{address}{path}", body, {"content-type": "application/json"})
    with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(post_request, timeout=5) as response:
        response.read()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def eventually(problems, within=30):
    """Returns None as soon as there are no problems, or the last problems after a timeout."""
    until = time.monotonic() + within
    while last := problems():
        if time.monotonic() > until:
            return f"after {within} s: {last}"
        time.sleep(0.2)
    return None


if __name__ == "__main__":
    main()
