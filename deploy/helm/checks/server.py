"""What the binary says to the chart: its flags, and the server itself with the arguments of each value file."""

import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from .alerts import metric_complaints
from .objects import container_of, flags_of, pod_of, seconds, unlike
from .pods import FILE_FLAGS
from .wanted import CHART
from .wiring import PROBES

# Where the chart wants something else than the server.
OWN_DEFAULTS = {"listen", "admin-listen", "log-format", "drain-delay"}


def server_checks(arbiter, rendered):
    """Every check that needs the binary, with its complaints."""
    known = flags_of_help(told_by(arbiter, "--help"))
    chart = re.search(r'^appVersion: "(.*)"$', (CHART / "Chart.yaml").read_text(encoding="utf-8"), re.M)
    yield "the version is that of the server", unlike(chart[1], told_by(arbiter, "--version").split()[1], "appVersion")
    yield "every flag exists, and each one is given by some value", flag_complaints(rendered, known)
    for name in rendered:
        yield f"{name}: the server takes the arguments", serving_complaints(arbiter, name, rendered)


def told_by(arbiter, word):
    return subprocess.run([arbiter, word], capture_output=True, text=True, timeout=30, check=True).stdout


def flags_of_help(text):
    """The flags that a help explains, with their defaults."""
    known, flag = {}, None
    for line in text.splitlines():
        if begins := re.match(r" +(?:-\w, )?--([a-z-]+)(?: <|$)", line):
            flag = begins[1]
            known[flag] = None
        elif default := re.match(r" +\[default: (.*)\]$", line):
            known[flag] = default[1]
    return known


def flag_complaints(rendered, known):
    if len(known) < 20:
        yield f"the help could not be read: {sorted(known)}"
    given = {flag: name for name, objects in rendered.items() for flag in flags_of(objects)}
    for flag in sorted(set(given) - set(known)):
        yield f"{given[flag]}: there is no flag --{flag}"
    for flag in sorted(set(known) - set(given) - {"help", "version"}):
        yield f"no value gives --{flag}"
    for flag, value in flags_of(rendered["minimal"]).items():
        if flag in known and flag not in OWN_DEFAULTS and value != known[flag]:
            yield f"--{flag}: the default of the chart is {value}, that of the server {known[flag]}"


def serving_complaints(arbiter, name, rendered):
    """What is wrong with the server that a pod would run. Only its addresses and files are of this machine."""
    objects = rendered[name]
    with tempfile.TemporaryDirectory() as folder, started(arbiter, objects, Path(folder)) as (process, grpc, admin):
        if admin is None:
            yield f"it does not start: {(Path(folder) / 'log').read_text(encoding='utf-8')}"
            return
        probes = [container_of(objects)[kind] for kind in PROBES]
        for path in {"/ready"} | {probe["httpGet"]["path"] for probe in probes if "httpGet" in probe}:
            if fetch(admin + path) is None:
                yield f"{path} is not answered"
        if name == "minimal":
            if not answers(grpc):
                yield "a call is not answered"
            yield from metric_complaints(rendered, fetch(admin + "/metrics") or "")
            yield from ending_complaints(process, grpc, admin, objects)


@contextmanager
def started(arbiter, objects, folder):
    """The server with its two addresses, which are None if it has ended instead."""
    files = make_files(folder)
    words = [replaced(word, files) for word in container_of(objects)["args"]]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ARBITER_")}
    with open(folder / "log", "w", encoding="utf-8") as log:
        process = subprocess.Popen([arbiter, *words], stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
    try:
        grpc = admin = None
        for line in process.stdout:
            match line.split()[:2]:
                case ["gRPC", address]:
                    grpc = f"http://{address}"
                case ["admin", address]:
                    admin = address
                    break
        yield process, grpc, admin
    finally:
        # The second order ends it at once.
        for _ in range(2):
            process.terminate()
            time.sleep(0.2)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def make_files(folder):
    """Files for the flags that name some."""
    tokens, certificate, key = folder / "tokens", folder / "tls.crt", folder / "tls.key"
    tokens.write_text(f"someone {'0' * 64}\n", encoding="utf-8")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", "/CN=arbiter", "-addext", "subjectAltName=DNS:arbiter", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )
    return {"token-file": tokens, "tls-cert": certificate, "tls-key": key, "tls-client-ca": certificate}


def replaced(word, files):
    """An argument as it can be given on this machine."""
    flag = word[2:].partition("=")[0]
    if flag in ("listen", "admin-listen"):
        return f"--{flag}=127.0.0.1:0"
    return f"--{flag}={files[flag]}" if flag in FILE_FLAGS else word


def fetch(url, body=None):
    """What is answered with a status of success, if anything."""
    request = urllib.request.Request(url, body, {"content-type": "application/json"} if body else {})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return None


def answers(grpc):
    """Whether a call is answered, over a connection of its own, as of a client that has not heard of the end yet."""
    return fetch(f"{grpc}/arbiter.v1.RulesService/NewGame", b'{"connectFour": {}}') is not None


def ending_complaints(process, grpc, admin, objects):
    """What the chart counts on: at once not ready, calls answered during the delay, the end within the grace period."""
    delay, grace = seconds(flags_of(objects)["drain-delay"]), pod_of(objects)["terminationGracePeriodSeconds"]
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    if fetch(admin + "/ready") is not None:
        yield "told to end, the server is still ready"
    while (after := time.monotonic() - began) < delay - 1:
        if not answers(grpc):
            yield f"{after:.1f} s after it was told to end, and before the delay is over, a call is not answered"
            break
        time.sleep(0.2)
    try:
        code = process.wait(grace)
    except subprocess.TimeoutExpired:
        yield f"the server has not ended within the grace period of {grace} s"
        return
    took = time.monotonic() - began
    if code or took < delay:
        yield f"the server ended with {code} after {took:.1f} s"
