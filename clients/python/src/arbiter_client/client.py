"""The clients: a blocking one, and one for asyncio."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from types import ModuleType, TracebackType
from typing import Any, ClassVar, TypeVar

import grpc
import grpc.aio

from .call import Answer, Call, Calls, read_answer
from .connection import Tls, TokenLike, call_metadata, channel_options, check_token
from .errors import ArbiterError, read_errors
from .stream import Sending
from .v1.rules_service_pb2_grpc import RulesServiceStub

R = TypeVar("R")


class Connected(Calls):
    """The common part of both clients: a channel to the service, and the deadline and token of each call."""

    _grpc: ClassVar[ModuleType]

    def __init__(
        self,
        target: str,
        *,
        tls: Tls | None = None,
        token: TokenLike | None = None,
        timeout: float | None = None,
        retry: bool = True,
    ) -> None:
        if token is not None and not callable(token):
            check_token(token)
        options = channel_options(tls, retry=retry)
        self._token = token
        self._timeout = timeout
        self._channel = (
            self._grpc.insecure_channel(target, options)
            if tls is None
            else self._grpc.secure_channel(target, tls.credentials(), options)
        )
        self._stub: Any = RulesServiceStub(self._channel)

    def _timeout_of(self, call: Call[Any]) -> float:
        """Returns the timeout of a call: its own, that of this client, or the default."""
        timeout = self._timeout if call.timeout is None else call.timeout
        return call.default_timeout if timeout is None else timeout

    def _options(self, timeout: float) -> dict[str, Any]:
        """Returns the keyword arguments of a gRPC call. Does not catch an exception of the token function."""
        # For gRPC, None is no limit.
        return {"metadata": call_metadata(self._token), "timeout": None if timeout == math.inf else timeout}

    def _begin(self, call: Call[Any], options: dict[str, Any]) -> Any:
        return getattr(self._stub, call.rpc)(call.request, **options)


class Client(Connected):
    """A connection to the service at `target`, such as `127.0.0.1:50051`. Thread-safe; `with` closes it.

    In plaintext, unless `tls` is given. `timeout` is the deadline of a call in seconds, for all attempts together;
    `math.inf` is no limit. By default it is 10 seconds for `suggest_move`, and 5 seconds for other calls. A call that
    fails with UNAVAILABLE is tried up to four times, unless `retry` is off.

    `token` is sent with every call as a bearer token. It may be a function, which is called for every call, before the
    deadline starts. Without `tls` it is sent in plaintext. A token that is not a valid header value is a `ValueError`.
    """

    _grpc: ClassVar[ModuleType] = grpc

    def _send(self, call: Call[R]) -> R:
        options = self._options(self._timeout_of(call))
        with read_errors():
            return call.read(self._begin(call, options))

    def evaluate(self, calls: Iterable[Call[Any]], *, timeout: float = math.inf) -> Generator[Answer, None, None]:
        """Makes calls as `calls` yields them. Yields one answer per call, in order, as `evaluate_batch` returns them.

        `calls` is read in another thread, so it may wait for answers. To stop early, close the iterator.
        """
        sending = Sending()
        stream = self._stub.Evaluate(sending.messages(calls), **self._options(timeout))
        try:
            with sending.read_errors():
                for response in stream:
                    yield read_answer(response.answer)
        finally:
            stream.cancel()

    def close(self) -> None:
        """Closes the connection. Calls in flight are cancelled."""
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(Connected):
    """`Client` for asyncio: its methods are awaited, and `async with` closes it.

    Use it only in the event loop in which it was created.
    """

    _grpc: ClassVar[ModuleType] = grpc.aio

    async def _send(self, call: Call[R]) -> R:
        options = self._options(self._timeout_of(call))
        with read_errors():
            return call.read(decoded(await self._begin(call, options)))

    async def evaluate(
        self, calls: Iterable[Call[Any]] | AsyncIterable[Call[Any]], *, timeout: float = math.inf
    ) -> AsyncGenerator[Answer, None]:
        """Makes calls as `calls` yields them. Yields one answer per call, in order, as `evaluate_batch` returns them.

        `calls` is read in another task, so it may wait for answers. To stop early, close the iterator.
        """
        sending = Sending()
        stream = self._stub.Evaluate(sending.async_messages(calls), **self._options(timeout))
        stream.add_done_callback(sending.keep_refusal)
        try:
            with sending.read_errors():
                async for response in stream:
                    yield read_answer(decoded(response).answer)
        finally:
            stream.cancel()

    async def close(self) -> None:
        """Closes the connection. Calls in flight are cancelled."""
        await self._channel.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


def decoded(response: Any) -> Any:
    """Raises an error for a response that could not be decoded: gRPC for asyncio returns None then."""
    if response is None:
        raise ArbiterError(grpc.StatusCode.INTERNAL, "the response cannot be decoded")
    return response
