from . import player_pb2 as _player_pb2
from . import square_pb2 as _square_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ConnectFourState(_message.Message):
    __slots__ = ("rules", "board", "next_player")
    RULES_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    NEXT_PLAYER_FIELD_NUMBER: _ClassVar[int]
    rules: ConnectFourRules
    board: _containers.RepeatedScalarFieldContainer[str]
    next_player: _player_pb2.Player
    def __init__(self, rules: _Optional[_Union[ConnectFourRules, _Mapping]] = ..., board: _Optional[_Iterable[str]] = ..., next_player: _Optional[_Union[_player_pb2.Player, str]] = ...) -> None: ...

class ConnectFourRules(_message.Message):
    __slots__ = ("columns", "rows", "line_length", "first_player")
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    LINE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    FIRST_PLAYER_FIELD_NUMBER: _ClassVar[int]
    columns: int
    rows: int
    line_length: int
    first_player: _player_pb2.Player
    def __init__(self, columns: _Optional[int] = ..., rows: _Optional[int] = ..., line_length: _Optional[int] = ..., first_player: _Optional[_Union[_player_pb2.Player, str]] = ...) -> None: ...

class ConnectFourMove(_message.Message):
    __slots__ = ("column",)
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    column: int
    def __init__(self, column: _Optional[int] = ...) -> None: ...

class ConnectFourSetup(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ConnectFourOutcome(_message.Message):
    __slots__ = ("winning_lines",)
    WINNING_LINES_FIELD_NUMBER: _ClassVar[int]
    winning_lines: _containers.RepeatedCompositeFieldContainer[_square_pb2.Line]
    def __init__(self, winning_lines: _Optional[_Iterable[_Union[_square_pb2.Line, _Mapping]]] = ...) -> None: ...
