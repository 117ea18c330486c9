"""How Envoy forwards, balances and logs calls."""

import base64
import json
import queue
import shutil
import subprocess

from .calls import BATCH, GOOD, ILLEGAL, LARGEST, MOVES, NONSENSE, PROTOCOLS, SERVICE, Grpc, Http, field, responses
from .processes import TIMEOUT, at

# The number of calls to balance, and the minimum for each replica.
CALLS, MIN_CALLS = 300, 50


def grpcurl(path, envoy, replica):
    """The output of grpcurl is the same as without Envoy: lists, descriptions, a game, a refusal, a stream."""
    column = '{"state": {"notation": "445566"}, "move": {"notation": "7"}}'
    full = '{"state": {"notation": "444444"}, "move": {"notation": "4"}}'
    stream = f'{{"call": {{"apply_move": {column}}}}} {{"call": {{"apply_move": {full}}}}}'
    for words, expected in [
        (["list"], SERVICE),
        (["describe", f"{SERVICE}.ApplyMove"], "ApplyMoveRequest"),
        (["-d", '{"connect_four": {}, "seed": 1}', f"{SERVICE}/NewGame"], "connectFour"),
        (["-d", column, f"{SERVICE}/ApplyMove"], "GAME_RESULT_WINNER_DETERMINED"),
        (["-d", full, f"{SERVICE}/ApplyMove"], "FailedPrecondition"),
        (["-d", full, f"{SERVICE}/ApplyMove"], "ERROR_REASON_COLUMN_FULL"),
        (["-d", stream, f"{SERVICE}/Evaluate"], "ERROR_REASON_COLUMN_FULL"),
        (["-d", "{}", "grpc.health.v1.Health/Check"], "SERVING"),
    ]:
        through, direct = (grpcurl_output(path, address, words) for address in (envoy.address, at(replica)))
        if through != direct:
            yield f"{words}: {through} instead of {direct}"
        if expected not in through:
            yield f"{words}: {expected} is missing in {through}"


def grpcurl_output(path, address, words):
    options = words[:-1] if words[0] == "-d" else []
    rest = words[len(options) :]
    return output(path, "-plaintext", *options, address, *rest)


def output(*words):
    """The standard output and error of a command."""
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False
    )
    return done.stdout


def protocols(envoy, replica):
    """Every response is the same as without Envoy; an error has its status, message and details."""
    calls = [*MOVES, BATCH, LARGEST, ILLEGAL, NONSENSE]
    expected, found = responses(at(replica), calls), responses(envoy.address, calls)
    for (protocol, call), response in found.items():
        is_good, must_be = response[0] == GOOD[protocol], call not in (ILLEGAL, NONSENSE)
        if comparable(protocol, response) != comparable(protocol, expected[protocol, call]) or is_good != must_be:
            yield f"{call.method} over {protocol}: {brief(response)} instead of {brief(expected[protocol, call])}"
        if call is ILLEGAL and b"ERROR_REASON_COLUMN_FULL" not in details(protocol, response[1]):
            yield f"the error over {protocol} has no details: {brief(response)}"


def comparable(protocol, response):
    """The response in a form that ignores the order of names in JSON."""
    status, content = response
    return (status, json.loads(content)) if protocol == "JSON" else response


def details(protocol, content):
    """The error details; gRPC-Web encodes them in base64."""
    encoded = content.rpartition(b"full")[2]
    return base64.b64decode(encoded + b"=" * (-len(encoded) % 4)) if protocol == "gRPC-Web" else content


def http2(envoy, replica):
    """JSON over HTTP/2 without TLS, by curl."""
    if not shutil.which("curl"):
        yield "curl is not installed"
        return
    for call in (MOVES[0], ILLEGAL):
        outputs = [
            output(
                "curl", "--silent", "--show-error", "--http2-prior-knowledge", "--write-out",
                "\n%{http_version} %{http_code}", "--header", "content-type: application/json", "--data", call.json,
                f"http://{address}{call.path}",
            ).rpartition("\n")
            for address in (envoy.address, at(replica))
        ]
        (through, _, status), (direct, _, _) = outputs
        if json.loads(through) != json.loads(direct) or status != ("2 400" if call is ILLEGAL else "2 200"):
            yield f"{outputs[0]} instead of {outputs[1]}"


def streams(envoy):
    """Envoy does not buffer a stream: each message is sent only after the response to the previous one."""
    client, requests = Grpc(envoy.address), queue.Queue()
    received = client.stream(iter(requests.get, None))
    for call in MOVES:
        requests.put(field(1, field(2, call.message)))
        if next(received, None) is None:
            yield "the stream has ended"
            break
    requests.put(None)
    if next(received, None) is not None:
        yield "there is a response without a request"
    client.close()


def request_ids(envoy):
    """Envoy generates an id for every call, also if the client sends one, and returns it."""
    client = Http(envoy.address)
    headers = {"content-type": "application/json", "x-request-id": "made-up-by-the-caller"}
    _, with_id, _ = client.post(MOVES[0].path, MOVES[0].json, headers)
    _, without_id, _ = client.post(MOVES[0].path, MOVES[0].json, {"content-type": "application/json"})
    client.close()
    ids = [each.get("x-request-id") for each in (with_id, without_id)]
    if None in ids or "made-up-by-the-caller" in ids or ids[0] == ids[1]:
        yield f"the ids are {ids}"


def balancing(envoy, replicas):
    """Calls are spread over all replicas, even those of a single connection."""
    before = [replica.handled() for replica in replicas]
    for protocol in PROTOCOLS:
        client = protocol(envoy.address)
        for index in range(CALLS // len(PROTOCOLS)):
            client.call(MOVES[index % len(MOVES)])
        client.close()
    counts = [replica.handled() - count for replica, count in zip(replicas, before)]
    if sum(counts) != CALLS or min(counts) < MIN_CALLS:
        yield f"of {CALLS} calls, the replicas handled {counts}"


def access_log(envoy):
    """The access log is JSON and names the replica of each call."""
    entries = envoy.access_log()
    if not entries:
        yield "the access log is empty"
    for entry in entries:
        if entry["attempts"] != 1 or not entry["replica"] or entry["flags"] != "-" or not entry["request_id"]:
            yield f"an entry of the access log: {entry}"


def brief(response):
    status, content = response
    return f"{status}, {content[:300]!r}"
