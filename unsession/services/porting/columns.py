"""What a column holds: a part of the submission, a line of a speaker, or an answer to a field."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unsession.domain.forms import MAX_SPEAKERS, Field, FieldType, Role
from unsession.domain.text import fold

NUMBER, KEY, STATUS = "number", "key", "status"
TITLE, ABSTRACT, IGNORED = "title", "abstract", "-"
#: Lines of a speaker, by what their columns are called.
LINES = {
    "name": "name",
    "address": "address",
    "bio": "bio",
    "jobTitle": "job title",
    "company": "company",
    "role": "role",
}
#: How else people call a column, folded.
_CALLED = {
    NUMBER: ("number", "submission", "id", "sub", "no", "nr"),
    KEY: ("key", "external key", "external id", "reference"),
    STATUS: ("status", "state"),
    TITLE: ("title", "session title", "proposal title", "talk title", "talk"),
    ABSTRACT: ("abstract", "description", "summary"),
}
_LINE_CALLED = {
    "name": ("name", "full name", "speaker", "speaker name", "speakers", "presenter", "author"),
    "address": ("email", "e-mail", "mail", "mail address", "email address", "e-mail address",
                "speaker email", "speaker e-mail", "speaker mail address", "address"),
    "bio": ("bio", "biography", "about", "speaker bio", "about the speaker"),
    "jobTitle": ("job title", "position", "speaker job title", "tagline"),
    "company": ("company", "organisation", "organization", "affiliation", "speaker company"),
    "role": ("role", "speaker role"),
}  # fmt: skip
_NUMBERED = re.compile(r"(?:speaker|presenter|author)\s*([1-9])\s*(.*)")
_ID = re.compile(r".*\[([A-Za-z0-9_-]{1,60})\]")


@dataclass(frozen=True, slots=True)
class Target:
    """What a column can mean, and how it is called in an export."""

    id: str
    label: str


def speaker_target(number: int, line: str) -> str:
    """The target of a line of the so-manieth speaker."""
    return f"speaker.{number}.{line}"


def targets(fields: Sequence[Field]) -> list[Target]:
    """Everything a column of this form can mean."""
    own = [
        Target(NUMBER, "Number"),
        Target(KEY, "Key"),
        Target(STATUS, "Status"),
        Target(TITLE, "Title"),
        Target(ABSTRACT, "Abstract"),
    ]
    answers = [
        Target(f"answer.{field.id}", answer_label(field))
        for field in fields
        if field.type not in (FieldType.HEADING, FieldType.SPEAKERS, FieldType.FILE)
        and field.role not in (Role.TITLE, Role.ABSTRACT)
    ]
    speakers = [
        Target(speaker_target(number, line), f"Speaker {number} {words}")
        for number in range(1, MAX_SPEAKERS + 1)
        for line, words in LINES.items()
    ]
    return [*own, *answers, *speakers]


def answer_label(field: Field) -> str:
    """A field's column: with its id, unless it is a role of its own."""
    return field.role.value.capitalize() if field.role else f"{field.label} [{field.id}]"


def guessed(header: Sequence[str], fields: Sequence[Field]) -> dict[str, str]:
    """Column -> target, by id, label and how people call things; what nobody knows is left out.

    A target is meant by one column only: the first that fits.
    """
    known = {fold(target.label): target.id for target in targets(fields)}
    labels = [fold(field.label) for field in fields]
    for field in fields:
        if labels.count(fold(field.label)) == 1 and f"answer.{field.id}" in known.values():
            known.setdefault(fold(field.label), f"answer.{field.id}")
    for target, names in _CALLED.items():
        for name in names:
            known.setdefault(name, target)
    for line, names in _LINE_CALLED.items():
        for name in names:
            known.setdefault(name, speaker_target(1, line))
    ids = set(known.values())
    meant: dict[str, str] = {}
    for column in header:
        found = _by_id(column, ids) or known.get(fold(column)) or _numbered(column)
        if column and found and found not in meant.values():
            meant[column] = found
    return meant


def _by_id(column: str, ids: set[str]) -> str | None:
    named = _ID.fullmatch(column)
    target = f"answer.{named[1]}" if named else column
    return target if target in ids else None


def _numbered(column: str) -> str | None:
    found = _NUMBERED.fullmatch(fold(column))
    if not found or int(found[1]) > MAX_SPEAKERS:
        return None
    rest = found[2] or "name"
    line = next((line for line, names in _LINE_CALLED.items() if rest in names), None)
    return speaker_target(int(found[1]), line) if line else None


def cells_by_target(
    header: Sequence[str], columns: Mapping[str, str], cells: Sequence[str]
) -> dict[str, str]:
    """A row's cells by what they mean; a row that is too short has blanks."""
    padded = [*cells, *[""] * (len(header) - len(cells))]
    return {
        columns[name]: cell
        for name, cell in zip(header, padded, strict=False)
        if columns.get(name, IGNORED) != IGNORED
    }
