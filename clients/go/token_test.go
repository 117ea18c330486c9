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

// startWithToken runs a real server that requires a token, and returns its address and the token.
func startWithToken(t *testing.T) (address, token string) {
	t.Helper()
	token = rand.Text()
	file := filepath.Join(t.TempDir(), "tokens")
	line := fmt.Sprintf("tests %x\n", sha256.Sum256([]byte(token)))
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	return servertest.Start(t, "--token-file", file, "--drain-delay", "0s"), token
}

// tokenSequence returns the tokens in sequence, one per call.
func tokenSequence(tokens ...string) arbiter.Option {
	return arbiter.WithTokenFunc(func(context.Context) (string, error) {
		token := tokens[0]
		tokens = tokens[1:]
		return token, nil
	})
}

// listGames makes a call, on its own and in a stream, and returns the error of each.
func listGames(t *testing.T, client *arbiter.Client) (alone, inStream error) {
	t.Helper()
	_, alone = client.ListGames(t.Context())
	stream, err := client.Evaluate(t.Context())
	if err != nil {
		return alone, err
	}
	defer stream.Close()
	// If the stream has failed, Recv returns the error.
	stream.Send(arbiter.Call(&arbiterv1.ListGamesRequest{}))
	answer, err := stream.Recv()
	return alone, errors.Join(err, answer.Err)
}

// wantUnauthenticated ends the test if the error is not that of a call without a known token.
func wantUnauthenticated(t *testing.T, err error) {
	t.Helper()
	refusal := wantError[*arbiter.RefusalError](t, err)
	equal(t, "code", refusal.Code, codes.Unauthenticated)
	equal(t, "reason", refusal.Reason, arbiterv1.ErrorReason_ERROR_REASON_UNAUTHENTICATED.String())
}

func TestKnownTokenIsAccepted(t *testing.T) {
	target, token := startWithToken(t)
	for _, option := range []arbiter.Option{arbiter.WithToken(token), tokenSequence(token, token, token)} {
		client := newClient(t, target, option)
		if alone, inStream := listGames(t, client); alone != nil || inStream != nil {
			t.Errorf("alone: %v, in a stream: %v", alone, inStream)
		}
		must(client.Stub().ListGames(t.Context(), &arbiterv1.ListGamesRequest{}))(t)
	}
}

func TestCallWithoutKnownTokenIsRefused(t *testing.T) {
	target, _ := startWithToken(t)
	wrong := rand.Text()
	for _, options := range [][]arbiter.Option{nil, {arbiter.WithToken(wrong)}} {
		client := newClient(t, target, options...)
		alone, inStream := listGames(t, client)
		wantUnauthenticated(t, alone)
		wantUnauthenticated(t, inStream)
		if text := fmt.Sprintf("%+v %#v %+v %#v %+v", alone, alone, client, client, inStream); strings.Contains(text, wrong) {
			t.Errorf("the text contains the token: %s", text)
		}
	}
}

func TestEachCallHasItsToken(t *testing.T) {
	target, token := startWithToken(t)
	client := newClient(t, target, tokenSequence("old", token, token, "old"))
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

func TestEveryAttemptHasTheToken(t *testing.T) {
	var received []string
	server := fake{renderState: func(
		ctx context.Context, _ *arbiterv1.RenderStateRequest,
	) (*arbiterv1.RenderStateResponse, error) {
		received = append(received, metadata.ValueFromIncomingContext(ctx, "authorization")...)
		if len(received) <= 2 {
			return nil, status.Error(codes.Unavailable, "not now")
		}
		return &arbiterv1.RenderStateResponse{}, nil
	}}
	client := newClient(t, server.start(t), tokenSequence("first", "second"))
	must(client.RenderState(t.Context(), nil))(t)
	must(client.RenderState(t.Context(), nil))(t)
	if !slices.Equal(received, []string{"Bearer first", "Bearer first", "Bearer first", "Bearer second"}) {
		t.Errorf("received %q", received)
	}
}

func TestInvalidTokenIsRejected(t *testing.T) {
	check := func(bad string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "visible ASCII") || strings.Contains(err.Error(), "same") {
			t.Errorf("%q: got error %v", bad, err)
		}
	}
	for _, bad := range []string{
		"", " ", "sesame\n", "\tsesame", "open sesame", "sésame", "sesame\x7f", "sesame\x00", "sesame\xff",
	} {
		_, err := arbiter.NewClient(address, arbiter.WithToken(bad))
		check(bad, err)
		alone, inStream := listGames(t, newClient(t, address, tokenSequence(bad, bad)))
		check(bad, alone)
		check(bad, inStream)
	}
}

func TestTokenFunctionFails(t *testing.T) {
	failure := errors.New("no token")
	deadlines := 0
	client := newClient(t, address, arbiter.WithTokenFunc(func(ctx context.Context) (string, error) {
		if _, has := ctx.Deadline(); has {
			deadlines++
		}
		return "", failure
	}))
	alone, inStream := listGames(t, client)
	if !errors.Is(alone, failure) || !errors.Is(inStream, failure) {
		t.Errorf("alone: %v, in a stream: %v", alone, inStream)
	}
	equal(t, "deadlines", deadlines, 1)
}
