"""What a caller may have at hand, and how it becomes a message of the contract."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from google.protobuf.message import Message

from . import v1

StateLike: TypeAlias = (
    str | v1.State | v1.ConnectFourState | v1.TripleTriadState | v1.QueenRooksState | v1.RoyalMatchState
)
"""A state: as it was answered, as text, or as the message of its game."""

MoveLike: TypeAlias = str | v1.Move | v1.ConnectFourMove | v1.TripleTriadMove | v1.QueenRooksMove | v1.RoyalMatchMove
"""A move: as it was answered, as text, or as the message of its game."""

RulesLike: TypeAlias = v1.RuleSet | v1.ConnectFourRules | v1.TripleTriadRules | v1.QueenRooksRules | v1.RoyalMatchRules
"""Rules: as they were answered, or as the message of their game."""

SetupLike: TypeAlias = str | v1.ConnectFourSetup | v1.TripleTriadSetup | v1.QueenRooksSetup | v1.RoyalMatchSetup
"""What a game is started from: its set-up, or just its name, such as `connect_four`."""

TripleTriadCardLike: TypeAlias = str | v1.TripleTriadCard
"""A card of Triple Triad, or its text, such as `54`."""

RoyalMatchCardLike: TypeAlias = str | v1.RoyalMatchCard
"""A card of RoyalMatch, or its text, such as `10H`."""

SquareLike: TypeAlias = v1.Square | tuple[int, int]
"""A square, or its row and column, both from 0."""

M = TypeVar("M", bound=Message)


def to_message(kind: type[M], value: str | Message) -> M:
    """Makes a message of a value: of a text by its `notation`, of the message of one game by the field for it."""
    if isinstance(value, kind):
        return value
    if isinstance(value, str):
        return kind(notation=value)
    return hold(kind, "kind", value)


def to_square(square: SquareLike) -> v1.Square:
    """Makes a square of a row and a column."""
    if isinstance(square, v1.Square):
        return square
    row, column = square
    return v1.Square(row=row, column=column)


def to_new_game(setup: SetupLike | None) -> v1.NewGameRequest:
    """Makes the request for a new game of a set-up or of the name of a game."""
    if setup is None:
        return v1.NewGameRequest()
    if not isinstance(setup, str):
        return hold(v1.NewGameRequest, "setup", setup)
    request = v1.NewGameRequest()
    games = [field.name for field in request.DESCRIPTOR.oneofs_by_name["setup"].fields]
    if setup not in games:
        raise ValueError(f"{setup!r} is none of the games {', '.join(games)}")
    getattr(request, setup).SetInParent()
    return request


def hold(holder: type[M], oneof: str, value: Message) -> M:
    """Puts a message into the field of a oneof that takes messages of its type."""
    for field in holder.DESCRIPTOR.oneofs_by_name[oneof].fields:
        if field.message_type is not None and field.message_type.full_name == value.DESCRIPTOR.full_name:
            return holder(**{field.name: value})
    raise TypeError(f"{holder.DESCRIPTOR.full_name} cannot hold a {value.DESCRIPTOR.full_name}")
