"""Helpers to write one test for both clients."""

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeAlias, TypeVar

from arbiter_client import AsyncClient, Client

T = TypeVar("T")

AnyClient: TypeAlias = Client | AsyncClient
Connect: TypeAlias = Callable[..., AnyClient]


async def ask(response: T | Awaitable[T]) -> T:
    """Returns a response, and awaits it if it is awaitable."""
    return await response if inspect.isawaitable(response) else response


async def each(answers: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    """Yields the answers of a stream."""
    if isinstance(answers, Iterable):
        for answer in answers:
            yield answer
    else:
        async for answer in answers:
            yield answer
