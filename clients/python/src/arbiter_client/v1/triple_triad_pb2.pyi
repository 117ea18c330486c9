from . import player_pb2 as _player_pb2
from . import square_pb2 as _square_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TripleTriadElement(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRIPLE_TRIAD_ELEMENT_UNSPECIFIED: _ClassVar[TripleTriadElement]
    TRIPLE_TRIAD_ELEMENT_FIRE: _ClassVar[TripleTriadElement]
    TRIPLE_TRIAD_ELEMENT_ICE: _ClassVar[TripleTriadElement]
    TRIPLE_TRIAD_ELEMENT_THUNDER: _ClassVar[TripleTriadElement]
    TRIPLE_TRIAD_ELEMENT_EARTH: _ClassVar[TripleTriadElement]
    TRIPLE_TRIAD_ELEMENT_POISON: _ClassVar[TripleTriadElement]
    TRIPLE_TRIAD_ELEMENT_WIND: _ClassVar[TripleTriadElement]
    TRIPLE_TRIAD_ELEMENT_WATER: _ClassVar[TripleTriadElement]
    TRIPLE_TRIAD_ELEMENT_HOLY: _ClassVar[TripleTriadElement]

class TripleTriadBasicCapture(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRIPLE_TRIAD_BASIC_CAPTURE_UNSPECIFIED: _ClassVar[TripleTriadBasicCapture]
    TRIPLE_TRIAD_BASIC_CAPTURE_FALLBACK: _ClassVar[TripleTriadBasicCapture]
    TRIPLE_TRIAD_BASIC_CAPTURE_ALWAYS: _ClassVar[TripleTriadBasicCapture]

class TripleTriadTradeRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRIPLE_TRIAD_TRADE_RULE_UNSPECIFIED: _ClassVar[TripleTriadTradeRule]
    TRIPLE_TRIAD_TRADE_RULE_NONE: _ClassVar[TripleTriadTradeRule]
    TRIPLE_TRIAD_TRADE_RULE_ONE: _ClassVar[TripleTriadTradeRule]
    TRIPLE_TRIAD_TRADE_RULE_DIFF: _ClassVar[TripleTriadTradeRule]
    TRIPLE_TRIAD_TRADE_RULE_DIRECT: _ClassVar[TripleTriadTradeRule]
    TRIPLE_TRIAD_TRADE_RULE_ALL: _ClassVar[TripleTriadTradeRule]

class TripleTriadCaptureRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRIPLE_TRIAD_CAPTURE_RULE_UNSPECIFIED: _ClassVar[TripleTriadCaptureRule]
    TRIPLE_TRIAD_CAPTURE_RULE_BASIC: _ClassVar[TripleTriadCaptureRule]
    TRIPLE_TRIAD_CAPTURE_RULE_SAME: _ClassVar[TripleTriadCaptureRule]
    TRIPLE_TRIAD_CAPTURE_RULE_SAME_WALL: _ClassVar[TripleTriadCaptureRule]
    TRIPLE_TRIAD_CAPTURE_RULE_PLUS: _ClassVar[TripleTriadCaptureRule]
    TRIPLE_TRIAD_CAPTURE_RULE_COMBO: _ClassVar[TripleTriadCaptureRule]
TRIPLE_TRIAD_ELEMENT_UNSPECIFIED: TripleTriadElement
TRIPLE_TRIAD_ELEMENT_FIRE: TripleTriadElement
TRIPLE_TRIAD_ELEMENT_ICE: TripleTriadElement
TRIPLE_TRIAD_ELEMENT_THUNDER: TripleTriadElement
TRIPLE_TRIAD_ELEMENT_EARTH: TripleTriadElement
TRIPLE_TRIAD_ELEMENT_POISON: TripleTriadElement
TRIPLE_TRIAD_ELEMENT_WIND: TripleTriadElement
TRIPLE_TRIAD_ELEMENT_WATER: TripleTriadElement
TRIPLE_TRIAD_ELEMENT_HOLY: TripleTriadElement
TRIPLE_TRIAD_BASIC_CAPTURE_UNSPECIFIED: TripleTriadBasicCapture
TRIPLE_TRIAD_BASIC_CAPTURE_FALLBACK: TripleTriadBasicCapture
TRIPLE_TRIAD_BASIC_CAPTURE_ALWAYS: TripleTriadBasicCapture
TRIPLE_TRIAD_TRADE_RULE_UNSPECIFIED: TripleTriadTradeRule
TRIPLE_TRIAD_TRADE_RULE_NONE: TripleTriadTradeRule
TRIPLE_TRIAD_TRADE_RULE_ONE: TripleTriadTradeRule
TRIPLE_TRIAD_TRADE_RULE_DIFF: TripleTriadTradeRule
TRIPLE_TRIAD_TRADE_RULE_DIRECT: TripleTriadTradeRule
TRIPLE_TRIAD_TRADE_RULE_ALL: TripleTriadTradeRule
TRIPLE_TRIAD_CAPTURE_RULE_UNSPECIFIED: TripleTriadCaptureRule
TRIPLE_TRIAD_CAPTURE_RULE_BASIC: TripleTriadCaptureRule
TRIPLE_TRIAD_CAPTURE_RULE_SAME: TripleTriadCaptureRule
TRIPLE_TRIAD_CAPTURE_RULE_SAME_WALL: TripleTriadCaptureRule
TRIPLE_TRIAD_CAPTURE_RULE_PLUS: TripleTriadCaptureRule
TRIPLE_TRIAD_CAPTURE_RULE_COMBO: TripleTriadCaptureRule

class TripleTriadState(_message.Message):
    __slots__ = ("rules", "board", "hand_one", "hand_two", "next_player", "sudden_death_count", "view")
    RULES_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    HAND_ONE_FIELD_NUMBER: _ClassVar[int]
    HAND_TWO_FIELD_NUMBER: _ClassVar[int]
    NEXT_PLAYER_FIELD_NUMBER: _ClassVar[int]
    SUDDEN_DEATH_COUNT_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    rules: TripleTriadRules
    board: _containers.RepeatedCompositeFieldContainer[TripleTriadSquare]
    hand_one: _containers.RepeatedCompositeFieldContainer[TripleTriadCard]
    hand_two: _containers.RepeatedCompositeFieldContainer[TripleTriadCard]
    next_player: _player_pb2.Player
    sudden_death_count: int
    view: TripleTriadView
    def __init__(self, rules: _Optional[_Union[TripleTriadRules, _Mapping]] = ..., board: _Optional[_Iterable[_Union[TripleTriadSquare, _Mapping]]] = ..., hand_one: _Optional[_Iterable[_Union[TripleTriadCard, _Mapping]]] = ..., hand_two: _Optional[_Iterable[_Union[TripleTriadCard, _Mapping]]] = ..., next_player: _Optional[_Union[_player_pb2.Player, str]] = ..., sudden_death_count: _Optional[int] = ..., view: _Optional[_Union[TripleTriadView, _Mapping]] = ...) -> None: ...

class TripleTriadView(_message.Message):
    __slots__ = ("viewer", "hidden_cards")
    VIEWER_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    viewer: _player_pb2.Player
    hidden_cards: int
    def __init__(self, viewer: _Optional[_Union[_player_pb2.Player, str]] = ..., hidden_cards: _Optional[int] = ...) -> None: ...

class TripleTriadSquare(_message.Message):
    __slots__ = ("element", "card", "owner")
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    element: TripleTriadElement
    card: TripleTriadCard
    owner: _player_pb2.Player
    def __init__(self, element: _Optional[_Union[TripleTriadElement, str]] = ..., card: _Optional[_Union[TripleTriadCard, _Mapping]] = ..., owner: _Optional[_Union[_player_pb2.Player, str]] = ...) -> None: ...

class TripleTriadCard(_message.Message):
    __slots__ = ("id", "top", "right", "bottom", "left", "element", "level", "name", "notation")
    ID_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    id: int
    top: int
    right: int
    bottom: int
    left: int
    element: TripleTriadElement
    level: int
    name: str
    notation: str
    def __init__(self, id: _Optional[int] = ..., top: _Optional[int] = ..., right: _Optional[int] = ..., bottom: _Optional[int] = ..., left: _Optional[int] = ..., element: _Optional[_Union[TripleTriadElement, str]] = ..., level: _Optional[int] = ..., name: _Optional[str] = ..., notation: _Optional[str] = ...) -> None: ...

class TripleTriadRules(_message.Message):
    __slots__ = ("open", "random", "elemental", "same", "same_wall", "plus", "combo", "basic_capture", "sudden_death", "sudden_death_limit", "trade_rule")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    RANDOM_FIELD_NUMBER: _ClassVar[int]
    ELEMENTAL_FIELD_NUMBER: _ClassVar[int]
    SAME_FIELD_NUMBER: _ClassVar[int]
    SAME_WALL_FIELD_NUMBER: _ClassVar[int]
    PLUS_FIELD_NUMBER: _ClassVar[int]
    COMBO_FIELD_NUMBER: _ClassVar[int]
    BASIC_CAPTURE_FIELD_NUMBER: _ClassVar[int]
    SUDDEN_DEATH_FIELD_NUMBER: _ClassVar[int]
    SUDDEN_DEATH_LIMIT_FIELD_NUMBER: _ClassVar[int]
    TRADE_RULE_FIELD_NUMBER: _ClassVar[int]
    open: bool
    random: bool
    elemental: bool
    same: bool
    same_wall: bool
    plus: bool
    combo: bool
    basic_capture: TripleTriadBasicCapture
    sudden_death: bool
    sudden_death_limit: int
    trade_rule: TripleTriadTradeRule
    def __init__(self, open: _Optional[bool] = ..., random: _Optional[bool] = ..., elemental: _Optional[bool] = ..., same: _Optional[bool] = ..., same_wall: _Optional[bool] = ..., plus: _Optional[bool] = ..., combo: _Optional[bool] = ..., basic_capture: _Optional[_Union[TripleTriadBasicCapture, str]] = ..., sudden_death: _Optional[bool] = ..., sudden_death_limit: _Optional[int] = ..., trade_rule: _Optional[_Union[TripleTriadTradeRule, str]] = ...) -> None: ...

class TripleTriadMove(_message.Message):
    __slots__ = ("card_id", "square")
    CARD_ID_FIELD_NUMBER: _ClassVar[int]
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    card_id: int
    square: _square_pb2.Square
    def __init__(self, card_id: _Optional[int] = ..., square: _Optional[_Union[_square_pb2.Square, _Mapping]] = ...) -> None: ...

class TripleTriadSetup(_message.Message):
    __slots__ = ("hand_one", "hand_two", "collection_one", "collection_two", "first_player", "elemental_squares")
    HAND_ONE_FIELD_NUMBER: _ClassVar[int]
    HAND_TWO_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_ONE_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_TWO_FIELD_NUMBER: _ClassVar[int]
    FIRST_PLAYER_FIELD_NUMBER: _ClassVar[int]
    ELEMENTAL_SQUARES_FIELD_NUMBER: _ClassVar[int]
    hand_one: _containers.RepeatedCompositeFieldContainer[TripleTriadCard]
    hand_two: _containers.RepeatedCompositeFieldContainer[TripleTriadCard]
    collection_one: _containers.RepeatedCompositeFieldContainer[TripleTriadCard]
    collection_two: _containers.RepeatedCompositeFieldContainer[TripleTriadCard]
    first_player: _player_pb2.Player
    elemental_squares: TripleTriadElementalSquares
    def __init__(self, hand_one: _Optional[_Iterable[_Union[TripleTriadCard, _Mapping]]] = ..., hand_two: _Optional[_Iterable[_Union[TripleTriadCard, _Mapping]]] = ..., collection_one: _Optional[_Iterable[_Union[TripleTriadCard, _Mapping]]] = ..., collection_two: _Optional[_Iterable[_Union[TripleTriadCard, _Mapping]]] = ..., first_player: _Optional[_Union[_player_pb2.Player, str]] = ..., elemental_squares: _Optional[_Union[TripleTriadElementalSquares, _Mapping]] = ...) -> None: ...

class TripleTriadElementalSquares(_message.Message):
    __slots__ = ("squares",)
    SQUARES_FIELD_NUMBER: _ClassVar[int]
    squares: _containers.RepeatedCompositeFieldContainer[TripleTriadElementalSquare]
    def __init__(self, squares: _Optional[_Iterable[_Union[TripleTriadElementalSquare, _Mapping]]] = ...) -> None: ...

class TripleTriadElementalSquare(_message.Message):
    __slots__ = ("square", "element")
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    square: _square_pb2.Square
    element: TripleTriadElement
    def __init__(self, square: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., element: _Optional[_Union[TripleTriadElement, str]] = ...) -> None: ...

class TripleTriadCapture(_message.Message):
    __slots__ = ("card_id", "square", "by_card_id", "by_square", "rules", "rank", "taken_rank", "sum", "wave")
    CARD_ID_FIELD_NUMBER: _ClassVar[int]
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    BY_CARD_ID_FIELD_NUMBER: _ClassVar[int]
    BY_SQUARE_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    TAKEN_RANK_FIELD_NUMBER: _ClassVar[int]
    SUM_FIELD_NUMBER: _ClassVar[int]
    WAVE_FIELD_NUMBER: _ClassVar[int]
    card_id: int
    square: _square_pb2.Square
    by_card_id: int
    by_square: _square_pb2.Square
    rules: _containers.RepeatedScalarFieldContainer[TripleTriadCaptureRule]
    rank: int
    taken_rank: int
    sum: int
    wave: int
    def __init__(self, card_id: _Optional[int] = ..., square: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., by_card_id: _Optional[int] = ..., by_square: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., rules: _Optional[_Iterable[_Union[TripleTriadCaptureRule, str]]] = ..., rank: _Optional[int] = ..., taken_rank: _Optional[int] = ..., sum: _Optional[int] = ..., wave: _Optional[int] = ...) -> None: ...

class TripleTriadHiddenPool(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedCompositeFieldContainer[TripleTriadCard]
    def __init__(self, cards: _Optional[_Iterable[_Union[TripleTriadCard, _Mapping]]] = ...) -> None: ...

class TripleTriadTransfer(_message.Message):
    __slots__ = ("card_id", "to", "explanation")
    CARD_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    card_id: int
    to: _player_pb2.Player
    explanation: str
    def __init__(self, card_id: _Optional[int] = ..., to: _Optional[_Union[_player_pb2.Player, str]] = ..., explanation: _Optional[str] = ..., **kwargs) -> None: ...

class TripleTriadOutcome(_message.Message):
    __slots__ = ("sudden_death_count",)
    SUDDEN_DEATH_COUNT_FIELD_NUMBER: _ClassVar[int]
    sudden_death_count: int
    def __init__(self, sudden_death_count: _Optional[int] = ...) -> None: ...
