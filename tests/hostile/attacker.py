"""The attacker: HTTP/2 frames built by hand, and an event loop for thousands of connections.

What a connection does is a generator, its script. It yields
- bytes: they are sent;
- None: it continues when something has been received;
- a number: it continues after as many seconds;
- CLOSE: the connection is closed.
A connection whose script has ended stays open until the attack ends.
"""

import contextlib
import heapq
import itertools
import os
import select
import socket
import struct
import time
from collections import Counter

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, _, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW = 65535
MAX_WINDOW = (1 << 31) - 1
MAX_FRAME = 16384
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SERVICE = "/arbiter.v1.RulesService/"
CLOSE = object()
# Connections that may wait for the server to accept them at the same time.
MAX_CONNECTING = 256


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">HBBBI", len(payload) >> 8, len(payload) & 255, kind, flags, stream) + payload


def text(value):
    """A string in HPACK, without Huffman coding."""
    value = value.encode() if isinstance(value, str) else value
    size = bytes([len(value)]) if len(value) < 127 else b"\x7f" + varint(len(value) - 127)
    return size + value


def varint(number):
    """A number in groups of seven bits, as in HPACK and Protocol Buffers."""
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded) + bytes([number])


def header_block(path, *fields, content_type="application/grpc"):
    """The headers of a POST, all literal and not indexed, so that each block is independent of the others."""
    fields = (("content-type", content_type), ("te", "trailers"), *fields)
    block = b"\x83\x86\x04" + text(path) + b"\x01" + text("localhost")
    return block + b"".join(b"\x00" + text(name) + text(value) for name, value in fields)


def field(number, value):
    """A field of a Protocol Buffers message: a message, a string, or a number."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(payload, compressed=False):
    """A gRPC message."""
    return struct.pack(">BI", compressed, len(payload)) + payload


class Connection:
    def __init__(self, load, script, reads, receive_buffer):
        self.load, self.reads = load, reads
        self.stays_unread = not reads
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        # Closing resets the connection: no port stays in use.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.setblocking(False)
        self.script = script(self)
        self.connected_at = None
        self.outgoing, self.incoming = memoryview(b""), bytearray()
        self.window, self.windows = INITIAL_WINDOW, {}
        self.next_stream, self.started, self.ended = 1, 0, 0
        self.received = 0
        self.events = None

    # For scripts

    def start(self, window=MAX_WINDOW):
        """Starts HTTP/2 with this window for every stream. A connection that does not read stops to do so here."""
        self.reads = True
        settings = struct.pack(">HI", 4, window)
        update = struct.pack(">I", MAX_WINDOW - INITIAL_WINDOW)
        yield PREFACE + frame(SETTINGS, payload=settings) + frame(WINDOW_UPDATE, payload=update)
        while self.window == INITIAL_WINDOW:
            yield None
        self.reads = not self.stays_unread

    def open(self, block, flags=END_HEADERS):
        """Opens a stream with these headers. Returns its number and its first frame."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        self.started += 1
        return stream, frame(HEADERS, flags, stream, block)

    def data(self, stream, payload, flags=0, size=MAX_FRAME):
        """Sends data within the windows of the server."""
        payload = memoryview(payload)
        window = self.windows.pop(stream, INITIAL_WINDOW)
        while payload:
            window += self.windows.pop(stream, 0)
            length = min(len(payload), size, self.window, window)
            if length == 0:
                yield None
                continue
            chunk, payload = payload[:length], payload[length:]
            self.window -= length
            window -= length
            yield frame(DATA, 0 if payload else flags, stream, bytes(chunk))
        self.windows[stream] = window

    def calls(self, block, body, in_flight=100):
        """Keeps calls in flight, at full speed."""
        while True:
            if self.started - self.ended >= in_flight:
                yield None
                continue
            stream, first = self.open(block)
            if len(body) <= min(MAX_FRAME, self.window):
                self.window -= len(body)
                yield first + frame(DATA, END_STREAM, stream, body)
            else:
                yield first
                yield from self.data(stream, body, END_STREAM)
                self.windows.pop(stream, None)

    # For the event loop

    def receive(self):
        """Reads what has arrived. Returns whether the connection is still open."""
        try:
            data = self.socket.recv(1 << 18)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.received += len(data)
        if self.load.reads_frames:
            self.incoming += data
            self.parse()
        return bool(data)

    def parse(self):
        start, total = 0, len(self.incoming)
        while total - start >= 9:
            high, low, kind, flags, stream = struct.unpack_from(">HBBBI", self.incoming, start)
            end = start + 9 + (high << 8 | low)
            if end > total:
                break
            if kind == WINDOW_UPDATE:
                (more,) = struct.unpack_from(">I", self.incoming, start + 9)
                if stream:
                    self.windows[stream] = self.windows.get(stream, 0) + more
                else:
                    self.window += more
            elif kind == RST_STREAM or kind in (DATA, HEADERS) and flags & END_STREAM:
                self.ended += 1
            elif kind == GOAWAY:
                self.load.counts["goaway"] += 1
            start = end
        del self.incoming[:start]


class Load:
    """One process of an attacker."""

    def __init__(self, port, admin_port, connections, seconds):
        self.port, self.admin_port, self.connections = port, admin_port, connections
        self.began = time.monotonic()
        self.until = self.began + seconds
        self.counts = Counter()
        self.first_closed, self.oldest_open = None, 0

    def run(self, script, *, reads=True, renew=False, receive_buffer=None, port=None, source=None, reads_frames=True):
        """Runs a script on every connection until the attack ends. `renew`: replaces connections that are closed."""
        self.reads_frames = reads_frames
        self.poll, self.open, self.timers = select.epoll(), {}, []
        self.order, self.connecting = itertools.count(), 0
        address = ("127.0.0.1", port or self.port)
        wanted = self.connections
        while (now := time.monotonic()) < self.until:
            while wanted and self.connecting < MAX_CONNECTING:
                wanted -= 1
                connection = Connection(self, script, reads, receive_buffer)
                if source:
                    connection.socket.bind((source, 0))
                self.connect(connection, address)
            while self.timers and self.timers[0][0] <= now:
                self.advance(heapq.heappop(self.timers)[2])
            for descriptor, events in self.poll.poll(0.05, 1024):
                if connection := self.open.get(descriptor):
                    self.handle(connection, events)
            if renew:
                wanted = self.connections - len(self.open)
        for connection in list(self.open.values()):
            if connection.connected_at:
                self.oldest_open = max(self.oldest_open, time.monotonic() - connection.connected_at)
            self.close(connection)

    def connect(self, connection, address):
        connection.socket.connect_ex(address)
        self.connecting += 1
        self.open[connection.socket.fileno()] = connection
        self.poll.register(connection.socket.fileno(), select.EPOLLOUT | select.EPOLLRDHUP)

    def handle(self, connection, events):
        if not connection.connected_at:
            connection.connected_at = time.monotonic()
            self.connecting -= 1
            if not events & (select.EPOLLERR | select.EPOLLHUP):
                self.counts["opened"] += 1
                self.advance(connection)
                return
        if events & select.EPOLLIN and connection.reads:
            if not connection.receive():
                return self.closed(connection)
            self.advance(connection)
        elif events & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR):
            self.closed(connection)
        elif events & select.EPOLLOUT:
            self.advance(connection)

    def advance(self, connection):
        """Sends until the socket is full or the script waits."""
        if connection.socket.fileno() < 0:
            return
        interest = select.EPOLLRDHUP
        for _ in range(64):
            if not connection.outgoing:
                step = next(connection.script, False)
                if step is CLOSE:
                    return self.close(connection)
                if isinstance(step, float):
                    heapq.heappush(self.timers, (time.monotonic() + step, next(self.order), connection))
                if not isinstance(step, bytes):
                    break
                connection.outgoing = memoryview(step)
            try:
                sent = connection.socket.send(connection.outgoing)
            except BlockingIOError:
                interest |= select.EPOLLOUT
                break
            except OSError:
                return self.closed(connection)
            self.counts["sent"] += sent
            connection.outgoing = connection.outgoing[sent:]
        else:
            interest |= select.EPOLLOUT
        if connection.reads:
            interest |= select.EPOLLIN
        if interest != connection.events:
            connection.events = interest
            self.poll.modify(connection.socket.fileno(), interest)

    def closed(self, connection):
        self.counts["closed"] += 1
        if self.first_closed is None:
            self.first_closed = time.monotonic() - self.began
        self.close(connection)

    def close(self, connection):
        self.counts["started"] += connection.started
        self.counts["received"] += connection.received
        with contextlib.suppress(KeyError):
            del self.open[connection.socket.fileno()]
        connection.socket.close()


def run_attacker(function, load_arguments, results):
    """The main function of a process of an attacker. Reports counts, and when connections were closed."""
    os.nice(10)
    load = Load(*load_arguments)
    function(load)
    results.put((load.counts, load.first_closed, load.oldest_open))
