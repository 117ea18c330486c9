"""The order of the checks, and the count."""

import copy
import re
import shutil
import subprocess
import time
from pathlib import Path

import yaml

from . import calls, configuration, leaving, load, passing
from .sabotage import SPOILT
from .stand import LOGS, PATIENCE, Envoy, Names, Replicas, Trouble, at, free_ports

COMPOSITION = Path(__file__).resolve().parents[2] / "compose.yaml"
ROUNDS = 4


class Reports:
    def __init__(self):
        self.passed = self.failed = 0
        self.notes = []

    def __call__(self, what, check):
        began, complaints = time.monotonic(), complaints_of(check)
        print(f"{'FAIL' if complaints else 'ok  '}  {what} ({time.monotonic() - began:.1f} s)", flush=True)
        for line in [*self.notes, *complaints]:
            print(f"        {line.strip()}", flush=True)
        self.notes.clear()
        self.failed += bool(complaints)
        self.passed += not complaints

    def note(self, text):
        self.notes.append(text)

    def found(self, what, check, says):
        """A check that must complain, and of this."""
        self(f"found: {what}", self.not_found(check, says))

    def not_found(self, check, says):
        complaints = complaints_of(check)
        self.notes += [complaint for complaint in complaints if says in complaint][:1]
        if not self.notes:
            yield f"it was not: {complaints}"


def complaints_of(check):
    complaints = []
    try:
        for complaint in check:
            complaints.append(complaint)
    except Exception as trouble:  # Whatever stops a check is a complaint too; the others are still made.
        complaints.append(f"{type(trouble).__name__}: {trouble}")
    return complaints


def run(envoy_path, grpcurl, arbiter):
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    report = Reports()
    try:
        everything(report, envoy_path, grpcurl, arbiter)
    except Trouble as trouble:
        print(f"FAIL  {trouble}")
        report.failed += 1
    print(f"{report.passed} passed, {report.failed} failed; the logs are in {LOGS}")
    return 1 if report.failed else 0


def everything(report, envoy_path, grpcurl, arbiter):
    config = configuration.read()
    report("the configuration is valid as it stands", validity(envoy_path, configuration.FILE))
    report.found("a field that there is not", spoilt_validity(envoy_path, config), "'retries'")
    report("the composition has this version of Envoy", version(envoy_path))

    ports, names = dict(zip(("calls", "admin", "replicas"), free_ports(3))), Names()
    with Replicas(arbiter, ports["replicas"]) as replicas:
        one = replicas[0]
        load.WANTED |= calls.answers(at(one), [*calls.MOVES, calls.BATCH, calls.LARGEST])
        with Envoy(envoy_path, config, ports, names) as envoy:
            report("only addresses are other than in the file", moved(config, envoy.config))
            report("grpcurl: reflection, a game, a refusal, a stream, health", passing.by_grpcurl(grpcurl, envoy, one))
            report("gRPC, gRPC-Web and JSON by HTTP/1.1 pass, and refusals are whole", passing.by_protocols(envoy, one))
            report("JSON by HTTP/2 passes", passing.by_http2(envoy, one))
            report("a stream passes message by message", passing.streams(envoy))
            report("every call has an id", passing.request_ids(envoy))
            report("calls are spread over all replicas", passing.spread(envoy, replicas))
            report("every call is logged", passing.logged(envoy))
            report("draining replicas leave, and come back", leaving.draining(envoy, replicas))
            report("a killed replica leaves, and comes back", leaving.killed(envoy, replicas))
            report("a hanging replica leaves, and comes back", leaving.hanging(envoy, replicas))
            report("one replica of three does", leaving.alone(envoy, replicas))
            report("a further replica is found by its name, and forgotten", leaving.one_more(envoy, replicas, names))
            storm = load.storm(envoy, replicas, ROUNDS, report.note)
            report("no call fails while replicas are killed and restarted", storm)
        for number, (what, spoil, check, says) in enumerate(SPOILT):
            spoilt = copy.deepcopy(config)
            spoil(spoilt)
            replicas.revive()
            with Envoy(envoy_path, spoilt, ports, names, f"spoilt-{number}") as envoy:
                report.found(what, check(envoy, replicas), says)


def validity(envoy, file):
    done = subprocess.run(
        [envoy, "--mode", "validate", "--disable-hot-restart", "--log-level", "warning", "-c", file],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False,
    )
    # Of what will be gone in a later version Envoy only warns.
    if done.returncode or "warning" in done.stdout:
        yield done.stdout


def spoilt_validity(envoy, config):
    spoilt, file = copy.deepcopy(config), LOGS / "spoilt.yaml"
    configuration.of_host(spoilt)["retry_policy"]["retries"] = 3
    file.write_text(yaml.safe_dump(spoilt), encoding="utf-8")
    return validity(envoy, file)


def version(envoy):
    said = subprocess.run([envoy, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    mine = re.search(r"/(\d+\.\d+\.\d+)/", said)[1]
    images = re.findall(r"envoyproxy/envoy:\S*?v([\d.]+)", COMPOSITION.read_text(encoding="utf-8"))
    if images != [mine]:
        yield f"this is {mine}, and the composition has {images}"


def moved(config, placed):
    found = set(configuration.differences(config, placed))
    if found != configuration.DIFFERENT:
        yield f"{sorted(found ^ configuration.DIFFERENT)}"
