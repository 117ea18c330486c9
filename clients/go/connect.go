package arbiter

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

const (
	// DefaultTimeout is the timeout of a call whose context has no deadline. [WithTimeout] changes it.
	DefaultTimeout = 5 * time.Second
	// DefaultSuggestMoveTimeout is that of [Client.SuggestMove]: the service's own default limit, because a search may
	// take that long.
	DefaultSuggestMoveTimeout = 10 * time.Second
)

const (
	// gRPC retries a call only if its whole request is in the retry buffer, by default 256 KiB. A batch has up to 1 MiB.
	maxRetryBuffer = 2 << 20
	// The service limits the size of a batch's response: by default to 4 MiB, which is also gRPC's default limit.
	maxResponse = 16 << 20
)

// No call has side effects, so every call may be retried. RESOURCE_EXHAUSTED is not retried: it is also the status of a
// message that is too large.
const retryPolicy = `{"methodConfig": [{
	"name": [{"service": "arbiter.v1.RulesService"}],
	"retryPolicy": {
		"maxAttempts": 4,
		"initialBackoff": "0.1s",
		"maxBackoff": "1s",
		"backoffMultiplier": 2,
		"retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`

// Option is an option of [NewClient].
type Option func(*settings) error

type settings struct {
	timeout            time.Duration
	suggestMoveTimeout time.Duration
	retry              bool
	tls                *tls.Config
	token              func(context.Context) (string, error)
	dial               []grpc.DialOption
}

// WithTimeout sets the timeout of every call whose context has no deadline; 0 is no limit. A context with a deadline
// overrides it for its call. Streams have only the deadline of their context.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		s.timeout, s.suggestMoveTimeout = timeout, timeout
		return nil
	}
}

// WithoutRetry turns retries off. By default a call that fails with UNAVAILABLE is tried up to 4 times within its
// deadline, with a backoff of 0.1 to 1 seconds.
func WithoutRetry() Option {
	return func(s *settings) error {
		s.retry = false
		return nil
	}
}

// WithTLS uses TLS, and trusts the root certificates of the system unless [WithRoots] sets others.
func WithTLS() Option {
	return withTLS(func(*tls.Config) error { return nil })
}

// WithRoots uses TLS, and trusts only these root certificates, in PEM.
func WithRoots(pem []byte) Option {
	return withTLS(func(config *tls.Config) error {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return errors.New("arbiter: the roots contain no PEM certificate")
		}
		return nil
	})
}

// WithClientCertificate uses mutual TLS, with a client certificate and its key, in PEM.
func WithClientCertificate(certificate, key []byte) Option {
	return withTLS(func(config *tls.Config) error {
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			return fmt.Errorf("arbiter: client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
		return nil
	})
}

// WithServerName uses TLS, and expects this name in the certificate of the service instead of the host of the target.
func WithServerName(name string) Option {
	return withTLS(func(config *tls.Config) error {
		config.ServerName = name
		return nil
	})
}

// WithDialOptions adds gRPC dial options, after those of this package. Interceptors see the errors of this package.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) error {
		s.dial = append(s.dial, options...)
		return nil
	}
}

func withTLS(set func(*tls.Config) error) Option {
	return func(s *settings) error {
		if s.tls == nil {
			s.tls = &tls.Config{}
		}
		return set(s.tls)
	}
}

func connect(target string, options []Option) (*grpc.ClientConn, error) {
	s := settings{timeout: DefaultTimeout, suggestMoveTimeout: DefaultSuggestMoveTimeout, retry: true}
	for _, option := range options {
		if err := option(&s); err != nil {
			return nil, err
		}
	}
	connection, err := grpc.NewClient(target, append(s.dialOptions(), s.dial...)...)
	if err != nil {
		return nil, fmt.Errorf("arbiter: %q: %w", target, err)
	}
	return connection, nil
}

func (s *settings) dialOptions() []grpc.DialOption {
	security, retry := insecure.NewCredentials(), grpc.WithDisableRetry()
	if s.tls != nil {
		security = credentials.NewTLS(s.tls)
	}
	if s.retry {
		retry = grpc.WithDefaultServiceConfig(retryPolicy)
	}
	return []grpc.DialOption{
		grpc.WithTransportCredentials(security),
		retry,
		grpc.WithDefaultCallOptions(
			grpc.MaxRetryRPCBufferSize(maxRetryBuffer), grpc.MaxCallRecvMsgSize(maxResponse)),
		grpc.WithChainUnaryInterceptor(s.call),
		grpc.WithChainStreamInterceptor(s.openStream),
	}
}

// call makes a unary call. It sets the deadline and the token, and converts errors.
func (s *settings) call(
	ctx context.Context, method string, request, response any,
	connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	timeout := s.timeout
	if method == arbiterv1.RulesService_SuggestMove_FullMethodName {
		timeout = s.suggestMoveTimeout
	}
	if _, has := ctx.Deadline(); !has && timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	ctx, err := s.withToken(ctx)
	if err != nil {
		return err
	}
	return fromGRPC(invoke(ctx, method, request, response, connection, options...))
}

// openStream opens a stream. It sets the token, and converts errors.
func (s *settings) openStream(
	ctx context.Context, description *grpc.StreamDesc,
	connection *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	ctx, err := s.withToken(ctx)
	if err != nil {
		return nil, err
	}
	inner, err := open(ctx, description, connection, method, options...)
	if err != nil {
		return nil, fromGRPC(err)
	}
	return stream{inner}, nil
}

// stream converts the errors of a stream.
type stream struct {
	grpc.ClientStream
}

func (s stream) SendMsg(message any) error {
	return convertUnlessEOF(s.ClientStream.SendMsg(message))
}

func (s stream) RecvMsg(message any) error {
	return convertUnlessEOF(s.ClientStream.RecvMsg(message))
}

// convertUnlessEOF converts an error, except io.EOF, which is the normal end of a stream.
func convertUnlessEOF(err error) error {
	if err == io.EOF {
		return err
	}
	return fromGRPC(err)
}
