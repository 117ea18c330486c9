package arbiter

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// CallKind is the request of a call that can be an item of a batch or a stream.
type CallKind interface {
	*arbiterv1.ValidateMoveRequest | *arbiterv1.ApplyMoveRequest | *arbiterv1.ResolveCapturesRequest |
		*arbiterv1.DetermineWinnerRequest | *arbiterv1.CompareCardsRequest | *arbiterv1.ListGamesRequest |
		*arbiterv1.NewGameRequest | *arbiterv1.ListLegalMovesRequest | *arbiterv1.ReplayGameRequest |
		*arbiterv1.SettleTradeRequest | *arbiterv1.ViewStateRequest | *arbiterv1.RenderStateRequest
}

// Call creates an item for [Client.EvaluateBatch] or [Stream.Send] from a request.
func Call[K CallKind](request K) *arbiterv1.Call {
	return wrap(&arbiterv1.Call{}, request)
}

// Answer is the answer to one item of a batch or a stream: a response or an error.
type Answer struct {
	// The response, such as an *arbiterv1.ApplyMoveResponse for an *arbiterv1.ApplyMoveRequest; nil if there is none.
	Response proto.Message
	// The error that the call on its own would have had, without Metadata; nil if there is a response.
	Err error
}

// EvaluateBatch makes many calls in one. It returns one answer per call, in order; a refusal is in its answer and does
// not affect other calls. The error of EvaluateBatch is that of the batch as a whole.
func (c *Client) EvaluateBatch(ctx context.Context, calls ...*arbiterv1.Call) ([]Answer, error) {
	response, err := c.stub.EvaluateBatch(ctx, &arbiterv1.EvaluateBatchRequest{Calls: calls})
	if err != nil {
		return nil, err
	}
	if len(response.GetAnswers()) != len(calls) {
		message := fmt.Sprintf("%d calls have %d answers", len(calls), len(response.GetAnswers()))
		return nil, fromStatus(status.New(codes.Internal, message))
	}
	return each(response.GetAnswers(), readAnswer), nil
}

// Evaluate opens a stream of calls and answers. It has only the deadline of the context. Close it when done.
func (c *Client) Evaluate(ctx context.Context) (*Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := c.stub.Evaluate(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Stream{stream, cancel}, nil
}

// Stream is a stream of calls and their answers, in order. One goroutine may send while another receives. If there are
// many calls, receive while sending: the service stops reading calls while its answers are not read (backpressure).
type Stream struct {
	stream arbiterv1.RulesService_EvaluateClient
	cancel context.CancelFunc
}

// Send sends a call. It fails with io.EOF if the stream has failed: Recv then returns the error.
func (s *Stream) Send(call *arbiterv1.Call) error {
	return s.stream.Send(&arbiterv1.EvaluateRequest{Call: call})
}

// Recv waits for the next answer. A refusal is in the answer; the error is that of the stream as a whole: io.EOF after
// the last answer, once [Stream.CloseSend] was called.
func (s *Stream) Recv() (Answer, error) {
	response, err := s.stream.Recv()
	if err != nil {
		return Answer{}, err
	}
	return readAnswer(response.GetAnswer()), nil
}

// CloseSend ends the calls of the stream. Answers can still be received.
func (s *Stream) CloseSend() error {
	return s.stream.CloseSend()
}

// Close cancels the stream. It has no effect after the last answer.
func (s *Stream) Close() {
	s.cancel()
}

func readAnswer(answer *arbiterv1.Answer) Answer {
	if refusal := answer.GetRefusal(); refusal != nil {
		return Answer{Err: fromItem(refusal)}
	}
	message := answer.ProtoReflect()
	kind := message.WhichOneof(message.Descriptor().Oneofs().ByName("kind"))
	if kind == nil {
		unknown := status.New(codes.Unknown, "the answer has a kind that this client does not know")
		return Answer{Err: fromStatus(unknown)}
	}
	return Answer{Response: message.Get(kind).Message().Interface()}
}
