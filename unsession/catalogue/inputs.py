"""Strict input: one refusal that lists every problem, with path, what came, what is allowed."""

import enum
import functools
import re
import types
import typing
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any, Union

import msgspec

from unsession.errors import Invalid, Problem

_MAX_DEPTH = 40
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_MAX_PROBLEMS = 100  # of one refusal: nobody mends more at once, and each costs time to explain


class Input(
    msgspec.Struct, kw_only=True, forbid_unknown_fields=True, rename="camel", omit_defaults=True
):
    """Base of every operation's arguments: strict, camelCase on the wire."""


def parse(kind: type[Input], data: Mapping[str, Any]) -> Any:
    """Turn wire data into an operation's input.

    Never coerces (``"false"`` stays text and is refused); only a whole float such as ``30.0``
    counts as the integer that JSON says it is. Refuses with Invalid, all problems at once (the
    first hundred).
    """
    problems = list(islice(_unstorable(data, ""), _MAX_PROBLEMS))
    if problems:
        raise Invalid(problems)
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as first:
        whole = _whole_numbers(data)
        if whole is not data:
            try:
                return msgspec.convert(whole, kind, strict=True)
            except msgspec.ValidationError:
                data = whole
        found = list(islice(_explain_struct(kind, data, ""), _MAX_PROBLEMS))
        raise Invalid(found or [Problem("/", str(first))]) from None


def from_query(kind: type[Input], pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Query parameters as wire data: text becomes a number or a truth value where one is due.

    Only the exact spellings of JSON count (``10``, ``2.5``, ``true``); anything else stays text
    and is refused by :func:`parse` with the field named. A parameter given twice is refused.
    """
    bases = bases_of(kind)
    data: dict[str, Any] = {}
    twice = []
    for name, value in pairs:
        if name in data:
            twice.append(Problem(_pointer("", name), "is given more than once"))
            continue
        data[name] = _from_text(bases.get(name, frozenset()), value)
    if twice:
        raise Invalid(twice)
    return data


@functools.cache
def bases_of(kind: type[Input]) -> dict[str, frozenset[Any]]:
    """The plain types of an input's fields, by wire name."""
    return {
        field.encode_name: frozenset(_bases(field.type)) for field in msgspec.structs.fields(kind)
    }


@functools.cache
def clearable(kind: type[Input]) -> tuple[str, ...]:
    """The wire names of fields that may be emptied: ``null`` on REST, ``clear`` on MCP."""
    return tuple(
        field.encode_name
        for field in msgspec.structs.fields(kind)
        if type(None) in set(_bases(field.type))
    )


def cleared(kind: type[Input], data: Mapping[str, Any]) -> dict[str, Any]:
    """Wire data whose ``clear: ["room"]`` has become ``room: null``.

    Refuses with Invalid what cannot be cleared, and what is set and cleared at once.
    """
    given = dict(data)
    allowed = clearable(kind)
    if not allowed or "clear" not in given:
        return given
    named = given.pop("clear")
    if not isinstance(named, list):
        raise Invalid([Problem("/clear", "must be a list", got=_shown(named))])
    problems = []
    for position, name in enumerate(named):
        where = _pointer("/clear", position)
        if name not in allowed:
            near = get_close_matches(str(name), allowed, 1)
            problems.append(
                Problem(
                    where,
                    f"must be one of {', '.join(allowed)}",
                    got=_shown(name),
                    allowed=allowed,
                    did_you_mean=near[0] if near else None,
                )
            )
        elif given.setdefault(name, None) is not None:
            problems.append(Problem(where, f"is set in {_pointer('', name)} as well"))
    if problems:
        raise Invalid(problems)
    return given


def _from_text(bases: frozenset[Any], value: str) -> Any:
    if bool in bases and value in ("true", "false"):
        return value == "true"
    if int in bases and re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", value):
        return int(value)
    if float in bases and re.fullmatch(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?", value):
        return float(value)
    return value


def _bases(kind: Any) -> Iterator[Any]:
    """The plain types behind Annotated and unions."""
    while hasattr(kind, "__metadata__"):
        kind = kind.__origin__
    if typing.get_origin(kind) in (Union, types.UnionType):
        for member in typing.get_args(kind):
            yield from _bases(member)
    elif kind is not msgspec.UnsetType:
        yield kind


def description_of(kind: Any) -> str | None:
    """The description a field's type carries."""
    for meta in getattr(kind, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta) and meta.description:
            return meta.description
    if hasattr(kind, "__metadata__"):
        return description_of(kind.__origin__)
    if typing.get_origin(kind) in (Union, types.UnionType):
        for member in typing.get_args(kind):
            if found := description_of(member):
                return found
    return None


def _pointer(path: str, name: str | int) -> str:
    return f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}"


def _unstorable(value: Any, path: str, depth: int = 0) -> Iterator[Problem]:
    """Text that no database keeps and no page can show: NUL and lone surrogates."""
    if depth > _MAX_DEPTH:
        yield Problem(path or "/", f"is nested more than {_MAX_DEPTH} deep")
    elif isinstance(value, str):
        if _NO_TEXT.search(value):
            yield Problem(path or "/", "contains a character that is no text")
    elif isinstance(value, Mapping):
        for name, member in value.items():
            wrong = list(_unstorable(name, _pointer(path, "?"), depth + 1))
            yield from wrong  # what cannot be shown cannot be part of a path either
            yield from _unstorable(member, _pointer(path, "?" if wrong else name), depth + 1)
    elif isinstance(value, list):
        for position, member in enumerate(value):
            yield from _unstorable(member, _pointer(path, position), depth + 1)


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, Mapping):
        changed = {name: _whole_numbers(member) for name, member in value.items()}
        return changed if any(changed[name] is not value[name] for name in value) else value
    if isinstance(value, list):
        members = [_whole_numbers(member) for member in value]
        return members if any(a is not b for a, b in zip(members, value, strict=True)) else value
    return value


def _explain_struct(kind: Any, data: Any, path: str) -> Iterator[Problem]:
    if not isinstance(data, Mapping):
        yield Problem(path or "/", "must be an object", got=_shown(data))
        return
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name in data:
        if name not in fields:
            near = get_close_matches(str(name), fields, 1)
            yield Problem(
                _pointer(path, name),
                "is not a field here",
                allowed=tuple(fields),
                did_you_mean=near[0] if near else None,
            )
    for name, field in fields.items():
        where = _pointer(path, name)
        if name in data:
            yield from _explain(field.type, data[name], where)
        elif field.required:
            yield Problem(where, f"is required ({description_of(field.type)})")


def _explain(kind: Any, value: Any, path: str) -> Iterator[Problem]:
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        bases = list(_bases(kind))
        for base in bases:
            if isinstance(base, type) and issubclass(base, msgspec.Struct):
                yield from _explain_struct(base, value, path)
                return
            if typing.get_origin(base) in (list, tuple) and isinstance(value, list):
                yield from _explain_members(base, value, path, error)
                return
            if isinstance(base, type) and issubclass(base, enum.Enum):
                allowed = tuple(str(member.value) for member in base)
                near = get_close_matches(str(value), allowed, 1)
                yield Problem(
                    path,
                    f"must be one of {', '.join(allowed)}",
                    got=_shown(value),
                    allowed=allowed,
                    did_you_mean=near[0] if near else None,
                )
                return
        yield Problem(path, _plain(str(error)), got=_shown(value))


def _explain_members(
    base: Any, value: list[Any], path: str, error: msgspec.ValidationError
) -> Iterator[Problem]:
    member_kind = typing.get_args(base)[0]
    found = False
    for position, member in enumerate(value[:100]):
        for problem in _explain(member_kind, member, _pointer(path, position)):
            found = True
            yield problem
    if not found:  # the list itself is too long or too short
        yield Problem(path, _plain(str(error)), got=f"{len(value)} items")


_WORDS = {
    "int": "a whole number",
    "str": "text",
    "bool": "true or false",
    "float": "a number",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "datetime": "a date and time with its offset (RFC 3339)",
    "date": "a date (YYYY-MM-DD)",
}


def _plain(message: str) -> str:
    """msgspec's sentence in our words: what is expected, without Python's type names."""
    message = re.sub(r" - at `\$.*`$", "", message)
    message = re.sub(r", got `[^`]*`$", "", message)
    message = re.sub(
        r"`(\w+(?: \| \w+)*)`",
        lambda match: " or ".join(_WORDS.get(word, word) for word in match[1].split(" | ")),
        message,
    )
    message = message.replace("Expected ", "must be ", 1)
    return message[0].lower() + message[1:]


def _shown(value: Any) -> str:
    """What came, short enough to repeat: text in quotes, the rest by its kind."""
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:60] + "…")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return str(value)[:40]
    return "a list" if isinstance(value, list) else "an object"
