// Package arbiter calls an Arbiter service: a referee over gRPC that says whether a move is legal and why, what it
// captures, what the next state is, and who has won.
//
//	client, err := arbiter.NewClient("127.0.0.1:50051")
//	...
//	defer client.Close()
//	next, err := client.ApplyMove(ctx, arbiter.State("445566"), arbiter.Move("7"))
//
// A state and a move are messages of the contract, typed or as text; [State] and [Move] make either. The service is
// stateless, so a state is a value: pass the state of a response to the next call, compare it with proto.Equal, store it, or
// write it as text. An optional field is a pointer, nil when absent: Winner of an outcome while nobody has won.
//
// A call that acts for one player should ask about that player's view: see [Client.ViewState].
//
// A call that fails returns one of the errors of this package; use [errors.As]:
//
//	*CallError                 any call that failed
//	├─ *RefusalError           the service refused it, and says why
//	│  ├─ *InvalidRequestError the request is malformed, the state is impossible, or the answer is hidden
//	│  └─ *IllegalMoveError    the rules forbid the move
//	├─ *UnreachableError       the service could not be reached
//	└─ *DeadlineError          the deadline has passed
//
// The messages are in the package arbiterv1, generated from the contract, with a comment on every element.
package arbiter
