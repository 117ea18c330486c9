"""The content of a refusal, raised by a call or as an item of a batch."""

import pickle

import grpc
import pytest

from arbiter_client import (
    ArbiterError,
    IllegalMoveError,
    InvalidRequestError,
    Reason,
    RefusedError,
    calls,
    v1,
)
from support.both import AnyClient, ask

FULL = Reason("ERROR_REASON_COLUMN_FULL", "column 4 is full", "move.notation", "C4-2")
IMPOSSIBLE = v1.ConnectFourState(board=["X......", *["......."] * 4, "...Z..."])


async def test_an_illegal_move_is_refused_with_its_reason(client: AnyClient) -> None:
    with pytest.raises(IllegalMoveError) as raised:
        await ask(client.apply_move("444444", "4"))
    error = raised.value
    assert error.code is grpc.StatusCode.FAILED_PRECONDITION
    assert error.message == "illegal move: column 4 is full"
    assert (error.reason, error.reasons) == ("ERROR_REASON_COLUMN_FULL", (FULL,))
    assert error.metadata == {"field": "move.notation", "clause": "C4-2"}
    assert (error.unlisted, error.move_index) == (0, None)
    assert str(error) == "FAILED_PRECONDITION: move.notation: column 4 is full (ERROR_REASON_COLUMN_FULL, C4-2)"
    assert isinstance(error.__cause__, grpc.RpcError)


async def test_a_replay_reports_the_index_of_an_illegal_move(client: AnyClient) -> None:
    with pytest.raises(IllegalMoveError) as raised:
        await ask(client.replay_game("44444", ["4", "4"]))
    assert raised.value.move_index == 1
    assert raised.value.reasons[0].field == "moves[1].notation"


async def test_an_impossible_state_is_refused_with_all_violations(client: AnyClient) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        await ask(client.render_state(IMPOSSIBLE))
    error = raised.value
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert [(reason.field, reason.code) for reason in error.reasons] == [
        ("state.connect_four.next_player", "ERROR_REASON_FIELD_REQUIRED"),
        ("state.connect_four.board[5]", "ERROR_REASON_UNKNOWN_TOKEN"),
        ("state.connect_four.board[0]", "ERROR_REASON_FLOATING_TOKEN"),
    ]
    assert len(str(error).splitlines()) == 4
    assert "board[5]: row 5, column 3 holds 'Z'" in str(error)


async def test_unlisted_reasons_are_counted(client: AnyClient) -> None:
    hand = [v1.RoyalMatchCard(notation="ZZ")] * 13
    state = v1.RoyalMatchState(seats=[v1.RoyalMatchSeat(hand=hand)] * 2)
    with pytest.raises(InvalidRequestError) as raised:
        await ask(client.render_state(state))
    assert len(raised.value.reasons) + raised.value.unlisted == 27
    assert raised.value.unlisted > 0
    assert str(raised.value).endswith(f"and {raised.value.unlisted} more")
    [item] = await ask(client.evaluate_batch([calls.render_state(state)]))
    assert isinstance(item, InvalidRequestError)
    assert item.unlisted == raised.value.unlisted


async def test_a_large_message_is_refused(client: AnyClient) -> None:
    with pytest.raises(RefusedError) as raised:
        await ask(client.apply_move("4" * 70_000, "4"))
    assert type(raised.value) is RefusedError
    assert raised.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert raised.value.reason == "ERROR_REASON_MESSAGE_TOO_LARGE"


def test_an_error_can_be_pickled() -> None:
    error: ArbiterError
    for error in [
        ArbiterError(grpc.StatusCode.INTERNAL, "no"),
        IllegalMoveError(grpc.StatusCode.FAILED_PRECONDITION, "no", (FULL,), {"clause": "C4-2"}, 2, 1),
    ]:
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
