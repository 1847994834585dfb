"""What a form asks: typed fields, read from the version they are stored in."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from unsession.domain.files import FileKind
from unsession.domain.text import fold

MAX_SPEAKERS = 5


class FieldType(StrEnum):
    """The thirteen kinds of field."""

    TEXT = "TXT"
    LONG = "LONG"
    ADDRESS = "EML"
    URL = "URL"
    PHONE = "TEL"
    NUMBER = "NUM"
    DATE = "DATE"
    SELECT = "SEL"
    MULTI = "MULTI"
    CHECK = "CHK"
    FILE = "FILE"
    HEADING = "HDR"
    SPEAKERS = "GRP"


class Role(StrEnum):
    """What a field is to the submission itself; any other answer is kept by the field's id."""

    TITLE = "title"
    ABSTRACT = "abstract"
    TRACK = "track"
    FORMAT = "format"
    LEVEL = "level"
    SPEAKERS = "speakers"


#: Roles whose answer is an option of the event's taxonomy of the same key.
OPTION_ROLES = (Role.TRACK, Role.FORMAT, Role.LEVEL)


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose."""

    id: str
    label: str
    hint: str = ""


class Operator(StrEnum):
    """What can be asked of an earlier answer."""

    IS = "is"
    IS_NOT = "is_not"
    CONTAINS = "contains"
    LACKS = "lacks"
    MORE = "more_than"
    LESS = "less_than"
    ANSWERED = "answered"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Test:
    """One question about an earlier answer. ``value`` is a choice's id where there are choices."""

    __test__: ClassVar[bool] = False  #: no test of ours, whatever its name

    field: str
    op: Operator = Operator.IS
    value: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """When a field is asked: all of these tests pass, or any of them."""

    tests: tuple[Test, ...]
    any: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """One thing asked. What a version does not say has the value that asks the least."""

    id: str
    type: FieldType = FieldType.TEXT
    label: str = ""
    hint: str = ""
    required: bool = False
    role: Role | None = None
    options: tuple[Choice, ...] = ()
    when: Condition | None = None
    min_length: int | None = None  #: characters
    max_length: int | None = None
    max_words: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    whole: bool = False  #: a number without a fraction
    earliest: str | None = None  #: a date, YYYY-MM-DD
    latest: str | None = None
    most: int | None = None  #: how many choices, speakers or files; one file when not said
    accepts: tuple[FileKind, ...] = ()  #: kinds of files; any when none is named
    max_mb: int | None = None  #: of each file
    placeholder: str = ""
    new_page: bool = False  #: of a heading: with a script, what follows is a page of its own
    internal: bool = False  #: organisers alone fill it in and read it
    no_reviewers: bool = False  #: reviewers do not read the answer, in no plan


#: What a version that names no role asks all the same: without it nothing can be submitted.
CORE = (
    Field("title", FieldType.TEXT, "Title", role=Role.TITLE, required=True, max_length=200),
    Field("abstract", FieldType.LONG, "Abstract", role=Role.ABSTRACT, max_length=5000),
    Field("track", FieldType.SELECT, "Track", role=Role.TRACK),
    Field("format", FieldType.SELECT, "Format", role=Role.FORMAT),
    Field("level", FieldType.SELECT, "Level", role=Role.LEVEL),
)
CORE_SPEAKERS = Field(
    "speakers", FieldType.SPEAKERS, "Speakers", role=Role.SPEAKERS, required=True, most=MAX_SPEAKERS
)


def with_core(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields of a version, and the core where none of them has a role."""
    if any(field.role for field in fields):
        return tuple(fields)
    return (*CORE, *fields, CORE_SPEAKERS)


def asked(fields: Sequence[Field], taxonomies: Mapping[str, Sequence[Choice]]) -> tuple[Field, ...]:
    """The fields as somebody meets them: with the event's options as choices.

    A track, format or level without a single option is not asked, for nobody could answer it.
    """
    met = []
    for field in fields:
        if field.role not in OPTION_ROLES:
            met.append(field)
        elif options := tuple(taxonomies.get(field.role, ())):
            met.append(dataclasses.replace(field, options=options))
    return tuple(met)


def chosen(field: Field, text: str) -> Choice | None:
    """A choice by id, exact label, or label after folding case and accents where that is one."""
    for choice in field.options:
        if text in (choice.id, choice.label):
            return choice
    folded = [choice for choice in field.options if fold(choice.label) == fold(text)]
    return folded[0] if len(folded) == 1 else None


def for_submitters(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields that whoever submits meets: those of the organisers' own are left out."""
    return tuple(field for field in fields if not field.internal)


def said(field: Field, value: Any) -> Any:
    """An answer as a person reads it: choices by their labels."""
    labels = {choice.id: choice.label for choice in field.options}
    if field.type is FieldType.MULTI and isinstance(value, list):
        return [labels.get(one, one) for one in value]
    if field.type is FieldType.SELECT and isinstance(value, str):
        return labels.get(value, value)
    return value
