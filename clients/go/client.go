package arbiter

import (
	"context"

	"google.golang.org/grpc"

	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// Client calls the service. It is safe for concurrent use.
type Client struct {
	connection *grpc.ClientConn
	stub       arbiterv1.RulesServiceClient
}

// NewClient returns a client of the service at a target such as "127.0.0.1:50051". The defaults are: no TLS,
// [DefaultTimeout] for each call, [DefaultSuggestMoveTimeout] for [Client.SuggestMove], and retries. The first call
// opens the connection.
func NewClient(target string, options ...Option) (*Client, error) {
	connection, err := connect(target, options)
	if err != nil {
		return nil, err
	}
	return &Client{connection, arbiterv1.NewRulesServiceClient(connection)}, nil
}

// Close closes the connection. Calls in flight are cancelled.
func (c *Client) Close() error {
	return c.connection.Close()
}

// Stub returns the generated stub, over the same connection and with the same deadlines, retries and errors. Use it for
// whole requests and for gRPC call options.
func (c *Client) Stub() arbiterv1.RulesServiceClient {
	return c.stub
}

// ValidateMove returns whether a move is legal and, if not, every reason why. An illegal move is not an error here.
func (c *Client) ValidateMove(
	ctx context.Context, state *arbiterv1.State, move *arbiterv1.Move,
) (*arbiterv1.ValidateMoveResponse, error) {
	return c.stub.ValidateMove(ctx, &arbiterv1.ValidateMoveRequest{State: state, Move: move})
}

// ApplyMove makes a move: returns the next state, the events and the outcome. On a view, the viewer's next view. An
// illegal move is an [IllegalMoveError].
func (c *Client) ApplyMove(
	ctx context.Context, state *arbiterv1.State, move *arbiterv1.Move,
) (*arbiterv1.ApplyMoveResponse, error) {
	return c.stub.ApplyMove(ctx, &arbiterv1.ApplyMoveRequest{State: state, Move: move})
}

// ResolveCaptures returns what the piece or card that has just arrived at a square captures, and the state after it.
// The square is nil for RoyalMatch, and may be nil for Connect Four.
func (c *Client) ResolveCaptures(
	ctx context.Context, state *arbiterv1.State, arrivedAt *arbiterv1.Square,
) (*arbiterv1.ResolveCapturesResponse, error) {
	return c.stub.ResolveCaptures(ctx, &arbiterv1.ResolveCapturesRequest{State: state, ArrivedAt: arrivedAt})
}

// DetermineWinner returns whether the game is over, why, who has won, and by which lines or scores; if it goes on, whose
// turn it is. Winner and EndReason of the outcome are nil when absent. A [Seed] determines random choices: the hands of
// the next round of sudden death. Default: the service draws one.
func (c *Client) DetermineWinner(
	ctx context.Context, state *arbiterv1.State, options ...DetermineWinnerOption,
) (*arbiterv1.DetermineWinnerResponse, error) {
	request := &arbiterv1.DetermineWinnerRequest{State: state}
	for _, option := range options {
		option.setDetermineWinner(request)
	}
	return c.stub.DetermineWinner(ctx, request)
}

// CompareCards compares two or more RoyalMatch cards: which wins, and what decides it. An [Ordering] sets how cards are
// compared; by default by value, then by suit. Order is nil if there are more than two cards.
func (c *Client) CompareCards(
	ctx context.Context,
	dominant arbiterv1.RoyalMatchSuit,
	cards []*arbiterv1.RoyalMatchCard,
	options ...CompareCardsOption,
) (*arbiterv1.CompareCardsResponse, error) {
	request := &arbiterv1.CompareCardsRequest{DominantSuit: dominant, Cards: cards}
	for _, option := range options {
		option.setCompareCards(request)
	}
	return c.stub.CompareCards(ctx, request)
}

// ListGames lists the games of the service, with their rules and notations. [IncludeCards] adds the built-in cards,
// [IncludeClauses] the text of every clause of the rules.
func (c *Client) ListGames(
	ctx context.Context, options ...ListGamesOption,
) (*arbiterv1.ListGamesResponse, error) {
	request := &arbiterv1.ListGamesRequest{}
	for _, option := range options {
		option.setListGames(request)
	}
	return c.stub.ListGames(ctx, request)
}

// NewGame starts a game: returns its first state. [Setup] or [Rules] select the game. A [Seed] determines random
// choices; by default the service draws one. The state is typed, or [AsText].
func (c *Client) NewGame(ctx context.Context, options ...NewGameOption) (*arbiterv1.NewGameResponse, error) {
	request := &arbiterv1.NewGameRequest{}
	for _, option := range options {
		option.setNewGame(request)
	}
	return c.stub.NewGame(ctx, request)
}

// ListLegalMoves lists the legal moves of a state; of a view, the viewer's moves. Empty when the game is over.
func (c *Client) ListLegalMoves(
	ctx context.Context, state *arbiterv1.State,
) (*arbiterv1.ListLegalMovesResponse, error) {
	return c.stub.ListLegalMoves(ctx, &arbiterv1.ListLegalMovesRequest{State: state})
}

// ReplayGame makes many moves in order. An illegal one is an [IllegalMoveError] with its index. It needs the whole state,
// not a view.
func (c *Client) ReplayGame(
	ctx context.Context, state *arbiterv1.State, moves ...*arbiterv1.Move,
) (*arbiterv1.ReplayGameResponse, error) {
	return c.stub.ReplayGame(ctx, &arbiterv1.ReplayGameRequest{State: state, Moves: moves})
}

// SettleTrade moves cards between the collections of both players after a game of Triple Triad that has a winner. If the
// trade rule gives a choice, picks are the ids of the cards that the winner takes; without picks the service takes the
// best. It needs the whole state, not a view.
func (c *Client) SettleTrade(
	ctx context.Context,
	state *arbiterv1.State,
	collectionOne, collectionTwo []*arbiterv1.TripleTriadCard,
	picks ...uint32,
) (*arbiterv1.SettleTradeResponse, error) {
	return c.stub.SettleTrade(ctx, &arbiterv1.SettleTradeRequest{
		State: state, CollectionOne: collectionOne, CollectionTwo: collectionTwo, Picks: picks,
	})
}

// ViewState returns the state as one player sees it: a view, which hides the cards that the player may not know. A client
// that acts for one player should use that player's view: [Client.RenderState], [Client.ListLegalMoves],
// [Client.ValidateMove], [Client.ApplyMove], [Client.ResolveCaptures], [Client.DetermineWinner] and [Client.SuggestMove]
// accept it. The service refuses a call whose response depends on hidden cards, with ERROR_REASON_HIDDEN_INFORMATION.
func (c *Client) ViewState(
	ctx context.Context, state *arbiterv1.State, viewer arbiterv1.Player,
) (*arbiterv1.ViewStateResponse, error) {
	return c.stub.ViewState(ctx, &arbiterv1.ViewStateRequest{State: state, Viewer: viewer})
}

// RenderState returns a state in every form: typed, as notation, and as a text board for people.
func (c *Client) RenderState(
	ctx context.Context, state *arbiterv1.State,
) (*arbiterv1.RenderStateResponse, error) {
	return c.stub.RenderState(ctx, &arbiterv1.RenderStateRequest{State: state})
}

// SuggestMove evaluates every legal move of the player to move, or of the player in [ForPlayer], and chooses one that a
// player of a [Level] would make; by default the best. [MaxNodes] limits the search, not the time, so the same arguments
// have the same response. [Seed] varies the choices of the levels below [LevelBest], [MaxLinePlies] limits the line, and
// [HiddenPool] lists what the hidden cards of a Triple Triad view may be. The Value of an evaluation is nil if its kind
// is newer than this package.
func (c *Client) SuggestMove(
	ctx context.Context, state *arbiterv1.State, options ...SuggestMoveOption,
) (*arbiterv1.SuggestMoveResponse, error) {
	request := &arbiterv1.SuggestMoveRequest{State: state}
	for _, option := range options {
		option.setSuggestMove(request)
	}
	return c.stub.SuggestMove(ctx, request)
}
