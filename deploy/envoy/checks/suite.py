"""Runs all checks and counts the results."""

import copy
import re
import shutil
import subprocess
import time
from pathlib import Path

import yaml

from . import calls, configuration, failover, forwarding, load
from .mutations import MUTATIONS
from .processes import LOGS, TIMEOUT, CheckError, DnsServer, Envoy, Replicas, at, free_ports

COMPOSE = Path(__file__).resolve().parents[2] / "compose.yaml"
ROUNDS = 4


class Report:
    def __init__(self):
        self.passed = self.failed = 0
        self.notes = []

    def __call__(self, what, check):
        began, problems = time.monotonic(), problems_of(check)
        print(f"{'FAIL' if problems else 'ok  '}  {what} ({time.monotonic() - began:.1f} s)", flush=True)
        for line in [*self.notes, *problems]:
            print(f"        {line.strip()}", flush=True)
        self.notes.clear()
        self.failed += bool(problems)
        self.passed += not problems

    def note(self, text):
        self.notes.append(text)

    def detected(self, what, check, expected):
        """Passes if the check finds a problem that contains this text."""
        self(f"detected: {what}", self.undetected(check, expected))

    def undetected(self, check, expected):
        problems = problems_of(check)
        self.notes += [problem for problem in problems if expected in problem][:1]
        if not self.notes:
            yield f"not detected: {problems}"


def problems_of(check):
    problems = []
    try:
        for problem in check:
            problems.append(problem)
    except Exception as error:  # An exception is a problem too; the other checks still run.
        problems.append(f"{type(error).__name__}: {error}")
    return problems


def run(envoy_path, grpcurl, arbiter):
    """Runs every check and returns the exit code."""
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    report = Report()
    try:
        run_checks(report, envoy_path, grpcurl, arbiter)
    except CheckError as error:
        print(f"FAIL  {error}")
        report.failed += 1
    print(f"{report.passed} passed, {report.failed} failed; logs: {LOGS}")
    return 1 if report.failed else 0


def run_checks(report, envoy_path, grpcurl, arbiter):
    config = configuration.read()
    report("the configuration is valid", validity(envoy_path, configuration.FILE))
    report.detected("an unknown field", mutated_validity(envoy_path, config), "'retries'")
    report("compose.yaml uses this version of Envoy", version(envoy_path))

    ports, dns = dict(zip(("calls", "admin", "replicas"), free_ports(3))), DnsServer()
    with Replicas(arbiter, ports["replicas"]) as replicas:
        one = replicas[0]
        load.EXPECTED |= calls.responses(at(one), [*calls.MOVES, calls.BATCH, calls.LARGEST])
        with Envoy(envoy_path, config, ports, dns) as envoy:
            report("only addresses differ from the file", changed_paths(config, envoy.config))
            report("grpcurl: reflection, a game, a refusal, a stream, health", forwarding.grpcurl(grpcurl, envoy, one))
            report("gRPC, gRPC-Web and JSON over HTTP/1.1: same responses", forwarding.protocols(envoy, one))
            report("JSON over HTTP/2: same responses", forwarding.http2(envoy, one))
            report("streams are forwarded message by message", forwarding.streams(envoy))
            report("every call has a request id", forwarding.request_ids(envoy))
            report("calls are balanced over all replicas", forwarding.balancing(envoy, replicas))
            report("every call is logged", forwarding.access_log(envoy))
            report("draining replicas are removed and added again", failover.draining(envoy, replicas))
            report("a killed replica is removed and added again", failover.killed(envoy, replicas))
            report("a hanging replica is removed and added again", failover.hanging(envoy, replicas))
            report("one replica of three is enough", failover.single(envoy, replicas))
            report("a replica joins and leaves the DNS name", failover.discovery(envoy, replicas, dns))
            restarts = load.restarts(envoy, replicas, ROUNDS, report.note)
            report("no call fails while replicas are killed and restarted", restarts)
        for number, (what, mutate, check, expected) in enumerate(MUTATIONS):
            mutated = copy.deepcopy(config)
            mutate(mutated)
            replicas.start_stopped()
            with Envoy(envoy_path, mutated, ports, dns, f"mutated-{number}") as envoy:
                report.detected(what, check(envoy, replicas), expected)


def validity(envoy, file):
    done = subprocess.run(
        [envoy, "--mode", "validate", "--disable-hot-restart", "--log-level", "warning", "-c", file],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False,
    )
    # Envoy only warns about deprecated fields.
    if done.returncode or "warning" in done.stdout:
        yield done.stdout


def mutated_validity(envoy, config):
    mutated, file = copy.deepcopy(config), LOGS / "mutated.yaml"
    configuration.virtual_host(mutated)["retry_policy"]["retries"] = 3
    file.write_text(yaml.safe_dump(mutated), encoding="utf-8")
    return validity(envoy, file)


def version(envoy):
    printed = subprocess.run([envoy, "--version"], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    tested = re.search(r"/(\d+\.\d+\.\d+)/", printed)[1]
    images = re.findall(r"envoyproxy/envoy:\S*?v([\d.]+)", COMPOSE.read_text(encoding="utf-8"))
    if images != [tested]:
        yield f"this is {tested}, compose.yaml has {images}"


def changed_paths(config, local):
    found = set(configuration.differences(config, local))
    if found != configuration.DIFFERENT:
        yield f"{sorted(found ^ configuration.DIFFERENT)}"
