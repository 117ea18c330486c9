package arbiter_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// fake is a server with responses that the real one does not give. A test sets the calls that it uses.
type fake struct {
	arbiterv1.UnimplementedRulesServiceServer
	renderState   func(context.Context, *arbiterv1.RenderStateRequest) (*arbiterv1.RenderStateResponse, error)
	suggestMove   func(context.Context, *arbiterv1.SuggestMoveRequest) (*arbiterv1.SuggestMoveResponse, error)
	evaluateBatch func(context.Context, *arbiterv1.EvaluateBatchRequest) (*arbiterv1.EvaluateBatchResponse, error)
	evaluate      func(arbiterv1.RulesService_EvaluateServer) error
}

func (f fake) RenderState(
	ctx context.Context, request *arbiterv1.RenderStateRequest,
) (*arbiterv1.RenderStateResponse, error) {
	return f.renderState(ctx, request)
}

func (f fake) SuggestMove(
	ctx context.Context, request *arbiterv1.SuggestMoveRequest,
) (*arbiterv1.SuggestMoveResponse, error) {
	return f.suggestMove(ctx, request)
}

func (f fake) EvaluateBatch(
	ctx context.Context, request *arbiterv1.EvaluateBatchRequest,
) (*arbiterv1.EvaluateBatchResponse, error) {
	return f.evaluateBatch(ctx, request)
}

func (f fake) Evaluate(stream arbiterv1.RulesService_EvaluateServer) error {
	return f.evaluate(stream)
}

// start runs the server until the test ends, and returns its address.
func (f fake) start(t *testing.T) string {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	server := grpc.NewServer()
	arbiterv1.RegisterRulesServiceServer(server, f)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// unavailable is a server that fails a number of times with UNAVAILABLE before it answers, and counts the calls.
func unavailable(times int32) (server fake, calls *atomic.Int32) {
	calls = &atomic.Int32{}
	try := func() error {
		if calls.Add(1) <= times {
			return status.Error(codes.Unavailable, "not now")
		}
		return nil
	}
	return fake{
		renderState: func(context.Context, *arbiterv1.RenderStateRequest) (*arbiterv1.RenderStateResponse, error) {
			return &arbiterv1.RenderStateResponse{Text: "board"}, try()
		},
		evaluateBatch: func(
			_ context.Context, request *arbiterv1.EvaluateBatchRequest,
		) (*arbiterv1.EvaluateBatchResponse, error) {
			answers := make([]*arbiterv1.Answer, len(request.GetCalls()))
			return &arbiterv1.EvaluateBatchResponse{Answers: answers}, try()
		},
	}, calls
}

func TestUnavailableIsRetried(t *testing.T) {
	server, calls := unavailable(2)
	rendered := must(newClient(t, server.start(t)).RenderState(t.Context(), nil))(t)
	equal(t, "response", rendered.GetText(), "board")
	equal(t, "calls", calls.Load(), 3)
}

func TestMaximumAttempts(t *testing.T) {
	server, calls := unavailable(100)
	_, err := newClient(t, server.start(t)).RenderState(t.Context(), nil)
	if wantError[*arbiter.UnreachableError](t, err); !strings.Contains(err.Error(), "not now") {
		t.Errorf("got error %v", err)
	}
	equal(t, "calls", calls.Load(), 4)
}

func TestWithoutRetry(t *testing.T) {
	server, calls := unavailable(2)
	_, err := newClient(t, server.start(t), arbiter.WithoutRetry()).RenderState(t.Context(), nil)
	wantError[*arbiter.UnreachableError](t, err)
	equal(t, "calls", calls.Load(), 1)
}

func TestResourceExhaustedIsNotRetried(t *testing.T) {
	calls := 0
	server := fake{renderState: func(
		context.Context, *arbiterv1.RenderStateRequest,
	) (*arbiterv1.RenderStateResponse, error) {
		calls++
		return nil, status.Error(codes.ResourceExhausted, "overloaded")
	}}
	_, err := newClient(t, server.start(t)).RenderState(t.Context(), nil)
	equal(t, "code", wantError[*arbiter.CallError](t, err).Code, codes.ResourceExhausted)
	equal(t, "calls", calls, 1)
}

// The batch has nearly the maximum size.
func TestLargeBatchIsRetried(t *testing.T) {
	server, calls := unavailable(2)
	large := make([]*arbiterv1.Call, 250)
	for index := range large {
		state := arbiter.State(string(make([]byte, 4000)))
		large[index] = arbiter.Call(&arbiterv1.RenderStateRequest{State: state})
	}
	must(newClient(t, server.start(t)).EvaluateBatch(t.Context(), large...))(t)
	equal(t, "calls", calls.Load(), 3)
}

func TestDefaultTimeoutIsFiveSeconds(t *testing.T) {
	var left time.Duration
	var streamHasDeadline bool
	server := fake{
		renderState: func(ctx context.Context, _ *arbiterv1.RenderStateRequest) (*arbiterv1.RenderStateResponse, error) {
			deadline, _ := ctx.Deadline()
			left = time.Until(deadline)
			return &arbiterv1.RenderStateResponse{}, nil
		},
		evaluate: func(stream arbiterv1.RulesService_EvaluateServer) error {
			_, streamHasDeadline = stream.Context().Deadline()
			return status.Error(codes.Aborted, "aborted")
		},
	}
	target := server.start(t)
	check := func(ctx context.Context, wanted time.Duration, options ...arbiter.Option) {
		t.Helper()
		must(newClient(t, target, options...).RenderState(ctx, nil))(t)
		if left > wanted || left < wanted-2*time.Second {
			t.Errorf("the timeout is %s, wanted %s", left, wanted)
		}
	}
	check(t.Context(), 5*time.Second)
	check(t.Context(), 30*time.Second, arbiter.WithTimeout(30*time.Second))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	check(ctx, 20*time.Second)

	_, err := must(newClient(t, target).Evaluate(t.Context()))(t).Recv()
	equal(t, "code of the stream", wantError[*arbiter.CallError](t, err).Code, codes.Aborted)
	equal(t, "stream has a deadline", streamHasDeadline, false)
}

func TestDefaultTimeoutOfSuggestMoveIsTenSeconds(t *testing.T) {
	var left time.Duration
	server := fake{suggestMove: func(
		ctx context.Context, _ *arbiterv1.SuggestMoveRequest,
	) (*arbiterv1.SuggestMoveResponse, error) {
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
		return &arbiterv1.SuggestMoveResponse{}, nil
	}}
	target := server.start(t)
	check := func(wanted time.Duration, options ...arbiter.Option) {
		t.Helper()
		must(newClient(t, target, options...).SuggestMove(t.Context(), nil))(t)
		if left > wanted || left < wanted-2*time.Second {
			t.Errorf("the timeout is %s, wanted %s", left, wanted)
		}
	}
	check(10 * time.Second)
	check(30*time.Second, arbiter.WithTimeout(30*time.Second))
}

func TestSuggestMoveOptions(t *testing.T) {
	var received *arbiterv1.SuggestMoveRequest
	server := fake{suggestMove: func(
		_ context.Context, request *arbiterv1.SuggestMoveRequest,
	) (*arbiterv1.SuggestMoveResponse, error) {
		received = request
		return &arbiterv1.SuggestMoveResponse{}, nil
	}}
	client := newClient(t, server.start(t))
	must(client.SuggestMove(t.Context(), arbiter.State("44")))(t)
	if wanted := (&arbiterv1.SuggestMoveRequest{State: arbiter.State("44")}); !proto.Equal(received, wanted) {
		t.Errorf("got %v, wanted %v", received, wanted)
	}
	must(client.SuggestMove(t.Context(), arbiter.State("44"),
		arbiter.ForPlayer(arbiterv1.Player_PLAYER_TWO), arbiter.LevelStrong, arbiter.MaxNodes(1000), arbiter.Seed(0),
		arbiter.MaxLinePlies(0), arbiter.HiddenPool(arbiter.TripleTriadCards("54"))))(t)
	wanted := &arbiterv1.SuggestMoveRequest{
		State:           arbiter.State("44"),
		Player:          arbiterv1.Player_PLAYER_TWO.Enum(),
		Level:           arbiterv1.SuggestionLevel_SUGGESTION_LEVEL_STRONG.Enum(),
		MaxNodes:        new(uint32(1000)),
		Seed:            new(uint64(0)),
		MaxLinePlies:    new(uint32(0)),
		TripleTriadPool: &arbiterv1.TripleTriadHiddenPool{Cards: arbiter.TripleTriadCards("54")},
	}
	if !proto.Equal(received, wanted) {
		t.Errorf("got %v, wanted %v", received, wanted)
	}
}
