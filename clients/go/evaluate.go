package arbiter

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// CallKind is the request of any call that can be an item of many.
type CallKind interface {
	*arbiterv1.ValidateMoveRequest | *arbiterv1.ApplyMoveRequest | *arbiterv1.ResolveCapturesRequest |
		*arbiterv1.DetermineWinnerRequest | *arbiterv1.CompareCardsRequest | *arbiterv1.ListGamesRequest |
		*arbiterv1.NewGameRequest | *arbiterv1.ListLegalMovesRequest | *arbiterv1.ReplayGameRequest |
		*arbiterv1.SettleTradeRequest | *arbiterv1.ViewStateRequest | *arbiterv1.RenderStateRequest
}

// Call makes an item for [Client.EvaluateBatch] or [Stream.Send] of its request.
func Call[K CallKind](request K) *arbiterv1.Call {
	return wrap(&arbiterv1.Call{}, request)
}

// Answer is the answer to one item of many: a response or an error.
type Answer struct {
	// The response, such as an *arbiterv1.ApplyMoveResponse for an *arbiterv1.ApplyMoveRequest; nil if there is none.
	Response proto.Message
	// Why there is no response: the error that the call would have had on its own. Its Metadata is left out, as the
	// Reasons say the same.
	Err error
}

// EvaluateBatch answers many calls in one, in their order. One that is refused does not spoil the others: the error is
// in its answer. The error of EvaluateBatch itself is that of the batch as a whole.
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

// Evaluate opens a stream of calls and answers. It has no deadline but that of the context. Close it when done.
func (c *Client) Evaluate(ctx context.Context) (*Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := c.stub.Evaluate(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Stream{stream, cancel}, nil
}

// Stream is a stream of calls and of their answers, in order. One goroutine may send while another receives. Receive
// while sending if there are many: the service reads no further calls from those who do not read its answers.
type Stream struct {
	stream arbiterv1.RulesService_EvaluateClient
	cancel context.CancelFunc
}

// Send sends a call. It fails with io.EOF when the stream is broken: Recv then tells why.
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

// CloseSend says that there are no more calls.
func (s *Stream) CloseSend() error {
	return s.stream.CloseSend()
}

// Close ends the stream, whatever is under way. After the last answer it does nothing.
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
		unknown := status.New(codes.Unknown, "the answer is of a kind that this client does not know")
		return Answer{Err: fromStatus(unknown)}
	}
	return Answer{Response: message.Get(kind).Message().Interface()}
}
