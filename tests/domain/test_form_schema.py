"""What a list of fields must hold to be a form, and how two lists differ."""

from dataclasses import replace
from typing import Any

import pytest

from unsession.domain.forms import (
    Choice,
    Condition,
    Field,
    FieldType,
    Operator,
    Preset,
    Role,
    Test,
    difference,
    preset_fields,
    wrongs,
)


def hanging(field: str, value: str) -> Condition:
    """Asked only if an earlier answer is this one."""
    return Condition((Test(field, value=value),))


CALL = preset_fields(Preset.CALL)
FIRST = Field(
    "first",
    FieldType.SELECT,
    "Have you given it before?",
    options=(Choice("yes", "Yes"), Choice("no", "No")),
)
WHERE = Field("where", FieldType.TEXT, "Where?", when=hanging("first", "yes"))
TRACKS = {"track": (Choice("opt_web", "Web"),)}


def found(*fields: Field) -> list[tuple[int | None, str]]:
    """Where something is wrong."""
    return [(one.at, one.setting) for one in wrongs(fields, TRACKS)]


def test_a_preset_and_what_is_added_to_it_is_a_form() -> None:
    assert found(*CALL, FIRST, WHERE) == []


def test_a_condition_may_hang_on_an_option_of_the_event() -> None:
    hangs = replace(WHERE, when=hanging("track", "opt_web"))

    assert found(*CALL, hangs) == []
    assert found(*CALL, replace(hangs, when=hanging("track", "opt_gone"))) == [(6, "when")]


@pytest.mark.parametrize("role", [Role.TITLE, Role.SPEAKERS])
def test_without_a_title_and_speakers_there_is_no_form(role: Role) -> None:
    (wrong,) = wrongs([field for field in CALL if field.role is not role], {})

    assert (wrong.at, wrong.message) == (None, f"need one with the role {role}")


@pytest.mark.parametrize(
    ("changed", "setting"),
    [
        ({"id": "a b"}, "id"),
        ({"id": "title"}, "id"),
        ({"label": " "}, "label"),
        ({"role": Role.TITLE, "required": True}, "role"),
        ({"role": Role.TITLE, "required": True, "type": FieldType.LONG}, "type"),
        ({"type": FieldType.SPEAKERS}, "role"),
        ({"type": FieldType.HEADING, "required": True}, "required"),
        ({"max_words": 20, "type": FieldType.DATE}, "max_words"),
        ({"minimum": 2.0}, "minimum"),
        ({"max_length": 0}, "max_length"),
        ({"min_length": 20, "max_length": 10}, "max_length"),
        ({"type": FieldType.NUMBER, "minimum": 2.0, "maximum": 1.0}, "maximum"),
        ({"type": FieldType.DATE, "earliest": "28.2.2027"}, "earliest"),
        ({"type": FieldType.DATE, "latest": "20270228"}, "latest"),
        ({"type": FieldType.DATE, "earliest": "2027-03-01", "latest": "2027-02-28"}, "latest"),
        ({"type": FieldType.SELECT}, "options"),
        ({"options": (Choice("a", "A"),)}, "options"),
        ({"type": FieldType.MULTI, "options": (Choice("a", "Ä"), Choice("b", "a"))}, "options"),
        ({"type": FieldType.MULTI, "options": (Choice("a", " "),)}, "options"),
        ({"type": FieldType.MULTI, "options": (Choice("a", "A"), Choice("a", "B"))}, "options"),
        ({"when": hanging("nothing", "yes")}, "when"),
        ({"when": hanging("title", "")}, "when"),
        ({"when": hanging("more", "yes")}, "when"),
        ({"when": Condition(())}, "when"),
        ({"when": hanging("first", "maybe")}, "when"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(changed: dict[str, Any], setting: str) -> None:
    wrong = replace(Field("more", FieldType.TEXT, "More"), **changed)

    assert (7, setting) in found(*CALL, FIRST, wrong)


AGE = Field("age", FieldType.NUMBER, "How old?")
BORN = Field("born", FieldType.DATE, "Born")
TICK = Field("tick", FieldType.CHECK, "Agreed")


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (Test("first", Operator.MORE, "yes"), "can be asked for is, is_not, answered, blank"),
        (Test("first", Operator.BLANK, "yes"), "blank compares with nothing"),
        (Test("tick", Operator.IS, "yes"), "“Agreed” is true or false"),
        (Test("tick", Operator.BLANK), "“Agreed” can be asked for is, is_not"),
        (Test("age", Operator.MORE, "old"), "“How old?” is compared with a number"),
        (Test("born", Operator.LESS, "28.2.2027"), "compared with a day, such as 2027-02-28"),
        (Test("title", Operator.CONTAINS, " "), "“Title” is compared with a text"),
        (Test("speakers", Operator.ANSWERED), "earlier fields that can be answered"),
    ],
)
def test_a_test_that_could_never_mean_anything_is_refused(test: Test, said: str) -> None:
    hangs = replace(WHERE, when=Condition((Test("age", Operator.LESS, "9"), test)))
    (wrong,) = wrongs([*CALL, FIRST, AGE, BORN, TICK, hangs], TRACKS)

    assert (wrong.at, wrong.setting) == (10, "when")
    assert said in wrong.message


def test_a_condition_has_one_to_ten_tests() -> None:
    ten = Condition((Test("age", Operator.LESS, "9"),) * 10, any=True)

    assert found(*CALL, AGE, replace(WHERE, when=ten)) == []
    more = replace(ten, tests=(*ten.tests, ten.tests[0]))
    assert found(*CALL, AGE, replace(WHERE, when=more)) == [(7, "when")]


def test_what_is_always_asked_cannot_stand_in_a_section_that_may_be_hidden() -> None:
    heading = Field("h", FieldType.HEADING, "More", when=hanging("first", "yes"))
    speakers = next(field for field in CALL if field.role is Role.SPEAKERS)
    others = [field for field in CALL if field is not speakers]

    assert found(*CALL, FIRST, heading, WHERE) == []
    assert found(*others, FIRST, heading, speakers) == [(6, "when")]
    open_again = Field("h2", FieldType.HEADING, "Speakers")
    assert found(*others, FIRST, heading, WHERE, open_again, speakers) == []


def test_a_condition_on_a_later_field_is_a_forward_reference() -> None:
    assert found(*CALL, WHERE, FIRST) == [(6, "when")]


def test_title_and_speakers_are_required_and_always_asked() -> None:
    title, *rest = CALL
    optional = replace(title, required=False)

    assert found(optional, *rest) == [(0, "required")]


def test_two_lists_differ_by_id_and_not_by_label() -> None:
    before = (*CALL, FIRST, WHERE)
    after = (*CALL, replace(FIRST, label="Given before?"), Field("new", label="New"))

    changed = difference(before, after)

    assert changed == (("New",), ("Where?",), ("Given before?",), False)
    assert str(changed) == "1 added, 1 removed, 1 changed"
    assert str(difference(before, before)) == "nothing changed"
    assert str(difference(before, (*CALL, WHERE, FIRST))) == "order changed"
