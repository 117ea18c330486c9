from . import player_pb2 as _player_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RoyalMatchSuit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROYAL_MATCH_SUIT_UNSPECIFIED: _ClassVar[RoyalMatchSuit]
    ROYAL_MATCH_SUIT_HEARTS: _ClassVar[RoyalMatchSuit]
    ROYAL_MATCH_SUIT_DIAMONDS: _ClassVar[RoyalMatchSuit]
    ROYAL_MATCH_SUIT_CLUBS: _ClassVar[RoyalMatchSuit]
    ROYAL_MATCH_SUIT_SPADES: _ClassVar[RoyalMatchSuit]

class RoyalMatchOrdering(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROYAL_MATCH_ORDERING_UNSPECIFIED: _ClassVar[RoyalMatchOrdering]
    ROYAL_MATCH_ORDERING_VALUE_THEN_SUIT: _ClassVar[RoyalMatchOrdering]
    ROYAL_MATCH_ORDERING_SUIT_THEN_VALUE: _ClassVar[RoyalMatchOrdering]

class RoyalMatchDecision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROYAL_MATCH_DECISION_UNSPECIFIED: _ClassVar[RoyalMatchDecision]
    ROYAL_MATCH_DECISION_HIGHER_VALUE: _ClassVar[RoyalMatchDecision]
    ROYAL_MATCH_DECISION_STRONG_SUIT: _ClassVar[RoyalMatchDecision]
    ROYAL_MATCH_DECISION_WEAK_SUIT: _ClassVar[RoyalMatchDecision]
    ROYAL_MATCH_DECISION_NEUTRAL_COLOUR: _ClassVar[RoyalMatchDecision]
    ROYAL_MATCH_DECISION_EQUAL: _ClassVar[RoyalMatchDecision]

class RoyalMatchOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROYAL_MATCH_ORDER_UNSPECIFIED: _ClassVar[RoyalMatchOrder]
    ROYAL_MATCH_ORDER_FIRST_WINS: _ClassVar[RoyalMatchOrder]
    ROYAL_MATCH_ORDER_SECOND_WINS: _ClassVar[RoyalMatchOrder]
    ROYAL_MATCH_ORDER_EQUAL: _ClassVar[RoyalMatchOrder]
ROYAL_MATCH_SUIT_UNSPECIFIED: RoyalMatchSuit
ROYAL_MATCH_SUIT_HEARTS: RoyalMatchSuit
ROYAL_MATCH_SUIT_DIAMONDS: RoyalMatchSuit
ROYAL_MATCH_SUIT_CLUBS: RoyalMatchSuit
ROYAL_MATCH_SUIT_SPADES: RoyalMatchSuit
ROYAL_MATCH_ORDERING_UNSPECIFIED: RoyalMatchOrdering
ROYAL_MATCH_ORDERING_VALUE_THEN_SUIT: RoyalMatchOrdering
ROYAL_MATCH_ORDERING_SUIT_THEN_VALUE: RoyalMatchOrdering
ROYAL_MATCH_DECISION_UNSPECIFIED: RoyalMatchDecision
ROYAL_MATCH_DECISION_HIGHER_VALUE: RoyalMatchDecision
ROYAL_MATCH_DECISION_STRONG_SUIT: RoyalMatchDecision
ROYAL_MATCH_DECISION_WEAK_SUIT: RoyalMatchDecision
ROYAL_MATCH_DECISION_NEUTRAL_COLOUR: RoyalMatchDecision
ROYAL_MATCH_DECISION_EQUAL: RoyalMatchDecision
ROYAL_MATCH_ORDER_UNSPECIFIED: RoyalMatchOrder
ROYAL_MATCH_ORDER_FIRST_WINS: RoyalMatchOrder
ROYAL_MATCH_ORDER_SECOND_WINS: RoyalMatchOrder
ROYAL_MATCH_ORDER_EQUAL: RoyalMatchOrder

class RoyalMatchState(_message.Message):
    __slots__ = ("rules", "dominant_suit", "seats", "view")
    RULES_FIELD_NUMBER: _ClassVar[int]
    DOMINANT_SUIT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    rules: RoyalMatchRules
    dominant_suit: RoyalMatchSuit
    seats: _containers.RepeatedCompositeFieldContainer[RoyalMatchSeat]
    view: RoyalMatchView
    def __init__(self, rules: _Optional[_Union[RoyalMatchRules, _Mapping]] = ..., dominant_suit: _Optional[_Union[RoyalMatchSuit, str]] = ..., seats: _Optional[_Iterable[_Union[RoyalMatchSeat, _Mapping]]] = ..., view: _Optional[_Union[RoyalMatchView, _Mapping]] = ...) -> None: ...

class RoyalMatchSeat(_message.Message):
    __slots__ = ("hand", "played", "tricks", "hidden_cards")
    HAND_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    hand: _containers.RepeatedCompositeFieldContainer[RoyalMatchCard]
    played: RoyalMatchCard
    tricks: int
    hidden_cards: int
    def __init__(self, hand: _Optional[_Iterable[_Union[RoyalMatchCard, _Mapping]]] = ..., played: _Optional[_Union[RoyalMatchCard, _Mapping]] = ..., tricks: _Optional[int] = ..., hidden_cards: _Optional[int] = ...) -> None: ...

class RoyalMatchView(_message.Message):
    __slots__ = ("viewer",)
    VIEWER_FIELD_NUMBER: _ClassVar[int]
    viewer: _player_pb2.Player
    def __init__(self, viewer: _Optional[_Union[_player_pb2.Player, str]] = ...) -> None: ...

class RoyalMatchCard(_message.Message):
    __slots__ = ("suit", "value", "notation")
    SUIT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    suit: RoyalMatchSuit
    value: int
    notation: str
    def __init__(self, suit: _Optional[_Union[RoyalMatchSuit, str]] = ..., value: _Optional[int] = ..., notation: _Optional[str] = ...) -> None: ...

class RoyalMatchRules(_message.Message):
    __slots__ = ("ordering",)
    ORDERING_FIELD_NUMBER: _ClassVar[int]
    ordering: RoyalMatchOrdering
    def __init__(self, ordering: _Optional[_Union[RoyalMatchOrdering, str]] = ...) -> None: ...

class RoyalMatchMove(_message.Message):
    __slots__ = ("player", "card")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    player: _player_pb2.Player
    card: RoyalMatchCard
    def __init__(self, player: _Optional[_Union[_player_pb2.Player, str]] = ..., card: _Optional[_Union[RoyalMatchCard, _Mapping]] = ...) -> None: ...

class RoyalMatchSetup(_message.Message):
    __slots__ = ("players", "hand_size", "hands", "dominant_suit")
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZE_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DOMINANT_SUIT_FIELD_NUMBER: _ClassVar[int]
    players: int
    hand_size: int
    hands: _containers.RepeatedCompositeFieldContainer[RoyalMatchHand]
    dominant_suit: RoyalMatchSuit
    def __init__(self, players: _Optional[int] = ..., hand_size: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[RoyalMatchHand, _Mapping]]] = ..., dominant_suit: _Optional[_Union[RoyalMatchSuit, str]] = ...) -> None: ...

class RoyalMatchHand(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedCompositeFieldContainer[RoyalMatchCard]
    def __init__(self, cards: _Optional[_Iterable[_Union[RoyalMatchCard, _Mapping]]] = ...) -> None: ...

class RoyalMatchComparison(_message.Message):
    __slots__ = ("stronger", "weaker", "decision", "explanation")
    STRONGER_FIELD_NUMBER: _ClassVar[int]
    WEAKER_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    stronger: RoyalMatchCard
    weaker: RoyalMatchCard
    decision: RoyalMatchDecision
    explanation: str
    def __init__(self, stronger: _Optional[_Union[RoyalMatchCard, _Mapping]] = ..., weaker: _Optional[_Union[RoyalMatchCard, _Mapping]] = ..., decision: _Optional[_Union[RoyalMatchDecision, str]] = ..., explanation: _Optional[str] = ...) -> None: ...

class RoyalMatchTrick(_message.Message):
    __slots__ = ("player", "card", "comparisons")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    COMPARISONS_FIELD_NUMBER: _ClassVar[int]
    player: _player_pb2.Player
    card: RoyalMatchCard
    comparisons: _containers.RepeatedCompositeFieldContainer[RoyalMatchComparison]
    def __init__(self, player: _Optional[_Union[_player_pb2.Player, str]] = ..., card: _Optional[_Union[RoyalMatchCard, _Mapping]] = ..., comparisons: _Optional[_Iterable[_Union[RoyalMatchComparison, _Mapping]]] = ...) -> None: ...

class RoyalMatchOutcome(_message.Message):
    __slots__ = ("drawn_between",)
    DRAWN_BETWEEN_FIELD_NUMBER: _ClassVar[int]
    drawn_between: _containers.RepeatedScalarFieldContainer[_player_pb2.Player]
    def __init__(self, drawn_between: _Optional[_Iterable[_Union[_player_pb2.Player, str]]] = ...) -> None: ...
