package arbiter_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
	"github.com/arbiter-referee/arbiter/clients/go/internal/servertest"
)

// startGuarded runs a real server that asks for a token, and tells its address and the token.
func startGuarded(t *testing.T) (address, token string) {
	t.Helper()
	token = rand.Text()
	file := filepath.Join(t.TempDir(), "tokens")
	line := fmt.Sprintf("tests %x\n", sha256.Sum256([]byte(token)))
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	return servertest.Start(t, "--token-file", file, "--drain-delay", "0s"), token
}

// inTurn gives one token after the other.
func inTurn(tokens ...string) arbiter.Option {
	return arbiter.WithTokenFunc(func(context.Context) (string, error) {
		token := tokens[0]
		tokens = tokens[1:]
		return token, nil
	})
}

// listGames makes a call, alone and in a stream, and tells the error of each.
func listGames(t *testing.T, client *arbiter.Client) (alone, inStream error) {
	t.Helper()
	_, alone = client.ListGames(t.Context())
	stream, err := client.Evaluate(t.Context())
	if err != nil {
		return alone, err
	}
	defer stream.Close()
	// If the stream is broken, Recv tells why.
	stream.Send(arbiter.Call(&arbiterv1.ListGamesRequest{}))
	answer, err := stream.Recv()
	return alone, errors.Join(err, answer.Err)
}

// wantUnauthenticated ends the test if the error is not that of a call that shows no token that is known.
func wantUnauthenticated(t *testing.T, err error) {
	t.Helper()
	refusal := wantError[*arbiter.RefusalError](t, err)
	equal(t, "code", refusal.Code, codes.Unauthenticated)
	equal(t, "reason", refusal.Reason, arbiterv1.ErrorReason_ERROR_REASON_UNAUTHENTICATED.String())
}

func TestATokenLetsCallsIn(t *testing.T) {
	guarded, token := startGuarded(t)
	for _, option := range []arbiter.Option{arbiter.WithToken(token), inTurn(token, token, token)} {
		client := newClient(t, guarded, option)
		if alone, inStream := listGames(t, client); alone != nil || inStream != nil {
			t.Errorf("alone: %v, in a stream: %v", alone, inStream)
		}
		must(client.Stub().ListGames(t.Context(), &arbiterv1.ListGamesRequest{}))(t)
	}
}

func TestACallWithoutATokenThatIsKnownIsRefused(t *testing.T) {
	guarded, _ := startGuarded(t)
	wrong := rand.Text()
	for _, options := range [][]arbiter.Option{nil, {arbiter.WithToken(wrong)}} {
		client := newClient(t, guarded, options...)
		alone, inStream := listGames(t, client)
		wantUnauthenticated(t, alone)
		wantUnauthenticated(t, inStream)
		if text := fmt.Sprintf("%+v %#v %+v %#v %+v", alone, alone, client, client, inStream); strings.Contains(text, wrong) {
			t.Errorf("the token is told: %s", text)
		}
	}
}

func TestTheTokenIsThatOfItsCall(t *testing.T) {
	guarded, token := startGuarded(t)
	client := newClient(t, guarded, inTurn("old", token, token, "old"))
	alone, inStream := listGames(t, client)
	wantUnauthenticated(t, alone)
	if inStream != nil {
		t.Error(inStream)
	}
	alone, inStream = listGames(t, client)
	if alone != nil {
		t.Error(alone)
	}
	wantUnauthenticated(t, inStream)
}

func TestEveryAttemptShowsTheToken(t *testing.T) {
	var shown []string
	server := fake{renderState: func(
		ctx context.Context, _ *arbiterv1.RenderStateRequest,
	) (*arbiterv1.RenderStateResponse, error) {
		shown = append(shown, metadata.ValueFromIncomingContext(ctx, "authorization")...)
		if len(shown) <= 2 {
			return nil, status.Error(codes.Unavailable, "not now")
		}
		return &arbiterv1.RenderStateResponse{}, nil
	}}
	client := newClient(t, server.start(t), inTurn("first", "second"))
	must(client.RenderState(t.Context(), nil))(t)
	must(client.RenderState(t.Context(), nil))(t)
	if !slices.Equal(shown, []string{"Bearer first", "Bearer first", "Bearer first", "Bearer second"}) {
		t.Errorf("shown are %q", shown)
	}
}

func TestATokenThatNoHeaderCanHold(t *testing.T) {
	check := func(bad string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "visible ASCII") || strings.Contains(err.Error(), "same") {
			t.Errorf("%q: the error is %v", bad, err)
		}
	}
	for _, bad := range []string{
		"", " ", "sesame\n", "\tsesame", "open sesame", "sésame", "sesame\x7f", "sesame\x00", "sesame\xff",
	} {
		_, err := arbiter.NewClient(address, arbiter.WithToken(bad))
		check(bad, err)
		alone, inStream := listGames(t, newClient(t, address, inTurn(bad, bad)))
		check(bad, alone)
		check(bad, inStream)
	}
}

func TestAFunctionThatHasNoToken(t *testing.T) {
	away := errors.New("whoever gives the tokens is away")
	deadlines := 0
	client := newClient(t, address, arbiter.WithTokenFunc(func(ctx context.Context) (string, error) {
		if _, has := ctx.Deadline(); has {
			deadlines++
		}
		return "", away
	}))
	alone, inStream := listGames(t, client)
	if !errors.Is(alone, away) || !errors.Is(inStream, away) {
		t.Errorf("alone: %v, in a stream: %v", alone, inStream)
	}
	equal(t, "deadlines", deadlines, 1)
}
