// Package arbiter calls an Arbiter service: a referee over gRPC that says whether a move is legal and why, what it
// captures, what the next state is, and who has won.
//
//	client, err := arbiter.NewClient("127.0.0.1:50051")
//	...
//	defer client.Close()
//	next, err := client.ApplyMove(ctx, arbiter.State("445566"), arbiter.Move("7"))
//
// A state and a move are messages of the contract, typed or as text; [State] and [Move] make either. The service keeps
// nothing between calls, so a state is a value: hand the one of an answer to the next call, compare it with proto.Equal,
// keep it, or write it as text.
//
// A call that fails has one of the errors of this package, told apart by [errors.As]:
//
//	*CallError                 any call that failed
//	├─ *RefusalError           the service refused it, and says why
//	│  ├─ *InvalidRequestError the request makes no sense, or no game can be in that state
//	│  └─ *IllegalMoveError    the rules forbid the move
//	├─ *UnreachableError       there was no service to answer
//	└─ *DeadlineError          the time for the call is over
//
// The messages are in the package arbiterv1, generated from the contract, with a comment on every element.
package arbiter
