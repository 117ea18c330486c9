"""Messages as the cases write them: read strictly, compared, and shown where they differ."""

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
"""The way to a field: through each of these."""


class WrongCaseError(Exception):
    """What is wrong with a file of cases."""


def read_message(descriptor: Descriptor, written: Any) -> Message:
    """Reads a message. A field that is not in the contract is an error, and so is one in lowerCamelCase."""
    if not isinstance(written, dict):
        raise WrongCaseError("a message is an object")
    for key in keys(written):
        if key != key.lower():
            raise WrongCaseError(f"{key!r} is no field: fields are written as in the .proto files")
    try:
        return ParseDict(written, GetMessageClass(descriptor)())
    except ParseError as error:
        raise WrongCaseError(f"this is no {descriptor.name}: {error}") from error


def keys(written: Any) -> Iterable[str]:
    """Every key in a JSON value, however deep."""
    if isinstance(written, dict):
        yield from written
        written = list(written.values())
    if isinstance(written, list):
        for item in written:
            yield from keys(item)


def read_path(descriptor: Descriptor | None, path: str) -> FieldPath:
    """Reads the path of a field, such as `games.summary`."""
    fields: FieldPath = []
    for name in path.split("."):
        if descriptor is None or name not in descriptor.fields_by_name:
            raise WrongCaseError(f"{path!r} leads to no field")
        fields.append(descriptor.fields_by_name[name])
        descriptor = fields[-1].message_type
    return fields


@dataclass
class TakenOut:
    """How often a field was there, and how often it was not."""

    there: int = 0
    missing: int = 0


def take_out(messages: Iterable[Message], paths: Iterable[FieldPath]) -> TakenOut:
    """Takes fields out of messages, wherever the paths lead: through a list to each of its items."""
    taken_out = TakenOut()
    for message in messages:
        for path in paths:
            follow(message, path, taken_out)
    return taken_out


def follow(message: Message, path: FieldPath, taken_out: TakenOut) -> None:
    """Takes the field out that one path leads to."""
    field, *rest = path
    there = any(set_field.number == field.number for set_field, _ in message.ListFields())
    if rest and there:
        value = getattr(message, field.name)
        for inner in value if field.is_repeated else [value]:
            follow(inner, rest, taken_out)
    elif there:
        message.ClearField(field.name)
        taken_out.there += 1
    elif not rest:
        taken_out.missing += 1


def difference(wanted: Iterable[Message], got: Iterable[Message]) -> str:
    """Shows where messages differ: lines that are only wanted with `-`, lines that only came with `+`."""
    lines = difflib.unified_diff(show(wanted), show(got), lineterm="")
    return "\n".join(f"    {line}" for line in list(lines)[2:])


def show(messages: Iterable[Message]) -> list[str]:
    """Messages in lines of text."""
    lines: list[str] = []
    for message in messages:
        text = text_format.MessageToString(message, as_utf8=True, print_unknown_fields=True)
        lines += [f"{message.DESCRIPTOR.name}:", *text.splitlines()]
    return lines
