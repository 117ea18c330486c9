"""The flags of the server, and the server with the arguments of each value file."""

import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from .alerts import metric_problems
from .expected import CHART
from .networking import PROBES
from .objects import container_of, different, flags_of, pod_of, seconds

# Flags whose default in the chart differs from that of the server.
OWN_DEFAULTS = {"listen", "admin-listen", "log-format", "drain-delay"}
# An opening book, for the flag that names one.
BOOK = CHART.parents[2] / "src/engine/connect_four/openings.book"


def server_checks(arbiter, rendered):
    """The checks that need the binary, with their problems."""
    known = flags_of_help(output(arbiter, "--help"))
    chart = re.search(r'^appVersion: "(.*)"$', (CHART / "Chart.yaml").read_text(encoding="utf-8"), re.M)
    yield "appVersion is that of the server", different(chart[1], output(arbiter, "--version").split()[1], "appVersion")
    yield "every flag exists, and can be set by a value", flag_problems(rendered, known)
    for name in rendered:
        yield f"{name}: the server accepts the arguments", serving_problems(arbiter, name, rendered)
    # Some metrics need a call, others TLS.
    exposition = "".join(metrics_of(arbiter, rendered[name]) for name in ("minimal", "tls"))
    yield "the server has the metrics of the alerts", metric_problems(rendered, exposition)


def output(arbiter, word):
    return subprocess.run([arbiter, word], capture_output=True, text=True, timeout=30, check=True).stdout


def flags_of_help(text):
    """The flags in the output of --help, with their defaults."""
    known, flag = {}, None
    for line in text.splitlines():
        if begins := re.match(r" +(?:-\w, )?--([a-z-]+)(?: <|$)", line):
            flag = begins[1]
            known[flag] = None
        elif default := re.match(r" +\[default: (.*)\]$", line):
            known[flag] = default[1]
    return known


def flag_problems(rendered, known):
    if len(known) < 20:
        yield f"cannot parse the output of --help: {sorted(known)}"
    given = {flag: name for name, objects in rendered.items() for flag in flags_of(objects)}
    for flag in sorted(set(given) - set(known)):
        yield f"{given[flag]}: unknown flag --{flag}"
    for flag in sorted(set(known) - set(given) - {"help", "version"}):
        yield f"no value sets --{flag}"
    for flag, value in flags_of(rendered["minimal"]).items():
        if flag in known and flag not in OWN_DEFAULTS and value != known[flag]:
            yield f"--{flag}: the default of the chart is {value}, that of the server {known[flag]}"


def serving_problems(arbiter, name, rendered):
    """Runs the server with the arguments of the pod, apart from addresses and files."""
    objects = rendered[name]
    with tempfile.TemporaryDirectory() as folder, started(arbiter, objects, Path(folder)) as (process, grpc, admin):
        if admin is None:
            yield f"the server does not start: {(Path(folder) / 'log').read_text(encoding='utf-8')}"
            return
        probes = [container_of(objects)[kind] for kind in PROBES]
        for path in {"/ready"} | {probe["httpGet"]["path"] for probe in probes if "httpGet" in probe}:
            if fetch(admin + path) is None:
                yield f"{path} failed"
        if name == "minimal":
            if not call_succeeds(grpc):
                yield "a call failed"
            yield from shutdown_problems(process, grpc, admin, objects)


def metrics_of(arbiter, objects):
    """The metrics of the server, after a call if it needs no TLS."""
    with tempfile.TemporaryDirectory() as folder, started(arbiter, objects, Path(folder)) as (_, grpc, admin):
        if "tls-cert" not in flags_of(objects):
            call_succeeds(grpc)
        return fetch(admin + "/metrics") or ""


@contextmanager
def started(arbiter, objects, folder):
    """The server with its two addresses, which are None if it did not start."""
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
        # The second SIGTERM skips the drain.
        for _ in range(2):
            process.terminate()
            time.sleep(0.2)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def make_files(folder):
    """The files for the flags that name one."""
    tokens, certificate, key, crl = (folder / name for name in ("tokens", "tls.crt", "tls.key", "crl.pem"))
    index, number, config = folder / "index", folder / "number", folder / "openssl.cnf"
    index.touch()
    number.write_text("01\n", encoding="utf-8")
    # The server accepts only CRLs of version 2, which have a number.
    config.write_text(f"[ca]\ndefault_ca = ca\ndatabase = {index}\ncrlnumber = {number}\n", encoding="utf-8")
    tokens.write_text(f"client {'0' * 64}\n", encoding="utf-8")
    for words in (
        ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
         "-subj", "/CN=arbiter", "-addext", "subjectAltName=DNS:arbiter", "-keyout", key, "-out", certificate],
        ["ca", "-gencrl", "-config", config, "-md", "sha256", "-crldays", "90",
         "-cert", certificate, "-keyfile", key, "-out", crl],
    ):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    return {"token-file": tokens, "tls-cert": certificate, "tls-key": key, "tls-client-ca": certificate,
            "tls-client-crl": crl, "connect-four-book": BOOK}


def replaced(word, files):
    """The argument with a local address or file."""
    flag = word[2:].partition("=")[0]
    if flag in ("listen", "admin-listen"):
        return f"--{flag}=127.0.0.1:0"
    return f"--{flag}={files[flag]}" if flag in files else word


def fetch(url, body=None):
    """The body of a successful response, or None."""
    request = urllib.request.Request(url, body, {"content-type": "application/json"} if body else {})
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            return response.read().decode()
    except OSError:
        return None


def call_succeeds(grpc):
    """Whether a call over a new connection succeeds, as of a client that has not noticed the shutdown yet."""
    return fetch(f"{grpc}/arbiter.v1.RulesService/NewGame", b'{"connectFour": {}}') is not None


def shutdown_problems(process, grpc, admin, objects):
    """On SIGTERM: not ready at once, serves calls during the drain delay, exits within the grace period."""
    delay, grace = seconds(flags_of(objects)["drain-delay"]), pod_of(objects)["terminationGracePeriodSeconds"]
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    if fetch(admin + "/ready") is not None:
        yield "the server is still ready after SIGTERM"
    while (after := time.monotonic() - began) < delay - 1:
        if not call_succeeds(grpc):
            yield f"a call failed {after:.1f} s after SIGTERM, during the drain delay"
            break
        time.sleep(0.2)
    try:
        code = process.wait(grace)
    except subprocess.TimeoutExpired:
        yield f"the server did not exit within the grace period of {grace} s"
        return
    took = time.monotonic() - began
    if code or took < delay:
        yield f"the server exited with {code} after {took:.1f} s"
