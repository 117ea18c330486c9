package arbiter

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/arbiter-referee/arbiter/clients/go/arbiterv1"
)

// StateKind is a type that [State] accepts: the text of a state, or the state of a game.
type StateKind interface {
	string | *arbiterv1.ConnectFourState | *arbiterv1.TripleTriadState |
		*arbiterv1.QueenRooksState | *arbiterv1.RoyalMatchState
}

// State creates a state from its text, such as "c4:7x6x4:4453", or from the state of a game.
func State[K StateKind](kind K) *arbiterv1.State {
	return wrap(&arbiterv1.State{}, kind)
}

// MoveKind is a type that [Move] accepts: the text of a move, or the move of a game.
type MoveKind interface {
	string | *arbiterv1.ConnectFourMove | *arbiterv1.TripleTriadMove |
		*arbiterv1.QueenRooksMove | *arbiterv1.RoyalMatchMove
}

// Move creates a move from its text, such as "4" or "17@5", or from the move of a game.
func Move[K MoveKind](kind K) *arbiterv1.Move {
	return wrap(&arbiterv1.Move{}, kind)
}

// Moves creates moves from their texts.
func Moves(texts ...string) []*arbiterv1.Move {
	return each(texts, Move)
}

// Square creates a square. Rows count from the top and columns from the left, both from 0.
func Square(row, column uint32) *arbiterv1.Square {
	return &arbiterv1.Square{Row: &row, Column: &column}
}

// RoyalMatchCards creates cards of RoyalMatch from their texts, such as "7H".
func RoyalMatchCards(texts ...string) []*arbiterv1.RoyalMatchCard {
	return each(texts, func(text string) *arbiterv1.RoyalMatchCard {
		return &arbiterv1.RoyalMatchCard{Notation: text}
	})
}

// TripleTriadCards creates cards of Triple Triad from their texts, such as "54", the number of a built-in card.
func TripleTriadCards(texts ...string) []*arbiterv1.TripleTriadCard {
	return each(texts, func(text string) *arbiterv1.TripleTriadCard {
		return &arbiterv1.TripleTriadCard{Notation: text}
	})
}

// NewGameOption is an option of [Client.NewGame].
type NewGameOption interface {
	setNewGame(*arbiterv1.NewGameRequest)
}

// DetermineWinnerOption is an option of [Client.DetermineWinner].
type DetermineWinnerOption interface {
	setDetermineWinner(*arbiterv1.DetermineWinnerRequest)
}

// CompareCardsOption is an option of [Client.CompareCards].
type CompareCardsOption interface {
	setCompareCards(*arbiterv1.CompareCardsRequest)
}

// ListGamesOption is an option of [Client.ListGames].
type ListGamesOption interface {
	setListGames(*arbiterv1.ListGamesRequest)
}

// SuggestMoveOption is an option of [Client.SuggestMove].
type SuggestMoveOption interface {
	setSuggestMove(*arbiterv1.SuggestMoveRequest)
}

type newGameOption func(*arbiterv1.NewGameRequest)

func (set newGameOption) setNewGame(request *arbiterv1.NewGameRequest) { set(request) }

// SetupKind is a type that [Setup] accepts: the setup of a game.
type SetupKind interface {
	*arbiterv1.ConnectFourSetup | *arbiterv1.TripleTriadSetup |
		*arbiterv1.QueenRooksSetup | *arbiterv1.RoyalMatchSetup
}

// Setup selects the game, and sets what it is started from.
func Setup[K SetupKind](setup K) NewGameOption {
	return newGameOption(func(request *arbiterv1.NewGameRequest) { wrap(request, setup) })
}

// RulesKind is a type that [Rules] accepts: the rules of a game, or a rule set such as that of a preset.
type RulesKind interface {
	*arbiterv1.RuleSet | *arbiterv1.ConnectFourRules | *arbiterv1.TripleTriadRules |
		*arbiterv1.QueenRooksRules | *arbiterv1.RoyalMatchRules
}

// Rules sets the rules of the game. They select the game if there is no [Setup].
func Rules[K RulesKind](rules K) NewGameOption {
	set, whole := any(rules).(*arbiterv1.RuleSet)
	if !whole {
		set = wrap(&arbiterv1.RuleSet{}, rules)
	}
	return newGameOption(func(request *arbiterv1.NewGameRequest) { request.Rules = set })
}

// AsText requests a state as text instead of a typed one.
func AsText() NewGameOption {
	return newGameOption(func(request *arbiterv1.NewGameRequest) {
		request.Form = arbiterv1.StateForm_STATE_FORM_NOTATION.Enum()
	})
}

// Seed determines random choices: the same seed gives the same game. It is an option of [Client.NewGame],
// [Client.DetermineWinner] and [Client.SuggestMove].
type Seed uint64

func (seed Seed) setNewGame(request *arbiterv1.NewGameRequest) {
	request.Seed = new(uint64(seed))
}

func (seed Seed) setDetermineWinner(request *arbiterv1.DetermineWinnerRequest) {
	request.Seed = new(uint64(seed))
}

func (seed Seed) setSuggestMove(request *arbiterv1.SuggestMoveRequest) {
	request.Seed = new(uint64(seed))
}

// Ordering sets how cards are compared. It is an option of [Client.CompareCards].
type Ordering arbiterv1.RoyalMatchOrdering

func (ordering Ordering) setCompareCards(request *arbiterv1.CompareCardsRequest) {
	request.Ordering = arbiterv1.RoyalMatchOrdering(ordering).Enum()
}

// IncludeCards sets whether to return the built-in cards of the games. It is an option of [Client.ListGames].
type IncludeCards bool

func (include IncludeCards) setListGames(request *arbiterv1.ListGamesRequest) {
	request.IncludeCards = bool(include)
}

// IncludeClauses sets whether to return the text of every clause of the rules. It is an option of [Client.ListGames].
type IncludeClauses bool

func (include IncludeClauses) setListGames(request *arbiterv1.ListGamesRequest) {
	request.IncludeClauses = bool(include)
}

// Level sets how well the suggested move is played. It is an option of [Client.SuggestMove].
type Level arbiterv1.SuggestionLevel

// The levels, from the weakest to the strongest.
const (
	// LevelCasual wins at once if possible, prevents an immediate loss, and otherwise plays by first impression.
	LevelCasual = Level(arbiterv1.SuggestionLevel_SUGGESTION_LEVEL_CASUAL)
	// LevelIntermediate sees a few moves ahead, and errs often.
	LevelIntermediate = Level(arbiterv1.SuggestionLevel_SUGGESTION_LEVEL_INTERMEDIATE)
	// LevelStrong sees far ahead, and errs seldom and only by a little.
	LevelStrong = Level(arbiterv1.SuggestionLevel_SUGGESTION_LEVEL_STRONG)
	// LevelBest plays the best move. It is the default.
	LevelBest = Level(arbiterv1.SuggestionLevel_SUGGESTION_LEVEL_BEST)
)

func (level Level) setSuggestMove(request *arbiterv1.SuggestMoveRequest) {
	request.Level = arbiterv1.SuggestionLevel(level).Enum()
}

// ForPlayer sets the player to suggest a move for, who must be to move. It is an option of [Client.SuggestMove].
type ForPlayer arbiterv1.Player

func (player ForPlayer) setSuggestMove(request *arbiterv1.SuggestMoveRequest) {
	request.Player = arbiterv1.Player(player).Enum()
}

// MaxNodes sets the maximum number of positions to search: more take more time, and prove more. It is an option of
// [Client.SuggestMove].
type MaxNodes uint32

func (nodes MaxNodes) setSuggestMove(request *arbiterv1.SuggestMoveRequest) {
	request.MaxNodes = new(uint32(nodes))
}

// MaxLinePlies sets the maximum length of the line of best play. It is an option of [Client.SuggestMove].
type MaxLinePlies uint32

func (plies MaxLinePlies) setSuggestMove(request *arbiterv1.SuggestMoveRequest) {
	request.MaxLinePlies = new(uint32(plies))
}

// HiddenPool lists what the hidden cards of a Triple Triad view may be. It is an option of [Client.SuggestMove].
type HiddenPool []*arbiterv1.TripleTriadCard

func (pool HiddenPool) setSuggestMove(request *arbiterv1.SuggestMoveRequest) {
	request.TripleTriadPool = &arbiterv1.TripleTriadHiddenPool{Cards: pool}
}

// wrap sets the field of a message that has the type of kind, and returns the message. Nil sets nothing: the service then
// reports the missing field.
func wrap[M proto.Message](into M, kind any) M {
	message := into.ProtoReflect()
	fields := message.Descriptor().Fields()
	if text, is := kind.(string); is {
		message.Set(fields.ByName("notation"), protoreflect.ValueOfString(text))
		return into
	}
	part := kind.(proto.Message).ProtoReflect()
	for index := range fields.Len() {
		field := fields.Get(index)
		if part.IsValid() && field.Message() == part.Descriptor() {
			message.Set(field, protoreflect.ValueOfMessage(part))
		}
	}
	return into
}

func each[A, B any](items []A, make func(A) B) []B {
	made := []B{}
	for _, item := range items {
		made = append(made, make(item))
	}
	return made
}
