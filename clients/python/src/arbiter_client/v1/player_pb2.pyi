from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class Player(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAYER_UNSPECIFIED: _ClassVar[Player]
    PLAYER_ONE: _ClassVar[Player]
    PLAYER_TWO: _ClassVar[Player]
    PLAYER_THREE: _ClassVar[Player]
    PLAYER_FOUR: _ClassVar[Player]
PLAYER_UNSPECIFIED: Player
PLAYER_ONE: Player
PLAYER_TWO: Player
PLAYER_THREE: Player
PLAYER_FOUR: Player
