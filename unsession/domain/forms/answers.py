"""What counts as an answer: one verdict for the page, for organisers and for every program."""

import datetime as dt
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field as default
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from unsession.domain.forms.conditions import NUMBER, shown_fields
from unsession.domain.forms.fields import MAX_SPEAKERS, Choice, Field, FieldType, Role, chosen
from unsession.domain.forms.speakers import (
    LINES,
    SPEAKER_ROLES,
    Speaker,
    is_blank,
    role_named,
    whole_address,
)
from unsession.domain.text import fold_address, signs, typed_line, typed_text

MAX_TEXT = 20_000
_PHONE = re.compile(r"[0-9+(). /-]{6,24}")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an answer. ``inside`` says where in it: ``("1", "address")``."""

    field: str  #: the field's id
    message: str
    inside: tuple[str, ...] = ()
    allowed: tuple[str, ...] | None = None
    did_you_mean: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong, and the answers as they are kept, by field id.

    An empty answer is no answer. Speakers are a list of :class:`Speaker`.
    """

    faults: tuple[Fault, ...]
    values: Mapping[str, Any] = default(default_factory=dict)


class _Wrong(Exception):
    """An answer that does not count, and why."""

    def __init__(
        self,
        message: str,
        *,
        inside: tuple[str, ...] = (),
        allowed: tuple[str, ...] | None = None,
        near: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.inside, self.allowed, self.near = message, inside, allowed, near


def judge(fields: Sequence[Field], answers: Mapping[str, Any], *, required: bool = True) -> Verdict:
    """Judge answers to the fields as somebody meets them (see :func:`fields.asked`).

    What is not shown is neither judged nor kept. ``required=False`` judges a draft: what is
    there must be right, nothing need be there. Answers are never coerced from another kind.
    """
    faults: list[Fault] = []
    values: dict[str, Any] = {}
    for field in shown_fields(fields, answers):
        if field.type is FieldType.HEADING:
            continue
        try:
            value = _READ[field.type](field, answers.get(field.id))
            if value not in (None, False):
                values[field.id] = value
            elif field.required and required:
                raise _Wrong(_missing(field))
        except _Many as many:
            faults += [_fault(field, wrong) for wrong in many.wrongs]
        except _Wrong as wrong:
            faults.append(_fault(field, wrong))
    return Verdict(tuple(faults), values)


def _fault(field: Field, wrong: _Wrong) -> Fault:
    return Fault(field.id, wrong.message, wrong.inside, wrong.allowed, wrong.near)


def _missing(field: Field) -> str:
    if field.type is FieldType.CHECK:
        return f"“{field.label}” must be ticked"
    if field.type is FieldType.SPEAKERS:
        return "at least one speaker is needed"
    if field.type is FieldType.FILE:
        return f"“{field.label}” needs a file"
    return f"“{field.label}” needs an answer"


def _text(field: Field, value: Any) -> str | None:
    return _within(field, typed_line(_string(field, value)))


def _long(field: Field, value: Any) -> str | None:
    return _within(field, typed_text(_string(field, value)))


def _within(field: Field, text: str) -> str | None:
    if not text:
        return None
    if len(text) > MAX_TEXT:
        raise _Wrong(f"“{field.label}” is longer than anybody reads: {MAX_TEXT} characters fit")
    length, most = signs(text), field.max_length or MAX_TEXT
    if length > most:
        raise _Wrong(
            f"“{field.label}” has {length} characters: {length - most} more than fit ({most})"
        )
    if field.min_length is not None and length < field.min_length:
        raise _Wrong(f"“{field.label}” has {length} characters and needs {field.min_length}")
    words = len(text.split())
    if field.max_words is not None and words > field.max_words:
        raise _Wrong(
            f"“{field.label}” has {words} words: {words - field.max_words} more than fit "
            f"({words} of {field.max_words})"
        )
    return text


def _address(field: Field, value: Any) -> str | None:
    text = typed_line(_string(field, value))
    if text and not whole_address(text):
        raise _Wrong(f"“{text[:80]}” is not a complete mail address")
    return text or None


def _url(field: Field, value: Any) -> str | None:
    text = typed_line(_string(field, value))
    if not text:
        return None
    try:
        parts = urlsplit(text)
        whole = parts.scheme in ("http", "https") and "." in (parts.hostname or "")
    except ValueError:
        whole = False
    if not whole or re.search(r"\s", text) or len(text) > 2000:
        raise _Wrong(f"“{field.label}” must be a whole web address, such as https://example.org")
    return text


def _phone(field: Field, value: Any) -> str | None:
    text = typed_line(_string(field, value))
    if text and not _PHONE.fullmatch(text):
        raise _Wrong(f"“{field.label}” must be a phone number, such as +351 21 000 00 00")
    return text or None


def _number(field: Field, value: Any) -> float | int | None:
    if isinstance(value, str):
        value = value.strip()
        if not value:
            return None
        if not NUMBER.fullmatch(value):
            raise _Wrong(f"“{field.label}” must be a number")
        value = float(value)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _Wrong(f"“{field.label}” must be a number")
    if field.whole and value != int(value):
        raise _Wrong(f"“{field.label}” must be a whole number")
    if field.minimum is not None and value < field.minimum:
        raise _Wrong(f"“{field.label}” must be at least {field.minimum:g}")
    if field.maximum is not None and value > field.maximum:
        raise _Wrong(f"“{field.label}” must be at most {field.maximum:g}")
    return int(value) if value == int(value) else value


def _date(field: Field, value: Any) -> str | None:
    text = _string(field, value).strip()
    if not text:
        return None
    try:
        if len(text) != 10:
            raise ValueError(text)
        day = dt.date.fromisoformat(text).isoformat()
    except ValueError:
        raise _Wrong(f"“{field.label}” must be a date, such as 2027-02-28") from None
    if field.earliest and day < field.earliest:
        raise _Wrong(f"“{field.label}” must be {field.earliest} or later")
    if field.latest and day > field.latest:
        raise _Wrong(f"“{field.label}” must be {field.latest} or earlier")
    return day


def _check(field: Field, value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise _Wrong(f"“{field.label}” must be true or false")


def _select(field: Field, value: Any) -> str | None:
    text = _string(field, value).strip()
    return _known(field, text).id if text else None


def _multi(field: Field, value: Any) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _Wrong(f"“{field.label}” must be a list of choices")
    ids = list(dict.fromkeys(_known(field, one.strip()).id for one in value if one.strip()))
    if field.most is not None and len(ids) > field.most:
        raise _Wrong(f"“{field.label}” takes at most {field.most} choices")
    return ids or None


def _known(field: Field, text: str) -> Choice:
    choice = chosen(field, text)
    if choice is None:
        labels = tuple(one.label for one in field.options)
        near = get_close_matches(text, labels, 1)
        raise _Wrong(
            f"“{field.label}” has no choice “{text[:80]}”",
            allowed=labels,
            near=near[0] if near else None,
        )
    return choice


def _files(field: Field, value: Any) -> list[str] | None:
    """Ids of files; whose they are and what they are was judged when they came in."""
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _Wrong(f"“{field.label}” must be a list of files")
    ids = list(dict.fromkeys(one for one in value if one))
    most = field.most or 1
    if len(ids) > most:
        raise _Wrong(f"“{field.label}” takes at most {most} file{'s' if most > 1 else ''}")
    return ids or None


class _Many(Exception):
    """Several things wrong with one answer."""

    def __init__(self, wrongs: Sequence[_Wrong]) -> None:
        super().__init__(len(wrongs))
        self.wrongs = wrongs


def _speakers(field: Field, value: Any) -> list[Speaker] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise _Wrong("speakers must be a list")
    blocks = [(place, one) for place, one in enumerate(value) if not is_blank(one)]
    most = min(field.most or MAX_SPEAKERS, MAX_SPEAKERS)
    if len(blocks) > most:
        raise _Wrong(f"there are {len(blocks)} speakers: at most {most} fit")
    wrongs: list[_Wrong] = []
    speakers = [_speaker(place, one, wrongs) for place, one in blocks]
    seen: dict[str, int] = {}
    for (place, _), speaker in zip(blocks, speakers, strict=True):
        first = seen.setdefault(fold_address(speaker.address), place)
        if first != place and speaker.address:
            wrongs.append(
                _Wrong(
                    f"speaker {place + 1} has the mail address of speaker {first + 1}",
                    inside=(str(place), "address"),
                )
            )
    if wrongs:
        raise _Many(wrongs)
    return speakers or None


def _speaker(place: int, typed: Any, wrongs: list[_Wrong]) -> Speaker:
    if not isinstance(typed, Mapping):
        wrongs.append(_Wrong(f"speaker {place + 1} must be an object", inside=(str(place),)))
        return Speaker("", "")
    clean: dict[str, str] = {}
    for name, (called, most) in LINES.items():
        value = typed.get(name, "")
        where = (str(place), name)
        if not isinstance(value, str):
            wrongs.append(_Wrong(f"the {called} of speaker {place + 1} must be text", inside=where))
            continue
        clean[name] = text = typed_text(value) if name == "bio" else typed_line(value)
        if len(text) > most:
            wrongs.append(
                _Wrong(
                    f"the {called} of speaker {place + 1} has {len(text)} characters: "
                    f"{len(text) - most} more than fit ({most})",
                    inside=where,
                )
            )
    name, address = clean.get("name", ""), clean.get("address", "")
    if not name:
        wrongs.append(_Wrong(f"speaker {place + 1} needs a name", inside=(str(place), "name")))
    if not address:
        message = f"speaker {place + 1} needs a mail address"
        wrongs.append(_Wrong(message, inside=(str(place), "address")))
    elif not whole_address(address):
        message = f"“{address[:80]}” is not a complete mail address"
        wrongs.append(_Wrong(message, inside=(str(place), "address")))
    role = role_named(clean.get("role") or SPEAKER_ROLES[0])
    if role is None:
        wrongs.append(
            _Wrong(
                f"“{clean['role'][:80]}” is no role that speaker {place + 1} can have",
                allowed=SPEAKER_ROLES,
                inside=(str(place), "role"),
            )
        )
    return Speaker(
        name,
        address,
        clean.get("bio", ""),
        clean.get("jobTitle") or None,
        clean.get("company") or None,
        role or SPEAKER_ROLES[0],
    )


def _string(field: Field, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Wrong(f"“{field.label}” must be text")
    return value


_READ: dict[FieldType, Callable[[Field, Any], Any]] = {
    FieldType.TEXT: _text,
    FieldType.LONG: _long,
    FieldType.ADDRESS: _address,
    FieldType.URL: _url,
    FieldType.PHONE: _phone,
    FieldType.NUMBER: _number,
    FieldType.DATE: _date,
    FieldType.CHECK: _check,
    FieldType.SELECT: _select,
    FieldType.MULTI: _multi,
    FieldType.FILE: _files,
    FieldType.SPEAKERS: _speakers,
}


def role_of(fields: Collection[Field], role: Role) -> Field | None:
    """The field that has a role, if the form asks for it."""
    return next((field for field in fields if field.role is role), None)
