"""The canary: a client that does nothing wrong while others attack.

It makes PER_SECOND calls a second over one connection, and one over a new connection every NEW_INTERVAL seconds, without
retries. It prints a line when it has its first response. When its input ends, it prints the outcomes, as JSON.
Usage: python3 canary.py ADDRESS [--token TOKEN] [--ca FILE]
"""

import argparse
import contextlib
import json
import os
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

REQUEST = v1.ApplyMoveRequest(state=v1.State(notation="445566"), move=v1.Move(notation="7"))
PER_SECOND = 200
NEW_INTERVAL = 0.25
TIMEOUT = 2


class Canary:
    def __init__(self, arguments):
        self.address = arguments.address
        self.metadata = [("authorization", f"Bearer {arguments.token}")] if arguments.token else []
        self.root = Path(arguments.ca).read_bytes() if arguments.ca else None
        self.stop = threading.Event()
        self.latencies, self.codes, self.codes_of_new = [], Counter(), Counter()

    def channel(self):
        options = [*channel_options(None, retry=False), ("grpc.use_local_subchannel_pool", 1)]
        if self.root is None:
            return grpc.insecure_channel(self.address, options)
        return grpc.secure_channel(self.address, grpc.ssl_channel_credentials(self.root), options)

    def call(self, stub):
        return stub.ApplyMove.future(REQUEST, timeout=TIMEOUT, metadata=self.metadata)

    def ended(self, call, began):
        self.latencies.append(time.monotonic() - began)
        self.codes[call.code().name] += 1

    def use_one_connection(self, stub):
        """Calls at a fixed rate. After a stall of this process, the calls that it missed are not made."""
        due, calls = time.monotonic(), []
        while not self.stop.wait(max(0, due - time.monotonic())):
            due = max(due + 1 / PER_SECOND, time.monotonic())
            began, call = time.monotonic(), self.call(stub)
            call.add_done_callback(lambda call, began=began: self.ended(call, began))
            calls = [call, *(call for call in calls if not call.done())]
        for call in calls:
            call.exception()

    def use_new_connections(self):
        while not self.stop.wait(NEW_INTERVAL):
            with self.channel() as channel:
                call = self.call(RulesServiceStub(channel))
                call.exception()
                self.codes_of_new[call.code().name] += 1

    def run(self):
        with self.channel() as channel:
            stub = RulesServiceStub(channel)
            self.call(stub).result()
            print(flush=True)
            threads = [
                threading.Thread(target=self.use_one_connection, args=(stub,)),
                threading.Thread(target=self.use_new_connections),
            ]
            for thread in threads:
                thread.start()
            sys.stdin.read()
            self.stop.set()
            for thread in threads:
                thread.join()
            # The callback of the last call may run after its result is known.
            time.sleep(0.05)
        print(json.dumps({"latencies": sorted(self.latencies), "codes": self.codes, "new": self.codes_of_new}))


if __name__ == "__main__":
    # If allowed, with a higher priority: the latency is that of the server, not of this process.
    with contextlib.suppress(PermissionError):
        os.nice(-10)
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--token")
    parser.add_argument("--ca")
    Canary(parser.parse_args()).run()
