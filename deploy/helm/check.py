"""Checks the objects that helm renders from the chart, for every file of values/.

- They match the schemas of Kubernetes, the Gateway API and the Prometheus operator.
- They are consistent: selectors, ports, mounts, permissions, grace period.
- Helm rejects invalid values.
- With the binary: every flag exists, the server accepts the arguments of the chart, shuts down as the chart expects,
  and exports the metrics of the alerts.
- The checks detect faults put into the objects.

Usage: python3 deploy/helm/check.py HELM [ARBITER]     runs the checks
       python3 deploy/helm/check.py --write            updates the table of values in the README, and copies the alerts
Needs the packages of requirements.txt, and for the schemas Go and once the network.
"""

import os
import sys

from checks import alerts, documentation, suite


def main():
    arguments = sys.argv[1:]
    if arguments != ["--write"] and len(arguments) not in (1, 2):
        raise SystemExit(__doc__)
    if arguments == ["--write"]:
        documentation.write_readme()
        alerts.write_copy()
        return 0
    return suite.run(*map(os.path.abspath, arguments))


if __name__ == "__main__":
    sys.exit(main())
