"""Runs every call by grpcurl or curl of the documentation, as it stands there, against a real server.

A call must be answered, or refused by the service in its own terms. Where a JSON block follows the call, that is what
it must print. The page grpcurl.md shows all that its calls print, text and errors too, and calls all there is.
Usage: python3 tests/docs.py GRPCURL ARBITER [PAGE...]
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

# Where the pages say that the server is, by the label of its banner.
DOCUMENTED = {"gRPC": "127.0.0.1:50051", "admin": "127.0.0.1:50052"}
SERVICE = "arbiter.v1.RulesService"
BY_HAND = "grpcurl.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FAILURE = re.compile(r"^(ERROR:|Error |Failed )", re.M)
NO_REFLECTION = re.compile(r"--?(proto|protoset|import-path|use-reflection)(=|$)")


def commands(text):
    """The commands of a shell block: a line each, unless a quote is still open."""
    pending = ""
    for line in text.splitlines():
        pending = f"{pending}\n{line}" if pending else line
        try:
            words = shlex.split(pending)
        except ValueError:
            continue
        if words and words[0] in ("grpcurl", "curl"):
            yield words
        pending = ""
    if pending:
        raise SystemExit(f"a command does not end: {pending}")


def documented_calls(page):
    """Every call of a page, with the language and the text of the answer that the page shows, if it does."""
    blocks = BLOCK.findall(Path(page).read_text(encoding="utf-8"))
    answers = ("json", "text") if Path(page).name == BY_HAND else ("json",)
    for index, (language, text) in enumerate(blocks):
        if language != "sh":
            continue
        words = list(commands(text))
        following = blocks[index + 1] if index + 1 < len(blocks) else ("", "")
        wanted = following if following[0] in answers and len(words) == 1 else None
        for command in words:
            yield command, wanted


def start(arbiter):
    process = subprocess.Popen(
        [arbiter, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log", "warn"],
        stdout=subprocess.PIPE,
        text=True,
    )
    addresses = {}
    for line in process.stdout:
        label, *rest = line.split() or [""]
        if label in DOCUMENTED:
            addresses[DOCUMENTED[label]] = rest[0].removeprefix("http://")
        if len(addresses) == len(DOCUMENTED):
            return process, addresses
    raise SystemExit("the server does not tell its addresses")


def replaced(text, names):
    for old, new in names:
        text = text.replace(old, new)
    return text


def run(command, grpcurl, addresses):
    """The exit status of a command and all that it prints, as if the server were at the documented addresses."""
    program = [grpcurl] if command[0] == "grpcurl" else ["curl", "--silent", "--show-error"]
    words = program + [replaced(word, addresses.items()) for word in command[1:]]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30, check=False
    )
    return done.returncode, replaced(done.stdout, [(real, shown) for shown, real in addresses.items()])


def meaning(language, text):
    """What counts of a block: the values of JSON, which are several in a stream; text but for spaces at line ends."""
    if language != "json":
        return [line.rstrip() for line in text.rstrip().splitlines()]
    values, rest = [], text.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        values.append(value)
        rest = rest[end:].lstrip()
    return values


def check(command, wanted, grpcurl, addresses):
    """What is wrong with a call, or nothing."""
    if any(NO_REFLECTION.match(word) for word in command):
        return "it does not go by reflection alone"
    status, printed = run(command, grpcurl, addresses)
    if wanted is None:
        refused = "ERROR:" in printed and '"domain": "arbiter.v1"' in printed
        return None if status == 0 or refused else printed
    language, shown = wanted
    try:
        same = meaning(language, printed) == meaning(language, shown)
    except json.JSONDecodeError:
        same = False
    if not same:
        return f"it printed\n{printed}\nbut the page shows\n{shown}"
    fails = FAILURE.search(shown) is not None
    if fails != (status != 0):
        return f"it ended with the status {status}, but the page shows {'an error' if fails else 'none'}"
    return None


def gaps(calls, grpcurl, addresses):
    """What the page of all calls leaves out: calls without an answer, and methods that no call is answered by."""
    for command, wanted in calls:
        if wanted is None:
            yield f"{shlex.join(command)}\nit must be alone in its block, and be followed by what it prints"
    answered = {command[-1].replace("/", ".") for command, wanted in calls if wanted and wanted[0] == "json"}
    status, methods = run(["grpcurl", "-plaintext", DOCUMENTED["gRPC"], "list", SERVICE], grpcurl, addresses)
    if status != 0:
        yield f"the methods are not listed: {methods}"
        return
    for method in methods.split():
        if method not in answered:
            yield f"no call of {method} with its answer"


def main():
    grpcurl, arbiter, *pages = map(os.path.abspath, sys.argv[1:])
    os.chdir(Path(__file__).parent.parent)
    pages = pages or ["README.md", *sorted(map(str, Path("docs").glob("*.md")))]
    process, addresses = start(arbiter)
    passed, problems = 0, []
    try:
        for page in pages:
            calls = list(documented_calls(page))
            for command, wanted in calls:
                problem = check(command, wanted, grpcurl, addresses)
                if problem is None:
                    passed += 1
                else:
                    problems.append(f"{page}: {shlex.join(command)}\n{problem}\n")
            if Path(page).name == BY_HAND:
                problems += [f"{page}: {gap}\n" for gap in gaps(calls, grpcurl, addresses)]
    finally:
        process.terminate()
        process.wait(timeout=30)
    print(*problems, sep="\n", end="", file=sys.stderr)
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
