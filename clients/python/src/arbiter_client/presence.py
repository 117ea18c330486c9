"""Reading optional fields: `None` for one that is absent."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message


def get(message: Message, field: str) -> Any | None:
    """Returns the value of an optional field, or None if it is absent: `get(outcome, "winner")`.

    Protobuf for Python reads an absent field as its default value: `outcome.winner` is 0 if there is no winner. `get`
    accepts every field that can be absent: those marked `optional` in the contract, messages, and the members of a
    `oneof`. Any other name is a `ValueError`.
    """
    fields = message.DESCRIPTOR.fields_by_name
    if field not in fields or not fields[field].has_presence:
        name = message.DESCRIPTOR.full_name
        problem = f"{name}.{field} is never absent" if field in fields else f"{name} has no field {field!r}"
        optional = ", ".join(known.name for known in fields.values() if known.has_presence)
        raise ValueError(f"{problem}; fields that can be absent: {optional or 'none'}")
    return getattr(message, field) if message.HasField(field) else None
