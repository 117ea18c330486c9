"""Calls over every protocol, and their expected responses.

The messages are encoded by hand, from the field numbers of the contract: Envoy forwards bytes.
"""

import http.client
import json
import struct

import grpc

SERVICE = "arbiter.v1.RulesService"
# In seconds. Longer than Envoy's timeouts.
CLIENT_TIMEOUT = 30
BROKEN = "broken"


def varint(number):
    digits = []
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


class Call:
    """A request, as a message and as JSON."""

    def __init__(self, method, message, text):
        self.method, self.message, self.json = method, message, text.encode()
        self.path = f"/{SERVICE}/{method}"


def apply_move(state, move):
    message = field(1, field(1, state.encode())) + field(2, field(1, move.encode()))
    return Call("ApplyMove", message, json.dumps({"state": {"notation": state}, "move": {"notation": move}}))


def batch(calls, padding=0):
    """Many moves in one call. The padding is an unknown field, which the server skips."""
    message = b"".join(field(1, field(2, call.message)) for call in calls)
    if padding:
        message += field(1000, bytes(padding - len(message) - 6))
    items = [{"applyMove": json.loads(call.json)} for call in calls]
    return Call("EvaluateBatch", message, json.dumps({"calls": items}))


# A game of Connect Four, move by move: no two responses are the same.
GAME = "444443333355"
MOVES = [apply_move(GAME[:index], GAME[index]) for index in range(1, len(GAME))]
BATCH = batch(MOVES * 9)
# The maximum size of a batch.
LARGEST = batch(MOVES, padding=1048576)
ILLEGAL = apply_move("444444", "4")
NONSENSE = apply_move("4x", "4")


class Grpc:
    """gRPC without client retries: a failure here is a failure of Envoy."""

    name = "gRPC"

    def __init__(self, address):
        options = [("grpc.enable_retries", 0), ("grpc.use_local_subchannel_pool", 1)]
        self.channel = grpc.insecure_channel(address, options)
        self.methods = {}

    def call(self, call):
        """The status and the content of a response: the message, or the error message and details."""
        if call.path not in self.methods:
            self.methods[call.path] = self.channel.unary_unary(call.path)
        try:
            return "OK", self.methods[call.path](call.message, timeout=CLIENT_TIMEOUT)
        except grpc.RpcError as error:
            details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
            return error.code().name, (error.details() or "").encode() + details

    def stream(self, messages):
        """The responses of an Evaluate stream."""
        return self.channel.stream_stream(f"/{SERVICE}/Evaluate")(messages, timeout=CLIENT_TIMEOUT)

    def close(self):
        self.channel.close()


class Http:
    """One HTTP/1.1 connection with keep-alive."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address, timeout=CLIENT_TIMEOUT)

    def post(self, path, body, headers):
        """The status, the headers and the body of the response."""
        try:
            self.connection.request("POST", path, body, headers)
            response = self.connection.getresponse()
            return str(response.status), response.headers, response.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            return BROKEN, {}, repr(error).encode()

    def close(self):
        self.connection.close()


class Json(Http):
    name = "JSON"

    def call(self, call):
        status, _, body = self.post(call.path, call.json, {"content-type": "application/json"})
        return status, body


class Web(Http):
    """gRPC-Web: frames as in gRPC, and the trailers in a frame."""

    name = "gRPC-Web"
    TRAILERS = 0x80

    def call(self, call):
        frame = struct.pack("!BI", 0, len(call.message)) + call.message
        headers = {"content-type": "application/grpc-web+proto", "x-grpc-web": "1"}
        status, headers, body = self.post(call.path, frame, headers)
        if status != "200":
            return status, body
        message, trailers = b"", dict(headers.items())
        while body:
            flags, length = struct.unpack("!BI", body[:5])
            content, body = body[5 : 5 + length], body[5 + length :]
            if flags & self.TRAILERS:
                trailers |= dict(line.split(":", 1) for line in content.decode().splitlines())
            else:
                message += content
        error = trailers.get("grpc-message", "") + trailers.get("grpc-status-details-bin", "")
        return f"grpc-status {trailers.get('grpc-status')}", message + error.encode()


PROTOCOLS = [Grpc, Web, Json]
GOOD = {"gRPC": "OK", "gRPC-Web": "grpc-status 0", "JSON": "200"}


def responses(address, calls):
    """The response to each call over each protocol."""
    found = {}
    for protocol in PROTOCOLS:
        client = protocol(address)
        found |= {(protocol.name, call): client.call(call) for call in calls}
        client.close()
    return found
