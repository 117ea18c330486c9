from . import error_reason_pb2 as _error_reason_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Reason(_message.Message):
    __slots__ = ("code", "message", "clause", "field")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CLAUSE_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    code: _error_reason_pb2.ErrorReason
    message: str
    clause: str
    field: str
    def __init__(self, code: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ..., message: _Optional[str] = ..., clause: _Optional[str] = ..., field: _Optional[str] = ...) -> None: ...

class IllegalMove(_message.Message):
    __slots__ = ("reasons", "move_index")
    REASONS_FIELD_NUMBER: _ClassVar[int]
    MOVE_INDEX_FIELD_NUMBER: _ClassVar[int]
    reasons: _containers.RepeatedCompositeFieldContainer[Reason]
    move_index: int
    def __init__(self, reasons: _Optional[_Iterable[_Union[Reason, _Mapping]]] = ..., move_index: _Optional[int] = ...) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("code", "message", "reasons", "move_index", "unlisted_reasons")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    MOVE_INDEX_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_REASONS_FIELD_NUMBER: _ClassVar[int]
    code: int
    message: str
    reasons: _containers.RepeatedCompositeFieldContainer[Reason]
    move_index: int
    unlisted_reasons: int
    def __init__(self, code: _Optional[int] = ..., message: _Optional[str] = ..., reasons: _Optional[_Iterable[_Union[Reason, _Mapping]]] = ..., move_index: _Optional[int] = ..., unlisted_reasons: _Optional[int] = ...) -> None: ...
