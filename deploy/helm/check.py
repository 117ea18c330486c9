"""Checks the chart by what helm makes of it, for every file of values/.

What is rendered is held against the schemas of Kubernetes, of the Gateway API and of the Prometheus operator, and
against itself: selectors, ports, mounts, rights, the time to end. Wrong values must be refused. With the binary: every
flag exists, the server takes the arguments of the chart, ends as the chart counts on, and has the metrics that the
alerts ask for. At last the checks are checked: each thing broken on purpose must be found.

Usage: python3 deploy/helm/check.py HELM [ARBITER]     the checks
       python3 deploy/helm/check.py --write            writes the table of values into the README, and copies the alerts
Needs the packages of requirements.txt; and Go and the network once, for the schemas.
"""

import os
import sys

from checks import alerts, documentation, everything


def main():
    arguments = sys.argv[1:]
    if arguments != ["--write"] and len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    if arguments == ["--write"]:
        documentation.write_readme()
        alerts.write_copy()
        return 0
    return everything.run(*map(os.path.abspath, arguments))


if __name__ == "__main__":
    sys.exit(main())
