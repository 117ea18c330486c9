package arbiter_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// wantError ends the test if the error does not have the type.
func wantError[E error](t *testing.T, err error) E {
	t.Helper()
	wanted, is := errors.AsType[E](err)
	if !is {
		t.Fatalf("got a %T: %v", err, err)
	}
	return wanted
}

func TestIllegalMove(t *testing.T) {
	client := newClient(t, address)
	_, err := client.ApplyMove(t.Context(), arbiter.State("444444"), arbiter.Move("4"))
	illegal := wantError[*arbiter.IllegalMoveError](t, err)
	equal(t, "reason", illegal.Reason, arbiterv1.ErrorReason_ERROR_REASON_COLUMN_FULL.String())
	reason := arbiter.Reason{
		Code: "ERROR_REASON_COLUMN_FULL", Message: "column 4 is full", Field: "move.notation", Clause: "C4-2"}
	if len(illegal.Reasons) != 1 || illegal.Reasons[0] != reason {
		t.Errorf("got reasons %v", illegal.Reasons)
	}
	if illegal.MoveIndex != nil {
		t.Errorf("got index %d", *illegal.MoveIndex)
	}
	if metadata := map[string]string{"field": "move.notation", "clause": "C4-2"}; !reflect.DeepEqual(illegal.Metadata, metadata) {
		t.Errorf("got metadata %v", illegal.Metadata)
	}
	equal(t, "text", err.Error(), "arbiter: illegal move: column 4 is full (ERROR_REASON_COLUMN_FULL)")

	// It also matches the more general types.
	equal(t, "refusal", wantError[*arbiter.RefusalError](t, fmt.Errorf("my game: %w", err)), illegal.RefusalError)
	equal(t, "code", wantError[*arbiter.CallError](t, err).Code, codes.FailedPrecondition)
	equal(t, "status", status.Code(err), codes.FailedPrecondition)
	if _, invalid := errors.AsType[*arbiter.InvalidRequestError](err); invalid {
		t.Error("an illegal move is not an invalid request")
	}
}

func TestIllegalMoveOfReplay(t *testing.T) {
	client := newClient(t, address)
	_, err := client.ReplayGame(t.Context(), arbiter.State("44444"), arbiter.Moves("4", "3", "4")...)
	illegal := wantError[*arbiter.IllegalMoveError](t, err)
	if illegal.MoveIndex == nil || *illegal.MoveIndex != 2 {
		t.Errorf("the index of the move is not 2: %+v", illegal)
	}
	equal(t, "index in the metadata", illegal.Metadata["move_index"], "2")
}

func TestImpossibleState(t *testing.T) {
	client := newClient(t, address)
	board := []string{"X......", ".......", ".......", ".......", ".......", "...Z..."}
	_, err := client.ValidateMove(t.Context(), arbiter.State(&arbiterv1.ConnectFourState{Board: board}), nil)
	invalid := wantError[*arbiter.InvalidRequestError](t, err)
	equal(t, "code", invalid.Code, codes.InvalidArgument)
	equal(t, "first reason", invalid.Reason, invalid.Reasons[0].Code)
	var found []string
	for _, reason := range invalid.Reasons {
		found = append(found, strings.TrimPrefix(reason.Code, "ERROR_REASON_")+" "+reason.Field)
		if reason.Message == "" || !strings.Contains(err.Error(), reason.Message) {
			t.Errorf("%q does not contain %q", err, reason.Message)
		}
	}
	wanted := []string{
		"FIELD_REQUIRED state.connect_four.next_player",
		"UNKNOWN_TOKEN state.connect_four.board[5]",
		"FLOATING_TOKEN state.connect_four.board[0]",
		"FIELD_REQUIRED move",
	}
	if !reflect.DeepEqual(found, wanted) {
		t.Errorf("got violations %q", found)
	}
}

func TestUnlistedViolations(t *testing.T) {
	client := newClient(t, address)
	_, err := client.ReplayGame(t.Context(), arbiter.State("4"), make([]*arbiterv1.Move, 30)...)
	invalid := wantError[*arbiter.InvalidRequestError](t, err)
	equal(t, "violations", len(invalid.Reasons)+invalid.Unlisted, 30)
	if invalid.Unlisted == 0 {
		t.Error("all are listed")
	}
}

func TestNilStateIsMissing(t *testing.T) {
	client := newClient(t, address)
	_, err := client.RenderState(t.Context(), arbiter.State((*arbiterv1.ConnectFourState)(nil)))
	equal(t, "missing field", wantError[*arbiter.InvalidRequestError](t, err).Reasons[0].Field, "state")
}

func TestOtherRefusal(t *testing.T) {
	client := newClient(t, address)
	_, err := client.ApplyMove(t.Context(), arbiter.State(strings.Repeat("4", 100_000)), arbiter.Move("4"))
	refusal := wantError[*arbiter.RefusalError](t, err)
	equal(t, "code", refusal.Code, codes.ResourceExhausted)
	equal(t, "reason", refusal.Reason, "ERROR_REASON_MESSAGE_TOO_LARGE")
	equal(t, "first reason", refusal.Reasons[0], arbiter.Reason{Code: refusal.Reason, Message: refusal.Message})
}

func TestErrorKeepsStatusDetails(t *testing.T) {
	client := newClient(t, address)
	_, err := client.ApplyMove(t.Context(), arbiter.State("444444"), arbiter.Move("4"))
	for _, detail := range status.Convert(err).Details() {
		if info, is := detail.(*errdetails.ErrorInfo); is {
			equal(t, "domain", info.GetDomain(), "arbiter.v1")
			return
		}
	}
	t.Error("there is no ErrorInfo")
}

func TestInterceptorSeesError(t *testing.T) {
	var seen error
	intercept := func(
		ctx context.Context, method string, request, response any,
		connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		seen = invoke(ctx, method, request, response, connection, options...)
		return seen
	}
	client := newClient(t, address, arbiter.WithDialOptions(grpc.WithUnaryInterceptor(intercept)))
	_, err := client.ApplyMove(t.Context(), arbiter.State("444444"), arbiter.Move("4"))
	equal(t, "error", wantError[*arbiter.IllegalMoveError](t, err), wantError[*arbiter.IllegalMoveError](t, seen))
}
