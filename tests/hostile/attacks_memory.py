"""Attacks on the memory of the server: requests that never end, and responses that nobody reads."""

import re
import time

from attacker import END_HEADERS, END_STREAM, MAX_WINDOW, SERVICE, field, header_block, message
from registry import NEARLY_ALL, attack

HEALTH_WATCH = header_block("/grpc.health.v1.Health/Watch")
REFLECTION = header_block("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
EVALUATE = header_block(SERVICE + "Evaluate")
EVALUATE_BATCH = header_block(SERVICE + "EvaluateBatch")
LIST_LEGAL_MOVES = header_block(SERVICE + "ListLegalMoves")
APPLY_MOVE = header_block(SERVICE + "ApplyMove")
# As many as a connection may have.
STREAMS = 200
# Shorter than the default of 20 s, so that the end of the stalled connections belongs to the attack.
SHORT_SEND_TIMEOUT = ("--send-timeout", "2s")

def large_board():
    """The largest board, 26×26, with two rooks of player one in each row: 1800 legal moves in 200 characters."""
    rows = [["."] * 26 for _ in range(26)]
    for number, row in enumerate(rows):
        row[7 * number % 26] = row[(7 * number + 13) % 26] = "R"
    rows[0][0] = "Q"
    rows[25][22:] = "rrrq"
    board = "/".join("".join(row) for row in rows)
    return f"qr:{re.sub(r'[.]+', lambda empty: str(len(empty[0])), board)}:1"


STATE = field(1, field(1, large_board()))
# An item of a batch or a stream: its legal moves.
ITEM = field(1, field(9, STATE))
MANY_ITEMS = message(ITEM) * (60_000 // len(message(ITEM)))


@attack("no attack", connections=(0,), short=(0,))
def baseline(load):
    """Nothing: the latency of the canary alone."""
    time.sleep(load.until - time.monotonic())


def streams(load, block, body=b"", flags=0, window=MAX_WINDOW, **options):
    """Opens as many streams as a connection may have, with the same body. Without END_STREAM it is not complete."""

    def script(connection):
        yield from connection.start(window)
        for _ in range(STREAMS):
            stream, headers = connection.open(block)
            yield headers
            yield from connection.data(stream, body, flags)

    load.run(script, **options)


@attack("health watches", connections=(2, 320), short=(320,))
def health_watches(load):
    """Watches that are never cancelled. They were not counted: 535 MB with 320 connections."""
    streams(load, HEALTH_WATCH, message(b""))


# The canary keeps 4 calls in flight when the byte budget is used up. It has more at the start of the attack.
@attack("reflection streams", connections=(320,), max_lost=0.1)
def reflection_streams(load):
    """Streams of the reflection service that stay open. They were not counted."""
    streams(load, REFLECTION, message(field(7, b"")))


@attack("half-sent messages of 64 KiB", short=(50,))
def half_sent_messages(load):
    """Unary calls whose message never ends. 50 connections made the server hold 780 MB."""
    streams(load, APPLY_MOVE, b"\0\0\1\0\0" + bytes(60_000))


@attack("half-sent batches of 1 MiB", connections=(50,))
def half_sent_batches(load):
    """The same with the largest message, a batch."""
    streams(load, EVALUATE_BATCH, b"\0\0\x10\0\0" + bytes(1_000_000))


@attack("half-sent JSON over HTTP/1.1", connections=(NEARLY_ALL,))
def half_sent_json(load):
    """The same as Connect over HTTP/1.1, where each call needs a connection."""
    headers = f"POST {SERVICE}ApplyMove HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 65000\r\n\r\n"

    def script(_connection):
        yield headers.encode() + b" " * 60_000

    load.run(script, reads_frames=False)


@attack("Evaluate streams with a window of 0", flags=SHORT_SEND_TIMEOUT, seconds=6)
def streams_without_window(load):
    """Streams whose client keeps sending calls, and never lets the server send a response. They held 740 MB."""
    streams(load, EVALUATE, MANY_ITEMS, window=0)


@attack("Evaluate streams that nobody reads", short=(50,), flags=SHORT_SEND_TIMEOUT, seconds=6)
def streams_without_reader(load):
    """The same with an open window, but the socket is never read. The answers are long and cheap: all cards and clauses."""
    item = message(field(1, field(7, field(1, 1) + field(2, 1))))
    streams(load, EVALUATE, item * 100, reads=False, receive_buffer=4096)


@attack("unread ListLegalMoves, window of 0", flags=SHORT_SEND_TIMEOUT, seconds=6, short=(50,))
def unread_moves_without_window(load):
    """Calls whose response the client does not let the server send. 10,000 of them held 344 MB."""
    streams(load, LIST_LEGAL_MOVES, message(STATE), END_STREAM, window=0)


@attack("unread ListLegalMoves, socket not read", flags=SHORT_SEND_TIMEOUT, seconds=6)
def unread_moves(load):
    """The same with an open window, but the socket is never read."""
    streams(load, LIST_LEGAL_MOVES, message(STATE), END_STREAM, reads=False, receive_buffer=4096)


@attack("unread batch responses of 4 MiB", flags=SHORT_SEND_TIMEOUT, seconds=6, short=(50,))
def unread_batches(load):
    """The largest responses."""
    streams(load, EVALUATE_BATCH, message(ITEM * 700), END_STREAM, window=0)


def refused_unread(load, block, body=b""):
    def script(connection):
        yield from connection.start()
        while True:
            for _ in range(STREAMS):
                stream, headers = connection.open(block, END_HEADERS if body else END_HEADERS | END_STREAM)
                yield headers
                yield from connection.data(stream, body, END_STREAM)
            # The server closes a connection that exceeds its number of streams.
            yield 0.5

    load.run(script, reads=False, receive_buffer=4096)


@attack("unread refusals: unknown method", connections=(NEARLY_ALL,), flags=SHORT_SEND_TIMEOUT, seconds=8, short=(NEARLY_ALL,))
def unread_unknown_methods(load):
    """Refusals are only headers, and h2 does not limit how many it holds until they are sent."""
    refused_unread(load, header_block(SERVICE + "Nothing"))


@attack("unread refusals: invalid calls", connections=(NEARLY_ALL,), flags=SHORT_SEND_TIMEOUT, seconds=8)
def unread_invalid_calls(load):
    """The same with refusals of the rules, which carry details."""
    refused_unread(load, APPLY_MOVE, message(field(1, field(1, "nonsense"))))
