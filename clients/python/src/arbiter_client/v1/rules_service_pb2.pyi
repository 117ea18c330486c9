from . import connect_four_pb2 as _connect_four_pb2
from . import game_pb2 as _game_pb2
from . import player_pb2 as _player_pb2
from . import queen_rooks_pb2 as _queen_rooks_pb2
from . import refusal_pb2 as _refusal_pb2
from . import royal_match_pb2 as _royal_match_pb2
from . import square_pb2 as _square_pb2
from . import suggestion_pb2 as _suggestion_pb2
from . import triple_triad_pb2 as _triple_triad_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_LEGAL: _ClassVar[Verdict]
    VERDICT_ILLEGAL: _ClassVar[Verdict]

class StateForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STATE_FORM_UNSPECIFIED: _ClassVar[StateForm]
    STATE_FORM_TYPED: _ClassVar[StateForm]
    STATE_FORM_NOTATION: _ClassVar[StateForm]
VERDICT_UNSPECIFIED: Verdict
VERDICT_LEGAL: Verdict
VERDICT_ILLEGAL: Verdict
STATE_FORM_UNSPECIFIED: StateForm
STATE_FORM_TYPED: StateForm
STATE_FORM_NOTATION: StateForm

class ValidateMoveRequest(_message.Message):
    __slots__ = ("state", "move")
    STATE_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    move: _game_pb2.Move
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., move: _Optional[_Union[_game_pb2.Move, _Mapping]] = ...) -> None: ...

class ValidateMoveResponse(_message.Message):
    __slots__ = ("verdict", "reasons")
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    verdict: Verdict
    reasons: _containers.RepeatedCompositeFieldContainer[_refusal_pb2.Reason]
    def __init__(self, verdict: _Optional[_Union[Verdict, str]] = ..., reasons: _Optional[_Iterable[_Union[_refusal_pb2.Reason, _Mapping]]] = ...) -> None: ...

class ApplyMoveRequest(_message.Message):
    __slots__ = ("state", "move")
    STATE_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    move: _game_pb2.Move
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., move: _Optional[_Union[_game_pb2.Move, _Mapping]] = ...) -> None: ...

class ApplyMoveResponse(_message.Message):
    __slots__ = ("state", "events", "outcome")
    STATE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    events: _containers.RepeatedCompositeFieldContainer[_game_pb2.Event]
    outcome: _game_pb2.Outcome
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_game_pb2.Event, _Mapping]]] = ..., outcome: _Optional[_Union[_game_pb2.Outcome, _Mapping]] = ...) -> None: ...

class ResolveCapturesRequest(_message.Message):
    __slots__ = ("state", "arrived_at")
    STATE_FIELD_NUMBER: _ClassVar[int]
    ARRIVED_AT_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    arrived_at: _square_pb2.Square
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., arrived_at: _Optional[_Union[_square_pb2.Square, _Mapping]] = ...) -> None: ...

class ResolveCapturesResponse(_message.Message):
    __slots__ = ("captures", "state")
    CAPTURES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    captures: _containers.RepeatedCompositeFieldContainer[_game_pb2.Capture]
    state: _game_pb2.State
    def __init__(self, captures: _Optional[_Iterable[_Union[_game_pb2.Capture, _Mapping]]] = ..., state: _Optional[_Union[_game_pb2.State, _Mapping]] = ...) -> None: ...

class DetermineWinnerRequest(_message.Message):
    __slots__ = ("state", "seed")
    STATE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    seed: int
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., seed: _Optional[int] = ...) -> None: ...

class DetermineWinnerResponse(_message.Message):
    __slots__ = ("outcome", "next_round", "seed")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    NEXT_ROUND_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    outcome: _game_pb2.Outcome
    next_round: _game_pb2.State
    seed: int
    def __init__(self, outcome: _Optional[_Union[_game_pb2.Outcome, _Mapping]] = ..., next_round: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., seed: _Optional[int] = ...) -> None: ...

class CompareCardsRequest(_message.Message):
    __slots__ = ("cards", "dominant_suit", "ordering")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    DOMINANT_SUIT_FIELD_NUMBER: _ClassVar[int]
    ORDERING_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedCompositeFieldContainer[_royal_match_pb2.RoyalMatchCard]
    dominant_suit: _royal_match_pb2.RoyalMatchSuit
    ordering: _royal_match_pb2.RoyalMatchOrdering
    def __init__(self, cards: _Optional[_Iterable[_Union[_royal_match_pb2.RoyalMatchCard, _Mapping]]] = ..., dominant_suit: _Optional[_Union[_royal_match_pb2.RoyalMatchSuit, str]] = ..., ordering: _Optional[_Union[_royal_match_pb2.RoyalMatchOrdering, str]] = ...) -> None: ...

class CompareCardsResponse(_message.Message):
    __slots__ = ("order", "winner", "ranking", "comparisons")
    ORDER_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    RANKING_FIELD_NUMBER: _ClassVar[int]
    COMPARISONS_FIELD_NUMBER: _ClassVar[int]
    order: _royal_match_pb2.RoyalMatchOrder
    winner: _royal_match_pb2.RoyalMatchCard
    ranking: _containers.RepeatedCompositeFieldContainer[_royal_match_pb2.RoyalMatchCard]
    comparisons: _containers.RepeatedCompositeFieldContainer[_royal_match_pb2.RoyalMatchComparison]
    def __init__(self, order: _Optional[_Union[_royal_match_pb2.RoyalMatchOrder, str]] = ..., winner: _Optional[_Union[_royal_match_pb2.RoyalMatchCard, _Mapping]] = ..., ranking: _Optional[_Iterable[_Union[_royal_match_pb2.RoyalMatchCard, _Mapping]]] = ..., comparisons: _Optional[_Iterable[_Union[_royal_match_pb2.RoyalMatchComparison, _Mapping]]] = ...) -> None: ...

class ListGamesRequest(_message.Message):
    __slots__ = ("include_cards", "include_clauses")
    INCLUDE_CARDS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_CLAUSES_FIELD_NUMBER: _ClassVar[int]
    include_cards: bool
    include_clauses: bool
    def __init__(self, include_cards: _Optional[bool] = ..., include_clauses: _Optional[bool] = ...) -> None: ...

class ListGamesResponse(_message.Message):
    __slots__ = ("games",)
    GAMES_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[GameDescription]
    def __init__(self, games: _Optional[_Iterable[_Union[GameDescription, _Mapping]]] = ...) -> None: ...

class GameDescription(_message.Message):
    __slots__ = ("name", "title", "summary", "default_rules", "limits", "presets", "state_notation", "move_notation", "triple_triad_cards", "clauses")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_RULES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    PRESETS_FIELD_NUMBER: _ClassVar[int]
    STATE_NOTATION_FIELD_NUMBER: _ClassVar[int]
    MOVE_NOTATION_FIELD_NUMBER: _ClassVar[int]
    TRIPLE_TRIAD_CARDS_FIELD_NUMBER: _ClassVar[int]
    CLAUSES_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    summary: str
    default_rules: _game_pb2.RuleSet
    limits: _containers.RepeatedCompositeFieldContainer[RuleLimit]
    presets: _containers.RepeatedCompositeFieldContainer[Preset]
    state_notation: NotationDescription
    move_notation: NotationDescription
    triple_triad_cards: _containers.RepeatedCompositeFieldContainer[_triple_triad_pb2.TripleTriadCard]
    clauses: _containers.RepeatedCompositeFieldContainer[RuleClause]
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., summary: _Optional[str] = ..., default_rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., limits: _Optional[_Iterable[_Union[RuleLimit, _Mapping]]] = ..., presets: _Optional[_Iterable[_Union[Preset, _Mapping]]] = ..., state_notation: _Optional[_Union[NotationDescription, _Mapping]] = ..., move_notation: _Optional[_Union[NotationDescription, _Mapping]] = ..., triple_triad_cards: _Optional[_Iterable[_Union[_triple_triad_pb2.TripleTriadCard, _Mapping]]] = ..., clauses: _Optional[_Iterable[_Union[RuleClause, _Mapping]]] = ...) -> None: ...

class RuleClause(_message.Message):
    __slots__ = ("id", "title", "text")
    ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    id: str
    title: str
    text: str
    def __init__(self, id: _Optional[str] = ..., title: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class RuleLimit(_message.Message):
    __slots__ = ("field", "minimum", "maximum", "condition")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    field: str
    minimum: int
    maximum: int
    condition: str
    def __init__(self, field: _Optional[str] = ..., minimum: _Optional[int] = ..., maximum: _Optional[int] = ..., condition: _Optional[str] = ...) -> None: ...

class Preset(_message.Message):
    __slots__ = ("name", "summary", "rules")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    name: str
    summary: str
    rules: _game_pb2.RuleSet
    def __init__(self, name: _Optional[str] = ..., summary: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ...) -> None: ...

class NotationDescription(_message.Message):
    __slots__ = ("syntax", "examples")
    SYNTAX_FIELD_NUMBER: _ClassVar[int]
    EXAMPLES_FIELD_NUMBER: _ClassVar[int]
    syntax: str
    examples: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, syntax: _Optional[str] = ..., examples: _Optional[_Iterable[str]] = ...) -> None: ...

class NewGameRequest(_message.Message):
    __slots__ = ("connect_four", "triple_triad", "queen_rooks", "royal_match", "rules", "seed", "form")
    CONNECT_FOUR_FIELD_NUMBER: _ClassVar[int]
    TRIPLE_TRIAD_FIELD_NUMBER: _ClassVar[int]
    QUEEN_ROOKS_FIELD_NUMBER: _ClassVar[int]
    ROYAL_MATCH_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    connect_four: _connect_four_pb2.ConnectFourSetup
    triple_triad: _triple_triad_pb2.TripleTriadSetup
    queen_rooks: _queen_rooks_pb2.QueenRooksSetup
    royal_match: _royal_match_pb2.RoyalMatchSetup
    rules: _game_pb2.RuleSet
    seed: int
    form: StateForm
    def __init__(self, connect_four: _Optional[_Union[_connect_four_pb2.ConnectFourSetup, _Mapping]] = ..., triple_triad: _Optional[_Union[_triple_triad_pb2.TripleTriadSetup, _Mapping]] = ..., queen_rooks: _Optional[_Union[_queen_rooks_pb2.QueenRooksSetup, _Mapping]] = ..., royal_match: _Optional[_Union[_royal_match_pb2.RoyalMatchSetup, _Mapping]] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seed: _Optional[int] = ..., form: _Optional[_Union[StateForm, str]] = ...) -> None: ...

class NewGameResponse(_message.Message):
    __slots__ = ("state", "seed")
    STATE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    seed: int
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., seed: _Optional[int] = ...) -> None: ...

class ListLegalMovesRequest(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ...) -> None: ...

class ListLegalMovesResponse(_message.Message):
    __slots__ = ("moves",)
    MOVES_FIELD_NUMBER: _ClassVar[int]
    moves: _containers.RepeatedCompositeFieldContainer[_game_pb2.Move]
    def __init__(self, moves: _Optional[_Iterable[_Union[_game_pb2.Move, _Mapping]]] = ...) -> None: ...

class ReplayGameRequest(_message.Message):
    __slots__ = ("state", "moves")
    STATE_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    moves: _containers.RepeatedCompositeFieldContainer[_game_pb2.Move]
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., moves: _Optional[_Iterable[_Union[_game_pb2.Move, _Mapping]]] = ...) -> None: ...

class ReplayGameResponse(_message.Message):
    __slots__ = ("state", "events", "outcome")
    STATE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    events: _containers.RepeatedCompositeFieldContainer[MoveEvents]
    outcome: _game_pb2.Outcome
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., events: _Optional[_Iterable[_Union[MoveEvents, _Mapping]]] = ..., outcome: _Optional[_Union[_game_pb2.Outcome, _Mapping]] = ...) -> None: ...

class MoveEvents(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_game_pb2.Event]
    def __init__(self, events: _Optional[_Iterable[_Union[_game_pb2.Event, _Mapping]]] = ...) -> None: ...

class SettleTradeRequest(_message.Message):
    __slots__ = ("state", "collection_one", "collection_two", "picks")
    STATE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ONE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_TWO_FIELD_NUMBER: _ClassVar[int]
    PICKS_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    collection_one: _containers.RepeatedCompositeFieldContainer[_triple_triad_pb2.TripleTriadCard]
    collection_two: _containers.RepeatedCompositeFieldContainer[_triple_triad_pb2.TripleTriadCard]
    picks: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., collection_one: _Optional[_Iterable[_Union[_triple_triad_pb2.TripleTriadCard, _Mapping]]] = ..., collection_two: _Optional[_Iterable[_Union[_triple_triad_pb2.TripleTriadCard, _Mapping]]] = ..., picks: _Optional[_Iterable[int]] = ...) -> None: ...

class SettleTradeResponse(_message.Message):
    __slots__ = ("collection_one", "collection_two", "transfers", "explanation")
    COLLECTION_ONE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_TWO_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    collection_one: _containers.RepeatedCompositeFieldContainer[_triple_triad_pb2.TripleTriadCard]
    collection_two: _containers.RepeatedCompositeFieldContainer[_triple_triad_pb2.TripleTriadCard]
    transfers: _containers.RepeatedCompositeFieldContainer[_triple_triad_pb2.TripleTriadTransfer]
    explanation: str
    def __init__(self, collection_one: _Optional[_Iterable[_Union[_triple_triad_pb2.TripleTriadCard, _Mapping]]] = ..., collection_two: _Optional[_Iterable[_Union[_triple_triad_pb2.TripleTriadCard, _Mapping]]] = ..., transfers: _Optional[_Iterable[_Union[_triple_triad_pb2.TripleTriadTransfer, _Mapping]]] = ..., explanation: _Optional[str] = ...) -> None: ...

class ViewStateRequest(_message.Message):
    __slots__ = ("state", "viewer")
    STATE_FIELD_NUMBER: _ClassVar[int]
    VIEWER_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    viewer: _player_pb2.Player
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., viewer: _Optional[_Union[_player_pb2.Player, str]] = ...) -> None: ...

class ViewStateResponse(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ...) -> None: ...

class RenderStateRequest(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ...) -> None: ...

class RenderStateResponse(_message.Message):
    __slots__ = ("state", "notation", "text")
    STATE_FIELD_NUMBER: _ClassVar[int]
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    notation: str
    text: str
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., notation: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class SuggestMoveRequest(_message.Message):
    __slots__ = ("state", "player", "level", "max_nodes", "seed", "max_line_plies", "triple_triad_pool")
    STATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    MAX_NODES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    MAX_LINE_PLIES_FIELD_NUMBER: _ClassVar[int]
    TRIPLE_TRIAD_POOL_FIELD_NUMBER: _ClassVar[int]
    state: _game_pb2.State
    player: _player_pb2.Player
    level: _suggestion_pb2.SuggestionLevel
    max_nodes: int
    seed: int
    max_line_plies: int
    triple_triad_pool: _triple_triad_pb2.TripleTriadHiddenPool
    def __init__(self, state: _Optional[_Union[_game_pb2.State, _Mapping]] = ..., player: _Optional[_Union[_player_pb2.Player, str]] = ..., level: _Optional[_Union[_suggestion_pb2.SuggestionLevel, str]] = ..., max_nodes: _Optional[int] = ..., seed: _Optional[int] = ..., max_line_plies: _Optional[int] = ..., triple_triad_pool: _Optional[_Union[_triple_triad_pb2.TripleTriadHiddenPool, _Mapping]] = ...) -> None: ...

class SuggestMoveResponse(_message.Message):
    __slots__ = ("move", "evaluations", "line", "nodes", "explanation")
    MOVE_FIELD_NUMBER: _ClassVar[int]
    EVALUATIONS_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    move: _game_pb2.Move
    evaluations: _containers.RepeatedCompositeFieldContainer[_suggestion_pb2.MoveEvaluation]
    line: _containers.RepeatedCompositeFieldContainer[_game_pb2.Move]
    nodes: int
    explanation: str
    def __init__(self, move: _Optional[_Union[_game_pb2.Move, _Mapping]] = ..., evaluations: _Optional[_Iterable[_Union[_suggestion_pb2.MoveEvaluation, _Mapping]]] = ..., line: _Optional[_Iterable[_Union[_game_pb2.Move, _Mapping]]] = ..., nodes: _Optional[int] = ..., explanation: _Optional[str] = ...) -> None: ...

class EvaluateBatchRequest(_message.Message):
    __slots__ = ("calls",)
    CALLS_FIELD_NUMBER: _ClassVar[int]
    calls: _containers.RepeatedCompositeFieldContainer[Call]
    def __init__(self, calls: _Optional[_Iterable[_Union[Call, _Mapping]]] = ...) -> None: ...

class EvaluateBatchResponse(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[Answer]
    def __init__(self, answers: _Optional[_Iterable[_Union[Answer, _Mapping]]] = ...) -> None: ...

class EvaluateRequest(_message.Message):
    __slots__ = ("call",)
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: Call
    def __init__(self, call: _Optional[_Union[Call, _Mapping]] = ...) -> None: ...

class EvaluateResponse(_message.Message):
    __slots__ = ("answer",)
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    answer: Answer
    def __init__(self, answer: _Optional[_Union[Answer, _Mapping]] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ("validate_move", "apply_move", "resolve_captures", "determine_winner", "compare_cards", "list_games", "new_game", "list_legal_moves", "replay_game", "settle_trade", "view_state", "render_state")
    VALIDATE_MOVE_FIELD_NUMBER: _ClassVar[int]
    APPLY_MOVE_FIELD_NUMBER: _ClassVar[int]
    RESOLVE_CAPTURES_FIELD_NUMBER: _ClassVar[int]
    DETERMINE_WINNER_FIELD_NUMBER: _ClassVar[int]
    COMPARE_CARDS_FIELD_NUMBER: _ClassVar[int]
    LIST_GAMES_FIELD_NUMBER: _ClassVar[int]
    NEW_GAME_FIELD_NUMBER: _ClassVar[int]
    LIST_LEGAL_MOVES_FIELD_NUMBER: _ClassVar[int]
    REPLAY_GAME_FIELD_NUMBER: _ClassVar[int]
    SETTLE_TRADE_FIELD_NUMBER: _ClassVar[int]
    VIEW_STATE_FIELD_NUMBER: _ClassVar[int]
    RENDER_STATE_FIELD_NUMBER: _ClassVar[int]
    validate_move: ValidateMoveRequest
    apply_move: ApplyMoveRequest
    resolve_captures: ResolveCapturesRequest
    determine_winner: DetermineWinnerRequest
    compare_cards: CompareCardsRequest
    list_games: ListGamesRequest
    new_game: NewGameRequest
    list_legal_moves: ListLegalMovesRequest
    replay_game: ReplayGameRequest
    settle_trade: SettleTradeRequest
    view_state: ViewStateRequest
    render_state: RenderStateRequest
    def __init__(self, validate_move: _Optional[_Union[ValidateMoveRequest, _Mapping]] = ..., apply_move: _Optional[_Union[ApplyMoveRequest, _Mapping]] = ..., resolve_captures: _Optional[_Union[ResolveCapturesRequest, _Mapping]] = ..., determine_winner: _Optional[_Union[DetermineWinnerRequest, _Mapping]] = ..., compare_cards: _Optional[_Union[CompareCardsRequest, _Mapping]] = ..., list_games: _Optional[_Union[ListGamesRequest, _Mapping]] = ..., new_game: _Optional[_Union[NewGameRequest, _Mapping]] = ..., list_legal_moves: _Optional[_Union[ListLegalMovesRequest, _Mapping]] = ..., replay_game: _Optional[_Union[ReplayGameRequest, _Mapping]] = ..., settle_trade: _Optional[_Union[SettleTradeRequest, _Mapping]] = ..., view_state: _Optional[_Union[ViewStateRequest, _Mapping]] = ..., render_state: _Optional[_Union[RenderStateRequest, _Mapping]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("refusal", "validate_move", "apply_move", "resolve_captures", "determine_winner", "compare_cards", "list_games", "new_game", "list_legal_moves", "replay_game", "settle_trade", "view_state", "render_state")
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    VALIDATE_MOVE_FIELD_NUMBER: _ClassVar[int]
    APPLY_MOVE_FIELD_NUMBER: _ClassVar[int]
    RESOLVE_CAPTURES_FIELD_NUMBER: _ClassVar[int]
    DETERMINE_WINNER_FIELD_NUMBER: _ClassVar[int]
    COMPARE_CARDS_FIELD_NUMBER: _ClassVar[int]
    LIST_GAMES_FIELD_NUMBER: _ClassVar[int]
    NEW_GAME_FIELD_NUMBER: _ClassVar[int]
    LIST_LEGAL_MOVES_FIELD_NUMBER: _ClassVar[int]
    REPLAY_GAME_FIELD_NUMBER: _ClassVar[int]
    SETTLE_TRADE_FIELD_NUMBER: _ClassVar[int]
    VIEW_STATE_FIELD_NUMBER: _ClassVar[int]
    RENDER_STATE_FIELD_NUMBER: _ClassVar[int]
    refusal: _refusal_pb2.Refusal
    validate_move: ValidateMoveResponse
    apply_move: ApplyMoveResponse
    resolve_captures: ResolveCapturesResponse
    determine_winner: DetermineWinnerResponse
    compare_cards: CompareCardsResponse
    list_games: ListGamesResponse
    new_game: NewGameResponse
    list_legal_moves: ListLegalMovesResponse
    replay_game: ReplayGameResponse
    settle_trade: SettleTradeResponse
    view_state: ViewStateResponse
    render_state: RenderStateResponse
    def __init__(self, refusal: _Optional[_Union[_refusal_pb2.Refusal, _Mapping]] = ..., validate_move: _Optional[_Union[ValidateMoveResponse, _Mapping]] = ..., apply_move: _Optional[_Union[ApplyMoveResponse, _Mapping]] = ..., resolve_captures: _Optional[_Union[ResolveCapturesResponse, _Mapping]] = ..., determine_winner: _Optional[_Union[DetermineWinnerResponse, _Mapping]] = ..., compare_cards: _Optional[_Union[CompareCardsResponse, _Mapping]] = ..., list_games: _Optional[_Union[ListGamesResponse, _Mapping]] = ..., new_game: _Optional[_Union[NewGameResponse, _Mapping]] = ..., list_legal_moves: _Optional[_Union[ListLegalMovesResponse, _Mapping]] = ..., replay_game: _Optional[_Union[ReplayGameResponse, _Mapping]] = ..., settle_trade: _Optional[_Union[SettleTradeResponse, _Mapping]] = ..., view_state: _Optional[_Union[ViewStateResponse, _Mapping]] = ..., render_state: _Optional[_Union[RenderStateResponse, _Mapping]] = ...) -> None: ...
