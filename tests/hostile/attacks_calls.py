"""Attacks on other clients: calls that never end, calls that are cheap to send and expensive to answer, and the log."""

import contextlib
import gzip
import hashlib
import tempfile
import zlib
from pathlib import Path

from attacker import SERVICE, field, header_block, message
from attacks_memory import APPLY_MOVE, EVALUATE, EVALUATE_BATCH, ITEM, LIST_LEGAL_MOVES, STATE, streams
from registry import NEARLY_ALL, attack

VALIDATE_MOVE = header_block(SERVICE + "ValidateMove")
GZIP = ("grpc-encoding", "gzip")
# A state of Triple Triad with 26,000 empty cards, in 52 KB.
EMPTY_CARDS = field(1, field(3, field(3, b"") * 26_000))
MOVES = [field(2, field(1, move)) for move in ("b3-c3", "c2-b2", "c3-b3", "b2-c2")]
REPLAY = field(1, field(1, "qr:2rq/2rr/RR2/QR2:1")) + b"".join(MOVES) * 250
INVALID = message(field(1, field(1, "nonsense")))
TOKEN = "canary"
# Log lines per second that one attacker may cause.
MAX_LOG_RATE = 1000


@attack("idle Evaluate streams", short=(50,))
def idle_streams(load):
    """Streams that send nothing. 10,000 on 50 connections took all places: every other call was refused."""
    streams(load, EVALUATE)


@attack("calls without a body", connections=(2, 50, NEARLY_ALL), short=(50,))
def calls_without_body(load):
    """Unary calls that send only their headers. The server also holds a stream for each call that it refused."""
    streams(load, APPLY_MOVE)


def full_speed(load, block, body, in_flight=100):
    """Calls at full speed, on new connections if the server closes the old ones."""

    def script(connection):
        yield from connection.start()
        yield from connection.calls(block, body, in_flight)

    load.run(script, renew=True)


@attack("states of 26,000 empty cards", short=(2,))
def empty_cards(load):
    """Each took 1.5 ms: two connections got more than half of other clients' calls refused."""
    full_speed(load, VALIDATE_MOVE, message(EMPTY_CARDS))


@attack("the same, compressed to 100 bytes")
def compressed_cards(load):
    full_speed(load, header_block(SERVICE + "ValidateMove", GZIP), message(gzip.compress(EMPTY_CARDS), True))


@attack("replays of 1000 moves", short=(50,))
def replays(load):
    """The most expensive calls that are legal: 0.4 ms each."""
    full_speed(load, header_block(SERVICE + "ReplayGame"), message(REPLAY))


@attack("batches of 1000 items", connections=(50,))
def batches(load):
    """Each item lists the legal moves of the largest board, until the response has 4 MiB."""
    full_speed(load, EVALUATE_BATCH, message(ITEM * 1000))


@attack("JSON batches of 500,000 items")
def json_batches(load):
    """A batch with far more items than allowed, in the format that takes the longest to read."""
    body = b'{"calls":[' + b"0," * 500_000 + b"0]}"
    full_speed(load, header_block(SERVICE + "EvaluateBatch", content_type="application/json"), body, in_flight=20)


@attack("deeply nested JSON", connections=(2,))
def nested_json(load):
    body = b'{"state":' + b"[" * 60_000
    full_speed(load, header_block(SERVICE + "ApplyMove", content_type="application/json"), body)


@attack("deeply nested messages", connections=(2,))
def nested_messages(load):
    """Messages within messages, as deep as 64 KiB allow."""
    body = b""
    while len(body) < 60_000:
        body = field(1, body)
    full_speed(load, VALIDATE_MOVE, message(body))


@attack("gzip bombs of 1 GiB", connections=(50,))
def gzip_bombs(load):
    """1 MB that inflates to 1 GiB of zeros."""
    compressor = zlib.compressobj(9, wbits=31)
    start = compressor.compress(b"") + compressor.flush(zlib.Z_FULL_FLUSH)
    # After a full flush, blocks are independent and can be repeated.
    block = compressor.compress(bytes(1 << 24)) + compressor.flush(zlib.Z_FULL_FLUSH)
    full_speed(load, header_block(SERVICE + "EvaluateBatch", GZIP), message(start + 63 * block, True))


@attack("new games on the largest board", connections=(2,))
def large_games(load):
    full_speed(load, header_block(SERVICE + "NewGame"), message(field(4, b"") + field(6, field(4, field(1, 26)))))


@attack("suggestions with the largest budget", short=(50,))
def suggestions(load):
    """Searches of up to 20,000,000 positions, seconds each."""
    full_speed(load, header_block(SERVICE + "SuggestMove"), message(STATE + field(4, 20_000_000)))


@attack("legal moves of the largest board")
def large_boards(load):
    full_speed(load, LIST_LEGAL_MOVES, message(STATE))


@contextlib.contextmanager
def tokens():
    """Requires a token, which the canary has."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tokens")
        file.write_text(f"canary {hashlib.sha256(TOKEN.encode()).hexdigest()}\n", encoding="utf-8")
        yield ["--token-file", str(file)], ["--token", TOKEN]


def log_rate(run):
    # The limit allows the lines of a second at once.
    rate = run.server.log_lines / (run.seconds + 1)
    if rate > 1.1 * MAX_LOG_RATE:
        yield f"the attacker caused {rate:.0f} log lines per second: more than {MAX_LOG_RATE}"


@attack("calls without a token", prepare=tokens, check=log_rate, short=(2,))
def unauthenticated(load):
    """Refused calls at full speed, each of them a log line."""
    full_speed(load, APPLY_MOVE, INVALID)


@attack("invalid calls", connections=(2,), check=log_rate)
def invalid_calls(load):
    full_speed(load, APPLY_MOVE, INVALID)


@attack("invalid calls, and nobody reads the log", connections=(2,), log="stalled", short=(2,))
def stalled_log(load):
    """Standard error is a full pipe. 320 refusals were enough: no call was answered, and SIGTERM did not end the server."""
    full_speed(load, APPLY_MOVE, INVALID)


@attack("invalid calls, and the reader of the log has gone away", connections=(2,), log="closed")
def closed_log(load):
    full_speed(load, APPLY_MOVE, INVALID)
