"""Reads the messages of cases, and compares messages."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from google.protobuf import text_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

FieldPath: TypeAlias = list[FieldDescriptor]
"""The path of a field, from the outermost message."""


class InvalidCaseError(Exception):
    """A file of cases, or a case, is invalid."""


def read_message(descriptor: Descriptor, value: Any) -> Message:
    """Reads a message. Unknown fields and names in lowerCamelCase are errors."""
    if not isinstance(value, dict):
        raise InvalidCaseError("a message is an object")
    for key in keys(value):
        if key != key.lower():
            raise InvalidCaseError(f"{key!r} is not a field: use the names of the .proto files")
    try:
        return ParseDict(value, GetMessageClass(descriptor)())
    except ParseError as error:
        raise InvalidCaseError(f"not a valid {descriptor.name}: {error}") from error


def keys(value: Any) -> Iterable[str]:
    """All keys in a JSON value, at any depth."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from keys(item)


def read_path(descriptor: Descriptor | None, path: str) -> FieldPath:
    """Reads the path of a field, such as `games.summary`."""
    fields: FieldPath = []
    for name in path.split("."):
        if descriptor is None or name not in descriptor.fields_by_name:
            raise InvalidCaseError(f"{path!r} is not the path of a field")
        fields.append(descriptor.fields_by_name[name])
        descriptor = fields[-1].message_type
    return fields


@dataclass
class Removed:
    """How often a field was present, and how often it was missing."""

    present: int = 0
    missing: int = 0


def remove_fields(messages: Iterable[Message], paths: Iterable[FieldPath]) -> Removed:
    """Removes fields from messages. A path through a list leads to each of its items."""
    removed = Removed()
    for message in messages:
        for path in paths:
            follow(message, path, removed)
    return removed


def follow(message: Message, path: FieldPath, removed: Removed) -> None:
    """Removes the field of one path."""
    field, *rest = path
    present = any(set_field.number == field.number for set_field, _ in message.ListFields())
    if rest and present:
        value = getattr(message, field.name)
        for inner in value if field.is_repeated else [value]:
            follow(inner, rest, removed)
    elif present:
        message.ClearField(field.name)
        removed.present += 1
    elif not rest:
        removed.missing += 1


def difference(expected: Iterable[Message], got: Iterable[Message]) -> str:
    """Shows where messages differ: `-` marks lines that are only expected, `+` lines that are only received."""
    lines = difflib.unified_diff(show(expected), show(got), lineterm="")
    return "\n".join(f"    {line}" for line in list(lines)[2:])


def show(messages: Iterable[Message]) -> list[str]:
    """The messages as lines of text."""
    lines: list[str] = []
    for message in messages:
        text = text_format.MessageToString(message, as_utf8=True, print_unknown_fields=True)
        lines += [f"{message.DESCRIPTOR.name}:", *text.splitlines()]
    return lines
