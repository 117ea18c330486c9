from . import player_pb2 as _player_pb2
from . import square_pb2 as _square_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueenRooksPiece(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUEEN_ROOKS_PIECE_UNSPECIFIED: _ClassVar[QueenRooksPiece]
    QUEEN_ROOKS_PIECE_NONE: _ClassVar[QueenRooksPiece]
    QUEEN_ROOKS_PIECE_QUEEN: _ClassVar[QueenRooksPiece]
    QUEEN_ROOKS_PIECE_ROOK: _ClassVar[QueenRooksPiece]
QUEEN_ROOKS_PIECE_UNSPECIFIED: QueenRooksPiece
QUEEN_ROOKS_PIECE_NONE: QueenRooksPiece
QUEEN_ROOKS_PIECE_QUEEN: QueenRooksPiece
QUEEN_ROOKS_PIECE_ROOK: QueenRooksPiece

class QueenRooksState(_message.Message):
    __slots__ = ("rules", "board", "next_player", "quiet_moves")
    RULES_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    NEXT_PLAYER_FIELD_NUMBER: _ClassVar[int]
    QUIET_MOVES_FIELD_NUMBER: _ClassVar[int]
    rules: QueenRooksRules
    board: _containers.RepeatedScalarFieldContainer[str]
    next_player: _player_pb2.Player
    quiet_moves: int
    def __init__(self, rules: _Optional[_Union[QueenRooksRules, _Mapping]] = ..., board: _Optional[_Iterable[str]] = ..., next_player: _Optional[_Union[_player_pb2.Player, str]] = ..., quiet_moves: _Optional[int] = ...) -> None: ...

class QueenRooksRules(_message.Message):
    __slots__ = ("size", "quiet_move_limit")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    QUIET_MOVE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    size: int
    quiet_move_limit: int
    def __init__(self, size: _Optional[int] = ..., quiet_move_limit: _Optional[int] = ...) -> None: ...

class QueenRooksMove(_message.Message):
    __slots__ = ("to",)
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    to: _square_pb2.Square
    def __init__(self, to: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., **kwargs) -> None: ...

class QueenRooksSetup(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class QueenRooksCapture(_message.Message):
    __slots__ = ("square", "rook", "queen", "corners")
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    ROOK_FIELD_NUMBER: _ClassVar[int]
    QUEEN_FIELD_NUMBER: _ClassVar[int]
    CORNERS_FIELD_NUMBER: _ClassVar[int]
    square: _square_pb2.Square
    rook: _square_pb2.Square
    queen: _square_pb2.Square
    corners: _containers.RepeatedCompositeFieldContainer[QueenRooksCorner]
    def __init__(self, square: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., rook: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., queen: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., corners: _Optional[_Iterable[_Union[QueenRooksCorner, _Mapping]]] = ...) -> None: ...

class QueenRooksCorner(_message.Message):
    __slots__ = ("square", "piece", "owner")
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    PIECE_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    square: _square_pb2.Square
    piece: QueenRooksPiece
    owner: _player_pb2.Player
    def __init__(self, square: _Optional[_Union[_square_pb2.Square, _Mapping]] = ..., piece: _Optional[_Union[QueenRooksPiece, str]] = ..., owner: _Optional[_Union[_player_pb2.Player, str]] = ...) -> None: ...
