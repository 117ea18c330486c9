"""A client of Arbiter, the gRPC referee for board and card games.

`Client` and `AsyncClient` have a method for each call of the service. `v1` has the messages of the contract, `get`
reads an optional field of one, `calls` builds the calls of `evaluate_batch` and `evaluate`, and every failure is an
`ArbiterError`.
"""

from . import v1
from .call import Answer, Call, calls
from .client import AsyncClient, Client
from .connection import Tls
from .errors import (
    ArbiterError,
    DeadlineExceededError,
    IllegalMoveError,
    InvalidRequestError,
    Reason,
    RefusedError,
    UnreachableError,
)
from .presence import get

__all__ = [
    "Answer",
    "ArbiterError",
    "AsyncClient",
    "Call",
    "Client",
    "DeadlineExceededError",
    "IllegalMoveError",
    "InvalidRequestError",
    "Reason",
    "RefusedError",
    "Tls",
    "UnreachableError",
    "calls",
    "get",
    "v1",
]
