"""A service that cannot be reached, does not answer, or is unavailable: deadlines and retries."""

import math
import socket
import time

import grpc
import pytest

from arbiter_client import ArbiterError, Client, DeadlineExceededError, UnreachableError, calls, v1
from support.both import Connect, ask, each
from support.fake_server import fake_server, refuse


async def test_a_closed_port_is_unreachable(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
    client = connect(f"{host}:{port}")
    start = time.monotonic()
    with pytest.raises(UnreachableError, match=r"UNAVAILABLE: .*Connection refused") as raised:
        await ask(client.list_games())
    assert raised.value.code is grpc.StatusCode.UNAVAILABLE
    with pytest.raises(UnreachableError):
        [answer async for answer in each(client.evaluate([calls.list_games()]))]
    assert time.monotonic() - start < 10


async def test_a_silent_server_exceeds_the_deadline(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
        client = connect(f"{host}:{port}", timeout=0.2)
        start = time.monotonic()
        with pytest.raises(DeadlineExceededError) as raised:
            await ask(client.list_games())
        with pytest.raises(DeadlineExceededError):
            await ask(connect(f"{host}:{port}").list_games(timeout=0.2))
        with pytest.raises(DeadlineExceededError):
            [answer async for answer in each(client.evaluate([calls.list_games()], timeout=0.2))]
        assert 0.5 < time.monotonic() - start < 5
    assert raised.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "DEADLINE_EXCEEDED: " in str(raised.value)


async def test_the_default_timeout_is_five_seconds(connect: Connect) -> None:
    left: list[float] = []

    def reply(_: bytes, context: grpc.ServicerContext) -> bytes:
        remaining = context.time_remaining()
        # Without a deadline, gRPC returns several years.
        left.append(math.inf if remaining is None or remaining > 1e6 else remaining)
        return v1.EvaluateResponse(answer=v1.Answer(list_games={})).SerializeToString()

    with fake_server(reply) as address:
        client, patient = connect(address), connect(address, timeout=math.inf)
        await ask(client.evaluate_batch([]))
        await ask(client.evaluate_batch([], timeout=50))
        await ask(client.evaluate_batch([], timeout=math.inf))
        await ask(patient.evaluate_batch([]))
        await ask(patient.evaluate_batch([], timeout=50))
        [_] = [answer async for answer in each(client.evaluate([calls.list_games()]))]
        [_] = [answer async for answer in each(client.evaluate([calls.list_games()], timeout=50))]
    for seconds, limit in zip(left, [5, 50, math.inf, math.inf, 50, math.inf, 50], strict=True):
        assert seconds == limit or limit - 3 < seconds < limit + 0.5  # gRPC rounds it.


async def test_the_default_timeout_of_suggest_move_is_ten_seconds(connect: Connect) -> None:
    left: list[float | None] = []

    def reply(_: bytes, context: grpc.ServicerContext) -> bytes:
        left.append(context.time_remaining())
        return b""

    with fake_server(reply) as address:
        client, patient = connect(address), connect(address, timeout=30)
        await ask(client.suggest_move("c4:"))
        await ask(client.suggest_move("c4:", timeout=50))
        await ask(patient.suggest_move("c4:"))
    for seconds, limit in zip(left, [10, 50, 30], strict=True):
        assert seconds is not None
        assert limit - 3 < seconds < limit + 0.5


class Failing:
    """Fails a number of times with a status, then answers."""

    def __init__(self, code: grpc.StatusCode, times: int) -> None:
        self.code, self.times, self.attempts = code, times, 0

    def __call__(self, _: bytes, context: grpc.ServicerContext) -> bytes:
        self.attempts += 1
        if self.attempts <= self.times:
            refuse(context, self.code, "ERROR_REASON_OVERLOADED")
        return b""


@pytest.mark.parametrize(
    ("code", "times", "retry", "attempts"),
    [
        (grpc.StatusCode.UNAVAILABLE, 2, True, 3),
        (grpc.StatusCode.UNAVAILABLE, 3, True, 4),
        (grpc.StatusCode.UNAVAILABLE, 9, True, 4),
        (grpc.StatusCode.UNAVAILABLE, 2, False, 1),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, 2, True, 1),
    ],
)
async def test_only_unavailable_is_retried(
    connect: Connect, code: grpc.StatusCode, times: int, retry: bool, attempts: int
) -> None:
    failing = Failing(code, times)
    with fake_server(failing) as address:
        client = connect(address, retry=retry)
        if attempts > times:
            assert await ask(client.list_games()) == v1.ListGamesResponse()
        else:
            with pytest.raises(ArbiterError) as raised:
                await ask(client.list_games())
            assert raised.value.code is code
    assert failing.attempts == attempts


async def test_a_response_may_exceed_the_default_limit_of_grpc(connect: Connect) -> None:
    response = v1.RenderStateResponse(text="." * 5_000_000)
    with fake_server(lambda _, __: response.SerializeToString()) as address:
        assert await ask(connect(address).render_state("44")) == response


def test_a_closed_client_makes_no_calls(server: str) -> None:
    with Client(server) as client:
        client.list_games()
    with pytest.raises(ValueError, match="closed channel"):
        client.list_games()
