package arbiter_test

import (
	"os"
	"testing"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/internal/servertest"
)

// The address of the real server.
var address string

func TestMain(m *testing.M) {
	os.Exit(servertest.RunTests(m, &address))
}

// newClient returns a client that is closed when the test ends.
func newClient(t *testing.T, target string, options ...arbiter.Option) *arbiter.Client {
	t.Helper()
	client := must(arbiter.NewClient(target, options...))(t)
	t.Cleanup(func() { client.Close() })
	return client
}

// must ends the test if there is an error: must(f())(t).
func must[V any](value V, err error) func(*testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// equal reports an error if the values differ.
func equal[V comparable](t *testing.T, what string, got, wanted V) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s: got %v, wanted %v", what, got, wanted)
	}
}
