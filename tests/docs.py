"""Runs every grpcurl call of the documentation, as it stands there, against a real server.

A call must be answered, or refused by the service in its own terms. Where a JSON block follows the call, that is what
it must print. Usage: python3 tests/docs.py GRPCURL ARBITER
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

DOCUMENTED = "127.0.0.1:50051"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def commands(text):
    """The commands of a shell block: a line each, unless a quote is still open."""
    pending = ""
    for line in text.splitlines():
        pending = f"{pending}\n{line}" if pending else line
        try:
            words = shlex.split(pending)
        except ValueError:
            continue
        if words and words[0] == "grpcurl":
            yield words
        pending = ""
    if pending:
        raise SystemExit(f"a command does not end: {pending}")


def documented_calls(page):
    """Every grpcurl command of a page, with the answer that the page shows, if it shows one."""
    blocks = BLOCK.findall(Path(page).read_text(encoding="utf-8"))
    for index, (language, text) in enumerate(blocks):
        if language != "sh":
            continue
        words = list(commands(text))
        following = blocks[index + 1] if index + 1 < len(blocks) else ("", "")
        wanted = following[1] if following[0] == "json" and len(words) == 1 else None
        for command in words:
            yield command, wanted


def start(arbiter):
    process = subprocess.Popen(
        [arbiter, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log", "warn"],
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        words = line.split()
        if words[:1] == ["gRPC"]:
            return process, words[1]
    raise SystemExit("the server does not tell its address")


def check(command, wanted, grpcurl, address):
    """What is wrong with a call, or nothing."""
    words = [grpcurl] + [address if word == DOCUMENTED else word for word in command[1:]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    refused = "ERROR:" in done.stderr and '"domain": "arbiter.v1"' in done.stderr
    if done.returncode != 0 and not refused:
        return done.stderr
    if wanted is not None and json.loads(done.stdout or "null") != json.loads(wanted):
        return f"it printed\n{done.stdout}{done.stderr}\nbut the page shows\n{wanted}"
    return None


def main():
    grpcurl, arbiter = (os.path.abspath(path) for path in sys.argv[1:3])
    os.chdir(Path(__file__).parent.parent)
    process, address = start(arbiter)
    passed = failed = 0
    try:
        for page in ["README.md", *sorted(map(str, Path("docs").glob("*.md")))]:
            for command, wanted in documented_calls(page):
                problem = check(command, wanted, grpcurl, address)
                if problem is None:
                    passed += 1
                else:
                    failed += 1
                    print(f"{page}: {shlex.join(command)}\n{problem}\n", file=sys.stderr)
    finally:
        process.terminate()
        process.wait(timeout=30)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
