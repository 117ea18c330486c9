"""Attacks a server with default limits in 512 MiB of memory, with another client (the canary), and prints one table.

Every attack runs against a new process, on loopback only. It fails if the server ends or exceeds its memory, or if the
canary loses calls. Attackers run with a lower priority, so that the latency of the canary is that of the server.

Usage: python3 tests/hostile/run.py BINARY [--short] [--attempts N] [--markdown FILE] [ATTACK...]
ATTACK: a part of the title of an attack. A failed attack is repeated, up to N times in all.
"""

import argparse
import contextlib
import importlib
import json
import multiprocessing
import os
import queue
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from attacker import run_attacker
from registry import ATTACKS
from server import MEMORY_LIMIT, MemoryGroup, Server

HERE = Path(__file__).resolve().parent
# Peaks above this are reported although they are within the limit, in bytes.
MAX_MEMORY = 400_000_000
# Seconds until a response of the admin port. Probes of the Helm chart have a timeout of 3 s.
MAX_ADMIN = 2
SAMPLE_INTERVAL = 0.1
# Seconds of an attack in the short form.
MAX_SHORT_SECONDS = 2.5
# If an attack fails while other processes use this many cores, the report says so.
MAX_USED_BY_OTHERS = 0.3
COLUMNS = (
    "attack", "memory peak, MB", "of the process, MB", "socket buffers, MB", "canary p99, ms", "calls refused, failed",
    "new connections failed", "what the attacker got", "",
)


class Canary:
    """Runs canary.py until the block ends."""

    def __init__(self, port, arguments):
        words = [sys.executable, HERE / "canary.py", f"127.0.0.1:{port}", *arguments]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline():
            raise SystemExit("the canary cannot call the server")

    def stop(self):
        printed, _ = self.process.communicate(timeout=30)
        result = json.loads(printed)
        self.latencies, self.codes, self.codes_of_new = (result[name] for name in ("latencies", "codes", "new"))
        self.calls = sum(self.codes.values())
        self.refused = self.codes.get("RESOURCE_EXHAUSTED", 0)
        self.failed = self.calls - self.refused - self.codes.get("OK", 0)
        self.new = sum(self.codes_of_new.values())
        self.new_failed = self.new - self.codes_of_new.get("OK", 0)
        self.p99 = 1000 * self.latencies[len(self.latencies) * 99 // 100]


class Run:
    """One attack against one server."""

    def __init__(self, binary, attack, seconds):
        self.attack, self.seconds = attack, seconds
        self.counts, self.first_closed, self.oldest_open = Counter(), None, 0
        began, busy, used = time.monotonic(), machine_cpu_seconds(), own_cpu_seconds()
        with contextlib.ExitStack() as stack:
            flags, canary_arguments = stack.enter_context(attack.prepare())
            self.server = server = Server(binary, [*attack.flags, *flags], attack.log)
            try:
                self.canary = Canary(server.port, canary_arguments)
                self.run_attackers(seconds)
                self.until = time.monotonic() + 1
                while time.monotonic() < self.until:
                    self.sample()
                self.canary.stop()
                self.memory, self.sockets, self.resident = server.memory_peaks()
                self.survived = server.is_running()
            finally:
                self.exit_code, self.exit_seconds = server.stop()
        others = machine_cpu_seconds() - busy - (own_cpu_seconds() - used)
        self.cores_used_by_others = others / (time.monotonic() - began)

    def sample(self):
        self.server.sample()
        time.sleep(SAMPLE_INTERVAL)

    def run_attackers(self, seconds):
        attack, server, results = self.attack, self.server, multiprocessing.Queue()
        processes = []
        for index in range(attack.processes):
            share = len(range(index, attack.connections, attack.processes))
            arguments = (attack.function, (server.port, server.admin_port, share, seconds), results)
            processes.append(multiprocessing.Process(target=run_attacker, args=arguments, daemon=True))
        for process in processes:
            process.start()
        until = time.monotonic() + seconds + 15
        reported = 0
        while reported < len(processes) and time.monotonic() < until:
            self.sample()
            with contextlib.suppress(queue.Empty):
                counts, first_closed, oldest_open = results.get_nowait()
                reported += 1
                self.counts.update(counts)
                self.oldest_open = max(self.oldest_open, oldest_open)
                self.first_closed = min(filter(None, (self.first_closed, first_closed)), default=None)
        for process in processes:
            process.join(1)
            if process.is_alive():
                process.kill()
        self.attackers_failed = reported < len(processes)

    def problems(self):
        """What was expected and is not so, as sentences."""
        attack, canary = self.attack, self.canary
        if self.attackers_failed:
            yield "the attacker did not finish: see above"
        if not self.survived:
            yield f"the server ended during the attack, with exit code {self.exit_code}"
        elif self.exit_code is None:
            yield f"the server did not end within {self.exit_seconds:.0f} s after SIGTERM"
        elif self.exit_code:
            yield f"the exit code after SIGTERM is {self.exit_code} instead of 0"
        total = sum(filter(None, (self.memory or self.resident, self.sockets)))
        if total > MAX_MEMORY:
            yield f"the memory peak is {total / 1e6:.0f} MB with socket buffers: more than {MAX_MEMORY / 1e6:.0f} MB"
        lost, allowed = canary.refused + canary.failed, attack.max_lost * canary.calls
        if lost > allowed:
            yield f"the canary lost {lost} of {canary.calls} calls {canary.codes}: at most {allowed:.0f} are expected"
        allowed = attack.max_lost_new * canary.new
        if canary.new_failed > allowed:
            yield (
                f"the canary could not use {canary.new_failed} of {canary.new} new connections {canary.codes_of_new}: "
                f"at most {allowed:.0f} are expected"
            )
        if canary.calls < 100:
            yield f"the canary made only {canary.calls} calls"
        if canary.p99 > attack.max_p99:
            yield f"the p99 of the canary is {canary.p99:.0f} ms: more than {attack.max_p99} ms"
        if self.server.slowest_admin > MAX_ADMIN:
            yield f"a response of the admin port took {self.server.slowest_admin:.1f} s: more than {MAX_ADMIN} s"
        yield from attack.check(self)

    def attacker_got(self):
        """What the server granted, from its metrics, and what happened to the connections."""
        last, highest = self.server.last, self.server.highest
        parts = []
        if opened := self.counts["opened"]:
            closed = self.counts["closed"]
            parts.append(f"{opened} connections" + (
                f", {closed} closed by the server, the first after {self.first_closed:.1f} s" if closed else ""
            ))
        held = [("streams", "arbiter_streams_open"), ("calls in flight", "arbiter_calls_in_flight")]
        held = [f"{highest[name]:.0f} {what}" for what, name in held if highest[name] > 1]
        if held:
            parts.append(f"at most {', '.join(held)}, {highest['arbiter_bytes_in_flight'] / 1e6:.0f} MB counted")
        resources = ("connections", "calls_in_flight", "streams_open", "bytes_in_flight")
        refused = {name: last.get(f"arbiter_{name}_refused_total", 0) for name in resources}
        refused = [f"{count:.0f} by {name}" for name, count in refused.items() if count]
        if refused:
            parts.append(f"refused {', '.join(refused)}")
        calls = self.server.codes() - Counter(self.canary.codes) - Counter(self.canary.codes_of_new)
        if calls := [f"{count} {code}" for code, count in calls.most_common()]:
            parts.append(f"completed {', '.join(calls)}")
        if stalled := last.get("arbiter_connections_stalled_total"):
            parts.append(f"{stalled:.0f} closed as stalled")
        parts += [f"{count} times {name}" for name, count in self.counts.items() if name.startswith("status")]
        if self.server.log_lines > 10:
            parts.append(f"{self.server.log_lines} log lines")
        return "; ".join(parts)

    def row(self, verdict):
        megabytes = lambda size: "" if size is None else f"{size / 1e6:.0f}"
        canary = self.canary
        return (
            self.attack.title, megabytes(self.memory), megabytes(self.resident), megabytes(self.sockets),
            f"{canary.p99:.0f}", f"{canary.refused}, {canary.failed} of {canary.calls}",
            f"{canary.new_failed} of {canary.new}", self.attacker_got(), verdict,
        )


def machine_cpu_seconds():
    """CPU time of all processes."""
    fields = [int(number) for number in Path("/proc/stat").read_text(encoding="utf-8").split(maxsplit=9)[1:9]]
    return (sum(fields) - sum(fields[3:5])) / os.sysconf("SC_CLK_TCK")


def own_cpu_seconds():
    """CPU time of this process and of those that it started and that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--attempts", type=int, default=3)
    parser.add_argument("attack", nargs="*")
    arguments = parser.parse_intermixed_args()
    # Clean up on SIGTERM, as after any other failure.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for kind in ("memory", "calls", "connections"):
        importlib.import_module(f"attacks_{kind}")
    group = MemoryGroup()
    group.remove()
    print(f"memory limit: {MEMORY_LIMIT >> 20} MiB, by {group.kind}", flush=True)
    attacks = [attack for attack in ATTACKS if attack.short or not arguments.short]
    if arguments.attack:
        attacks = [attack for attack in ATTACKS if any(part in attack.title for part in arguments.attack)]
    rows, failed = [], 0
    for attack in attacks:
        seconds = min(attack.seconds, MAX_SHORT_SECONDS) if arguments.short else attack.seconds
        for attempt in range(arguments.attempts):
            run = Run(arguments.binary.absolute(), attack, seconds)
            problems = list(run.problems())
            # Other processes may delay or shed calls of the canary, but not end the server.
            if not problems or not run.survived:
                break
        failed += bool(problems)
        verdict = "FAIL" if problems else "ok"
        rows.append(run.row(f"{verdict}, attempt {attempt + 1}" if attempt else verdict))
        print(" | ".join(rows[-1]), flush=True)
        if problems and run.cores_used_by_others >= MAX_USED_BY_OTHERS:
            problems.append(f"other processes used {run.cores_used_by_others:.1f} cores: they may have caused it")
        for problem in problems:
            print(f"    FAIL: {problem}", flush=True)
        if problems and run.server.last_lines and not run.survived:
            print("".join(run.server.last_lines), flush=True)
    if arguments.markdown:
        lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
        arguments.markdown.write_text("".join(f"| {' | '.join(line)} |\n" for line in lines), encoding="utf-8")
    if failed:
        raise SystemExit(f"{failed} of {len(attacks)} attacks did more harm than expected")
    print(f"all {len(attacks)} attacks: as expected")


if __name__ == "__main__":
    main()
