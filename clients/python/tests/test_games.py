"""A whole game of each kind with the methods of the clients, typed and as text."""

from arbiter_client import get, v1
from support.both import AnyClient, ask

NOTATION = v1.STATE_FORM_NOTATION
MAX_MOVES = 500


async def play(client: AnyClient, state: v1.State) -> tuple[v1.ApplyMoveResponse, list[v1.Move]]:
    """Plays the first legal move until the game is over."""
    moves: list[v1.Move] = []
    while len(moves) < MAX_MOVES:
        move = (await ask(client.list_legal_moves(state))).moves[0]
        assert (await ask(client.validate_move(state, move))).verdict == v1.VERDICT_LEGAL
        played = await ask(client.apply_move(state, move))
        moves.append(move)
        if get(played.outcome, "end_reason") is not None:
            assert not played.outcome.next_players
            assert played.outcome.explanation
            return played, moves
        assert played.outcome.result == v1.GAME_RESULT_IN_PROGRESS
        assert get(played.outcome, "winner") is None
        assert not played.outcome.explanation
        state = played.state
    raise AssertionError("the game does not end")


async def test_connect_four_typed_and_as_text(client: AnyClient) -> None:
    typed = (await ask(client.new_game(v1.ConnectFourSetup()))).state
    text = (await ask(client.new_game("connect_four", form=NOTATION))).state
    assert text == v1.State(notation="c4:7x6x4:")
    for column in [3, 2, 3, 2, 3, 2, 3]:
        typed = (await ask(client.apply_move(typed, v1.ConnectFourMove(column=column)))).state
        text = (await ask(client.apply_move(text, str(column + 1)))).state

    won = await ask(client.determine_winner(typed))
    assert (won.outcome.winner, won.outcome.end_reason) == (v1.PLAYER_ONE, v1.END_REASON_LINE_COMPLETED)
    assert won.outcome.explanation == "player one wins with a vertical line of 4 tokens"
    [line] = won.outcome.connect_four.winning_lines
    assert [(square.row, square.column) for square in line.squares] == [(2, 3), (3, 3), (4, 3), (5, 3)]
    assert won == await ask(client.determine_winner("4343434"))
    assert not (await ask(client.list_legal_moves(typed))).moves
    shown = await ask(client.render_state(typed.connect_four))
    assert shown.state == typed
    assert (await ask(client.render_state(shown.notation))).state == typed
    assert shown.text.splitlines()[2] == "| | | |X| | | |"
    assert (await ask(client.view_state(typed, v1.PLAYER_TWO))).state == typed
    assert not (await ask(client.resolve_captures(text, (5, 3)))).captures
    assert (await ask(client.replay_game("c4:", "4343434"))).state == text


async def test_connect_four_with_rules(client: AnyClient) -> None:
    rules = v1.ConnectFourRules(columns=5, rows=4)
    small = await ask(client.new_game(rules=rules, form=NOTATION))
    assert small.state.notation == "c4:5x4x4:"
    assert small.state == (await ask(client.new_game(rules=v1.RuleSet(connect_four=rules), form=NOTATION))).state


async def test_triple_triad_from_the_deal_to_the_trade(client: AnyClient) -> None:
    rules = v1.TripleTriadRules(same=True, plus=True, combo=True, trade_rule=v1.TRIPLE_TRIAD_TRADE_RULE_ONE)
    setup = v1.TripleTriadSetup(first_player=v1.PLAYER_ONE)
    start = await ask(client.new_game(setup, rules=rules, seed=2))
    assert start == await ask(client.new_game(setup, rules=rules, seed=2))
    hands = start.state.triple_triad
    last, moves = await play(client, start.state)
    assert len(moves) == 9

    won = (await ask(client.determine_winner(last.state, seed=1))).outcome
    assert won == last.outcome
    assert won.result == v1.GAME_RESULT_WINNER_DETERMINED
    settled = await ask(client.settle_trade(last.state, hands.hand_one, hands.hand_two))
    assert sorted([len(settled.collection_one), len(settled.collection_two)]) == [4, 6]
    loser = hands.hand_two if won.winner == v1.PLAYER_ONE else hands.hand_one
    assert settled.transfers[0].to == won.winner
    assert get(settled.transfers[0], "from") is not None
    assert settled.explanation
    picked = await ask(client.settle_trade(last.state, hands.hand_one, hands.hand_two, picks=[loser[4].id]))
    assert [transfer.card_id for transfer in picked.transfers] == [loser[4].id]


async def test_triple_triad_as_text(client: AnyClient) -> None:
    start = "tt:eswpcO:-,-,w/-,a,t/-,-,p:53,3,61,107,13:78,34,24,110,20:X"
    moves = ["53@8", "34@1", "107@5", "24@7", "13@6", "20@2", "3@9", "110@3", "61@4"]
    replayed = await ask(client.replay_game(start, moves))
    assert replayed.outcome.winner == v1.PLAYER_ONE
    captured = [event.captured.explanation for event in replayed.events[8].events if event.HasField("captured")]
    assert "Rinoa takes Buel by Combo, 9 over 2, third wave" in captured
    ones, twos = ["53", "3", "61", "107", "13"], ["78", "34", "24", "110", "20"]
    settled = await ask(client.settle_trade(replayed.state, ones, twos, picks=[110]))
    assert [card.id for card in settled.collection_two] == [78, 34, 24, 20]
    seen = (await ask(client.view_state(start, v1.PLAYER_TWO))).state
    assert seen.notation == "tt:eswpcO:-,-,w/-,a,t/-,-,p:?5:78,34,24,110,20:X"


async def test_queen_and_rooks_to_its_end(client: AnyClient) -> None:
    rules = v1.QueenRooksRules(size=4, quiet_move_limit=20)
    start = (await ask(client.new_game(v1.QueenRooksSetup(), rules=rules))).state
    last, moves = await play(client, start)
    replayed = await ask(client.replay_game(start, moves))
    assert (replayed.state, replayed.outcome) == (last.state, last.outcome)
    assert last.outcome.end_reason == v1.END_REASON_QUIET_MOVE_LIMIT
    assert get(last.outcome, "winner") is None

    board = "qr:7q/8/7r/8/r1R1R3/1r6/8/Q2rr3"
    captures = (await ask(client.resolve_captures(board, v1.Square(row=4, column=4)))).captures
    assert captures
    assert captures == (await ask(client.resolve_captures(board, (4, 4)))).captures


async def test_queen_and_rooks_as_text(client: AnyClient) -> None:
    start = (await ask(client.new_game("queen_rooks", rules=v1.QueenRooksRules(size=4), form=NOTATION))).state
    assert start.notation == "qr:2rq/2rr/RR2/QR2:1"
    assert (await ask(client.apply_move(start, "b3-d3"))).state.notation == "qr:2rq/2rr/R2R/QR2:2:1"


async def test_royal_match_to_the_last_card(client: AnyClient) -> None:
    start = await ask(client.new_game(v1.RoyalMatchSetup(players=3, hand_size=3), seed=11))
    text = (await ask(client.render_state(start.state))).notation
    assert text == "rm:vC:4C,AS,10H;0/QH,10S,10D;0/QS,5C,9C;0"
    last, moves = await play(client, start.state)
    assert len(moves) == 9
    assert sum(score.points for score in last.outcome.scores) == 3

    seat = start.state.royal_match.seats[2]
    first = await ask(client.apply_move(start.state, v1.RoyalMatchMove(player=v1.PLAYER_THREE, card=seat.hand[0])))
    same = await ask(client.apply_move(text, "3:QS"))
    assert (await ask(client.render_state(first.state))).notation == same.state.notation
    trick = await ask(client.resolve_captures("rm:vD:-;0;5C/-;0;5H/-;0;5S/-;0;5D"))
    assert trick.captures[0].royal_match.player == v1.PLAYER_FOUR


async def test_cards_of_royal_match_are_compared(client: AnyClient) -> None:
    compared = await ask(client.compare_cards(["7♣", "7♦"], v1.ROYAL_MATCH_SUIT_HEARTS))
    assert compared.order == v1.ROYAL_MATCH_ORDER_SECOND_WINS
    assert compared.winner.notation == "7D"
    cards: list[v1.RoyalMatchCard | str] = [v1.RoyalMatchCard(suit=v1.ROYAL_MATCH_SUIT_SPADES, value=14), "2H"]
    by_suit = v1.ROYAL_MATCH_ORDERING_SUIT_THEN_VALUE
    assert (await ask(client.compare_cards(cards, v1.ROYAL_MATCH_SUIT_HEARTS))).winner.notation == "AS"
    other = await ask(client.compare_cards(cards, v1.ROYAL_MATCH_SUIT_HEARTS, ordering=by_suit))
    assert other.winner.notation == "2H"
    ranking = await ask(client.compare_cards([*cards, "3H"], v1.ROYAL_MATCH_SUIT_HEARTS))
    assert get(ranking, "order") is None


async def test_a_winning_move_is_suggested(client: AnyClient) -> None:
    suggested = await ask(client.suggest_move("2233"))
    best = suggested.evaluations[0]
    assert suggested.move == best.move == suggested.line[0] == v1.Move(notation="4")
    assert best.certainty == v1.CERTAINTY_EXACT
    assert get(best, "forced_end") == v1.ForcedEnd(result=v1.FORCED_RESULT_WIN, plies=3)
    assert get(best, "heuristic") is None
    assert len(suggested.evaluations) == 7
    assert suggested.nodes
    assert suggested.explanation == "column 4 wins in 3 plies"
    assert not (await ask(client.suggest_move("2233", max_line_plies=0))).line


async def test_a_level_and_a_seed_decide_the_suggestion(client: AnyClient) -> None:
    casual = await ask(client.suggest_move("112233", level=v1.SUGGESTION_LEVEL_CASUAL, seed=7))
    assert casual.move.notation == "4"
    assert casual == await ask(client.suggest_move("112233", level=v1.SUGGESTION_LEVEL_CASUAL, seed=7))


async def test_a_move_is_suggested_for_a_player(client: AnyClient) -> None:
    start = "rm:vC:4C,AS,10H;0/QH,10S,10D;0/QS,5C,9C;0"
    suggested = await ask(client.suggest_move(start, player=v1.PLAYER_TWO, max_nodes=1000))
    assert suggested.move.notation.startswith("2:")
    view = (await ask(client.view_state(start, v1.PLAYER_TWO))).state
    from_view = await ask(client.suggest_move(view, max_nodes=1000))
    assert {evaluation.move.notation for evaluation in from_view.evaluations} == {"2:QH", "2:10S", "2:10D"}
    assert get(from_view.evaluations[0], "expected_millitricks") is not None


async def test_every_listed_game_can_be_started_by_its_name(client: AnyClient) -> None:
    games = (await ask(client.list_games(include_cards=True))).games
    assert len(games) == 4
    assert len(games[1].triple_triad_cards) == 110
    assert not games[1].clauses
    for game in games:
        state = (await ask(client.new_game(game.name, rules=game.default_rules, seed=1))).state
        assert state.WhichOneof("kind") == game.name


async def test_the_clause_of_a_reason_is_listed(client: AnyClient) -> None:
    games = (await ask(client.list_games(include_clauses=True))).games
    assert not games[1].triple_triad_cards
    clauses = {clause.id: clause for game in games for clause in game.clauses}
    [reason] = (await ask(client.validate_move("444444", "4"))).reasons
    assert clauses[reason.clause].title
    assert clauses[reason.clause].text
