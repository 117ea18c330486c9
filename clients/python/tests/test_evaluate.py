"""Batches and streams."""

import asyncio
import math
import queue
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, closing
from typing import Any

import pytest

from arbiter_client import (
    AsyncClient,
    Call,
    Client,
    IllegalMoveError,
    InvalidRequestError,
    Reason,
    calls,
    v1,
)
from support.both import AnyClient, ask, each

IMPOSSIBLE = v1.ConnectFourState(board=["X......", *["......."] * 4, "...Z..."])
MIXED: list[Call[Any]] = [
    calls.validate_move("4453", "4"),
    calls.apply_move("444444", "4"),
    calls.replay_game("44444", ["4", "4"]),
    calls.render_state(IMPOSSIBLE),
    calls.apply_move("44", v1.ConnectFourMove(column=3)),
]


def check_mixed(answers: list[Any]) -> None:
    """Checks the answers to the calls of `MIXED`."""
    legal, full, replay, impossible, applied = answers
    assert legal == v1.ValidateMoveResponse(verdict=v1.VERDICT_LEGAL)
    assert isinstance(full, IllegalMoveError)
    assert (full.message, full.move_index, full.metadata) == ("illegal move: column 4 is full", None, {})
    assert full.reasons == (Reason("ERROR_REASON_COLUMN_FULL", "column 4 is full", "move.notation", "C4-2"),)
    assert isinstance(replay, IllegalMoveError)
    assert replay.move_index == 1
    assert isinstance(impossible, InvalidRequestError)
    assert len(impossible.reasons) == 3
    assert isinstance(applied, v1.ApplyMoveResponse)
    assert applied.state.notation == "c4:7x6x4:444"


async def test_items_of_a_batch_are_refused_individually(client: AnyClient) -> None:
    check_mixed(await ask(client.evaluate_batch(MIXED)))
    assert await ask(client.evaluate_batch([])) == []


async def test_items_of_a_stream_are_refused_individually(client: AnyClient) -> None:
    check_mixed([answer async for answer in each(client.evaluate(MIXED))])
    assert [answer async for answer in each(client.evaluate([]))] == []


def test_calls_of_a_stream_may_depend_on_its_answers(server: str) -> None:
    states: queue.Queue[v1.State | str] = queue.Queue()

    def drops() -> Iterator[Call[Any]]:
        for _ in range(6):
            yield calls.apply_move(states.get(), "4")

    states.put("c4:")
    with Client(server) as client:
        for answer in client.evaluate(drops()):
            assert isinstance(answer, v1.ApplyMoveResponse)
            states.put(answer.state)
    assert states.get() == v1.State(notation="c4:7x6x4:444444")


async def test_calls_of_an_async_stream_may_depend_on_its_answers(server: str) -> None:
    states: asyncio.Queue[v1.State | str] = asyncio.Queue()

    async def drops() -> AsyncIterator[Call[Any]]:
        for _ in range(6):
            yield calls.apply_move(await states.get(), "4")

    states.put_nowait("c4:")
    async with AsyncClient(server) as client:
        async for answer in client.evaluate(drops()):
            assert isinstance(answer, v1.ApplyMoveResponse)
            states.put_nowait(answer.state)
    assert states.get_nowait() == v1.State(notation="c4:7x6x4:444444")


def endless() -> Iterator[Call[Any]]:
    while True:
        yield calls.list_games()


def test_a_stream_can_be_closed_early(server: str) -> None:
    with Client(server) as client, closing(client.evaluate(endless())) as stream:
        assert isinstance(next(stream), v1.ListGamesResponse)


async def test_an_async_stream_can_be_closed_early(server: str) -> None:
    async with AsyncClient(server) as client, aclosing(client.evaluate(endless())) as stream:
        assert isinstance(await anext(stream), v1.ListGamesResponse)


async def test_an_exception_of_the_calls_is_raised_unchanged(client: AnyClient) -> None:
    def broken() -> Iterator[Call[Any]]:
        yield calls.list_games()
        raise LookupError("no more calls")

    with pytest.raises(LookupError, match="no more calls"):
        async for answer in each(client.evaluate(broken())):
            assert isinstance(answer, v1.ListGamesResponse)


async def test_an_exception_of_async_calls_is_raised_unchanged(server: str) -> None:
    async def broken() -> AsyncIterator[Call[Any]]:
        yield calls.list_games()
        raise LookupError("no more calls")

    async with AsyncClient(server) as client:
        with pytest.raises(LookupError, match="no more calls"):
            async for answer in client.evaluate(broken()):
                assert isinstance(answer, v1.ListGamesResponse)


async def test_an_item_cannot_have_a_timeout(client: AnyClient) -> None:
    with pytest.raises(ValueError, match="cannot have a timeout"):
        await ask(client.evaluate_batch([calls.list_games(timeout=1)]))


@pytest.mark.parametrize("call", [calls.evaluate_batch([]), calls.suggest_move("c4:")], ids=lambda call: call.rpc)
async def test_some_calls_cannot_be_items(client: AnyClient, call: Call[Any]) -> None:
    with pytest.raises(TypeError, match=rf"arbiter.v1.Call cannot hold a arbiter.v1.{call.rpc}Request"):
        await ask(client.evaluate_batch([call], timeout=math.inf))
