"""Runs every grpcurl and curl command of the documentation against a real server.

A call must succeed or fail with an error of the service. If a JSON block follows the command, the output must equal it.
The page grpcurl.md must show the complete output of each command, including text and errors, and call every method.
Usage: python3 tests/docs.py GRPCURL ARBITER [PAGE...]
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

# The addresses in the documentation, by their labels in the banner.
DOCUMENTED_ADDRESSES = {"gRPC": "127.0.0.1:50051", "admin": "127.0.0.1:50052"}
SERVICE = "arbiter.v1.RulesService"
COMPLETE_PAGE = "grpcurl.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FAILURE = re.compile(r"^(ERROR:|Error |Failed )", re.M)
NO_REFLECTION = re.compile(r"--?(proto|protoset|import-path|use-reflection)(=|$)")


def commands(text):
    """The commands of a shell block. A command ends with its line, unless a quote is open."""
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
        raise SystemExit(f"unterminated command: {pending}")


def documented_calls(page):
    """Every call of a page, with the language and text of its documented output, if there is one."""
    blocks = BLOCK.findall(Path(page).read_text(encoding="utf-8"))
    output_languages = ("json", "text") if Path(page).name == COMPLETE_PAGE else ("json",)
    for index, (language, text) in enumerate(blocks):
        if language != "sh":
            continue
        words = list(commands(text))
        following = blocks[index + 1] if index + 1 < len(blocks) else ("", "")
        expected = following if following[0] in output_languages and len(words) == 1 else None
        for command in words:
            yield command, expected


def start(arbiter):
    process = subprocess.Popen(
        [arbiter, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log", "warn"],
        stdout=subprocess.PIPE,
        text=True,
    )
    addresses = {}
    for line in process.stdout:
        label, *rest = line.split() or [""]
        if label in DOCUMENTED_ADDRESSES:
            addresses[DOCUMENTED_ADDRESSES[label]] = rest[0].removeprefix("http://")
        if len(addresses) == len(DOCUMENTED_ADDRESSES):
            return process, addresses
    raise SystemExit("the banner of the server has no addresses")


def replace_all(text, names):
    for old, new in names:
        text = text.replace(old, new)
    return text


def run(command, grpcurl, addresses):
    """The exit status and the output of a command, with the documented addresses in place of the real ones."""
    program = [grpcurl] if command[0] == "grpcurl" else ["curl", "--silent", "--show-error"]
    words = program + [replace_all(word, addresses.items()) for word in command[1:]]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30, check=False
    )
    return done.returncode, replace_all(done.stdout, [(real, documented) for documented, real in addresses.items()])


def parse_output(language, text):
    """The part of an output that is compared: a list of JSON values, or the lines of a text without trailing spaces."""
    if language != "json":
        return [line.rstrip() for line in text.rstrip().splitlines()]
    values, rest = [], text.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        values.append(value)
        rest = rest[end:].lstrip()
    return values


def check(command, expected, grpcurl, addresses):
    """The problem with a call, or None."""
    if any(NO_REFLECTION.match(word) for word in command):
        return "it must use reflection only"
    status, printed = run(command, grpcurl, addresses)
    if expected is None:
        service_error = "ERROR:" in printed and '"domain": "arbiter.v1"' in printed
        return None if status == 0 or service_error else printed
    language, documented = expected
    try:
        same = parse_output(language, printed) == parse_output(language, documented)
    except json.JSONDecodeError:
        same = False
    if not same:
        return f"it printed\n{printed}\nbut the page shows\n{documented}"
    fails = FAILURE.search(documented) is not None
    if fails != (status != 0):
        return f"the exit status is {status}, but the page shows {'an error' if fails else 'no error'}"
    return None


def gaps(calls, grpcurl, addresses):
    """What is missing on the complete page: calls without output, and methods without a successful call."""
    for command, expected in calls:
        if expected is None:
            yield f"{shlex.join(command)}\nit must be alone in its block and followed by its output"
    called = {command[-1].replace("/", ".") for command, expected in calls if expected and expected[0] == "json"}
    status, methods = run(["grpcurl", "-plaintext", DOCUMENTED_ADDRESSES["gRPC"], "list", SERVICE], grpcurl, addresses)
    if status != 0:
        yield f"cannot list the methods: {methods}"
        return
    for method in methods.split():
        if method not in called:
            yield f"no call of {method} with its output"


def main():
    grpcurl, arbiter, *pages = map(os.path.abspath, sys.argv[1:])
    os.chdir(Path(__file__).parent.parent)
    pages = pages or ["README.md", *sorted(map(str, Path("docs").glob("*.md")))]
    process, addresses = start(arbiter)
    passed, problems = 0, []
    try:
        for page in pages:
            calls = list(documented_calls(page))
            for command, expected in calls:
                problem = check(command, expected, grpcurl, addresses)
                if problem is None:
                    passed += 1
                else:
                    problems.append(f"{page}: {shlex.join(command)}\n{problem}\n")
            if Path(page).name == COMPLETE_PAGE:
                problems += [f"{page}: {gap}\n" for gap in gaps(calls, grpcurl, addresses)]
    finally:
        process.terminate()
        process.wait(timeout=30)
    print(*problems, sep="\n", end="", file=sys.stderr)
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
