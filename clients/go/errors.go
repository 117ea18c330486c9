package arbiter

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// CallError is any call that failed.
type CallError struct {
	// The status of the call.
	Code codes.Code
	// The message of the status, for people.
	Message string

	status *status.Status
}

// Error returns the message and the status code.
func (e *CallError) Error() string {
	return fmt.Sprintf("arbiter: %s (%s)", e.Message, e.Code)
}

// GRPCStatus returns the whole status, with all details, for status.Convert.
func (e *CallError) GRPCStatus() *status.Status {
	return e.status
}

// Is matches [context.Canceled] for a cancelled call, and [context.DeadlineExceeded] for one that exceeded its deadline.
func (e *CallError) Is(target error) bool {
	switch target {
	case context.Canceled:
		return e.Code == codes.Canceled
	case context.DeadlineExceeded:
		return e.Code == codes.DeadlineExceeded
	default:
		return false
	}
}

// RefusalError is a call that the service refused.
type RefusalError struct {
	*CallError
	// The name of the first reason, an arbiterv1.ErrorReason, even if this client is older than the reason.
	Reason string
	// Every reason, except those that Unlisted counts. Never empty.
	Reasons []Reason
	// How many further reasons are not listed.
	Unlisted int
	// The metadata of google.rpc.ErrorInfo, such as field, clause and move_index. Empty in an answer of a batch or a
	// stream.
	Metadata map[string]string
}

// Reason is one reason of a refusal.
type Reason struct {
	// The name of an arbiterv1.ErrorReason; a number if this client is older than the reason.
	Code string
	// The reason in words. The wording may change between versions of the service.
	Message string
	// The field of the request it is about, such as move.connect_four.column. Empty when it is about no field.
	Field string
	// The clause of the rules that says so, such as C4-2. Empty when no rule is concerned, or in an invalid request.
	Clause string
}

// Error returns the message and the name of the first reason.
func (e *RefusalError) Error() string {
	return fmt.Sprintf("arbiter: %s (%s)", e.Message, e.Reason)
}

// Unwrap returns the [CallError].
func (e *RefusalError) Unwrap() error {
	return e.CallError
}

// InvalidRequestError is a refusal because the request is malformed, its state is impossible, or the response depends on
// cards that a view hides. Its Reasons are every violation, each with its field.
type InvalidRequestError struct {
	*RefusalError
}

// Unwrap returns the [RefusalError].
func (e *InvalidRequestError) Unwrap() error {
	return e.RefusalError
}

// IllegalMoveError is a refusal of a move that the rules forbid.
type IllegalMoveError struct {
	*RefusalError
	// The index of the move in a replay, from 0; nil for other calls.
	MoveIndex *int
}

// Unwrap returns the [RefusalError].
func (e *IllegalMoveError) Unwrap() error {
	return e.RefusalError
}

// UnreachableError is a call to a service that could not be reached, is shutting down, or is not trusted (TLS).
type UnreachableError struct {
	*CallError
	cause error
}

// Unwrap returns the [RefusalError] if the service refused the call because it shuts down, otherwise the [CallError].
func (e *UnreachableError) Unwrap() error {
	return e.cause
}

// DeadlineError is a call that exceeded its deadline. It is also a [context.DeadlineExceeded].
type DeadlineError struct {
	*CallError
	cause error
}

// Unwrap returns the [RefusalError] if the service reported the deadline, otherwise the [CallError].
func (e *DeadlineError) Unwrap() error {
	return e.cause
}
