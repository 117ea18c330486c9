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
	// What is wrong, for people.
	Message string

	status *status.Status
}

// Error tells what is wrong, and the status.
func (e *CallError) Error() string {
	return fmt.Sprintf("arbiter: %s (%s)", e.Message, e.Code)
}

// GRPCStatus is the whole status, with all details: it is what status.Convert answers for this error.
func (e *CallError) GRPCStatus() *status.Status {
	return e.status
}

// Is makes a call that was given up an error of its context: [context.Canceled] or [context.DeadlineExceeded].
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
	// The first reason: the name of an arbiterv1.ErrorReason, even of one that this client does not know yet.
	Reason string
	// Every reason that the service lists. Never empty.
	Reasons []Reason
	// How many further reasons there are that Reasons does not list.
	Unlisted int
	// Facts about the first reason by name, as far as they apply: field, clause, move_index. There may be others.
	Metadata map[string]string
}

// Reason is one reason why a call is refused.
type Reason struct {
	// The name of an arbiterv1.ErrorReason; its number, if this client does not know it yet.
	Code string
	// The reason in words, for people.
	Message string
	// The field of the request it is about, such as move.connect_four.column. Empty when it is about no field.
	Field string
	// The clause of the rules that says so, such as C4-2. Empty when there is none, or when it was not told.
	Clause string
}

// Error tells what is wrong, and the first reason in code.
func (e *RefusalError) Error() string {
	return fmt.Sprintf("arbiter: %s (%s)", e.Message, e.Reason)
}

// Unwrap is the [CallError] of the refusal.
func (e *RefusalError) Unwrap() error {
	return e.CallError
}

// InvalidRequestError is a refusal of a malformed request, of an impossible state, or of a question about a view whose
// answer depends on hidden cards. Its Reasons are every violation, each with its field.
type InvalidRequestError struct {
	*RefusalError
}

// Unwrap is the [RefusalError].
func (e *InvalidRequestError) Unwrap() error {
	return e.RefusalError
}

// IllegalMoveError is a refusal of a move that the rules forbid.
type IllegalMoveError struct {
	*RefusalError
	// Which of the moves of a replay it is, from 0; nil when it is none.
	MoveIndex *int
}

// Unwrap is the [RefusalError].
func (e *IllegalMoveError) Unwrap() error {
	return e.RefusalError
}

// UnreachableError is a call that no service answered: it is not there, goes down, or is not to be trusted (TLS).
type UnreachableError struct {
	*CallError
	cause error
}

// Unwrap is the [RefusalError] if the service has said itself that it goes down, otherwise the [CallError].
func (e *UnreachableError) Unwrap() error {
	return e.cause
}

// DeadlineError is a call whose time was over before its answer came. It is also a [context.DeadlineExceeded].
type DeadlineError struct {
	*CallError
	cause error
}

// Unwrap is the [RefusalError] if the service has said so itself, otherwise the [CallError].
func (e *DeadlineError) Unwrap() error {
	return e.cause
}
