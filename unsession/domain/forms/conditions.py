"""When a field is asked: tests of earlier answers, all or any of them. One rule at every door.

``static/conditions.js`` is the same rule for a page that changes while somebody types; the cases
in ``tests/domain/conditions.json`` and a property test hold the two together.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unsession.domain.forms.fields import Condition, Field, FieldType, Operator, Test, chosen

NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,9})?")

_CHOOSING = frozenset({FieldType.SELECT, FieldType.MULTI})
_MEASURED = frozenset({FieldType.NUMBER, FieldType.DATE})
_WRITTEN = frozenset(
    {FieldType.TEXT, FieldType.LONG, FieldType.ADDRESS, FieldType.URL, FieldType.PHONE}
)
_EITHER = (Operator.ANSWERED, Operator.BLANK)
_EQUAL = (Operator.IS, Operator.IS_NOT)
#: The operators that say something about answers of a type; a type without any is no source.
OPERATORS: Mapping[FieldType, tuple[Operator, ...]] = {
    **dict.fromkeys(_CHOOSING, (*_EQUAL, *_EITHER)),
    **dict.fromkeys(_MEASURED, (*_EQUAL, Operator.MORE, Operator.LESS, *_EITHER)),
    **dict.fromkeys(_WRITTEN, (*_EQUAL, Operator.CONTAINS, Operator.LACKS, *_EITHER)),
    FieldType.CHECK: _EQUAL,
    FieldType.FILE: _EITHER,
}
#: Operators that compare with nothing.
ALONE = frozenset(_EITHER)


def shown_fields(fields: Sequence[Field], answers: Mapping[str, Any]) -> Iterator[Field]:
    """The fields that are asked, given the answers so far by field id, in order.

    A heading governs what follows up to the next one: hidden, it hides them all. A test of what
    is not shown fails, whatever it asks.
    """
    said: dict[str, tuple[str, ...]] = {}
    types: dict[str, FieldType] = {}
    section = True
    for field in fields:
        holds = field.when is None or _holds(field.when, said, types)
        if field.type is FieldType.HEADING:
            section = holds
        if not (section and holds):
            continue
        said[field.id], types[field.id] = words_of(field, answers.get(field.id)), field.type
        yield field


def words_of(field: Field, answer: Any) -> tuple[str, ...]:
    """An answer as tests see it: ids of choices, text in NFC and without white space around it.

    A tick is always answered, ``true`` or ``false``. Nothing means blank.
    """
    if field.type is FieldType.CHECK:
        return ("true",) if answer is True else ("false",)
    given = answer if isinstance(answer, list) else [answer]
    if field.type in _CHOOSING:
        found = (chosen(field, one) for one in given if isinstance(one, str))
        return tuple(choice.id for choice in found if choice)
    words = (_word(one) for one in given)
    return tuple(word for word in words if word)


def _word(value: Any) -> str:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return f"{value:.9f}".rstrip("0").rstrip(".")


def _holds(
    condition: Condition, said: Mapping[str, tuple[str, ...]], types: Mapping[str, FieldType]
) -> bool:
    verdicts = (
        test.field in said and _passes(test, types[test.field], said[test.field])
        for test in condition.tests
    )
    return any(verdicts) if condition.any else all(verdicts)


def _passes(test: Test, kind: FieldType, words: tuple[str, ...]) -> bool:
    match test.op:
        case Operator.ANSWERED:
            return bool(words)
        case Operator.BLANK:
            return not words
        case _ if not words:
            return False
        case Operator.IS:
            return any(_equal(kind, word, test.value) for word in words)
        case Operator.IS_NOT:
            return not any(_equal(kind, word, test.value) for word in words)
        case Operator.CONTAINS:
            return any(_plain(test.value) in _plain(word) for word in words)
        case Operator.LACKS:
            return not any(_plain(test.value) in _plain(word) for word in words)
        case Operator.MORE:
            return _beyond(kind, words[0], test.value)
        case Operator.LESS:
            return _beyond(kind, test.value, words[0])


def _equal(kind: FieldType, word: str, value: str) -> bool:
    if kind is FieldType.NUMBER:
        one, other = _number(word), _number(value)
        return one is not None and one == other
    return word == _word(value) if kind not in _WRITTEN else _plain(word) == _plain(value)


def _beyond(kind: FieldType, greater: str, lesser: str) -> bool:
    if kind is FieldType.DATE:  # as ISO writes them, days sort as text
        return greater > lesser
    one, other = _number(greater), _number(lesser)
    return one is not None and other is not None and one > other


def _plain(text: str) -> str:
    """Text for comparison, by what Python and a browser do alike: NFC and lower case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).strip().lower())


def _number(text: str) -> float | None:
    return float(text) if NUMBER.fullmatch(text.strip()) else None
