"""Calls one or several servers from many threads, and counts the outcomes of the calls.

For each input line, a number, it prints a line when every thread has received that many more responses. Each thread
makes calls until the input ends, or until it cannot connect any more. Then the program prints the counts, as JSON.
Usage: python3 load.py ADDRESS[,ADDRESS] THREADS [--no-retry]
"""

import json
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import grpc

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

from arbiter_client import v1
from arbiter_client.connection import channel_options
from arbiter_client.v1.rules_service_pb2_grpc import RulesServiceStub

REQUEST = v1.ValidateMoveRequest(state=v1.State(notation="445566"), move=v1.Move(notation="7"))
# Seconds for a call with all its attempts: the default of the client.
TIMEOUT = 5
# Seconds to wait for responses.
WAIT_TIMEOUT = 60
# The message of gRPC if it could not connect.
NEVER_SENT = "Connection refused"


def outcome(stub):
    """The outcome of one call: `answered`, `never sent`, or an error."""
    try:
        response = stub.ValidateMove(REQUEST, timeout=TIMEOUT)
    except grpc.RpcError as error:
        code, details = error.code(), error.details()
        return "never sent" if code is grpc.StatusCode.UNAVAILABLE and NEVER_SENT in details else f"{code}: {details}"
    return "answered" if response.verdict == v1.VERDICT_LEGAL else f"wrong response: {response}"


def work(stub, stop, counts):
    while not stop.is_set():
        what = outcome(stub)
        counts[what] += 1
        if what == "never sent":
            return


def wait(workers, counts, more):
    """Waits until every running thread has received `more` responses."""
    wanted = [each["answered"] + more for each in counts]
    until = time.monotonic() + WAIT_TIMEOUT
    while time.monotonic() < until and any(
        worker.is_alive() and each["answered"] < enough
        for worker, each, enough in zip(workers, counts, wanted, strict=True)
    ):
        time.sleep(0.02)


def main():
    addresses, threads = sys.argv[1], int(sys.argv[2])
    stop, counts = threading.Event(), [Counter() for _ in range(threads)]
    options = channel_options(None, retry="--no-retry" not in sys.argv)
    # Otherwise gRPC uses the whole list as the authority, which is invalid.
    options.append(("grpc.default_authority", "arbiter"))
    with grpc.insecure_channel(f"ipv4:{addresses}", options) as channel:
        stub = RulesServiceStub(channel)
        workers = [threading.Thread(target=work, args=(stub, stop, each)) for each in counts]
        for worker in workers:
            worker.start()
        for line in sys.stdin:
            wait(workers, counts, int(line))
            print(flush=True)
        stop.set()
        for worker in workers:
            worker.join()
    print(json.dumps(sum(counts, Counter())))


if __name__ == "__main__":
    main()
