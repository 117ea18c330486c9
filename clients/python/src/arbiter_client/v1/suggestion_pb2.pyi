from . import game_pb2 as _game_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SuggestionLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUGGESTION_LEVEL_UNSPECIFIED: _ClassVar[SuggestionLevel]
    SUGGESTION_LEVEL_CASUAL: _ClassVar[SuggestionLevel]
    SUGGESTION_LEVEL_INTERMEDIATE: _ClassVar[SuggestionLevel]
    SUGGESTION_LEVEL_STRONG: _ClassVar[SuggestionLevel]
    SUGGESTION_LEVEL_BEST: _ClassVar[SuggestionLevel]

class Certainty(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CERTAINTY_UNSPECIFIED: _ClassVar[Certainty]
    CERTAINTY_EXACT: _ClassVar[Certainty]
    CERTAINTY_AT_MOST: _ClassVar[Certainty]
    CERTAINTY_ESTIMATE: _ClassVar[Certainty]

class ForcedResult(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FORCED_RESULT_UNSPECIFIED: _ClassVar[ForcedResult]
    FORCED_RESULT_WIN: _ClassVar[ForcedResult]
    FORCED_RESULT_DRAW: _ClassVar[ForcedResult]
    FORCED_RESULT_LOSS: _ClassVar[ForcedResult]
SUGGESTION_LEVEL_UNSPECIFIED: SuggestionLevel
SUGGESTION_LEVEL_CASUAL: SuggestionLevel
SUGGESTION_LEVEL_INTERMEDIATE: SuggestionLevel
SUGGESTION_LEVEL_STRONG: SuggestionLevel
SUGGESTION_LEVEL_BEST: SuggestionLevel
CERTAINTY_UNSPECIFIED: Certainty
CERTAINTY_EXACT: Certainty
CERTAINTY_AT_MOST: Certainty
CERTAINTY_ESTIMATE: Certainty
FORCED_RESULT_UNSPECIFIED: ForcedResult
FORCED_RESULT_WIN: ForcedResult
FORCED_RESULT_DRAW: ForcedResult
FORCED_RESULT_LOSS: ForcedResult

class MoveEvaluation(_message.Message):
    __slots__ = ("move", "certainty", "forced_end", "score_difference", "expected_millitricks", "heuristic")
    MOVE_FIELD_NUMBER: _ClassVar[int]
    CERTAINTY_FIELD_NUMBER: _ClassVar[int]
    FORCED_END_FIELD_NUMBER: _ClassVar[int]
    SCORE_DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_MILLITRICKS_FIELD_NUMBER: _ClassVar[int]
    HEURISTIC_FIELD_NUMBER: _ClassVar[int]
    move: _game_pb2.Move
    certainty: Certainty
    forced_end: ForcedEnd
    score_difference: int
    expected_millitricks: int
    heuristic: int
    def __init__(self, move: _Optional[_Union[_game_pb2.Move, _Mapping]] = ..., certainty: _Optional[_Union[Certainty, str]] = ..., forced_end: _Optional[_Union[ForcedEnd, _Mapping]] = ..., score_difference: _Optional[int] = ..., expected_millitricks: _Optional[int] = ..., heuristic: _Optional[int] = ...) -> None: ...

class ForcedEnd(_message.Message):
    __slots__ = ("result", "plies")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PLIES_FIELD_NUMBER: _ClassVar[int]
    result: ForcedResult
    plies: int
    def __init__(self, result: _Optional[_Union[ForcedResult, str]] = ..., plies: _Optional[int] = ...) -> None: ...
