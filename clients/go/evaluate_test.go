package arbiter_test

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// mixedCalls returns valid and invalid calls.
func mixedCalls() []*arbiterv1.Call {
	full := arbiter.State("44444")
	return []*arbiterv1.Call{
		arbiter.Call(&arbiterv1.ApplyMoveRequest{State: full, Move: arbiter.Move("4")}),
		arbiter.Call(&arbiterv1.ReplayGameRequest{State: full, Moves: arbiter.Moves("4", "4")}),
		arbiter.Call(&arbiterv1.RenderStateRequest{State: arbiter.State("nonsense")}),
		arbiter.Call(&arbiterv1.ListLegalMovesRequest{State: full}),
	}
}

func checkMixedAnswers(t *testing.T, answers []arbiter.Answer) {
	t.Helper()
	equal(t, "answers", len(answers), 4)
	applied := answers[0].Response.(*arbiterv1.ApplyMoveResponse)
	equal(t, "state", applied.GetState().GetNotation(), "c4:7x6x4:444444")
	illegal := wantError[*arbiter.IllegalMoveError](t, answers[1].Err)
	equal(t, "index", *illegal.MoveIndex, 1)
	equal(t, "reason", illegal.Reason, "ERROR_REASON_COLUMN_FULL")
	equal(t, "clause", illegal.Reasons[0].Clause, "C4-2")
	invalid := wantError[*arbiter.InvalidRequestError](t, answers[2].Err)
	equal(t, "field", invalid.Reasons[0].Field, "state.notation")
	equal(t, "legal moves", len(answers[3].Response.(*arbiterv1.ListLegalMovesResponse).GetMoves()), 7)
}

func TestBatchAnswersEachCall(t *testing.T) {
	client := newClient(t, address)
	checkMixedAnswers(t, must(client.EvaluateBatch(t.Context(), mixedCalls()...))(t))
	equal(t, "answers of an empty batch", len(must(client.EvaluateBatch(t.Context()))(t)), 0)
}

func TestBatchIsRefused(t *testing.T) {
	client := newClient(t, address)
	_, err := client.EvaluateBatch(t.Context(), slices.Repeat(mixedCalls(), 251)...)
	equal(t, "reason", wantError[*arbiter.RefusalError](t, err).Reason, "ERROR_REASON_TOO_MANY_ITEMS")
}

// The response has the maximum size, 4 MiB, with a refusal for each call whose answer does not fit.
func TestBatchWithLargestResponse(t *testing.T) {
	client := newClient(t, address)
	call := arbiter.Call(&arbiterv1.ListGamesRequest{IncludeCards: true})
	answers := must(client.EvaluateBatch(t.Context(), slices.Repeat([]*arbiterv1.Call{call}, 1000)...))(t)
	if answers[0].Err != nil {
		t.Error(answers[0].Err)
	}
	refusal := wantError[*arbiter.RefusalError](t, answers[999].Err)
	equal(t, "reason", refusal.Reason, "ERROR_REASON_ANSWER_TOO_LARGE")
}

func TestStreamAnswersInOrder(t *testing.T) {
	client := newClient(t, address, arbiter.WithTimeout(100*time.Millisecond))
	stream := must(client.Evaluate(t.Context()))(t)
	defer stream.Close()
	var answers []arbiter.Answer
	for _, call := range mixedCalls() {
		if err := stream.Send(call); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, must(stream.Recv())(t))
		time.Sleep(50 * time.Millisecond) // Longer in total than the timeout: a stream has none.
	}
	checkMixedAnswers(t, answers)
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("got %v at the end of the stream", err)
	}
}

func TestCancelledStream(t *testing.T) {
	client := newClient(t, address)
	stream := must(client.Evaluate(t.Context()))(t)
	stream.Close()
	_, err := stream.Recv()
	if call := wantError[*arbiter.CallError](t, err); !call.Is(context.Canceled) {
		t.Errorf("got error %v", err)
	}
}
