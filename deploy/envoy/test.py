"""Tests envoy.yaml with a real Envoy in front of three real replicas.

- All protocols are forwarded, and calls are balanced over all replicas.
- Envoy removes a replica that drains, dies or hangs, and adds it again.
- No call fails while replicas are killed and restarted under load.
- With a fault put into the configuration, the checks detect failing calls.

Usage: python3 deploy/envoy/test.py ENVOY GRPCURL ARBITER
Needs the packages of requirements.txt. Writes the logs of all processes to target/envoy.
"""

import os
import sys

from checks import suite


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    return suite.run(*map(os.path.abspath, sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
