"""Checks what watches Arbiter: the configuration and alerts of Prometheus, the dashboard of Grafana, compose.yaml.

First by reading: Prometheus' own promtool takes the files and plays alerts_test.yaml, every alert is shown to fire and
not to, compose's own reader takes compose.yaml, which confines what it runs. Then for real: Prometheus collects two
servers under load, every metric and label that is asked for is there, every expression of the dashboard has data, no
alert is on, and one of the servers is missed when it is killed.

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
# Labels that Prometheus adds to what a server tells.
ADDED_LABELS = {"job", "instance"}
# Metrics that Prometheus makes itself.
ITS_OWN = {"up", "ALERTS"}
# What Grafana puts in for its variables, here.
VARIABLES = {"$__rate_interval": "10s", "$job": ".+", "$instance": ".+"}


def main():
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    prometheus, promtool, reader, arbiter = (str(Path(word).absolute()) for word in sys.argv[1:])
    check = Check()
    rules = [rule for group in read(ALERTS)["groups"] for rule in group["rules"]]
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    asked = [(f"alert {rule['alert']}", rule["expr"]) for rule in rules] + list(expressions(dashboard))

    check("configuration", promtool_complaints(promtool, "check", "config", CONFIG))
    check("alerts", promtool_complaints(promtool, "check", "rules", "--lint=all", "--lint-fatal", ALERTS))
    check("alerts fire when they should, and only then", promtool_complaints(promtool, "test", "rules", TESTS))
    check("every alert is shown to fire, and not to", untested(rules, read(TESTS)))
    check("alerts tell what to do", alert_complaints(rules))
    check("dashboard", dashboard_complaints(dashboard))
    check("compose.yaml", compose.complaints(reader, HERE.parent / "compose.yaml", help_of(arbiter)))

    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server(arbiter)) for _ in range(2)]
        stack.enter_context(Callers(servers))
        told = stack.enter_context(Prometheus(prometheus, [server.admin for server in servers]))
        check.live(told, servers, asked)
    if check.failed:
        raise SystemExit(f"{check.failed} of the checks failed")
    print("it is watched")


class Check:
    def __init__(self):
        self.failed = 0

    def __call__(self, what, complaints):
        complaints = [complaint for complaint in complaints if complaint]
        print(f"{'FAIL' if complaints else 'ok  '}  {what}", flush=True)
        for complaint in complaints:
            print(f"        {complaint}", flush=True)
        self.failed += bool(complaints)

    def live(self, prometheus, servers, asked):
        """What a real Prometheus makes of real servers."""
        self("both servers are collected", [prometheus.until("sum(up) == 2")])
        # A rate needs some samples.
        self("calls are counted", [prometheus.until("sum(rate(grpc_server_handled_total[10s])) > 10")])
        exposition = get(servers[0].admin, "/metrics")
        self(f"all that {len(asked)} expressions ask for is told", metric_complaints(asked, exposition))
        shown = [each for each in asked if each[0].startswith("panel")]
        self(f"{len(shown)} expressions of panels have data", (no_data(prometheus, *each) for each in shown))
        self("all alerts can be reckoned, and none is on", rule_states(prometheus, wanted={}))
        servers[0].kill()
        down = {"ArbiterDown": "pending"}
        self("a server that is killed is missed", [eventually(lambda: list(rule_states(prometheus, wanted=down)))])


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


# By reading


def promtool_complaints(promtool, *words):
    done = subprocess.run([promtool, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)
    return [done.stdout + done.stderr] if done.returncode else []


def untested(rules, tests):
    """Alerts that no test sees firing, or none sees silent. Those of one name are told apart by their limit."""
    fired, silent = set(), set()
    for each in (each for test in tests["tests"] for each in test["alert_rule_test"]):
        alerts = each.get("exp_alerts") or []
        fired |= {(each["alertname"], alert["exp_labels"].get("limit")) for alert in alerts}
        if not alerts:
            silent.add(each["alertname"])
    for rule in rules:
        if (rule["alert"], rule["labels"].get("limit")) not in fired:
            yield f"{rule['alert']} {rule['labels'].get('limit', '')} never fires"
        if rule["alert"] not in silent:
            yield f"{rule['alert']} is never silent"


def alert_complaints(rules):
    # Until there is such a page the anchors follow from the names alone.
    page = OPERATIONS.read_text(encoding="utf-8") if OPERATIONS.exists() else None
    headings = set(re.findall(r"^#+ `?(\w+)`?$", page or "", re.M))
    for rule in rules:
        name, annotations = rule["alert"], rule["annotations"]
        if rule["labels"].get("severity") not in SEVERITIES:
            yield f"{name}: severity {rule['labels'].get('severity')}"
        if set(annotations) != {"summary", "description", "runbook"}:
            yield f"{name}: annotations {sorted(annotations)}"
        elif annotations["runbook"] != f"docs/operations.md#{name.lower()}":
            yield f"{name}: the runbook is {annotations['runbook']}"
        if page is not None and name not in headings:
            yield f"{name}: docs/operations.md has no such section"


def help_of(arbiter):
    """The flags of the server with their defaults."""
    text = subprocess.run([arbiter, "--help"], capture_output=True, text=True, timeout=10, check=True).stdout
    known, flag = {}, None
    for line in text.splitlines():
        if begins := re.match(r" +(?:-\w, )?--([a-z-]+)(?: <|$)", line):
            flag = begins[1]
        elif default := re.match(r" +\[default: (.*)\]$", line):
            known[flag] = default[1]
    return known


def dashboard_complaints(dashboard):
    panels = dashboard["panels"]
    identifiers = [panel["id"] for panel in panels]
    if len(set(identifiers)) != len(identifiers):
        yield f"an id twice among {identifiers}"
    taken = {}
    for panel in panels:
        place, title = panel["gridPos"], panel["title"]
        if place["x"] + place["w"] > 24:
            yield f"{title}: beyond the edge"
        columns, rows = range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        below = {taken.setdefault((column, row), title) for column in columns for row in rows} - {title}
        if below:
            yield f"{title}: on top of {below}"
        if panel["type"] == "row":
            continue
        if not panel["description"] or not panel["fieldConfig"]["defaults"]["unit"]:
            yield f"{title}: no description, or no unit"
        if not panel["targets"]:
            yield f"{title}: asks for nothing"
    for source in datasources(dashboard):
        if source != {"type": "prometheus", "uid": "${datasource}"}:
            yield f"asks {source}"
    known = {variable["name"] for variable in dashboard["templating"]["list"]} | {"__rate_interval"}
    for name in set(re.findall(r"\$\{?(\w+)", DASHBOARD.read_text(encoding="utf-8"))) - known - {"__all"}:
        yield f"there is no variable {name}"
    interval = read(DATASOURCES)["datasources"][0]["jsonData"]["timeInterval"]
    if interval != read(CONFIG)["global"]["scrape_interval"]:
        yield f"Grafana believes that metrics are collected every {interval}"


def datasources(part):
    """Everyone who is asked, anywhere in the dashboard."""
    if isinstance(part, dict):
        if "datasource" in part:
            yield part["datasource"]
        for inner in part.values():
            yield from datasources(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from datasources(inner)


def expressions(dashboard):
    """Everything that the dashboard asks Prometheus for."""
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


def metric_complaints(asked, exposition):
    """Whether the server tells what is asked for: metrics, their labels, and the service by its name."""
    told = {}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", exposition, re.M):
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels):
            told.setdefault(name, {}).setdefault(label, set()).add(value)
        told.setdefault(name, {})
    for what, expression in asked:
        try:
            found, grouped = selectors_of(with_values(expression))
        except ValueError as error:
            yield f"{what}: {error}"
            continue
        for metric, labels in found:
            if metric in ITS_OWN:
                continue
            if metric not in told:
                yield f"{what}: the server has no metric {metric}"
            elif missing := (set(labels) | grouped) - set(told[metric]) - ADDED_LABELS:
                yield f"{what}: {metric} has no label {missing}"
            # Other services of gRPC have metrics of the same names.
            elif metric.startswith("grpc_") and labels.get("grpc_service") != SERVICE:
                yield f"{what}: {metric} is asked of everyone"
            elif SERVICE not in told[metric].get("grpc_service", {SERVICE}):
                yield f"{what}: {metric} is not told of {SERVICE}"


def selectors_of(expression):
    """The metrics of an expression with the labels asked of each, and the labels that are grouped by."""
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


# For real

# Legal, illegal, nonsense, and a batch: every kind of answer is counted.
CALLS = [
    ("ValidateMove", {"state": {"notation": "445566"}, "move": {"notation": "7"}}),
    ("ApplyMove", {"state": {"notation": "444444"}, "move": {"notation": "4"}}),
    ("RenderState", {"state": {"notation": "nonsense"}}),
    ("NewGame", {"tripleTriad": {}}),
    ("EvaluateBatch", {"calls": [{"applyMove": {"state": {"notation": "44"}, "move": {"notation": "4"}}}]}),
]


class Server:
    """Arbiter, on any free ports."""

    def __init__(self, arbiter):
        self.arbiter = arbiter

    def __enter__(self):
        flags = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log", "off"]
        self.process = subprocess.Popen([self.arbiter, *flags], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["gRPC"]:
                self.address = words[1]
            if words[:1] == ["admin"]:
                self.admin = words[1].removeprefix("http://")
                return self
        raise SystemExit("the server does not tell its address")

    def kill(self):
        self.process.kill()

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Callers:
    """Calls the servers, one after the other, until the block ends. A server may go."""

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
    """Prometheus by the configuration of the project, but for where the servers are and how often they are asked."""

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
        if complaint := eventually(lambda: [] if get(self.address, "/-/ready") else ["it is not ready"]):
            raise SystemExit(f"Prometheus: {complaint}\n{self.log.read_text(encoding='utf-8')}")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.folder.cleanup()

    def ask(self, path, **values):
        answer = json.loads(get(self.address, f"/api/v1/{path}?{urllib.parse.urlencode(values)}") or "{}")
        return answer.get("data")

    def values(self, expression):
        """The values of an expression that are numbers, or nothing if it cannot be reckoned."""
        data = self.ask("query", query=expression)
        if data is None:
            return None
        return [value for sample in data["result"] if not math.isnan(value := float(sample["value"][1]))]

    def until(self, expression):
        return eventually(lambda: [] if self.values(expression) else [f"not so: {expression}"])


def no_data(prometheus, what, expression):
    values = prometheus.values(with_values(expression))
    if values is None:
        return f"{what}: cannot be reckoned: {expression}"
    return None if values else f"{what}: no data: {expression}"


def rule_states(prometheus, wanted):
    """What is wrong with the state of the alerts: all others must be reckoned, and be off."""
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
    if not rules:
        yield "there are none"
    for rule in rules:
        state = wanted.get(rule["name"], "inactive")
        if rule["health"] != "ok" or rule["state"] != state:
            yield f"{rule['name']}: {rule['health']}, {rule['state']} instead of {state}: {rule.get('lastError', '')}"


def get(address, path):
    """What is answered, or nothing."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return None


def post(address, path, request):
    body = json.dumps(request).encode()
    question = urllib.request.Request(f"http://{address}{path}", body, {"content-type": "application/json"})
    with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(question, timeout=5) as answer:
        answer.read()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def eventually(complaints, within=30):
    """Nothing, as soon as there are no complaints; else the last ones."""
    until = time.monotonic() + within
    while last := complaints():
        if time.monotonic() > until:
            return f"after {within} s: {last}"
        time.sleep(0.2)
    return None


if __name__ == "__main__":
    main()
