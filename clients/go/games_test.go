package arbiter_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// playFirstMoves plays the first legal move until the game is over or atMost moves are made. It returns the moves, and the
// last response.
func playFirstMoves(
	t *testing.T, client *arbiter.Client, state *arbiterv1.State, atMost int,
) ([]*arbiterv1.Move, *arbiterv1.ApplyMoveResponse) {
	t.Helper()
	var (
		moves []*arbiterv1.Move
		last  *arbiterv1.ApplyMoveResponse
	)
	for len(moves) < atMost {
		legal := must(client.ListLegalMoves(t.Context(), state))(t).GetMoves()
		if len(legal) == 0 {
			break
		}
		equal(t, "verdict on a legal move", must(client.ValidateMove(t.Context(), state, legal[0]))(t).GetVerdict(),
			arbiterv1.Verdict_VERDICT_LEGAL)
		last = must(client.ApplyMove(t.Context(), state, legal[0]))(t)
		moves, state = append(moves, legal[0]), last.GetState()
	}
	return moves, last
}

// checkReplay checks that a replay of the moves has the same result.
func checkReplay(
	t *testing.T, client *arbiter.Client,
	start *arbiterv1.State, moves []*arbiterv1.Move, end *arbiterv1.ApplyMoveResponse,
) {
	t.Helper()
	replay := must(client.ReplayGame(t.Context(), start, moves...))(t)
	equal(t, "moves replayed", len(replay.GetEvents()), len(moves))
	if !proto.Equal(replay.GetState(), end.GetState()) || !proto.Equal(replay.GetOutcome(), end.GetOutcome()) {
		t.Errorf("the replay ends with %v\nbut the game with %v", replay, end)
	}
}

func TestConnectFourTyped(t *testing.T) {
	client := newClient(t, address)
	rules := arbiter.Rules(&arbiterv1.ConnectFourRules{LineLength: new(uint32(3))})
	game := must(client.NewGame(t.Context(), arbiter.Setup(&arbiterv1.ConnectFourSetup{}), rules))(t)
	state := game.GetState()
	for _, column := range []uint32{3, 0, 4, 0, 5} {
		move := arbiter.Move(&arbiterv1.ConnectFourMove{Column: &column})
		state = must(client.ApplyMove(t.Context(), state, move))(t).GetState()
	}
	outcome := must(client.DetermineWinner(t.Context(), state))(t).GetOutcome()
	equal(t, "winner", outcome.GetWinner(), arbiterv1.Player_PLAYER_ONE)
	equal(t, "squares of the line", len(outcome.GetConnectFour().GetWinningLines()[0].GetSquares()), 3)
	equal(t, "legal moves after the end", len(must(client.ListLegalMoves(t.Context(), state))(t).GetMoves()), 0)

	captures := must(client.ResolveCaptures(t.Context(), state, arbiter.Square(5, 3)))(t)
	equal(t, "captures", len(captures.GetCaptures()), 0)
	rendered := must(client.RenderState(t.Context(), state))(t)
	again := must(client.RenderState(t.Context(), arbiter.State(rendered.GetNotation())))(t)
	byHand := arbiter.State(state.GetConnectFour())
	if !proto.Equal(again.GetState(), state) || !proto.Equal(byHand, state) {
		t.Errorf("%v is %v as text", state, again)
	}
}

func TestConnectFourAsText(t *testing.T) {
	client := newClient(t, address)
	start := must(client.NewGame(t.Context(), arbiter.Setup(&arbiterv1.ConnectFourSetup{}), arbiter.AsText()))(t)
	equal(t, "first state", start.GetState().GetNotation(), "c4:7x6x4:")
	moves, end := playFirstMoves(t, client, start.GetState(), 42)
	equal(t, "result", end.GetOutcome().GetResult(), arbiterv1.GameResult_GAME_RESULT_WINNER_DETERMINED)
	checkReplay(t, client, start.GetState(), moves, end)
}

func TestAbsentFieldsAreNil(t *testing.T) {
	client := newClient(t, address)
	goesOn := must(client.ApplyMove(t.Context(), arbiter.State("445566"), arbiter.Move("1")))(t).GetOutcome()
	if goesOn.Winner != nil || goesOn.EndReason != nil || goesOn.Detail != nil || goesOn.GetExplanation() != "" {
		t.Errorf("the game goes on: %v", goesOn)
	}
	if next := goesOn.GetNextPlayers(); !slices.Equal(next, []arbiterv1.Player{arbiterv1.Player_PLAYER_TWO}) {
		t.Errorf("got next players %v", next)
	}

	won := must(client.ApplyMove(t.Context(), arbiter.State("445566"), arbiter.Move("7")))(t).GetOutcome()
	equal(t, "winner", *won.Winner, arbiterv1.Player_PLAYER_ONE)
	equal(t, "end reason", *won.EndReason, arbiterv1.EndReason_END_REASON_LINE_COMPLETED)
	equal(t, "next players", len(won.GetNextPlayers()), 0)

	drawn := must(client.DetermineWinner(t.Context(), arbiter.State("c4:2x1x2:12")))(t).GetOutcome()
	equal(t, "end reason", *drawn.EndReason, arbiterv1.EndReason_END_REASON_BOARD_FULL)
	if drawn.Winner != nil || drawn.GetExplanation() == "" {
		t.Errorf("the game is drawn: %v", drawn)
	}
}

func TestTripleTriad(t *testing.T) {
	client := newClient(t, address)
	rules := arbiter.Rules(&arbiterv1.TripleTriadRules{
		Same: new(true), Plus: new(true), Combo: new(true), Elemental: new(true),
		TradeRule: arbiterv1.TripleTriadTradeRule_TRIPLE_TRIAD_TRADE_RULE_ONE.Enum(),
	})
	for _, form := range [][]arbiter.NewGameOption{{}, {arbiter.AsText()}} {
		options := append(form, arbiter.Setup(&arbiterv1.TripleTriadSetup{}), rules, arbiter.Seed(7))
		start := must(client.NewGame(t.Context(), options...))(t)
		equal(t, "seed", start.GetSeed(), 7)
		moves, end := playFirstMoves(t, client, start.GetState(), 9)
		equal(t, "moves", len(moves), 9)
		checkReplay(t, client, start.GetState(), moves, end)

		outcome := must(client.DetermineWinner(t.Context(), end.GetState(), arbiter.Seed(7)))(t).GetOutcome()
		equal(t, "result", outcome.GetResult(), arbiterv1.GameResult_GAME_RESULT_WINNER_DETERMINED)
		dealt := must(client.RenderState(t.Context(), start.GetState()))(t).GetState().GetTripleTriad()
		one, two := dealt.GetHandOne(), dealt.GetHandTwo()
		loser, hand := arbiterv1.Player_PLAYER_TWO, two
		if outcome.GetWinner() == arbiterv1.Player_PLAYER_TWO {
			loser, hand = arbiterv1.Player_PLAYER_ONE, one
		}
		pick := hand[4].GetId()
		trade := must(client.SettleTrade(t.Context(), end.GetState(), one, two, pick))(t)
		equal(t, "cards traded", len(trade.GetTransfers()), 1)
		equal(t, "card traded", trade.GetTransfers()[0].GetCardId(), pick)
		equal(t, "new owner", trade.GetTransfers()[0].GetTo(), outcome.GetWinner())
		equal(t, "old owner", trade.GetTransfers()[0].GetFrom(), loser)
		equal(t, "cards", len(trade.GetCollectionOne())+len(trade.GetCollectionTwo()), 10)
		if trade.GetExplanation() == "" || trade.GetTransfers()[0].GetExplanation() == "" {
			t.Errorf("the trade is not explained: %v", trade)
		}
	}
}

func TestTripleTriadHidesAHand(t *testing.T) {
	client := newClient(t, address)
	hands := &arbiterv1.TripleTriadSetup{
		HandOne: arbiter.TripleTriadCards("1", "2", "3", "4", "5"),
		HandTwo: arbiter.TripleTriadCards("6", "7", "8", "9", "10"),
	}
	game := must(client.NewGame(t.Context(), arbiter.Setup(hands)))(t)
	equal(t, "cards", len(game.GetState().GetTripleTriad().GetHandTwo()), 5)
	view := must(client.ViewState(t.Context(), game.GetState(), arbiterv1.Player_PLAYER_ONE))(t)
	equal(t, "cards seen", len(view.GetState().GetTripleTriad().GetHandTwo()), 0)
	equal(t, "cards hidden", view.GetState().GetTripleTriad().GetView().GetHiddenCards(), 5)
}

// A view is accepted for the viewer's own moves. What depends on hidden cards is refused.
func TestTripleTriadOnAView(t *testing.T) {
	client := newClient(t, address)
	whole := arbiter.State("tt:-:-,-,-/-,-,-/-,-,-:1,2,3,4,5:6,7,8,9,10:X")
	view := must(client.ViewState(t.Context(), whole, arbiterv1.Player_PLAYER_ONE))(t).GetState()
	equal(t, "legal moves", len(must(client.ListLegalMoves(t.Context(), view))(t).GetMoves()), 45)
	verdict := must(client.ValidateMove(t.Context(), view, arbiter.Move("6@5")))(t).GetVerdict()
	equal(t, "verdict on a card of the other player", verdict, arbiterv1.Verdict_VERDICT_ILLEGAL)
	outcome := must(client.DetermineWinner(t.Context(), view))(t).GetOutcome()
	equal(t, "result", outcome.GetResult(), arbiterv1.GameResult_GAME_RESULT_IN_PROGRESS)
	next := must(client.ApplyMove(t.Context(), view, arbiter.Move("1@5")))(t).GetState()
	typed := must(client.RenderState(t.Context(), next))(t).GetState().GetTripleTriad()
	equal(t, "viewer of the next state", typed.GetView().GetViewer(), arbiterv1.Player_PLAYER_ONE)

	_, err := client.ListLegalMoves(t.Context(), next)
	refusal := wantError[*arbiter.InvalidRequestError](t, err)
	equal(t, "reason", refusal.Reason, arbiterv1.ErrorReason_ERROR_REASON_HIDDEN_INFORMATION.String())
}

func TestQueenRooks(t *testing.T) {
	client := newClient(t, address)
	rules := arbiter.Rules(&arbiterv1.QueenRooksRules{Size: new(uint32(4)), QuietMoveLimit: new(uint32(20))})
	start := must(client.NewGame(t.Context(), rules))(t)
	moves, end := playFirstMoves(t, client, start.GetState(), 500)
	equal(t, "legal moves at the end", len(must(client.ListLegalMoves(t.Context(), end.GetState()))(t).GetMoves()), 0)
	checkReplay(t, client, start.GetState(), moves, end)

	won := must(client.ReplayGame(t.Context(), arbiter.State("qr:2rq/2rr/RR2/QR2:1"),
		arbiter.Moves("b3-d3", "c1-a1", "b4-b1", "c2-c1", "a4-c2", "b1-a1")...))(t)
	equal(t, "end reason", won.GetOutcome().GetEndReason(), arbiterv1.EndReason_END_REASON_TOO_FEW_PIECES)
	captures := must(client.ResolveCaptures(
		t.Context(), arbiter.State("qr:7q/8/7r/8/r1R1R3/1r6/8/Q2rr3"), arbiter.Square(4, 4)))(t)
	equal(t, "captures", len(captures.GetCaptures()), 2)
}

func TestRoyalMatch(t *testing.T) {
	client := newClient(t, address)
	setup := arbiter.Setup(&arbiterv1.RoyalMatchSetup{Players: new(uint32(3)), HandSize: new(uint32(5))})
	start := must(client.NewGame(t.Context(), setup, arbiter.Seed(3)))(t)
	moves, end := playFirstMoves(t, client, start.GetState(), 100)
	equal(t, "moves", len(moves), 15)
	equal(t, "end reason", end.GetOutcome().GetEndReason(), arbiterv1.EndReason_END_REASON_HANDS_EMPTY)
	checkReplay(t, client, start.GetState(), moves, end)

	const hearts = arbiterv1.RoyalMatchSuit_ROYAL_MATCH_SUIT_HEARTS
	cards := arbiter.RoyalMatchCards("8S", "7H")
	byValue := must(client.CompareCards(t.Context(), hearts, cards))(t)
	equal(t, "winner by value", byValue.GetWinner().GetNotation(), "8S")
	bySuit := must(client.CompareCards(t.Context(), hearts, cards,
		arbiter.Ordering(arbiterv1.RoyalMatchOrdering_ROYAL_MATCH_ORDERING_SUIT_THEN_VALUE)))(t)
	equal(t, "winner by suit", bySuit.GetWinner().GetNotation(), "7H")
	equal(t, "order of two cards", *bySuit.Order, arbiterv1.RoyalMatchOrder_ROYAL_MATCH_ORDER_SECOND_WINS)
	ranking := must(client.CompareCards(t.Context(), hearts, arbiter.RoyalMatchCards("8S", "7H", "2C")))(t)
	if ranking.Order != nil {
		t.Errorf("the order of three cards is %v", ranking.Order)
	}
}

func TestASuggestedMoveIsPlayed(t *testing.T) {
	client := newClient(t, address)
	state := arbiter.State("2233")
	for {
		suggested := must(client.SuggestMove(t.Context(), state, arbiter.MaxNodes(10_000)))(t)
		best := suggested.GetEvaluations()[0]
		equal(t, "certainty", best.GetCertainty(), arbiterv1.Certainty_CERTAINTY_EXACT)
		if !proto.Equal(suggested.GetMove(), best.GetMove()) || !proto.Equal(suggested.GetLine()[0], best.GetMove()) {
			t.Errorf("the best move is not suggested: %v", suggested)
		}
		next := must(client.ApplyMove(t.Context(), state, suggested.GetMove()))(t)
		if next.GetOutcome().EndReason != nil {
			equal(t, "winner", next.GetOutcome().GetWinner(), arbiterv1.Player_PLAYER_ONE)
			equal(t, "plies of the last move", best.GetForcedEnd().GetPlies(), 1)
			return
		}
		state = next.GetState()
	}
}

func TestAMoveIsSuggestedForAPlayer(t *testing.T) {
	client := newClient(t, address)
	whole := arbiter.State("rm:vC:4C,AS,10H;0/QH,10S,10D;0/QS,5C,9C;0")
	const two = arbiterv1.Player_PLAYER_TWO
	suggested := must(client.SuggestMove(t.Context(), whole, arbiter.ForPlayer(two), arbiter.MaxNodes(1000)))(t)
	equal(t, "player", suggested.GetMove().GetNotation()[:2], "2:")
	view := must(client.ViewState(t.Context(), whole, two))(t).GetState()
	fromView := must(client.SuggestMove(t.Context(), view, arbiter.MaxNodes(1000)))(t)
	equal(t, "evaluations", len(fromView.GetEvaluations()), 3)
	if _, is := fromView.GetEvaluations()[0].Value.(*arbiterv1.MoveEvaluation_ExpectedMillitricks); !is {
		t.Errorf("the value is %v", fromView.GetEvaluations()[0].Value)
	}
}

func TestListGames(t *testing.T) {
	client := newClient(t, address)
	for _, game := range must(client.ListGames(t.Context()))(t).GetGames() {
		equal(t, "cards by default", len(game.GetTripleTriadCards()), 0)
		equal(t, "clauses by default", len(game.GetClauses()), 0)
		for _, preset := range game.GetPresets() {
			must(client.NewGame(t.Context(), arbiter.Rules(preset.GetRules())))(t)
		}
	}
	games := must(client.ListGames(t.Context(), arbiter.IncludeCards(true)))(t).GetGames()
	equal(t, "games", len(games), 4)
	equal(t, "cards", len(games[1].GetTripleTriadCards()), 110)
	equal(t, "clauses", len(games[1].GetClauses()), 0)

	games = must(client.ListGames(t.Context(), arbiter.IncludeClauses(true)))(t).GetGames()
	equal(t, "cards", len(games[1].GetTripleTriadCards()), 0)
	clause := games[0].GetClauses()[1]
	equal(t, "clause", clause.GetId(), "C4-2")
	if clause.GetTitle() == "" || clause.GetText() == "" {
		t.Errorf("the clause has no title or no text: %v", clause)
	}
}
