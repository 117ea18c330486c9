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
)

// DefaultTimeout is how long a call may take whose context has no deadline, unless [WithTimeout] says otherwise.
const DefaultTimeout = 5 * time.Second

const (
	// A batch has up to 1 MiB. gRPC sends a call again only if it has kept all of it, and keeps 256 KiB unless told.
	maxKeptForRetry = 2 << 20
	// How large the answers of a batch may be is the service's to decide: 4 MiB, as much as gRPC reads unless told, or
	// what it is configured to.
	maxAnswer = 16 << 20
)

// Every call is pure, so repeating it is safe. RESOURCE_EXHAUSTED is not retried: it also tells that a message is too large.
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
	timeout time.Duration
	retry   bool
	tls     *tls.Config
	token   func(context.Context) (string, error)
	dial    []grpc.DialOption
}

// WithTimeout sets how long a call may take whose context has no deadline; 0 is for ever. A context with a deadline
// overrides it for its call. Streams have no deadline but that of their context.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) error {
		s.timeout = timeout
		return nil
	}
}

// WithoutRetry turns retries off. With them, a call that finds no service (UNAVAILABLE) is tried up to 4 times within its
// deadline, 0.1 to 1 seconds apart.
func WithoutRetry() Option {
	return func(s *settings) error {
		s.retry = false
		return nil
	}
}

// WithTLS connects by TLS, trusting the roots of the system unless [WithRoots] gives others.
func WithTLS() Option {
	return withTLS(func(*tls.Config) error { return nil })
}

// WithRoots connects by TLS, trusting only these certificates, in PEM.
func WithRoots(pem []byte) Option {
	return withTLS(func(config *tls.Config) error {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return errors.New("arbiter: the roots have no certificate in PEM")
		}
		return nil
	})
}

// WithClientCertificate connects by TLS and shows the service who is calling, by a certificate and its key, in PEM.
func WithClientCertificate(certificate, key []byte) Option {
	return withTLS(func(config *tls.Config) error {
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			return fmt.Errorf("arbiter: the client's certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
		return nil
	})
}

// WithServerName connects by TLS and expects this name in the certificate of the service, instead of that of the target.
func WithServerName(name string) Option {
	return withTLS(func(config *tls.Config) error {
		config.ServerName = name
		return nil
	})
}

// WithDialOptions adds options of gRPC, after those of this package. Interceptors see the errors of this package.
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
	s := settings{timeout: DefaultTimeout, retry: true}
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
			grpc.MaxRetryRPCBufferSize(maxKeptForRetry), grpc.MaxCallRecvMsgSize(maxAnswer)),
		grpc.WithChainUnaryInterceptor(s.call),
		grpc.WithChainStreamInterceptor(s.openStream),
	}
}

// call makes a unary call: with a deadline, with the token, and with the errors of this package.
func (s *settings) call(
	ctx context.Context, method string, request, response any,
	connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	if _, has := ctx.Deadline(); !has && s.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.timeout)
		defer cancel()
	}
	ctx, err := s.showToken(ctx)
	if err != nil {
		return err
	}
	return fromGRPC(invoke(ctx, method, request, response, connection, options...))
}

// openStream opens a stream: with the token, and with the errors of this package.
func (s *settings) openStream(
	ctx context.Context, description *grpc.StreamDesc,
	connection *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	ctx, err := s.showToken(ctx)
	if err != nil {
		return nil, err
	}
	inner, err := open(ctx, description, connection, method, options...)
	if err != nil {
		return nil, fromGRPC(err)
	}
	return stream{inner}, nil
}

// stream is a stream with the errors of this package.
type stream struct {
	grpc.ClientStream
}

func (s stream) SendMsg(message any) error {
	return orEOF(s.ClientStream.SendMsg(message))
}

func (s stream) RecvMsg(message any) error {
	return orEOF(s.ClientStream.RecvMsg(message))
}

// orEOF leaves alone what is no error: the end.
func orEOF(err error) error {
	if err == io.EOF {
		return err
	}
	return fromGRPC(err)
}
