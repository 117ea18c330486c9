"""Tries envoy.yaml: Envoy itself, with that configuration, in front of three real replicas.

All protocols must pass and be spread; a replica that drains, dies or hangs must leave, and come back; and while
replicas are killed and started anew under load, not one call may fail. At last the trial is tried: with the
configuration spoilt on purpose, calls must be seen to fail.

Usage: python3 deploy/envoy/test.py ENVOY GRPCURL ARBITER
Logs of all processes are left in target/envoy. Makes its own folder for Python under target/tools.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDS = HERE / "requirements.txt"
VENV = HERE.parents[1] / "target" / "tools" / "envoy-python"


def in_own_python():
    """Goes on in a Python that has what is needed, after making it if it is not there."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        return
    python, stamp = VENV / "bin" / "python", VENV / "made-of"
    wanted = f"{sys.version}\n{NEEDS.read_text(encoding='utf-8')}"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        # Nothing that is not pinned: what is missing in the list is told, not fetched.
        subprocess.run([*pip, "install", "--no-deps", "--only-binary", ":all:", "--requirement", NEEDS], check=True)
        subprocess.run([*pip, "check"], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    os.execv(python, [str(python), __file__, *sys.argv[1:]])


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    in_own_python()
    # Only that Python can read this.
    from trial import everything

    return everything.run(*map(os.path.abspath, sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
