"""What passes through Envoy, and how."""

import base64
import json
import queue
import shutil
import subprocess

from .calls import BATCH, GOOD, ILLEGAL, LARGEST, MOVES, NONSENSE, PROTOCOLS, SERVICE, Grpc, Http, answers, field
from .stand import PATIENCE, at

# How many calls are sent to see that they are spread, and the least that a replica must have of them.
SPREAD, LEAST = 300, 50


def by_grpcurl(grpcurl, envoy, replica):
    """What grpcurl prints must be the same as without Envoy: lists, descriptions, a game, a refusal, a stream."""
    column = '{"state": {"notation": "445566"}, "move": {"notation": "7"}}'
    full = '{"state": {"notation": "444444"}, "move": {"notation": "4"}}'
    stream = f'{{"call": {{"apply_move": {column}}}}} {{"call": {{"apply_move": {full}}}}}'
    for words, says in [
        (["list"], SERVICE),
        (["describe", f"{SERVICE}.ApplyMove"], "ApplyMoveRequest"),
        (["-d", '{"connect_four": {}, "seed": 1}', f"{SERVICE}/NewGame"], "connectFour"),
        (["-d", column, f"{SERVICE}/ApplyMove"], "GAME_RESULT_WINNER_DETERMINED"),
        (["-d", full, f"{SERVICE}/ApplyMove"], "FailedPrecondition"),
        (["-d", full, f"{SERVICE}/ApplyMove"], "ERROR_REASON_COLUMN_FULL"),
        (["-d", stream, f"{SERVICE}/Evaluate"], "ERROR_REASON_COLUMN_FULL"),
        (["-d", "{}", "grpc.health.v1.Health/Check"], "SERVING"),
    ]:
        through, direct = (grpcurl_says(grpcurl, address, words) for address in (envoy.address, at(replica)))
        if through != direct:
            yield f"{words}: {through} instead of {direct}"
        if says not in through:
            yield f"{words}: {says} is missing in {through}"


def grpcurl_says(grpcurl, address, words):
    options = words[:-1] if words[0] == "-d" else []
    rest = words[len(options) :]
    return output(grpcurl, "-plaintext", *options, address, *rest)


def output(*words):
    """All that a command prints."""
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False
    )
    return done.stdout


def by_protocols(envoy, replica):
    """Every answer must be the same as without Envoy, a refusal with its status, its message and its details."""
    calls = [*MOVES, BATCH, LARGEST, ILLEGAL, NONSENSE]
    wanted, found = answers(at(replica), calls), answers(envoy.address, calls)
    for (protocol, call), answer in found.items():
        is_good, must_be = answer[0] == GOOD[protocol], call not in (ILLEGAL, NONSENSE)
        if meaning(protocol, answer) != meaning(protocol, wanted[protocol, call]) or is_good != must_be:
            yield f"{call.method} by {protocol}: {brief(answer)} instead of {brief(wanted[protocol, call])}"
        if call is ILLEGAL and b"ERROR_REASON_COLUMN_FULL" not in details(protocol, answer[1]):
            yield f"the refusal by {protocol} has lost its details: {brief(answer)}"


def meaning(protocol, answer):
    """What counts of an answer: the order of names in JSON does not."""
    status, content = answer
    return (status, json.loads(content)) if protocol == "JSON" else answer


def details(protocol, content):
    """A refusal as it can be read: gRPC-Web has its details in base64."""
    encoded = content.rpartition(b"full")[2]
    return base64.b64decode(encoded + b"=" * (-len(encoded) % 4)) if protocol == "gRPC-Web" else content


def by_http2(envoy, replica):
    """JSON by HTTP/2 in the clear, as curl does it if told to."""
    if not shutil.which("curl"):
        yield "there is no curl"
        return
    for call in (MOVES[0], ILLEGAL):
        said = [
            output(
                "curl", "--silent", "--show-error", "--http2-prior-knowledge", "--write-out",
                "\n%{http_version} %{http_code}", "--header", "content-type: application/json", "--data", call.json,
                f"http://{address}{call.path}",
            ).rpartition("\n")
            for address in (envoy.address, at(replica))
        ]
        (through, _, status), (direct, _, _) = said
        if json.loads(through) != json.loads(direct) or status != ("2 400" if call is ILLEGAL else "2 200"):
            yield f"{said[0]} instead of {said[1]}"


def streams(envoy):
    """A stream must pass message by message: the next is not sent before the last is answered."""
    client, sent = Grpc(envoy.address), queue.Queue()
    answered = client.stream(iter(sent.get, None))
    for call in MOVES:
        sent.put(field(1, field(2, call.message)))
        if next(answered, None) is None:
            yield "the stream has ended"
            break
    sent.put(None)
    if next(answered, None) is not None:
        yield "there is an answer to nothing"
    client.close()


def request_ids(envoy):
    """Envoy gives every call an id, whatever its caller says, and logs it."""
    client = Http(envoy.address)
    headers = {"content-type": "application/json", "x-request-id": "made-up-by-the-caller"}
    _, said, _ = client.post(MOVES[0].path, MOVES[0].json, headers)
    _, others, _ = client.post(MOVES[0].path, MOVES[0].json, {"content-type": "application/json"})
    client.close()
    ids = [each.get("x-request-id") for each in (said, others)]
    if None in ids or "made-up-by-the-caller" in ids or ids[0] == ids[1]:
        yield f"the ids are {ids}"


def spread(envoy, replicas):
    """Calls must be spread over all replicas, even those of a single connection."""
    before = [replica.handled() for replica in replicas]
    for protocol in PROTOCOLS:
        client = protocol(envoy.address)
        for index in range(SPREAD // len(PROTOCOLS)):
            client.ask(MOVES[index % len(MOVES)])
        client.close()
    counts = [replica.handled() - count for replica, count in zip(replicas, before)]
    if sum(counts) != SPREAD or min(counts) < LEAST:
        yield f"of {SPREAD} calls the replicas have answered {counts}"


def logged(envoy):
    """The log of calls must be JSON, with who answered each."""
    lines = envoy.log_of_calls()
    if not lines:
        yield "no call is in the log"
    for line in lines:
        if line["attempts"] != 1 or not line["replica"] or line["flags"] != "-" or not line["request_id"]:
            yield f"a line of the log: {line}"


def brief(answer):
    status, content = answer
    return f"{status}, {content[:300]!r}"
