package arbiter

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/metadata"
)

// WithToken sends a bearer token with every call. Without TLS it is sent in plaintext. [NewClient] fails if the token is
// not a valid header value.
func WithToken(token string) Option {
	return func(s *settings) error {
		s.token = func(context.Context) (string, error) { return token, nil }
		return checkToken(token)
	}
}

// WithTokenFunc is [WithToken] for a token that is rotated. The function returns the current token, and is called for
// every call, with the context of the call. If it fails, the call returns its error, wrapped. The call also fails if the
// token is not a valid header value.
func WithTokenFunc(current func(context.Context) (string, error)) Option {
	return func(s *settings) error {
		s.token = current
		return nil
	}
}

// withToken adds the token, if there is one, to the headers of a call.
func (s *settings) withToken(ctx context.Context) (context.Context, error) {
	if s.token == nil {
		return ctx, nil
	}
	token, err := s.token(ctx)
	if err != nil {
		return nil, fmt.Errorf("arbiter: token: %w", err)
	}
	if err := checkToken(token); err != nil {
		return nil, err
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token), nil
}

// checkToken returns an error if the token is not a valid header value. The error does not contain it: errors end up in
// logs.
func checkToken(token string) error {
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r < '!' || r > '~' }) {
		return errors.New("arbiter: a token is one or more visible ASCII characters, without spaces and line breaks")
	}
	return nil
}
