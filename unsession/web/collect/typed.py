"""What somebody types into a form: shown as fields, sent as an operation's arguments."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unsession.domain.files import MAX_BYTES, MEGABYTE, FileKind
from unsession.domain.forms import (
    MAX_SPEAKERS,
    Choice,
    Field,
    FieldType,
    Role,
    is_blank,
    role_of,
    shown_fields,
)
from unsession.errors import Refusal
from unsession.services.collect.form_files import KIND_WORDS
from unsession.services.sent_files import FormFile
from unsession.web.pages import FormFault
from unsession.web.posted import Posted

#: How many options are shown at once, to be read before choosing.
_SHOWN_AT_ONCE = 6
_KINDS = {
    FieldType.TEXT: "text",
    FieldType.LONG: "long",
    FieldType.ADDRESS: "email",
    FieldType.URL: "url",
    FieldType.PHONE: "tel",
    FieldType.NUMBER: "number",
    FieldType.DATE: "date",
    FieldType.MULTI: "multi",
    FieldType.CHECK: "check",
    FieldType.FILE: "file",
}
#: What a browser's own dialogue offers for each kind; what came is judged by its content.
_PICKED = {
    FileKind.PDF: ".pdf",
    FileKind.IMAGE: ".jpg,.jpeg,.png,.gif,.webp",
    FileKind.PRESENTATION: ".pptx,.odp,.odg",
    FileKind.DOCUMENT: ".docx,.odt",
    FileKind.SPREADSHEET: ".xlsx,.ods",
    FileKind.TEXT: ".txt,.md,.csv",
    FileKind.ARCHIVE: ".zip",
}
SPEAKER_LINES = ("name", "address", "bio", "jobTitle", "company", "role")


@dataclass(frozen=True, slots=True)
class ShownField:
    """One field of the page. ``name`` is also its id, which faults link to.

    What is not asked now is there, and hidden: what was typed into it stays.
    """

    name: str
    kind: str
    label: str
    hint: str
    required: bool
    options: tuple[Choice, ...]
    chosen: tuple[str, ...]
    hidden: bool
    most_words: int | None
    most_signs: int | None
    files: tuple[tuple[str, str, str], ...] = ()  #: kept ones: id, name, how large
    accept: str = ""  #: what a browser offers to choose
    placeholder: str = ""

    def pairs(self) -> list[tuple[str, str]]:
        """The options as a select lists them: value and label."""
        return [(option.id, option.label) for option in self.options]


@dataclass(frozen=True, slots=True)
class ShownSection:
    """Fields under one heading, in rows of fields that stand side by side."""

    key: str
    title: str
    hint: str
    rows: tuple[tuple[ShownField, ...], ...]
    speakers: bool
    faults: int
    page: int

    @property
    def hidden(self) -> bool:
        """Whether nothing in it is asked now."""
        return not self.speakers and all(field.hidden for row in self.rows for field in row)


@dataclass(frozen=True, slots=True)
class Typed:
    """Everything typed so far, by the names of the page's fields."""

    values: Mapping[str, str]
    chosen: Mapping[str, tuple[str, ...]]
    blocks: int

    @classmethod
    def of(cls, form: Posted) -> "Typed":
        """What a form sent."""
        numbers = [
            int(name.split("-")[1])
            for name in form.fields
            if name.startswith("speaker-") and name.split("-")[1].isdecimal()
        ]
        blocks = max([1, *(number for number in numbers if number <= MAX_SPEAKERS)])
        return cls(form.values(), dict(form.fields), blocks)

    @classmethod
    def of_nobody(cls, values: Mapping[str, str] | None = None) -> "Typed":
        """An empty page, or one with a profile filled in."""
        return cls(values or {}, {}, 1)

    def speakers(self) -> list[dict[str, str]]:
        """The blocks of speakers, in order, empty ones among them."""
        return [
            {line: self.values.get(f"speaker-{number}-{line}", "") for line in SPEAKER_LINES}
            for number in range(1, self.blocks + 1)
        ]

    def filled(self) -> list[dict[str, str]]:
        """The blocks of speakers in which something stands; a role is chosen from the start."""
        return [one for one in self.speakers() if not is_blank(one)]

    def with_choice(self, name: str, value: str) -> "Typed":
        """With one more choice of a field: a file that came along."""
        chosen = (*self.chosen.get(name, ()), value)
        return Typed({**self.values, name: value}, {**self.chosen, name: chosen}, self.blocks)

    def with_block(self) -> "Typed":
        """One more speaker to type, as long as one fits."""
        return Typed(self.values, self.chosen, min(self.blocks + 1, MAX_SPEAKERS))

    def without_block(self, gone: int) -> "Typed":
        """Without one speaker; those behind move up. The first one stays."""
        kept = [one for number, one in enumerate(self.speakers(), start=1) if number != gone]
        others = {k: v for k, v in self.values.items() if not k.startswith("speaker-")}
        moved = {
            f"speaker-{number}-{line}": value
            for number, one in enumerate(kept, start=1)
            for line, value in one.items()
        }
        return Typed({**others, **moved}, self.chosen, max(1, len(kept)))


def field_name(field: Field) -> str:
    """What a field is called on the page."""
    return field.role.value if field.role else f"f-{field.id}"


def typed_from(fields: Sequence[Field], answers: Mapping[str, Any]) -> Typed:
    """A submission that is there, as the page that would have sent it."""
    chosen: dict[str, tuple[str, ...]] = {}
    for field in fields:
        value = answers.get(field.id)
        if field.role is Role.SPEAKERS or value in (None, "", False, []):
            continue
        if isinstance(value, list):
            chosen[field_name(field)] = tuple(str(one) for one in value)
        else:
            chosen[field_name(field)] = ("on" if value is True else _plain(value),)
    speakers = role_of(fields, Role.SPEAKERS)
    blocks: Sequence[Mapping[str, str]] = answers.get(speakers.id, ()) if speakers else ()
    for number, block in enumerate(blocks, start=1):
        for line in SPEAKER_LINES:
            chosen[f"speaker-{number}-{line}"] = (block.get(line, ""),)
    return Typed({name: one[-1] for name, one in chosen.items()}, chosen, max(1, len(blocks)))


def _plain(value: Any) -> str:
    return f"{value:.9f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def answers_of(fields: Sequence[Field], typed: Typed) -> dict[str, Any]:
    """The answers to fields that have no argument of their own, by field id."""
    return {
        field.id: value
        for field in fields
        if field.role not in (Role.TITLE, Role.ABSTRACT, Role.SPEAKERS)
        and field.type is not FieldType.HEADING
        and (value := _answer(field, typed)) is not None
    }


def _everything(fields: Sequence[Field], typed: Typed) -> dict[str, Any]:
    """Every answer by field id, for conditions; those with an argument of their own among them."""
    own = {
        field.id: typed.values.get(field_name(field))
        for field in fields
        if field.role in (Role.TITLE, Role.ABSTRACT)
    }
    return {**answers_of(fields, typed), **own}


def rules_of(fields: Sequence[Field]) -> str:
    """The conditions by names of the page, as static/form.js reads them; empty without any."""
    if not any(field.when for field in fields):
        return ""
    names = {field.id: field_name(field) for field in fields}
    rules = [
        {
            "id": names[field.id],
            "type": field.type.value,
            "when": field.when
            and {
                "any": field.when.any,
                "tests": [
                    {"field": names[test.field], "op": test.op.value, "value": test.value}
                    for test in field.when.tests
                    if test.field in names
                ],
            },
        }
        for field in fields
    ]
    return json.dumps(rules)


def _answer(field: Field, typed: Typed) -> Any:
    name = field_name(field)
    if field.type is FieldType.CHECK:
        return name in typed.values
    if field.type in (FieldType.MULTI, FieldType.FILE):
        return list(typed.chosen.get(name, ()))
    return typed.values.get(name) or None


def faults_from(refusal: Refusal, fields: Sequence[Field]) -> tuple[FormFault, ...]:
    """A refusal as faults that link to the fields of the page."""
    problems = refusal.facts.get("problems")
    if not isinstance(problems, list):
        return (FormFault("", refusal.message),)
    names = {field.id: field_name(field) for field in fields}
    return tuple(
        FormFault(_place(str(problem["path"]), names), _sentence(str(problem["message"])))
        for problem in problems
    )


def _place(path: str, names: Mapping[str, str]) -> str:
    match path.strip("/").split("/"):
        case ["answers", field_id, *_]:
            return names.get(field_id, "")
        case ["speakers", place, line, *_] if place.isdecimal():
            return f"speaker-{int(place) + 1}-{line}"
        case ["speakers", *_]:
            return "speaker-1-name"
        case ["submitKey", *_]:
            return ""
        case [name, *_]:
            return name
    return ""


def _sentence(message: str) -> str:
    return message[0].upper() + message[1:]


def sections_of(
    fields: Sequence[Field],
    typed: Typed,
    faults: Sequence[FormFault],
    files: Mapping[str, FormFile] | None = None,
) -> tuple[ShownSection, ...]:
    """The fields under their headings, those that are not asked now hidden."""
    asked = {field.id for field in shown_fields(fields, _everything(fields, typed))}
    groups: list[tuple[str, str, list[Field], int]] = [("About your submission", "", [], 1)]
    number = 1
    for field in fields:
        if field.type is FieldType.HEADING:
            number += field.new_page and any(members for _, _, members, _ in groups)
            groups.append((field.label, field.hint, [], number))
        elif field.type is FieldType.SPEAKERS:
            groups.append((field.label or "Speakers", field.hint, [field], number))
            groups.append(("And also", "", [], number))
        else:
            groups[-1][2].append(field)
    at_fault = [fault.field for fault in faults]
    return tuple(
        _section(f"s-{place}", title, hint, members, typed, at_fault, asked, files or {}, page)
        for place, (title, hint, members, page) in enumerate(groups, start=1)
        if members
    )


def _section(
    key: str,
    title: str,
    hint: str,
    members: Sequence[Field],
    typed: Typed,
    at_fault: Sequence[str],
    asked: Collection[str],
    files: Mapping[str, FormFile],
    page: int,
) -> ShownSection:
    speakers = members[0].type is FieldType.SPEAKERS
    shown = [] if speakers else [_shown(field, typed, asked, files) for field in members]
    names = {field.name for field in shown}
    wrong = sum(name.startswith("speaker-") if speakers else name in names for name in at_fault)
    return ShownSection(key, title, hint, tuple(_rows(shown)), speakers, wrong, page)


def _rows(shown: Sequence[ShownField]) -> list[tuple[ShownField, ...]]:
    """Short lists stand two by two, everything else alone."""
    rows: list[tuple[ShownField, ...]] = []
    for field in shown:
        before = rows[-1] if rows else ()
        if field.kind == "select" and len(before) == 1 and before[0].kind == "select":
            rows[-1] = (*before, field)
        else:
            rows.append((field,))
    return rows


def _shown(
    field: Field, typed: Typed, asked: Collection[str], files: Mapping[str, FormFile]
) -> ShownField:
    name = field_name(field)
    kind = _KINDS.get(field.type, "text")
    if field.type is FieldType.SELECT:
        readable = field.role is Role.FORMAT and len(field.options) <= _SHOWN_AT_ONCE
        kind = "choices" if readable else "select"
    return ShownField(
        name, kind, field.label, _hint(field), field.required, field.options,
        typed.chosen.get(name, ()), field.id not in asked, field.max_words, field.max_length,
        tuple(
            (one, files[one].filename, size_of(files[one].size))
            for one in typed.chosen.get(name, ())
            if field.type is FieldType.FILE and one in files
        ),
        ",".join(_PICKED[kind] for kind in field.accepts),
        field.placeholder,
    )  # fmt: skip


def size_of(size: int) -> str:
    """How large a file is, as people say it."""
    return f"{size / MEGABYTE:.1f} MB" if size >= MEGABYTE else f"{max(size, 1) / 1024:.0f} kB"


def _hint(field: Field) -> str:
    limits = []
    if field.max_words:
        limits.append(f"Up to {field.max_words} words.")
    elif field.max_length:
        limits.append(f"Up to {field.max_length:,} characters.")
    if field.type is FieldType.FILE:
        kinds = [KIND_WORDS[kind] for kind in field.accepts]
        said = " or ".join(kinds)
        limits += [f"{said[0].upper()}{said[1:]}."] if kinds else []
        most = field.most or 1
        each = f"up to {field.max_mb or MAX_BYTES // MEGABYTE} MB{' each' if most > 1 else ''}."
        limits.append(f"{'One file' if most == 1 else f'At most {most} files'}, {each}")
    return " ".join([*([field.hint] if field.hint else []), *limits])
