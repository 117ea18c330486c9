package arbiter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// connect returns a client of the server of the tests.
func connect() (context.Context, *arbiter.Client) {
	client, err := arbiter.NewClient(address)
	if err != nil {
		log.Fatal(err)
	}
	return context.Background(), client
}

// A state and a move as text; the response has text too.
func Example() {
	ctx, client := connect()
	defer client.Close()

	answer, err := client.ApplyMove(ctx, arbiter.State("445566"), arbiter.Move("7"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.GetState().GetNotation())
	fmt.Println(answer.GetOutcome().GetEndReason(), answer.GetOutcome().GetWinner())
	// Output:
	// c4:7x6x4:4455667
	// END_REASON_LINE_COMPLETED PLAYER_ONE
}

// An optional field is a pointer: nil when the field is absent.
func Example_outcome() {
	ctx, client := connect()
	defer client.Close()

	for _, game := range []string{"445566", "4455667", "c4:2x1x2:12"} {
		answer, err := client.DetermineWinner(ctx, arbiter.State(game))
		if err != nil {
			log.Fatal(err)
		}
		outcome := answer.GetOutcome()
		switch {
		case outcome.EndReason == nil:
			fmt.Println("next:", outcome.GetNextPlayers())
		case outcome.Winner == nil:
			fmt.Println("nobody has won:", outcome.GetExplanation())
		default:
			fmt.Printf("%s: %s\n", outcome.Winner, outcome.GetExplanation())
		}
	}
	// Output:
	// next: [PLAYER_ONE]
	// PLAYER_ONE: player one wins with a horizontal line of 4 tokens
	// nobody has won: the board is full and nobody has a line: a draw
}

// A view hides the other player's hand. It works for calls about the viewer's own moves.
func ExampleClient_ViewState() {
	ctx, client := connect()
	defer client.Close()

	whole := arbiter.State("tt:-:-,-,-/-,-,-/-,-,-:1,2,3,4,5:6,7,8,9,10:X")
	seen, err := client.ViewState(ctx, whole, arbiterv1.Player_PLAYER_ONE)
	if err != nil {
		log.Fatal(err)
	}
	next, err := client.ApplyMove(ctx, seen.GetState(), arbiter.Move("1@5"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(seen.GetState().GetNotation())
	fmt.Println(next.GetState().GetNotation())

	// It is the other player's turn now, and their cards are hidden.
	_, err = client.ListLegalMoves(ctx, next.GetState())
	if refusal, is := errors.AsType[*arbiter.RefusalError](err); is {
		fmt.Println(refusal.Reason)
	}
	// Output:
	// tt:-:-,-,-/-,-,-/-,-,-:1,2,3,4,5:?5:X
	// tt:-:-,-,-/-,X1,-/-,-,-:2,3,4,5:?5:O
	// ERROR_REASON_HIDDEN_INFORMATION
}

func ExampleIllegalMoveError() {
	ctx, client := connect()
	defer client.Close()

	_, err := client.ApplyMove(ctx, arbiter.State("444444"), arbiter.Move("4"))
	if illegal, is := errors.AsType[*arbiter.IllegalMoveError](err); is {
		for _, reason := range illegal.Reasons {
			fmt.Println(reason.Code, reason.Clause, reason.Field, reason.Message)
		}
	}
	fmt.Println(err)
	// Output:
	// ERROR_REASON_COLUMN_FULL C4-2 move.notation column 4 is full
	// arbiter: illegal move: column 4 is full (ERROR_REASON_COLUMN_FULL)
}

func ExampleInvalidRequestError() {
	ctx, client := connect()
	defer client.Close()

	board := []string{".......", ".......", ".......", "...X...", ".......", "...O..."}
	state := &arbiterv1.ConnectFourState{Board: board, NextPlayer: arbiterv1.Player(7).Enum()}
	_, err := client.DetermineWinner(ctx, arbiter.State(state))
	if invalid, is := errors.AsType[*arbiter.InvalidRequestError](err); is {
		for _, reason := range invalid.Reasons {
			fmt.Println(reason.Code, reason.Field)
		}
	}
	// Output:
	// ERROR_REASON_UNKNOWN_ENUM_VALUE state.connect_four.next_player
	// ERROR_REASON_FLOATING_TOKEN state.connect_four.board[3]
}

// The seed determines random choices.
func ExampleClient_NewGame() {
	ctx, client := connect()
	defer client.Close()

	game, err := client.NewGame(ctx,
		arbiter.Setup(&arbiterv1.TripleTriadSetup{FirstPlayer: arbiterv1.Player_PLAYER_ONE.Enum()}),
		arbiter.Rules(&arbiterv1.TripleTriadRules{Same: new(true), Plus: new(true), Combo: new(true)}),
		arbiter.Seed(2),
		arbiter.AsText())
	if err != nil {
		log.Fatal(err)
	}
	moves, err := client.ListLegalMoves(ctx, game.GetState())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(moves.GetMoves()), "legal moves")
	// Output: 45 legal moves
}

func ExampleClient_CompareCards() {
	ctx, client := connect()
	defer client.Close()

	const dominant = arbiterv1.RoyalMatchSuit_ROYAL_MATCH_SUIT_HEARTS
	answer, err := client.CompareCards(ctx, dominant, arbiter.RoyalMatchCards("7C", "7D"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.GetComparisons()[0].GetExplanation())
	// Output: 7D beats 7C: both are neutral, and diamonds are red like hearts
}

// The value of a move is one of several kinds.
func ExampleClient_SuggestMove() {
	ctx, client := connect()
	defer client.Close()

	suggested, err := client.SuggestMove(ctx, arbiter.State("2233"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(suggested.GetMove().GetNotation(), len(suggested.GetEvaluations()), suggested.GetExplanation())

	best := suggested.GetEvaluations()[0]
	switch value := best.Value.(type) {
	case *arbiterv1.MoveEvaluation_ForcedEnd:
		fmt.Println(best.Certainty, value.ForcedEnd.GetResult(), value.ForcedEnd.GetPlies())
	case *arbiterv1.MoveEvaluation_Heuristic:
		fmt.Println(best.Certainty, value.Heuristic)
	}

	casual, err := client.SuggestMove(ctx, arbiter.State("112233"), arbiter.LevelCasual, arbiter.Seed(7))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(casual.GetMove().GetNotation())
	// Output:
	// 4 7 column 4 wins in 3 plies
	// CERTAINTY_EXACT FORCED_RESULT_WIN 3
	// 4
}

func ExampleClient_EvaluateBatch() {
	ctx, client := connect()
	defer client.Close()

	var calls []*arbiterv1.Call
	for _, column := range []string{"3", "4"} {
		request := &arbiterv1.ApplyMoveRequest{State: arbiter.State("444444"), Move: arbiter.Move(column)}
		calls = append(calls, arbiter.Call(request))
	}
	answers, err := client.EvaluateBatch(ctx, calls...)
	if err != nil {
		log.Fatal(err)
	}
	for _, answer := range answers {
		switch response := answer.Response.(type) {
		case *arbiterv1.ApplyMoveResponse:
			fmt.Println(response.GetState().GetNotation())
		default:
			fmt.Println(answer.Err)
		}
	}
	// Output:
	// c4:7x6x4:4444443
	// arbiter: illegal move: column 4 is full (ERROR_REASON_COLUMN_FULL)
}

func ExampleClient_Evaluate() {
	ctx, client := connect()
	defer client.Close()

	stream, err := client.Evaluate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	go func() {
		for _, game := range []string{"4", "44", "444"} {
			stream.Send(arbiter.Call(&arbiterv1.RenderStateRequest{State: arbiter.State(game)}))
		}
		stream.CloseSend()
	}()
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Response.(*arbiterv1.RenderStateResponse).GetNotation())
	}
	// Output:
	// c4:7x6x4:4
	// c4:7x6x4:44
	// c4:7x6x4:444
}

func ExampleWithTimeout() {
	client, err := arbiter.NewClient(address, arbiter.WithTimeout(10*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err = client.ListGames(ctx)
	if _, late := errors.AsType[*arbiter.DeadlineError](err); late {
		fmt.Println("that took too long")
	}
	// Output:
}

// Mutual TLS, with a client certificate. (Not run, because the files do not exist.)
func ExampleWithClientCertificate() {
	roots, _ := os.ReadFile("roots.pem")
	certificate, _ := os.ReadFile("client.pem")
	key, _ := os.ReadFile("client.key")
	client, err := arbiter.NewClient("arbiter.example:443",
		arbiter.WithRoots(roots), arbiter.WithClientCertificate(certificate, key))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}

// The token is read again for each call. (Not run, because the service does not exist.)
func ExampleWithTokenFunc() {
	client, err := arbiter.NewClient("arbiter.example:443", arbiter.WithTLS(),
		arbiter.WithTokenFunc(func(context.Context) (string, error) {
			token, err := os.ReadFile("token")
			return string(bytes.TrimSpace(token)), err
		}))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}
