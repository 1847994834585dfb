"""What a list of fields must hold to be a form, and how two lists differ."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from unsession.domain.files import MAX_BYTES, MEGABYTE
from unsession.domain.forms.conditions import ALONE, NUMBER, OPERATORS
from unsession.domain.forms.fields import (
    MAX_SPEAKERS,
    OPTION_ROLES,
    Choice,
    Field,
    FieldType,
    Role,
    Test,
)
from unsession.domain.text import fold

MOST_FIELDS = 100
MOST_OPTIONS = 200
MOST_TESTS = 10
MOST_FILES = 10  #: of one field
_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")

_WORDS = (FieldType.TEXT, FieldType.LONG)
_CHOOSING = (FieldType.SELECT, FieldType.MULTI)
#: The types a role can have; any other answer could not become what the role is for.
_OF_ROLE: Mapping[Role, tuple[FieldType, ...]] = {
    Role.TITLE: (FieldType.TEXT,),
    Role.ABSTRACT: _WORDS,
    Role.TRACK: (FieldType.SELECT,),
    Role.FORMAT: (FieldType.SELECT,),
    Role.LEVEL: (FieldType.SELECT,),
    Role.SPEAKERS: (FieldType.SPEAKERS,),
}
#: The types each setting says something about.
_SETTINGS: Mapping[str, tuple[FieldType, ...]] = {
    "options": _CHOOSING,
    "min_length": _WORDS,
    "max_length": _WORDS,
    "max_words": _WORDS,
    "minimum": (FieldType.NUMBER,),
    "maximum": (FieldType.NUMBER,),
    "whole": (FieldType.NUMBER,),
    "earliest": (FieldType.DATE,),
    "latest": (FieldType.DATE,),
    "most": (FieldType.MULTI, FieldType.SPEAKERS, FieldType.FILE),
    "accepts": (FieldType.FILE,),
    "new_page": (FieldType.HEADING,),
    "placeholder": (
        FieldType.TEXT,
        FieldType.LONG,
        FieldType.ADDRESS,
        FieldType.URL,
        FieldType.PHONE,
    ),
    "max_mb": (FieldType.FILE,),
}
_PAIRS = (("min_length", "max_length"), ("minimum", "maximum"), ("earliest", "latest"))


def settings_of(kind: FieldType) -> frozenset[str]:
    """The settings that say something about fields of a type."""
    return frozenset(name for name, kinds in _SETTINGS.items() if kind in kinds)


class Wrong(NamedTuple):
    """What is wrong, and where: the field's place in the list and the name of its setting."""

    at: int | None
    setting: str
    message: str


def wrongs(
    fields: Sequence[Field], taxonomies: Mapping[str, Sequence[Choice]]
) -> tuple[Wrong, ...]:
    """Everything that keeps these fields from being a form; nothing when they are one.

    ``taxonomies`` are the event's options by role: a condition may hang on them.
    """
    return (*_as_a_whole(fields), *_sections(fields), *_each(fields, taxonomies))


def _as_a_whole(fields: Sequence[Field]) -> Iterator[Wrong]:
    if len(fields) > MOST_FIELDS:
        yield Wrong(None, "", f"are more than {MOST_FIELDS}")
    roles = [field.role for field in fields]
    for role in (Role.TITLE, Role.SPEAKERS):
        if role not in roles:
            yield Wrong(None, "", f"need one with the role {role}")
    seen: set[str] = set()
    taken: set[Role] = set()
    for at, field in enumerate(fields):
        if field.id in seen:
            yield Wrong(at, "id", f"“{field.id}” is an earlier field's")
        if field.role in taken:
            yield Wrong(at, "role", f"another field is the {field.role} already")
        seen.add(field.id)
        if field.role:
            taken.add(field.role)


def _each(fields: Sequence[Field], taxonomies: Mapping[str, Sequence[Choice]]) -> Iterator[Wrong]:
    earlier: dict[str, Field] = {}
    for at, field in enumerate(fields):
        found = [*_naming(field), *_settings(field), *_bounds(field), *_options(field)]
        found += _condition(field, earlier, taxonomies)
        yield from (Wrong(at, setting, message) for setting, message in found)
        earlier[field.id] = field


_Found = Iterator[tuple[str, str]]


def _naming(field: Field) -> _Found:
    if not _ID.fullmatch(field.id):
        yield "id", "must be 1 to 60 of a–z, A–Z, 0–9, - and _"
    if not fold(field.label):
        yield "label", "must not be empty"
    if field.role and field.type not in _OF_ROLE[field.role]:
        kinds = " or ".join(kind.value for kind in _OF_ROLE[field.role])
        yield "type", f"must be {kinds} for the {field.role}"
    if field.type is FieldType.SPEAKERS and field.role is not Role.SPEAKERS:
        yield "role", "must be speakers for a field of speakers"
    if field.required and field.type is FieldType.HEADING:
        yield "required", "means nothing for a heading"
    if not field.required and field.role in (Role.TITLE, Role.SPEAKERS):
        yield "required", f"must be true: nothing can be submitted without {field.role}"
    if field.internal and field.role in (Role.TITLE, Role.SPEAKERS):
        yield "internal", f"the {field.role} is always asked"
    if field.internal and field.type is FieldType.FILE:
        yield "internal", "files come from those who submit"
    if field.when and field.role in (Role.TITLE, Role.SPEAKERS):
        yield "when", f"the {field.role} is always asked"


def _settings(field: Field) -> _Found:
    for name, kinds in _SETTINGS.items():
        if getattr(field, name) in (None, False, (), ""):
            continue
        if field.type not in kinds:
            yield name, f"means nothing for a field of type {field.type.value}"
        elif name == "options" and field.role in OPTION_ROLES:
            yield name, f"come from the event's {field.role} options"


def _bounds(field: Field) -> _Found:
    for name in ("min_length", "max_length", "max_words", "most", "max_mb"):
        value = getattr(field, name)
        if value is not None and value < 1:
            yield name, "must be 1 or more"
    days = [name for name in ("earliest", "latest") if not _is_day(getattr(field, name))]
    yield from ((name, "must be a day, such as 2027-02-28") for name in days)
    for low, high in _PAIRS:
        least, greatest = getattr(field, low), getattr(field, high)
        if least is not None and greatest is not None and not days and greatest < least:
            yield high, "must not lie below the lower bound"
    if field.type is FieldType.SPEAKERS and field.most and field.most > MAX_SPEAKERS:
        yield "most", f"must be {MAX_SPEAKERS} or less"
    if field.type is FieldType.FILE and (field.most or 1) > MOST_FILES:
        yield "most", f"must be {MOST_FILES} or less"
    if (field.max_mb or 1) > MAX_BYTES // MEGABYTE:
        yield "max_mb", f"must be {MAX_BYTES // MEGABYTE} or less"


def _is_day(text: str | None) -> bool:
    try:
        return text is None or dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _options(field: Field) -> _Found:
    if field.type not in _CHOOSING or field.role in OPTION_ROLES:
        return
    if not field.options:
        yield "options", "must not be empty"
    if len(field.options) > MOST_OPTIONS:
        yield "options", f"are more than {MOST_OPTIONS}"
    labels = [fold(choice.label) for choice in field.options]
    if not all(labels):
        yield "options", "need a label each"
    elif len(set(labels)) < len(labels):
        yield "options", "must differ in more than case, accents and blanks"
    if len({choice.id for choice in field.options}) < len(labels):
        yield "options", "must not share an id"


def _condition(
    field: Field, earlier: Mapping[str, Field], taxonomies: Mapping[str, Sequence[Choice]]
) -> _Found:
    if field.when is None:
        return
    if not 1 <= len(field.when.tests) <= MOST_TESTS:
        yield "when", f"needs 1 to {MOST_TESTS} tests"
    for test in field.when.tests:
        source = earlier.get(test.field)
        if source is None or source.type not in OPERATORS:
            yield "when", "must name earlier fields that can be answered"
            continue
        if source.internal and not field.internal:
            yield "when", f"“{source.label}” is the organisers' own: submitters never answer it"
        wrong = _value(test, source, taxonomies)
        if wrong:
            yield "when", wrong


def _value(test: Test, source: Field, taxonomies: Mapping[str, Sequence[Choice]]) -> str | None:
    """What keeps a test from ever meaning something."""
    label, operators = f"“{source.label}”", OPERATORS[source.type]
    if test.op not in operators:
        return f"{label} can be asked for {', '.join(one.value for one in operators)}"
    if test.op in ALONE:
        return f"{test.op.value} compares with nothing" if test.value else None
    if source.type in _CHOOSING:
        known = taxonomies.get(source.role, ()) if source.role else source.options
        if test.value not in {choice.id for choice in known}:
            return f"“{test.value}” is no choice of {label}"
    elif source.type is FieldType.CHECK and test.value not in ("true", "false"):
        return f"{label} is true or false"
    elif source.type is FieldType.NUMBER and not NUMBER.fullmatch(test.value):
        return f"{label} is compared with a number"
    elif source.type is FieldType.DATE and not _is_day(test.value or "-"):
        return f"{label} is compared with a day, such as 2027-02-28"
    elif not test.value.strip():
        return f"{label} is compared with a text"
    return None


def _sections(fields: Sequence[Field]) -> Iterator[Wrong]:
    """A heading's condition governs what follows it; what is always asked cannot stand there."""
    heading: int | None = None
    for at, field in enumerate(fields):
        if field.type is FieldType.HEADING:
            heading = at if field.when else None
        elif heading is not None and field.role in (Role.TITLE, Role.SPEAKERS):
            yield Wrong(heading, "when", f"the {field.role} below it is always asked")


class Difference(NamedTuple):
    """How one list of fields became another, by the labels people know."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    moved: bool

    def __str__(self) -> str:
        parts = [
            f"{len(labels)} {word}"
            for word, labels in zip(("added", "removed", "changed"), self[:3], strict=True)
            if labels
        ]
        return ", ".join(parts + (["order changed"] if self.moved else [])) or "nothing changed"


def difference(before: Sequence[Field], after: Sequence[Field]) -> Difference:
    """What was added, removed and changed, by field id; and whether what stayed was moved."""
    was, now = {field.id: field for field in before}, {field.id: field for field in after}
    return Difference(
        tuple(field.label for field in after if field.id not in was),
        tuple(field.label for field in before if field.id not in now),
        tuple(field.label for field in after if field.id in was and was[field.id] != field),
        [one for one in was if one in now] != [one for one in now if one in was],
    )
