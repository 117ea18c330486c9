from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LineDirection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LINE_DIRECTION_UNSPECIFIED: _ClassVar[LineDirection]
    LINE_DIRECTION_HORIZONTAL: _ClassVar[LineDirection]
    LINE_DIRECTION_VERTICAL: _ClassVar[LineDirection]
    LINE_DIRECTION_DIAGONAL_DOWN: _ClassVar[LineDirection]
    LINE_DIRECTION_DIAGONAL_UP: _ClassVar[LineDirection]
LINE_DIRECTION_UNSPECIFIED: LineDirection
LINE_DIRECTION_HORIZONTAL: LineDirection
LINE_DIRECTION_VERTICAL: LineDirection
LINE_DIRECTION_DIAGONAL_DOWN: LineDirection
LINE_DIRECTION_DIAGONAL_UP: LineDirection

class Square(_message.Message):
    __slots__ = ("row", "column")
    ROW_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    row: int
    column: int
    def __init__(self, row: _Optional[int] = ..., column: _Optional[int] = ...) -> None: ...

class Line(_message.Message):
    __slots__ = ("direction", "squares")
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    SQUARES_FIELD_NUMBER: _ClassVar[int]
    direction: LineDirection
    squares: _containers.RepeatedCompositeFieldContainer[Square]
    def __init__(self, direction: _Optional[_Union[LineDirection, str]] = ..., squares: _Optional[_Iterable[_Union[Square, _Mapping]]] = ...) -> None: ...
