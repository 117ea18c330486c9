package cases

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// answer is an expected or received answer, in a comparable form: a refusal is the same for a call on its own and for an
// item of a batch or a stream.
type answer struct {
	// The responses: one, unless the call is a stream. Without the fields that the case ignores.
	messages []proto.Message
	// Nil if the call was not refused.
	refusal *arbiterv1.Refusal
}

// readAnswer reads the answer to a call, and compares the error of the client with the status.
func readAnswer(c testCase, messages []proto.Message, err error) (answer, error) {
	if err == nil {
		return readResponses(c, messages)
	}
	refusal, invalid := readStatus(status.Convert(err))
	if invalid != nil {
		return answer{}, fmt.Errorf("%w: %w", invalid, err)
	}
	if decoded := readError(err); !proto.Equal(decoded, refusal) {
		return answer{}, fmt.Errorf("the client's error differs from the status\n%s", diff(
			answer{refusal: refusal}, answer{refusal: decoded}))
	}
	return answer{refusal: refusal}, nil
}

// readItem reads the answer to an item of EvaluateBatch or Evaluate.
func readItem(c testCase, item arbiter.Answer) (answer, error) {
	if item.Err == nil {
		return readResponses(c, []proto.Message{item.Response})
	}
	refusal := readError(item.Err)
	if refusal.GetCode() == int32(codes.InvalidArgument) {
		for _, reason := range refusal.GetReasons() {
			reason.Clause = "" // A google.rpc.BadRequest has no clauses.
		}
	}
	return answer{refusal: refusal}, nil
}

func readResponses(c testCase, messages []proto.Message) (answer, error) {
	for _, message := range messages {
		if kind := message.ProtoReflect().Descriptor(); kind != c.method.Output() {
			return answer{}, fmt.Errorf("the response is a %s", kind.FullName())
		}
		if _, missing := removeFields(message, c.ignored); missing > 0 {
			return answer{}, fmt.Errorf("an ignored field is missing in the response\n%v", message)
		}
	}
	return answer{messages: messages}, nil
}

// check compares an answer with the expected one.
func (a answer) check(expected answer) error {
	if a.refusal != nil && expected.refusal != nil {
		expected.refusal = proto.CloneOf(expected.refusal)
		// Messages are compared only if the case has them, the number of unlisted reasons never.
		expected.refusal.Message = a.refusal.GetMessage()
		expected.refusal.UnlistedReasons = a.refusal.UnlistedReasons
		for index, reason := range expected.refusal.GetReasons() {
			if reason.GetMessage() == "" && index < len(a.refusal.GetReasons()) {
				reason.Message = a.refusal.GetReasons()[index].GetMessage()
			}
		}
	}
	return a.compare(expected)
}

// compare compares two answers, and returns the difference as an error.
func (a answer) compare(expected answer) error {
	equal := len(a.messages) == len(expected.messages) && (a.refusal == nil) == (expected.refusal == nil)
	for index := range expected.messages {
		equal = equal && proto.Equal(a.messages[index], expected.messages[index])
	}
	if equal && proto.Equal(a.refusal, expected.refusal) {
		return nil
	}
	return errors.New(diff(expected, a))
}

// readStatus reads a refusal from the status of a call, and checks that its details are complete.
func readStatus(s *status.Status) (*arbiterv1.Refusal, error) {
	refusal := &arbiterv1.Refusal{Code: int32(s.Code()), Message: s.Message()}
	info, violations, illegal := &errdetails.ErrorInfo{}, &errdetails.BadRequest{}, &arbiterv1.IllegalMove{}
	for _, message := range []proto.Message{info, violations, illegal} {
		for _, detail := range s.Proto().GetDetails() {
			if detail.MessageIs(message) {
				if err := detail.UnmarshalTo(message); err != nil {
					return nil, err
				}
			}
		}
	}
	switch s.Code() {
	case codes.InvalidArgument:
		for _, violation := range violations.GetFieldViolations() {
			refusal.Reasons = append(refusal.Reasons, &arbiterv1.Reason{
				Code:    readCode(violation.GetReason()),
				Field:   violation.GetField(),
				Message: violation.GetDescription(),
			})
		}
	case codes.FailedPrecondition:
		refusal.Reasons, refusal.MoveIndex = illegal.GetReasons(), illegal.MoveIndex
	default:
		refusal.Reasons = []*arbiterv1.Reason{{Code: readCode(info.GetReason()), Message: s.Message()}}
	}
	if count, err := strconv.ParseUint(info.GetMetadata()["unlisted_violations"], 10, 32); err == nil {
		refusal.UnlistedReasons = new(uint32(count))
	}
	return refusal, checkErrorInfo(info, refusal)
}

func checkErrorInfo(info *errdetails.ErrorInfo, refusal *arbiterv1.Refusal) error {
	if len(refusal.GetReasons()) == 0 {
		return errors.New("there are no reasons")
	}
	first, metadata := refusal.GetReasons()[0], info.GetMetadata()
	if info.GetDomain() != "arbiter.v1" || info.GetReason() != first.GetCode().String() {
		return errors.New("the google.rpc.ErrorInfo does not match the first reason")
	}
	expected := map[string]string{"field": first.GetField(), "clause": first.GetClause()}
	if refusal.MoveIndex != nil {
		expected["move_index"] = fmt.Sprint(refusal.GetMoveIndex())
	}
	for key, value := range expected {
		if value != "" && metadata[key] != value {
			return fmt.Errorf("%s in the metadata of google.rpc.ErrorInfo should be %s", key, value)
		}
	}
	if refusal.GetMessage() == "" {
		return errors.New("the message is empty")
	}
	for _, reason := range refusal.GetReasons() {
		if reason.GetMessage() == "" {
			return errors.New("the message of a reason is empty")
		}
	}
	return nil
}

// readError reads a refusal from an error of the client. Nil if the error is not a refusal.
func readError(err error) *arbiterv1.Refusal {
	refusal, isRefusal := errors.AsType[*arbiter.RefusalError](err)
	if !isRefusal {
		return nil
	}
	read := &arbiterv1.Refusal{Code: int32(refusal.Code), Message: refusal.Message}
	for _, reason := range refusal.Reasons {
		read.Reasons = append(read.Reasons, &arbiterv1.Reason{
			Code: readCode(reason.Code), Message: reason.Message, Field: reason.Field, Clause: reason.Clause,
		})
	}
	if refusal.Unlisted > 0 {
		read.UnlistedReasons = new(uint32(refusal.Unlisted))
	}
	if illegal, isIllegal := errors.AsType[*arbiter.IllegalMoveError](err); isIllegal && illegal.MoveIndex != nil {
		read.MoveIndex = new(uint32(*illegal.MoveIndex))
	}
	return read
}

func readCode(name string) arbiterv1.ErrorReason {
	return arbiterv1.ErrorReason(arbiterv1.ErrorReason_value[name])
}

// removeFields removes fields from a message. A path through a list leads to each of its items. It returns how often a
// field was present, and how often it was missing.
func removeFields(message proto.Message, paths [][]protoreflect.FieldDescriptor) (present, missing int) {
	var follow func(protoreflect.Message, []protoreflect.FieldDescriptor)
	follow = func(message protoreflect.Message, path []protoreflect.FieldDescriptor) {
		field, rest := path[0], path[1:]
		switch has := message.Has(field); {
		case has && len(rest) == 0:
			message.Clear(field)
			present++
		case len(rest) == 0:
			missing++
		case has && field.IsList():
			for items, index := message.Get(field).List(), 0; index < items.Len(); index++ {
				follow(items.Get(index).Message(), rest)
			}
		case has:
			follow(message.Get(field).Message(), rest)
		}
	}
	for _, path := range paths {
		follow(message.ProtoReflect(), path)
	}
	return present, missing
}

// diff shows where two answers differ: - marks lines that are only expected, + lines that are only received.
func diff(expected, got answer) string {
	a, b := expected.lines(), got.lines()
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	shown := prefix("      ", a[max(0, start-3):start])
	shown += prefix("    - ", a[start:len(a)-end])
	shown += prefix("    + ", b[start:len(b)-end])
	return shown + prefix("      ", a[len(a)-end:min(len(a), len(a)-end+3)])
}

func prefix(mark string, lines []string) (text string) {
	for _, line := range lines {
		text += mark + line + "\n"
	}
	return text
}

func (a answer) lines() (lines []string) {
	options := protojson.MarshalOptions{Multiline: true, UseProtoNames: true}
	messages := a.messages
	if a.refusal != nil {
		messages = []proto.Message{a.refusal}
	}
	for _, message := range messages {
		lines = append(lines, strings.Split(options.Format(message), "\n")...)
	}
	return lines
}
