"""An absent optional field is None."""

import pytest

from arbiter_client import get, v1


def test_an_absent_field_is_none() -> None:
    outcome = v1.Outcome(result=v1.GAME_RESULT_IN_PROGRESS)
    assert outcome.winner == 0
    assert get(outcome, "winner") is None
    assert get(outcome, "connect_four") is None
    assert get(v1.DetermineWinnerResponse(outcome=outcome), "next_round") is None


def test_a_field_that_is_set_has_its_value_even_if_it_is_zero() -> None:
    line = v1.Line(direction=v1.LINE_DIRECTION_VERTICAL)
    won = v1.Outcome(winner=v1.PLAYER_TWO, connect_four=v1.ConnectFourOutcome(winning_lines=[line]))
    assert get(won, "winner") == v1.PLAYER_TWO
    assert get(won, "connect_four") == v1.ConnectFourOutcome(winning_lines=[line])
    assert get(v1.Score(points=0), "points") == 0
    assert get(v1.State(notation=""), "notation") == ""


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (
            "winer",
            "arbiter.v1.Outcome has no field 'winer'; fields that can be absent: end_reason, winner, connect_four",
        ),
        ("result", "arbiter.v1.Outcome.result is never absent; fields that can be absent: end_reason, winner"),
        ("scores", "arbiter.v1.Outcome.scores is never absent"),
        ("detail", "arbiter.v1.Outcome has no field 'detail'"),
    ],
)
def test_any_other_name_is_an_error_that_lists_the_optional_fields(field: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        get(v1.Outcome(), field)


def test_a_message_without_optional_fields_has_none_to_list() -> None:
    with pytest.raises(ValueError, match="fields that can be absent: none"):
        get(v1.RuleClause(), "id")
