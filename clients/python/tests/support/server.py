"""Starts the real server."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[4]


@contextmanager
def real_server(*flags: str) -> Iterator[str]:
    """Starts the server with additional flags, and yields its address."""
    binary = os.environ.get("ARBITER_BINARY") or str(REPOSITORY / "target/debug/arbiter")
    if not Path(binary).is_file():
        raise RuntimeError(f"no server binary at {binary}: run `cargo build`, or set ARBITER_BINARY")
    arguments = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log", "warn"]
    with subprocess.Popen([binary, *arguments, *flags], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield read_address(process)
        finally:
            process.terminate()


def read_address(process: "subprocess.Popen[str]") -> str:
    """Reads the address that the server prints when it is ready."""
    for line in process.stdout or ():
        words = line.split()
        if words[:1] == ["gRPC"]:
            return words[1]
    raise RuntimeError("the server did not print its address")
