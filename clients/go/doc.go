// Package arbiter is a client of Arbiter, the gRPC referee for board and card games: whether a move is legal and why,
// what it captures, what the next state is, who has won, and which move is best.
//
//	client, err := arbiter.NewClient("127.0.0.1:50051")
//	...
//	defer client.Close()
//	next, err := client.ApplyMove(ctx, arbiter.State("445566"), arbiter.Move("7"))
//
// States and moves are messages of the contract, typed or as text; [State] and [Move] create both. The service is
// stateless, so a state is a value: pass the state of a response to the next call, compare it with proto.Equal, store it,
// or write it as text. An optional field is a pointer, nil when absent: Winner of an outcome without a winner.
//
// A client that acts for one player should use that player's view: see [Client.ViewState].
//
// A call that fails returns one of the errors of this package; use [errors.As]:
//
//	*CallError                 any call that failed
//	├─ *RefusalError           the service refused it, and says why
//	│  ├─ *InvalidRequestError the request is malformed, the state is impossible, or the response is hidden
//	│  └─ *IllegalMoveError    the rules forbid the move
//	├─ *UnreachableError       the service could not be reached
//	└─ *DeadlineError          the deadline has passed
//
// The messages are in the package arbiterv1, generated from the contract, with its comments.
package arbiter
