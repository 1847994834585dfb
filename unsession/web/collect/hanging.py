"""Conditions as organisers read and type them: fields by label, choices by label, a tick as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unsession.domain.forms import (
    ALONE,
    OPERATORS,
    OPTION_ROLES,
    Choice,
    Condition,
    Field,
    FieldType,
    Operator,
    Test,
)
from unsession.domain.text import fold
from unsession.web.posted import Posted

Choices = Mapping[str, Sequence[Choice]]

#: How each operator reads between a field and a value.
WORDS = {
    Operator.IS: "is",
    Operator.IS_NOT: "is not",
    Operator.CONTAINS: "contains",
    Operator.LACKS: "does not contain",
    Operator.MORE: "is more than",
    Operator.LESS: "is less than",
    Operator.ANSWERED: "is answered",
    Operator.BLANK: "is blank",
}
_TICKS = {"true": "ticked", "false": "not ticked"}


@dataclass(frozen=True, slots=True)
class Hanging:
    """The condition of the open field as it is edited: rows, the last of them to fill in."""

    rows: tuple[tuple[str, str, str], ...]  #: field, operator, value as read
    any: bool
    sources: tuple[tuple[str, str], ...]  #: id, label
    values: tuple[str, ...]  #: what may be meant, to choose from


def choices_of(one: Field, taxonomies: Choices) -> Sequence[Choice]:
    """What can be chosen: the event's own options for track, format and level."""
    return taxonomies.get(one.role, ()) if one.role in OPTION_ROLES else one.options


def hanging(
    when: Mapping[str, Any] | None, before: Sequence[Field], taxonomies: Choices
) -> Hanging:
    """What a field may hang on, and what it hangs on now, in the words of the wire."""
    known = {one.id: one for one in before}
    rows = []
    for test in (when or {}).get("tests", ()):
        source = known.get(test["field"])
        read = _read(test.get("value", ""), source, taxonomies)
        rows.append((test["field"], test.get("op", Operator.IS.value), read))
    sources = tuple((one.id, one.label) for one in before if one.type in OPERATORS)
    labels = [choice.label for one in before for choice in choices_of(one, taxonomies)] + [
        word for one in before if one.type is FieldType.CHECK for word in _TICKS.values()
    ]
    blank = ("", Operator.IS.value, "")
    return Hanging(
        (*rows, blank), bool((when or {}).get("any")), sources, tuple(dict.fromkeys(labels))
    )


def typed_condition(
    sent: Posted, fields: Sequence[Field], taxonomies: Choices
) -> dict[str, Any] | None:
    """The condition somebody typed, on the wire; a row without a field is none."""
    known = {one.id: one for one in fields}
    tests = []
    rows = zip(sent.all("when_field"), sent.all("when_op"), sent.all("when_value"), strict=False)
    for field_id, op, value in rows:
        if not field_id:
            continue
        test = {"field": field_id, "op": op}
        meant = _meant(value.strip(), known.get(field_id), taxonomies)
        tests.append({**test, "value": meant} if op not in ALONE else test)
    return {"tests": tests, "any": sent.get("when_any") == "any"} if tests else None


def told(condition: Condition, fields: Sequence[Field], taxonomies: Choices) -> str:
    """A condition as one line: “Given before? is Yes or Size is more than 5”."""
    known = {one.id: one for one in fields}
    parts = [_told(test, known.get(test.field), taxonomies) for test in condition.tests]
    return (" or " if condition.any else " and ").join(parts)


def _told(test: Test, source: Field | None, taxonomies: Choices) -> str:
    label = source.label if source else test.field
    said = f"{label} {WORDS[test.op]}"
    return said if test.op in ALONE else f"{said} {_read(test.value, source, taxonomies)}"


def _read(value: str, source: Field | None, taxonomies: Choices) -> str:
    if source is None:
        return value
    if source.type is FieldType.CHECK:
        return _TICKS.get(value, value)
    labels = {choice.id: choice.label for choice in choices_of(source, taxonomies)}
    return labels.get(value, value)


def _meant(value: str, source: Field | None, taxonomies: Choices) -> str:
    if source is None:
        return value
    if source.type is FieldType.CHECK:
        return next((key for key, word in _TICKS.items() if fold(value) == word), value)
    found = [
        choice.id
        for choice in choices_of(source, taxonomies)
        if value == choice.id or fold(choice.label) == fold(value)
    ]
    return found[0] if len(found) == 1 else value
