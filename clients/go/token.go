package arbiter

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/metadata"
)

// WithToken shows a token with every call, to a service that asks for one. It works without TLS too, but then anyone on
// the way can read it. [NewClient] fails if no header can hold the token.
func WithToken(token string) Option {
	return func(s *settings) error {
		s.token = func(context.Context) (string, error) { return token, nil }
		return checkToken(token)
	}
}

// WithTokenFunc is [WithToken] for a token that is renewed now and then: the function gives the present one, and is asked
// at each call, with the context of the call. If it fails, so does the call, with its error wrapped; likewise if no header
// can hold the token.
func WithTokenFunc(present func(context.Context) (string, error)) Option {
	return func(s *settings) error {
		s.token = present
		return nil
	}
}

// showToken puts the token of a call into its headers, if the client has one.
func (s *settings) showToken(ctx context.Context) (context.Context, error) {
	if s.token == nil {
		return ctx, nil
	}
	token, err := s.token(ctx)
	if err != nil {
		return nil, fmt.Errorf("arbiter: the token of the call: %w", err)
	}
	if err := checkToken(token); err != nil {
		return nil, err
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token), nil
}

// checkToken tells whether a header can hold a token. It does not repeat it: errors are written to logs.
func checkToken(token string) error {
	if token == "" || strings.ContainsFunc(token, func(sign rune) bool { return sign < '!' || sign > '~' }) {
		return errors.New("arbiter: a token is one or more visible ASCII characters, without spaces and line breaks")
	}
	return nil
}
