"""Tries envoy.yaml: Envoy itself, with that configuration, in front of three real replicas.

All protocols must pass and be spread; a replica that drains, dies or hangs must leave, and come back; and while
replicas are killed and started anew under load, not one call may fail. At last the trial is tried: with the
configuration spoilt on purpose, calls must be seen to fail.

Usage: python3 deploy/envoy/test.py ENVOY GRPCURL ARBITER
Needs the packages of requirements.txt. Logs of all processes are left in target/envoy.
"""

import os
import sys

from trial import everything


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    return everything.run(*map(os.path.abspath, sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
