"""The clients and `calls` have a method for each call of the contract."""

import inspect
from typing import Any

import pytest
from google.protobuf.descriptor import MethodDescriptor

from arbiter_client import AsyncClient, Call, Client, calls, v1
from arbiter_client.call import Calls
from arbiter_client.v1 import rules_service_pb2
from support.both import AnyClient, ask

METHODS = [*rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"].methods]


def method_name(rpc: str) -> str:
    """The name of a call as Python writes it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in rpc).lstrip("_")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_call_of_the_contract_is_a_method(method: MethodDescriptor) -> None:
    name = method_name(method.name)
    for kind in (Client, AsyncClient):
        assert inspect.getdoc(getattr(kind, name))
        assert "timeout" in inspect.signature(getattr(kind, name)).parameters
    if not method.name.startswith("Evaluate"):
        signature = inspect.signature(getattr(Calls, name))
        assert signature.return_annotation == f"Call[v1.{method.output_type.name}]"


def test_a_state_is_accepted_in_every_form() -> None:
    typed = v1.ConnectFourState(board=["."])
    whole = v1.State(connect_four=typed)
    assert calls.render_state(typed) == calls.render_state(whole) == Call(v1.RenderStateRequest(state=whole))
    assert calls.render_state("44") == Call(v1.RenderStateRequest(state=v1.State(notation="44")))
    assert calls.render_state("44", timeout=2).timeout == 2


@pytest.mark.parametrize(
    ("setup", "rules", "expected"),
    [
        ("queen_rooks", None, v1.NewGameRequest(queen_rooks=v1.QueenRooksSetup())),
        (v1.QueenRooksSetup(), None, v1.NewGameRequest(queen_rooks=v1.QueenRooksSetup())),
        (None, v1.QueenRooksRules(), v1.NewGameRequest(rules=v1.RuleSet(queen_rooks=v1.QueenRooksRules()))),
        (None, None, v1.NewGameRequest()),
    ],
)
def test_a_game_is_started_by_name_setup_or_rules(setup: Any, rules: Any, expected: v1.NewGameRequest) -> None:
    assert calls.new_game(setup, rules=rules).request == expected
    assert calls.new_game(setup, rules=rules, seed=0).request != expected


def test_a_suggestion_has_options() -> None:
    whole = v1.State(notation="44")
    assert calls.suggest_move("44").request == v1.SuggestMoveRequest(state=whole)
    request = v1.SuggestMoveRequest(
        state=whole,
        player=v1.PLAYER_TWO,
        level=v1.SUGGESTION_LEVEL_CASUAL,
        max_nodes=1000,
        seed=0,
        max_line_plies=0,
        triple_triad_pool=v1.TripleTriadHiddenPool(cards=[v1.TripleTriadCard(notation="54"), v1.TripleTriadCard(id=7)]),
    )
    suggested = calls.suggest_move(
        whole,
        player=v1.PLAYER_TWO,
        level=v1.SUGGESTION_LEVEL_CASUAL,
        max_nodes=1000,
        seed=0,
        max_line_plies=0,
        triple_triad_pool=["54", v1.TripleTriadCard(id=7)],
    )
    assert suggested.request == request


def test_an_argument_of_the_wrong_kind_is_an_error() -> None:
    wrong: Any = v1.ConnectFourMove()
    with pytest.raises(TypeError, match=r"arbiter.v1.State cannot hold a arbiter.v1.ConnectFourMove"):
        calls.render_state(wrong)
    with pytest.raises(ValueError, match="'rules' is not one of the games connect_four, triple_triad"):
        calls.new_game("rules")


async def test_a_state_is_a_value(client: AnyClient) -> None:
    first = (await ask(client.new_game("connect_four"))).state
    kept = v1.State.FromString(first.SerializeToString())
    second = (await ask(client.apply_move(first, v1.ConnectFourMove(column=0)))).state
    assert first == kept != second
    assert (await ask(client.apply_move(kept, v1.ConnectFourMove(column=0)))).state == second
