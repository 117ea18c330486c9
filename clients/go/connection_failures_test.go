package arbiter_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
)

// listen listens on a free port, and never answers.
func listen(t *testing.T) net.Listener {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { listener.Close() })
	return listener
}

// atMost fails the test if more time has passed.
func atMost(t *testing.T, since time.Time, limit time.Duration) {
	t.Helper()
	if took := time.Since(since); took > limit {
		t.Errorf("took %s, limit %s", took, limit)
	}
}

func TestClosedPortIsUnreachable(t *testing.T) {
	listener := listen(t)
	listener.Close()
	for _, options := range [][]arbiter.Option{nil, {arbiter.WithoutRetry()}} {
		client, start := newClient(t, listener.Addr().String(), options...), time.Now()
		_, err := client.ListGames(t.Context())
		wantError[*arbiter.UnreachableError](t, err)
		if _, refused := errors.AsType[*arbiter.RefusalError](err); refused {
			t.Errorf("no service refused the call: %v", err)
		}
		atMost(t, start, 4*time.Second)
	}
}

func TestInvalidTargetIsRejected(t *testing.T) {
	if _, err := arbiter.NewClient("\x00"); err == nil {
		t.Error("no error")
	}
}

func TestSilentServerExceedsDeadline(t *testing.T) {
	silent := listen(t).Addr().String()
	check := func(ctx context.Context, options ...arbiter.Option) {
		t.Helper()
		start := time.Now()
		_, err := newClient(t, silent, options...).ListGames(ctx)
		if wantError[*arbiter.DeadlineError](t, err); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v is not a context.DeadlineExceeded", err)
		}
		atMost(t, start, 3*time.Second)
	}
	check(t.Context(), arbiter.WithTimeout(100*time.Millisecond))

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	check(ctx)
	check(ctx, arbiter.WithTimeout(0))
}

func TestCancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newClient(t, address).ListGames(ctx)
	if wantError[*arbiter.CallError](t, err); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}
