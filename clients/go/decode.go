package arbiter

import (
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// The domain of every google.rpc.ErrorInfo of the service.
const domain = "arbiter.v1"

// fromGRPC converts a gRPC error to one of this package.
func fromGRPC(err error) error {
	if err == nil {
		return nil
	}
	return fromStatus(status.Convert(err))
}

// fromStatus converts the status of a failed call to an error.
func fromStatus(s *status.Status) error {
	call := &CallError{Code: s.Code(), Message: s.Message(), status: s}
	info := &errdetails.ErrorInfo{}
	if !detail(s, info) || info.GetDomain() != domain {
		return classify(call, nil, nil)
	}
	refusal := &RefusalError{CallError: call, Reason: info.GetReason(), Metadata: info.GetMetadata()}
	refusal.Unlisted, _ = strconv.Atoi(info.GetMetadata()["unlisted_violations"])

	violations, illegal := &errdetails.BadRequest{}, &arbiterv1.IllegalMove{}
	switch {
	case detail(s, violations):
		refusal.Reasons = each(violations.GetFieldViolations(), readViolation)
	case detail(s, illegal):
		refusal.Reasons = each(illegal.GetReasons(), readReason)
	}
	if len(refusal.Reasons) == 0 {
		refusal.Reasons = []Reason{{Code: info.GetReason(), Message: s.Message()}}
	}
	return classify(call, refusal, illegal.MoveIndex)
}

// fromItem converts the refusal of an item of a batch or a stream to the error that the call on its own would have had.
func fromItem(item *arbiterv1.Refusal) error {
	s := status.New(codes.Code(item.GetCode()), item.GetMessage())
	call := &CallError{Code: s.Code(), Message: s.Message(), status: s}
	refusal := &RefusalError{
		CallError: call,
		Reasons:   each(item.GetReasons(), readReason),
		Unlisted:  int(item.GetUnlistedReasons()),
	}
	if len(refusal.Reasons) == 0 {
		refusal.Reasons = []Reason{{Code: readReason(nil).Code, Message: s.Message()}}
	}
	refusal.Reason = refusal.Reasons[0].Code
	return classify(call, refusal, item.MoveIndex)
}

// classify returns the error type for a status code.
func classify(call *CallError, refusal *RefusalError, moveIndex *uint32) error {
	var cause error = call
	if refusal != nil {
		cause = refusal
	}
	switch {
	case call.Code == codes.Unavailable:
		return &UnreachableError{call, cause}
	case call.Code == codes.DeadlineExceeded:
		return &DeadlineError{call, cause}
	case call.Code == codes.InvalidArgument && refusal != nil:
		return &InvalidRequestError{refusal}
	case call.Code == codes.FailedPrecondition && refusal != nil:
		illegal := &IllegalMoveError{RefusalError: refusal}
		if moveIndex != nil {
			illegal.MoveIndex = new(int(*moveIndex))
		}
		return illegal
	default:
		return cause
	}
}

// detail reads the detail of a status that has the type of the message. It ignores details of other types, which a newer
// service may send.
func detail(s *status.Status, message proto.Message) bool {
	for _, candidate := range s.Proto().GetDetails() {
		if candidate.MessageIs(message) {
			return candidate.UnmarshalTo(message) == nil
		}
	}
	return false
}

func readViolation(violation *errdetails.BadRequest_FieldViolation) Reason {
	return Reason{
		Code:    violation.GetReason(),
		Message: violation.GetDescription(),
		Field:   violation.GetField(),
	}
}

func readReason(reason *arbiterv1.Reason) Reason {
	return Reason{
		Code:    reason.GetCode().String(),
		Message: reason.GetMessage(),
		Field:   reason.GetField(),
		Clause:  reason.GetClause(),
	}
}
