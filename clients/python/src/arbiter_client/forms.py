"""The types that calls accept, and their conversion to messages of the contract."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

from google.protobuf.message import Message

from . import v1

StateLike: TypeAlias = (
    str | v1.State | v1.ConnectFourState | v1.TripleTriadState | v1.QueenRooksState | v1.RoyalMatchState
)
"""A state or a view: as it was returned, as notation, or as the message of its game."""

MoveLike: TypeAlias = str | v1.Move | v1.ConnectFourMove | v1.TripleTriadMove | v1.QueenRooksMove | v1.RoyalMatchMove
"""A move: as it was returned, as notation, or as the message of its game."""

RulesLike: TypeAlias = v1.RuleSet | v1.ConnectFourRules | v1.TripleTriadRules | v1.QueenRooksRules | v1.RoyalMatchRules
"""Rules: as they were returned, or as the message of their game."""

SetupLike: TypeAlias = str | v1.ConnectFourSetup | v1.TripleTriadSetup | v1.QueenRooksSetup | v1.RoyalMatchSetup
"""What a game is started from: its setup, or just its name, such as `connect_four`."""

TripleTriadCardLike: TypeAlias = str | v1.TripleTriadCard
"""A card of Triple Triad, or its notation, such as `54`."""

RoyalMatchCardLike: TypeAlias = str | v1.RoyalMatchCard
"""A card of RoyalMatch, or its notation, such as `10H`."""

SquareLike: TypeAlias = v1.Square | tuple[int, int]
"""A square, or its row and column, both from 0."""

M = TypeVar("M", bound=Message)


def to_message(kind: type[M], value: str | Message) -> M:
    """Converts a value: a string becomes the `notation`, the message of one game the field of that type."""
    if isinstance(value, kind):
        return value
    if isinstance(value, str):
        return kind(notation=value)
    return hold(kind, "kind", value)


def to_square(square: SquareLike) -> v1.Square:
    """Converts a row and a column to a square."""
    if isinstance(square, v1.Square):
        return square
    row, column = square
    return v1.Square(row=row, column=column)


def to_pool(cards: Iterable[TripleTriadCardLike]) -> v1.TripleTriadHiddenPool:
    """Creates the pool of what hidden cards may be."""
    return v1.TripleTriadHiddenPool(cards=[to_message(v1.TripleTriadCard, card) for card in cards])


def to_new_game(setup: SetupLike | None) -> v1.NewGameRequest:
    """Creates the request for a new game from a setup or from the name of a game."""
    if setup is None:
        return v1.NewGameRequest()
    if not isinstance(setup, str):
        return hold(v1.NewGameRequest, "setup", setup)
    request = v1.NewGameRequest()
    games = [field.name for field in request.DESCRIPTOR.oneofs_by_name["setup"].fields]
    if setup not in games:
        raise ValueError(f"{setup!r} is not one of the games {', '.join(games)}")
    getattr(request, setup).SetInParent()
    return request


def hold(holder: type[M], oneof: str, value: Message) -> M:
    """Creates a message in which the field of a oneof that has the type of `value` is set to it."""
    for field in holder.DESCRIPTOR.oneofs_by_name[oneof].fields:
        if field.message_type is not None and field.message_type.full_name == value.DESCRIPTOR.full_name:
            return holder(**{field.name: value})
    raise TypeError(f"{holder.DESCRIPTOR.full_name} cannot hold a {value.DESCRIPTOR.full_name}")
