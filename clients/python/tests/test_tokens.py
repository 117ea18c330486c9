"""Calls with and without a bearer token."""

import secrets
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from arbiter_client import RefusedError, calls, v1
from support.both import AnyClient, Connect, ask, each
from support.fake_server import fake_server, refuse


async def stream(client: AnyClient) -> list[Any]:
    """The answers of a short stream."""
    return [answer async for answer in each(client.evaluate([calls.list_games()]))]


@pytest.mark.parametrize("give", [lambda token: token, lambda token: lambda: token], ids=["text", "function"])
async def test_a_known_token_is_accepted(
    connect: Connect, token_server: str, token: str, give: Callable[[str], Any]
) -> None:
    client = connect(token_server, token=give(token))
    assert (await ask(client.list_games())).games
    assert await ask(client.evaluate_batch([])) == []
    assert [type(answer) for answer in await stream(client)] == [v1.ListGamesResponse]


@pytest.mark.parametrize("wrong", [None, secrets.token_urlsafe()], ids=["none", "wrong"])
async def test_a_call_without_a_known_token_is_refused(connect: Connect, token_server: str, wrong: str | None) -> None:
    client = connect(token_server, token=wrong)
    for call in (lambda: ask(client.list_games()), lambda: stream(client)):
        with pytest.raises(RefusedError) as raised:
            await call()
        error = raised.value
        assert type(error) is RefusedError
        assert (error.code, error.reason) == (grpc.StatusCode.UNAUTHENTICATED, "ERROR_REASON_UNAUTHENTICATED")
        for text in (str(error), repr(error), repr(error.__cause__), repr(client)):
            assert wrong is None or wrong not in text


async def test_a_stream_that_is_refused_while_sending_has_its_status(connect: Connect, token_server: str) -> None:
    client = connect(token_server)
    # A race: in gRPC for asyncio, one in three such streams loses its status.
    for _ in range(30):
        with pytest.raises(RefusedError):
            await stream(client)


async def test_a_token_function_is_called_for_each_call(connect: Connect, token_server: str, token: str) -> None:
    tokens = iter([token, "old", token, "old"])
    client = connect(token_server, token=lambda: next(tokens))
    await ask(client.list_games())
    with pytest.raises(RefusedError):
        await ask(client.list_games())
    await stream(client)
    with pytest.raises(RefusedError):
        await stream(client)


async def test_every_attempt_has_the_token(connect: Connect) -> None:
    received: list[Any] = []

    def reply(_: bytes, context: grpc.ServicerContext) -> bytes:
        received.append(dict(context.invocation_metadata()).get("authorization"))
        if len(received) <= 2:
            refuse(context, grpc.StatusCode.UNAVAILABLE, "ERROR_REASON_OVERLOADED")
        return b""

    tokens = iter(["first", "second"])
    with fake_server(reply) as address:
        client = connect(address, token=lambda: next(tokens))
        await ask(client.list_games())
        await ask(client.list_games())
    assert received == ["Bearer first"] * 3 + ["Bearer second"]


@pytest.mark.parametrize("bad", ["", " ", "sesame\n", "\tsesame", "open sesame", "sésame", "sesame\x7f", "sesame\0"])
async def test_an_invalid_token_is_an_error(connect: Connect, server: str, bad: str) -> None:
    client = connect(server, token=lambda: bad)
    for call in (
        lambda: ask(connect(server, token=bad)),
        lambda: ask(client.list_games()),
        lambda: stream(client),
    ):
        with pytest.raises(ValueError, match="visible ASCII") as raised:
            await call()
        assert "same" not in str(raised.value)


async def test_an_exception_of_the_token_function_is_raised_unchanged(connect: Connect, server: str) -> None:
    failure = grpc.RpcError("no token")

    def fail() -> str:
        raise failure

    client = connect(server, token=fail)
    for call in (lambda: ask(client.list_games()), lambda: stream(client)):
        with pytest.raises(grpc.RpcError) as raised:
            await call()
        assert raised.value is failure
