"""One way to write a test for both clients."""

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeAlias, TypeVar

from arbiter_client import AsyncClient, Client

T = TypeVar("T")

AnyClient: TypeAlias = Client | AsyncClient
Connect: TypeAlias = Callable[..., AnyClient]


async def ask(answer: T | Awaitable[T]) -> T:
    """Waits for an answer, if it is not there yet."""
    return await answer if inspect.isawaitable(answer) else answer


async def each(answers: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    """The answers of a stream, one by one."""
    if isinstance(answers, Iterable):
        for answer in answers:
            yield answer
    else:
        async for answer in answers:
            yield answer
