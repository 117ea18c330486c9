"""A server that is newer than this client, or broken."""

import grpc
import pytest
from google.protobuf.any_pb2 import Any
from google.protobuf.struct_pb2 import Value
from google.rpc import error_details_pb2, status_pb2

from arbiter_client import ArbiterError, IllegalMoveError, InvalidRequestError, RefusedError, calls, v1
from support.both import Connect, ask, each
from support.fake_server import fake_server, refuse

# Field 1000, with 5 bytes.
UNKNOWN_FIELD = b"\xc2\x3e\x05newer"
MOON_PHASE = "ERROR_REASON_MOON_PHASE"
FOREIGN = status_pb2.Status(code=3, message="from a proxy")
FOREIGN.details.add().Pack(error_details_pb2.ErrorInfo(reason="BLOCKED", domain="proxy.example"))


def newer_state() -> v1.State:
    """A state with an unknown field and an unknown enum value, as it would be received."""
    game = v1.ConnectFourState(board=["."], next_player=77)  # type: ignore[arg-type]
    game.MergeFromString(UNKNOWN_FIELD)
    state = v1.State(connect_four=game)
    state.MergeFromString(UNKNOWN_FIELD)
    return state


async def test_unknown_fields_are_preserved(connect: Connect) -> None:
    received: list[bytes] = []

    def reply(message: bytes, _: grpc.ServicerContext) -> bytes:
        received.append(message)
        return v1.ApplyMoveResponse(state=newer_state(), events=[v1.Event()]).SerializeToString() + UNKNOWN_FIELD

    with fake_server(reply) as address:
        client = connect(address)
        state = (await ask(client.apply_move("c4:", "1"))).state
        await ask(client.apply_move(state, "1"))
        await ask(client.apply_move(state.connect_four, "1"))
        await ask(client.apply_move(v1.State(connect_four=state.connect_four), "1"))
    assert state.connect_four.next_player == 77
    assert [message.count(UNKNOWN_FIELD) for message in received] == [0, 2, 1, 1]
    assert v1.ApplyMoveRequest.FromString(received[1]).state == newer_state()


async def test_an_unknown_reason_has_its_name(connect: Connect) -> None:
    def reply(_: bytes, context: grpc.ServicerContext) -> bytes:
        reasons = [v1.Reason(code=code, message="wait", clause="C4-9") for code in (9999, 101, 9998)]  # type: ignore[arg-type]
        horoscope = Any(type_url="type.googleapis.com/arbiter.v1.Horoscope", value=b"\x0a\x01x")
        details = [horoscope, Value(bool_value=True), v1.IllegalMove(reasons=reasons, move_index=0)]
        refuse(context, grpc.StatusCode.FAILED_PRECONDITION, MOON_PHASE, *details)
        return b""

    with fake_server(reply) as address, pytest.raises(IllegalMoveError) as raised:
        await ask(connect(address).apply_move("c4:", "1"))
    assert raised.value.reason == MOON_PHASE
    assert [reason.code for reason in raised.value.reasons] == [MOON_PHASE, "ERROR_REASON_COLUMN_FULL", "9998"]
    assert raised.value.move_index == 0
    assert f"wait ({MOON_PHASE}, C4-9)" in str(raised.value)


async def test_an_unknown_violation_has_its_name(connect: Connect) -> None:
    def reply(_: bytes, context: grpc.ServicerContext) -> bytes:
        bad = error_details_pb2.BadRequest()
        bad.field_violations.add(field="state.moon", description="is new", reason=MOON_PHASE)
        refuse(context, grpc.StatusCode.INVALID_ARGUMENT, MOON_PHASE, bad)
        return b""

    with fake_server(reply) as address, pytest.raises(InvalidRequestError) as raised:
        await ask(connect(address).apply_move("c4:", "1"))
    assert str(raised.value) == f"INVALID_ARGUMENT: state.moon: is new ({MOON_PHASE})"


async def test_a_refusal_without_details_is_read(connect: Connect) -> None:
    def reply(_: bytes, context: grpc.ServicerContext) -> bytes:
        refuse(context, grpc.StatusCode.PERMISSION_DENIED, MOON_PHASE)
        return b""

    with fake_server(reply) as address, pytest.raises(RefusedError) as raised:
        await ask(connect(address).apply_move("c4:", "1"))
    assert str(raised.value) == f"PERMISSION_DENIED: no ({MOON_PHASE})"


@pytest.mark.parametrize("details", [b"", b"\xff\xff", FOREIGN.SerializeToString()], ids=["none", "broken", "foreign"])
async def test_a_status_of_a_proxy_is_not_a_refusal(connect: Connect, details: bytes) -> None:
    def reply(_: bytes, context: grpc.ServicerContext) -> bytes:
        if details:
            context.set_trailing_metadata((("grpc-status-details-bin", details),))
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "from a proxy")

    with (
        fake_server(reply) as address,
        pytest.raises(ArbiterError, match=r"^INVALID_ARGUMENT: from") as raised,
    ):
        await ask(connect(address).apply_move("c4:", "1"))
    assert type(raised.value) is ArbiterError


async def test_a_response_that_cannot_be_decoded_is_an_error(connect: Connect) -> None:
    with fake_server(lambda _, __: b"\xff\xff") as address:
        client = connect(address)
        with pytest.raises(ArbiterError, match=r"^INTERNAL: "):
            await ask(client.list_games())
        with pytest.raises(ArbiterError, match=r"^INTERNAL: "):
            [_ async for _ in each(client.evaluate([calls.list_games()]))]


async def test_an_unknown_item_is_an_error(connect: Connect) -> None:
    answer = v1.Answer()
    answer.MergeFromString(UNKNOWN_FIELD)

    def reply(_: bytes, __: grpc.ServicerContext) -> bytes:
        return v1.EvaluateResponse(answer=answer).SerializeToString()  # The same bytes as a batch of one.

    with fake_server(reply) as address:
        client = connect(address)
        with pytest.raises(ArbiterError, match="a kind that this client does not know"):
            await ask(client.evaluate_batch([calls.list_games()]))
        with pytest.raises(ArbiterError, match="a kind that this client does not know"):
            [_ async for _ in each(client.evaluate([calls.list_games()]))]


async def test_an_unknown_refusal_of_an_item_is_read(connect: Connect) -> None:
    reasons = [v1.Reason(code=9999, message="wait")]  # type: ignore[arg-type]
    refusals = [v1.Refusal(code=99, message="no", reasons=reasons), v1.Refusal(code=9, message="no")]

    def reply(_: bytes, __: grpc.ServicerContext) -> bytes:
        return v1.EvaluateBatchResponse(
            answers=[v1.Answer(refusal=refusal) for refusal in refusals]
        ).SerializeToString()

    with fake_server(reply) as address:
        unknown, empty = await ask(connect(address).evaluate_batch([calls.list_games()] * 2))
    assert isinstance(unknown, RefusedError)
    assert (unknown.code, unknown.reason) == (grpc.StatusCode.UNKNOWN, "9999")
    assert isinstance(empty, IllegalMoveError)
    assert str(empty) == "FAILED_PRECONDITION: no (ERROR_REASON_UNSPECIFIED)"
