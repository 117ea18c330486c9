package arbiter_test

import (
	"strings"
	"testing"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
)

const expectedName = "arbiter.test"

func TestTLSWithTrustedRoots(t *testing.T) {
	authority := newAuthority(t)
	proxy := startTLSProxy(t, authority, nil)
	client := newClient(t, proxy, arbiter.WithRoots(authority.pem), arbiter.WithServerName(expectedName))
	must(client.ListGames(t.Context()))(t)
}

func TestTLSUntrusted(t *testing.T) {
	authority, other := newAuthority(t), newAuthority(t)
	proxy := startTLSProxy(t, authority, nil)
	for _, example := range []struct {
		what    string
		options []arbiter.Option
		because string
	}{
		{"other roots", []arbiter.Option{arbiter.WithRoots(other.pem), arbiter.WithServerName(expectedName)}, "unknown authority"},
		{"system roots", []arbiter.Option{arbiter.WithTLS(), arbiter.WithServerName(expectedName)}, "certificate"},
		{"another name", []arbiter.Option{arbiter.WithRoots(authority.pem)}, "certificate for 127.0.0.1"},
		{"no TLS", nil, ""},
	} {
		_, err := newClient(t, proxy, example.options...).ListGames(t.Context())
		if unreachable := wantError[*arbiter.UnreachableError](t, err); !strings.Contains(err.Error(), example.because) {
			t.Errorf("%s: %v", example.what, unreachable)
		}
	}
}

func TestMutualTLS(t *testing.T) {
	authority, clients := newAuthority(t), newAuthority(t)
	proxy := startTLSProxy(t, authority, &clients)
	trust := []arbiter.Option{arbiter.WithRoots(authority.pem), arbiter.WithServerName(expectedName)}

	known := newClient(t, proxy, append(trust, arbiter.WithClientCertificate(clients.issue(t, "client")))...)
	must(known.ListGames(t.Context()))(t)

	// Do not check the cause: in TLS 1.3 the server rejects the client after the handshake, and the connection may close
	// before the alert arrives.
	_, err := newClient(t, proxy, trust...).ListGames(t.Context())
	wantError[*arbiter.UnreachableError](t, err)
}

func TestInvalidPEMIsRejected(t *testing.T) {
	certificate, _ := newAuthority(t).issue(t, "client")
	for _, option := range []arbiter.Option{
		arbiter.WithRoots([]byte("nonsense")),
		arbiter.WithClientCertificate(certificate, []byte("nonsense")),
	} {
		if _, err := arbiter.NewClient(address, option); err == nil {
			t.Error("no error")
		}
	}
}
