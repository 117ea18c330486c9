"""Checks the chart by what helm makes of it, for every file of values/.

What is rendered is held against the schemas of Kubernetes, of the Gateway API and of the Prometheus operator, and
against itself: selectors, ports, mounts, rights, the time to end. Wrong values must be refused. With the binary: every
flag exists, the server takes the arguments of the chart, ends as the chart counts on, and has the metrics that the
alerts ask for. At last the checks are checked: each thing broken on purpose must be found.

Usage: python3 deploy/helm/check.py HELM [ARBITER]     the checks
       python3 deploy/helm/check.py --write            writes the table of values into the README, and copies the alerts
Needs Go and the network once, for the schemas; makes its own folder for Python under target/tools.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDS = HERE / "requirements.txt"
VENV = HERE.parents[1] / "target" / "tools" / "helm-python"


def in_own_python():
    """Goes on in a Python that has what is needed, after making it if it is not there."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        return
    python, stamp = VENV / "bin" / "python", VENV / "made-of"
    wanted = f"{sys.version}\n{NEEDS.read_text(encoding='utf-8')}"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
        # Nothing that is not pinned: what is missing in the list is told, not fetched.
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "--no-deps", "--only-binary", ":all:", "-r", NEEDS], check=True)
        subprocess.run([*pip, "check"], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    os.execv(python, [str(python), __file__, *sys.argv[1:]])


def main():
    arguments = sys.argv[1:]
    if arguments != ["--write"] and len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    in_own_python()
    # Only that Python can read these.
    from checks import alerts, documentation, everything

    if arguments == ["--write"]:
        documentation.write_readme()
        alerts.write_copy()
        return 0
    return everything.run(*map(os.path.abspath, arguments))


if __name__ == "__main__":
    sys.exit(main())
