package arbiter_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// An unknown field.
var newField = protowire.AppendString(protowire.AppendTag(nil, 1000, protowire.BytesType), "new")

// failing is a server that fails every call with a status.
func failing(code codes.Code, message string, details ...proto.Message) fake {
	written := &statuspb.Status{Code: int32(code), Message: message}
	for _, detail := range details {
		packed, err := anypb.New(detail)
		if err != nil {
			panic(err)
		}
		written.Details = append(written.Details, packed)
	}
	written.Details = append(written.Details, &anypb.Any{TypeUrl: "type.googleapis.com/arbiter.v2.New", Value: newField})
	return fake{renderState: func(
		context.Context, *arbiterv1.RenderStateRequest,
	) (*arbiterv1.RenderStateResponse, error) {
		return nil, status.ErrorProto(written)
	}}
}

func info(reason string) *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{
		Reason: reason, Domain: "arbiter.v1", Metadata: map[string]string{"new": "value"}}
}

func TestUnknownFieldsArePreserved(t *testing.T) {
	game := &arbiterv1.ConnectFourState{NextPlayer: arbiterv1.Player(9).Enum()}
	game.ProtoReflect().SetUnknown(newField)
	response := &arbiterv1.RenderStateResponse{State: arbiter.State(game)}
	response.GetState().ProtoReflect().SetUnknown(newField)
	var received *arbiterv1.State
	server := fake{renderState: func(
		_ context.Context, request *arbiterv1.RenderStateRequest,
	) (*arbiterv1.RenderStateResponse, error) {
		received = request.GetState()
		return response, nil
	}}
	client := newClient(t, server.start(t))
	first := must(client.RenderState(t.Context(), nil))(t)
	equal(t, "unknown player", first.GetState().GetConnectFour().GetNextPlayer(), 9)
	must(client.RenderState(t.Context(), first.GetState()))(t)
	if !proto.Equal(received, response.GetState()) || len(received.GetConnectFour().ProtoReflect().GetUnknown()) == 0 {
		t.Errorf("%v was sent back as %v", response.GetState(), received)
	}
}

func TestUnknownReason(t *testing.T) {
	reasons := []*arbiterv1.Reason{{Code: 499, Message: "new rule", Clause: "XX-1", Field: "move"}}
	server := failing(codes.FailedPrecondition, "illegal move: new rule",
		info("ERROR_REASON_NEW_RULE"), &arbiterv1.IllegalMove{Reasons: reasons})
	_, err := newClient(t, server.start(t)).RenderState(t.Context(), nil)
	illegal := wantError[*arbiter.IllegalMoveError](t, err)
	equal(t, "reason", illegal.Reason, "ERROR_REASON_NEW_RULE")
	equal(t, "first reason", illegal.Reasons[0], arbiter.Reason{
		Code: "499", Message: "new rule", Field: "move", Clause: "XX-1"})
	equal(t, "metadata", illegal.Metadata["new"], "value")
	equal(t, "text", err.Error(), "arbiter: illegal move: new rule (ERROR_REASON_NEW_RULE)")

	violation := &errdetails.BadRequest_FieldViolation{Field: "state", Description: "new", Reason: "ERROR_REASON_NEW"}
	server = failing(codes.InvalidArgument, "state: new", info("ERROR_REASON_NEW"),
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{violation}})
	_, err = newClient(t, server.start(t)).RenderState(t.Context(), nil)
	invalid := wantError[*arbiter.InvalidRequestError](t, err)
	equal(t, "violation", invalid.Reasons[0], arbiter.Reason{Code: "ERROR_REASON_NEW", Message: "new", Field: "state"})
}

func TestRefusalWithoutDetails(t *testing.T) {
	for _, code := range []codes.Code{codes.InvalidArgument, codes.FailedPrecondition, codes.Code(77)} {
		server := failing(code, "words", info("ERROR_REASON_NEW"))
		_, err := newClient(t, server.start(t)).RenderState(t.Context(), nil)
		refusal := wantError[*arbiter.RefusalError](t, err)
		equal(t, "reason", refusal.Reasons[0], arbiter.Reason{Code: "ERROR_REASON_NEW", Message: "words"})
	}
}

func TestShutdownIsUnreachable(t *testing.T) {
	server := failing(codes.Unavailable, "shutting down", info("ERROR_REASON_SHUTTING_DOWN"))
	_, err := newClient(t, server.start(t)).RenderState(t.Context(), nil)
	wantError[*arbiter.UnreachableError](t, err)
	equal(t, "reason", wantError[*arbiter.RefusalError](t, err).Reason, "ERROR_REASON_SHUTTING_DOWN")
}

// A proxy between client and service has its own statuses, and may use google.rpc details.
func TestStatusOfProxy(t *testing.T) {
	proxyInfo := &errdetails.ErrorInfo{Reason: "QUOTA", Domain: "proxy.example"}
	for _, server := range []fake{
		failing(codes.InvalidArgument, "words"),
		failing(codes.InvalidArgument, "words", proxyInfo),
	} {
		_, err := newClient(t, server.start(t)).RenderState(t.Context(), nil)
		equal(t, "message", wantError[*arbiter.CallError](t, err).Message, "words")
		if _, refused := errors.AsType[*arbiter.RefusalError](err); refused {
			t.Errorf("the service did not refuse the call: %v", err)
		}
	}
}

func TestUnknownItem(t *testing.T) {
	answers := []*arbiterv1.Answer{
		{},
		{Kind: &arbiterv1.Answer_Refusal{Refusal: &arbiterv1.Refusal{Code: 9, Message: "x", Reasons: []*arbiterv1.Reason{{Code: 499}}}}},
		{Kind: &arbiterv1.Answer_Refusal{Refusal: &arbiterv1.Refusal{Code: 13, Message: "no reason"}}},
	}
	answers[0].ProtoReflect().SetUnknown(newField)
	server := fake{evaluateBatch: func(
		context.Context, *arbiterv1.EvaluateBatchRequest,
	) (*arbiterv1.EvaluateBatchResponse, error) {
		return &arbiterv1.EvaluateBatchResponse{Answers: answers}, nil
	}}
	client := newClient(t, server.start(t))
	read := must(client.EvaluateBatch(t.Context(), make([]*arbiterv1.Call, 3)...))(t)
	equal(t, "unknown answer", wantError[*arbiter.CallError](t, read[0].Err).Code, codes.Unknown)
	equal(t, "unknown reason", wantError[*arbiter.IllegalMoveError](t, read[1].Err).Reason, "499")
	equal(t, "without a reason", wantError[*arbiter.RefusalError](t, read[2].Err).Reasons[0].Message, "no reason")

	_, err := client.EvaluateBatch(t.Context(), make([]*arbiterv1.Call, 2)...)
	equal(t, "too many answers", wantError[*arbiter.CallError](t, err).Code, codes.Internal)
}
