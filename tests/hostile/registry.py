"""The list of attacks."""

import contextlib
import dataclasses
from collections.abc import Callable

ATTACKS = []
# More connections than this are more than one client.
ONE_ATTACKER = 2
# What the canary may lose to many clients: the share of one client among fifty.
MANY = {"max_lost": 0.02, "max_p99": 500}
# Nearly --max-connections. The server is busy with refusals, and the canary is one of a thousand clients.
NEARLY_ALL = 950
NEARLY_EVERYTHING = {"max_lost": 0.6, "max_lost_new": 0.6, "max_p99": 2500}


@contextlib.contextmanager
def no_preparation():
    yield [], []


@dataclasses.dataclass
class Attack:
    title: str
    function: Callable
    connections: int
    # Whether it belongs to the short form.
    short: bool = False
    seconds: float = 3
    # Flags of the server.
    flags: tuple = ()
    # Who reads the log of the server: see `Server`.
    log: str = "read"
    # Processes that share the connections of the attacker.
    processes: int = 1
    # The share of the calls, and of the new connections, that the canary may lose.
    max_lost: float = 0
    max_lost_new: float = 0
    # Milliseconds. Loose, because other processes may use the machine.
    max_p99: float = 250
    # A context that returns flags of the server and arguments of the canary.
    prepare: Callable = no_preparation
    # Returns further problems of a run.
    check: Callable = lambda _run: ()


def attack(title, connections=(2, 50), short=(), **options):
    """Registers a function as an attack, once for each number of connections. `short`: those of the short form."""

    def register(function):
        for number in connections:
            bounds = {} if number <= ONE_ATTACKER else NEARLY_EVERYTHING if number == NEARLY_ALL else MANY
            own = bounds | options
            full_title = f"{title}: {number} connections" if number else title
            ATTACKS.append(Attack(full_title, function, number, short=number in short, **own))
        return function

    return register
