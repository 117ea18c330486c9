from . import connect_four_pb2 as _connect_four_pb2
from . import player_pb2 as _player_pb2
from . import queen_rooks_pb2 as _queen_rooks_pb2
from . import royal_match_pb2 as _royal_match_pb2
from . import square_pb2 as _square_pb2
from . import triple_triad_pb2 as _triple_triad_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GameResult(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GAME_RESULT_UNSPECIFIED: _ClassVar[GameResult]
    GAME_RESULT_IN_PROGRESS: _ClassVar[GameResult]
    GAME_RESULT_WINNER_DETERMINED: _ClassVar[GameResult]
    GAME_RESULT_DRAW: _ClassVar[GameResult]
    GAME_RESULT_SUDDEN_DEATH_CONTINUE: _ClassVar[GameResult]
    GAME_RESULT_FINAL_DRAW: _ClassVar[GameResult]

class EndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    END_REASON_UNSPECIFIED: _ClassVar[EndReason]
    END_REASON_LINE_COMPLETED: _ClassVar[EndReason]
    END_REASON_BOARD_FULL: _ClassVar[EndReason]
    END_REASON_TOO_FEW_PIECES: _ClassVar[EndReason]
    END_REASON_NO_LEGAL_MOVE: _ClassVar[EndReason]
    END_REASON_QUIET_MOVE_LIMIT: _ClassVar[EndReason]
    END_REASON_HANDS_EMPTY: _ClassVar[EndReason]
GAME_RESULT_UNSPECIFIED: GameResult
GAME_RESULT_IN_PROGRESS: GameResult
GAME_RESULT_WINNER_DETERMINED: GameResult
GAME_RESULT_DRAW: GameResult
GAME_RESULT_SUDDEN_DEATH_CONTINUE: GameResult
GAME_RESULT_FINAL_DRAW: GameResult
END_REASON_UNSPECIFIED: EndReason
END_REASON_LINE_COMPLETED: EndReason
END_REASON_BOARD_FULL: EndReason
END_REASON_TOO_FEW_PIECES: EndReason
END_REASON_NO_LEGAL_MOVE: EndReason
END_REASON_QUIET_MOVE_LIMIT: EndReason
END_REASON_HANDS_EMPTY: EndReason

class State(_message.Message):
    __slots__ = ("notation", "connect_four", "triple_triad", "queen_rooks", "royal_match")
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    CONNECT_FOUR_FIELD_NUMBER: _ClassVar[int]
    TRIPLE_TRIAD_FIELD_NUMBER: _ClassVar[int]
    QUEEN_ROOKS_FIELD_NUMBER: _ClassVar[int]
    ROYAL_MATCH_FIELD_NUMBER: _ClassVar[int]
    notation: str
    connect_four: _connect_four_pb2.ConnectFourState
    triple_triad: _triple_triad_pb2.TripleTriadState
    queen_rooks: _queen_rooks_pb2.QueenRooksState
    royal_match: _royal_match_pb2.RoyalMatchState
    def __init__(self, notation: _Optional[str] = ..., connect_four: _Optional[_Union[_connect_four_pb2.ConnectFourState, _Mapping]] = ..., triple_triad: _Optional[_Union[_triple_triad_pb2.TripleTriadState, _Mapping]] = ..., queen_rooks: _Optional[_Union[_queen_rooks_pb2.QueenRooksState, _Mapping]] = ..., royal_match: _Optional[_Union[_royal_match_pb2.RoyalMatchState, _Mapping]] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("notation", "connect_four", "triple_triad", "queen_rooks", "royal_match")
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    CONNECT_FOUR_FIELD_NUMBER: _ClassVar[int]
    TRIPLE_TRIAD_FIELD_NUMBER: _ClassVar[int]
    QUEEN_ROOKS_FIELD_NUMBER: _ClassVar[int]
    ROYAL_MATCH_FIELD_NUMBER: _ClassVar[int]
    notation: str
    connect_four: _connect_four_pb2.ConnectFourMove
    triple_triad: _triple_triad_pb2.TripleTriadMove
    queen_rooks: _queen_rooks_pb2.QueenRooksMove
    royal_match: _royal_match_pb2.RoyalMatchMove
    def __init__(self, notation: _Optional[str] = ..., connect_four: _Optional[_Union[_connect_four_pb2.ConnectFourMove, _Mapping]] = ..., triple_triad: _Optional[_Union[_triple_triad_pb2.TripleTriadMove, _Mapping]] = ..., queen_rooks: _Optional[_Union[_queen_rooks_pb2.QueenRooksMove, _Mapping]] = ..., royal_match: _Optional[_Union[_royal_match_pb2.RoyalMatchMove, _Mapping]] = ...) -> None: ...

class RuleSet(_message.Message):
    __slots__ = ("connect_four", "triple_triad", "queen_rooks", "royal_match")
    CONNECT_FOUR_FIELD_NUMBER: _ClassVar[int]
    TRIPLE_TRIAD_FIELD_NUMBER: _ClassVar[int]
    QUEEN_ROOKS_FIELD_NUMBER: _ClassVar[int]
    ROYAL_MATCH_FIELD_NUMBER: _ClassVar[int]
    connect_four: _connect_four_pb2.ConnectFourRules
    triple_triad: _triple_triad_pb2.TripleTriadRules
    queen_rooks: _queen_rooks_pb2.QueenRooksRules
    royal_match: _royal_match_pb2.RoyalMatchRules
    def __init__(self, connect_four: _Optional[_Union[_connect_four_pb2.ConnectFourRules, _Mapping]] = ..., triple_triad: _Optional[_Union[_triple_triad_pb2.TripleTriadRules, _Mapping]] = ..., queen_rooks: _Optional[_Union[_queen_rooks_pb2.QueenRooksRules, _Mapping]] = ..., royal_match: _Optional[_Union[_royal_match_pb2.RoyalMatchRules, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("placed", "captured", "moved", "passed", "played")
    PLACED_FIELD_NUMBER: _ClassVar[int]
    CAPTURED_FIELD_NUMBER: _ClassVar[int]
    MOVED_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    placed: Placed
    captured: Capture
    moved: Moved
    passed: Passed
    played: Played
    def __init__(self, placed: _Optional[_Union[Placed, _Mapping]] = ..., captured: _Optional[_Union[Capture, _Mapping]] = ..., moved: _Optional[_Union[Moved, _Mapping]] = ..., passed: _Optional[_Union[Passed, _Mapping]] = ..., played: _Optional[_Union[Played, _Mapping]] = ...) -> None: ...

class Placed(_message.Message):
    __slots__ = ("player", "square", "card_id")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    CARD_ID_FIELD_NUMBER: _ClassVar[int]
    player: _player_pb2.Player
    square: _square_pb2.Square
    card_id: int
    def __init__(self, player: _Optional[_Union[_player_pb2.Player, str]] = ..., square: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., card_id: _Optional[int] = ...) -> None: ...

class Moved(_message.Message):
    __slots__ = ("player", "to", "piece")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    PIECE_FIELD_NUMBER: _ClassVar[int]
    player: _player_pb2.Player
    to: _square_pb2.Square
    piece: _queen_rooks_pb2.QueenRooksPiece
    def __init__(self, player: _Optional[_Union[_player_pb2.Player, str]] = ..., to: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., piece: _Optional[_Union[_queen_rooks_pb2.QueenRooksPiece, str]] = ..., **kwargs) -> None: ...

class Passed(_message.Message):
    __slots__ = ("player",)
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    player: _player_pb2.Player
    def __init__(self, player: _Optional[_Union[_player_pb2.Player, str]] = ...) -> None: ...

class Played(_message.Message):
    __slots__ = ("player", "card")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    player: _player_pb2.Player
    card: _royal_match_pb2.RoyalMatchCard
    def __init__(self, player: _Optional[_Union[_player_pb2.Player, str]] = ..., card: _Optional[_Union[_royal_match_pb2.RoyalMatchCard, _Mapping]] = ...) -> None: ...

class Capture(_message.Message):
    __slots__ = ("explanation", "triple_triad", "queen_rooks", "royal_match")
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    TRIPLE_TRIAD_FIELD_NUMBER: _ClassVar[int]
    QUEEN_ROOKS_FIELD_NUMBER: _ClassVar[int]
    ROYAL_MATCH_FIELD_NUMBER: _ClassVar[int]
    explanation: str
    triple_triad: _triple_triad_pb2.TripleTriadCapture
    queen_rooks: _queen_rooks_pb2.QueenRooksCapture
    royal_match: _royal_match_pb2.RoyalMatchTrick
    def __init__(self, explanation: _Optional[str] = ..., triple_triad: _Optional[_Union[_triple_triad_pb2.TripleTriadCapture, _Mapping]] = ..., queen_rooks: _Optional[_Union[_queen_rooks_pb2.QueenRooksCapture, _Mapping]] = ..., royal_match: _Optional[_Union[_royal_match_pb2.RoyalMatchTrick, _Mapping]] = ...) -> None: ...

class Outcome(_message.Message):
    __slots__ = ("result", "end_reason", "winner", "next_players", "scores", "explanation", "connect_four", "triple_triad", "royal_match")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    NEXT_PLAYERS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    CONNECT_FOUR_FIELD_NUMBER: _ClassVar[int]
    TRIPLE_TRIAD_FIELD_NUMBER: _ClassVar[int]
    ROYAL_MATCH_FIELD_NUMBER: _ClassVar[int]
    result: GameResult
    end_reason: EndReason
    winner: _player_pb2.Player
    next_players: _containers.RepeatedScalarFieldContainer[_player_pb2.Player]
    scores: _containers.RepeatedCompositeFieldContainer[Score]
    explanation: str
    connect_four: _connect_four_pb2.ConnectFourOutcome
    triple_triad: _triple_triad_pb2.TripleTriadOutcome
    royal_match: _royal_match_pb2.RoyalMatchOutcome
    def __init__(self, result: _Optional[_Union[GameResult, str]] = ..., end_reason: _Optional[_Union[EndReason, str]] = ..., winner: _Optional[_Union[_player_pb2.Player, str]] = ..., next_players: _Optional[_Iterable[_Union[_player_pb2.Player, str]]] = ..., scores: _Optional[_Iterable[_Union[Score, _Mapping]]] = ..., explanation: _Optional[str] = ..., connect_four: _Optional[_Union[_connect_four_pb2.ConnectFourOutcome, _Mapping]] = ..., triple_triad: _Optional[_Union[_triple_triad_pb2.TripleTriadOutcome, _Mapping]] = ..., royal_match: _Optional[_Union[_royal_match_pb2.RoyalMatchOutcome, _Mapping]] = ...) -> None: ...

class Score(_message.Message):
    __slots__ = ("player", "points")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    player: _player_pb2.Player
    points: int
    def __init__(self, player: _Optional[_Union[_player_pb2.Player, str]] = ..., points: _Optional[int] = ...) -> None: ...
