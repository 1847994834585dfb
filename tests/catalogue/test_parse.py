"""Strict input: all problems at once, nothing coerced, nothing unstorable, never another error."""

import datetime as dt
import enum
import time
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from msgspec import UNSET, Meta, UnsetType

from unsession.catalogue import OPERATIONS, Input, parse
from unsession.catalogue.inputs import from_query
from unsession.errors import Invalid, Problem


class Colour(enum.StrEnum):
    RED = "red"
    GREEN = "green"


class Person(Input):
    name: Annotated[str, Meta(min_length=1, max_length=10, description="Name.")]
    age: Annotated[int, Meta(ge=0, description="Age.")] | UnsetType = UNSET


class Thing(Input):
    title: Annotated[str, Meta(min_length=1, description="Title.")]
    colour: Annotated[Colour, Meta(description="Colour.")] = Colour.RED
    is_loud: Annotated[bool, Meta(description="Loud.")] = False
    minutes: Annotated[int, Meta(ge=5, le=600, description="Minutes.")] | UnsetType = UNSET
    weight: Annotated[float, Meta(description="Weight.")] | UnsetType = UNSET
    people: Annotated[list[Person], Meta(max_length=3, description="People.")] | UnsetType = UNSET
    starts_at: Annotated[dt.datetime, Meta(tz=True, description="Start.")] | UnsetType = UNSET
    day: Annotated[dt.date, Meta(description="Day.")] | UnsetType = UNSET
    colours: Annotated[list[Colour], Meta(description="Colours.")] | UnsetType = UNSET


def problems_of(data: Any) -> dict[str, Problem]:
    with pytest.raises(Invalid) as refused:
        parse(Thing, data)
    return {problem.path: problem for problem in refused.value.problems}


def test_what_is_right_becomes_types() -> None:
    thing = parse(
        Thing,
        {
            "title": "Ünï 👋",
            "colour": "green",
            "isLoud": True,
            "minutes": 30,
            "weight": 2,
            "people": [{"name": "Ana", "age": 41}],
            "startsAt": "2027-05-20T09:00:00+01:00",
            "day": "2027-05-20",
        },
    )

    assert thing.colour is Colour.GREEN
    assert thing.people[0].name == "Ana"
    assert thing.starts_at == dt.datetime(2027, 5, 20, 8, 0, tzinfo=dt.UTC)
    assert thing.day == dt.date(2027, 5, 20)
    assert parse(Thing, {"title": "x"}).minutes is UNSET


def test_all_problems_come_at_once_each_with_its_path() -> None:
    problems = problems_of(
        {
            "colour": "gren",
            "isLoud": "false",
            "minutes": 4,
            "people": [{"name": ""}, {"nmae": "Ana", "name": "Ana"}, {"age": -1}, "Ana"],
            "tittle": "x",
        }
    )

    assert problems.keys() == {
        "/tittle",
        "/title",
        "/colour",
        "/isLoud",
        "/minutes",
        "/people/0/name",
        "/people/1/nmae",
        "/people/2/name",
        "/people/2/age",
        "/people/3",
    }


def test_a_problem_says_what_came_what_is_allowed_and_what_was_meant() -> None:
    problems = problems_of({"title": "x", "colour": "gren", "isloud": True, "minutes": 601})

    assert problems["/colour"] == Problem(
        "/colour",
        "must be one of red, green",
        got="'gren'",
        allowed=("red", "green"),
        did_you_mean="green",
    )
    assert problems["/isloud"].message == "is not a field here"
    assert problems["/isloud"].did_you_mean == "isLoud"
    assert problems["/isloud"].allowed is not None
    assert "title" in problems["/isloud"].allowed
    assert "600" in problems["/minutes"].message
    assert problems["/minutes"].got == "601"


def test_the_sentence_and_the_facts_tell_the_same() -> None:
    with pytest.raises(Invalid) as refused:
        parse(Thing, {"colour": "gren", "title": ""})

    assert "/colour: must be one of red, green, got 'gren'; did you mean green?" in (
        refused.value.message
    )
    wire = refused.value.facts["problems"]
    assert isinstance(wire, list)
    assert {
        "path": "/colour",
        "message": "must be one of red, green",
        "got": "'gren'",
        "allowed": ("red", "green"),
        "didYouMean": "green",
    } in wire


@pytest.mark.parametrize("value", ["false", "true", "", 0, 1, None, [], {}, "no"])
def test_only_true_and_false_are_truth_values(value: Any) -> None:
    assert problems_of({"title": "x", "isLoud": value}).keys() == {"/isLoud"}


@pytest.mark.parametrize("value", ["30", 30.5, None, True, [30], {"value": 30}, 1e300])
def test_only_whole_numbers_are_integers(value: Any) -> None:
    assert problems_of({"title": "x", "minutes": value}).keys() == {"/minutes"}


def test_a_whole_float_is_the_integer_that_json_says_it_is() -> None:
    thing = parse(Thing, {"title": "x", "minutes": 30.0, "people": [{"name": "Ana", "age": 41.0}]})

    assert (thing.minutes, type(thing.minutes)) == (30, int)
    assert type(thing.people[0].age) is int
    assert problems_of({"title": "x", "minutes": 601.0, "colour": "x"}).keys() == {
        "/minutes",
        "/colour",
    }


@pytest.mark.parametrize("value", [1, None, True, ["x"], {"a": 1}])
def test_nothing_but_text_is_text(value: Any) -> None:
    assert problems_of({"title": value}).keys() == {"/title"}


def test_instants_need_an_offset_and_days_are_days() -> None:
    for instant in ("2027-05-20T09:00:00", "2027-05-20", "yesterday", 1800000000, ""):
        assert problems_of({"title": "x", "startsAt": instant}).keys() == {"/startsAt"}
    for day in ("2027-02-30", "20.5.2027", "2027-05-20T09:00:00Z", 5):
        assert problems_of({"title": "x", "day": day}).keys() == {"/day"}


@pytest.mark.parametrize("text", ["a\x00b", "\x00", "\ud800", "a\udfffb"])
def test_text_no_database_keeps_is_refused_wherever_it_stands(text: str) -> None:
    assert problems_of({"title": text}).keys() == {"/title"}
    assert problems_of({"title": "x", "people": [{"name": text}]}).keys() == {"/people/0/name"}
    assert problems_of({"title": "x", text: 1}).keys() == {"/?"}
    assert problems_of({"title": "x", text: {"a": text}}).keys() == {"/?", "/?/a"}
    assert problems_of({"title": "x", "nothing": {"deep": [text]}}).keys() == {"/nothing/deep/0"}


def test_a_refusal_can_always_be_sent() -> None:
    for data in (
        {"title": "\ud800"},
        {"\ud800": {"\ud800": "\ud800"}},
        {"a/b~c": 1},
        {"title": "x" * 10_000, "q": 1},
    ):
        with pytest.raises(Invalid) as refused:
            parse(Thing, data)

        assert msgspec.json.encode(refused.value.facts)
        assert refused.value.message.encode()
        assert len(refused.value.message) < 2000


def test_a_path_is_a_json_pointer() -> None:
    assert problems_of({"title": "x", "a/b~c": 1}).keys() == {"/a~1b~0c"}


def test_deep_nesting_is_refused_and_not_followed() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]

    ((path, problem),) = problems_of({"title": deep}).items()

    assert problem.message == "is nested more than 40 deep"
    assert path.startswith("/title/0/0")


def test_a_list_says_when_it_is_too_long() -> None:
    problems = problems_of({"title": "x", "people": [{"name": "A"}] * 4})

    assert problems.keys() == {"/people"}
    assert problems["/people"].got == "4 items"


@pytest.mark.parametrize("data", [[], "x", 1, None, True, [["title", "x"]]])
def test_anything_but_an_object_is_refused(data: Any) -> None:
    problems = problems_of(data)

    assert problems["/"].message == "must be an object"


def test_a_body_full_of_unknown_fields_is_refused_in_no_time() -> None:
    started = time.perf_counter()

    problems_of({f"titel{number}": number for number in range(20_000)})

    assert time.perf_counter() - started < 2


#: Letters of several scripts, and what hurts: NUL, lone surrogates, pointers, quotes, marks.
LETTERS = "aZ0é日ß👋\x00\ud800\udfff\u202e\u0301~/\\\"'{}[]$.- \n"
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(LETTERS, max_size=12)
    | st.sampled_from(["accept", "SUB-1", "devconf-2027", "newest", "draft", "red", "2027-05-20"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(LETTERS, max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
KINDS = sorted(
    {operation.input for operation in OPERATIONS.values()} | {Thing}, key=lambda kind: kind.__name__
)


def _refusal(kind: type[Input], data: Any) -> Invalid | None:
    try:
        parse(kind, data)
    except Invalid as refused:
        return refused
    return None


def _close_to(kind: type[Input]) -> st.SearchStrategy[tuple[type[Input], Any]]:
    """Anything at all, and objects whose fields are at least called right."""
    names = [field.encode_name for field in msgspec.structs.fields(kind)]
    named = st.dictionaries(st.sampled_from(names), JSON, max_size=6) if names else st.just({})
    return st.tuples(st.just(kind), named | JSON)


@given(st.sampled_from(KINDS).flatmap(_close_to))
@settings(max_examples=150, deadline=None, database=None)
def test_whatever_comes_is_taken_or_refused_as_invalid(asked: tuple[type[Input], Any]) -> None:
    kind, data = asked

    refused = _refusal(kind, data)

    if refused is None:
        parsed = parse(kind, data)
        assert type(parsed) is kind
        assert parse(kind, msgspec.to_builtins(parsed)) == parsed
    else:
        assert refused.problems
        assert all(problem.path.startswith("/") for problem in refused.problems)
        assert msgspec.json.encode([refused.message, refused.facts])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["limit", "event", "undecided", "minScore", "sort", "other"]),
            st.text(LETTERS, max_size=12)
            | st.sampled_from(["10", "true", "2.5", "-0", "1e5", "NaN"]),
        ),
        max_size=6,
    )
)
@settings(max_examples=100, deadline=None, database=None)
def test_whatever_query_comes_is_taken_or_refused_as_invalid(pairs: list[tuple[str, str]]) -> None:
    kind = OPERATIONS["list_submissions"].input

    try:
        data = from_query(kind, pairs)
    except Invalid as twice:
        assert len({name for name, _ in pairs}) < len(pairs), twice  # noqa: PT017
    else:
        refused = _refusal(kind, data)
        assert refused is None or msgspec.json.encode([refused.message, refused.facts])


def test_query_text_becomes_what_json_would_have_been() -> None:
    data = from_query(
        Thing,
        [("title", "10"), ("isLoud", "true"), ("minutes", "30"), ("weight", "2.5"), ("x", "1")],
    )

    assert data == {"title": "10", "isLoud": True, "minutes": 30, "weight": 2.5, "x": "1"}
    assert from_query(Thing, [("weight", "2")]) == {"weight": 2}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("isLoud", "True"),
        ("isLoud", "1"),
        ("isLoud", ""),
        ("minutes", "030"),
        ("minutes", "+30"),
        ("minutes", "3e1"),
        ("minutes", "٣٠"),
        ("minutes", "9" * 40),
        ("weight", "NaN"),
        ("weight", "inf"),
        ("weight", ".5"),
        ("weight", "1e400"),
    ],
)
def test_query_text_that_json_would_not_take_is_refused_at_its_field(name: str, value: str) -> None:
    data = from_query(Thing, [("title", "x"), (name, value)])

    assert problems_of(data).keys() == {f"/{name}"}


def test_a_parameter_given_twice_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        from_query(Thing, [("title", "x"), ("title", "x"), ("minutes", "1"), ("minutes", "2")])

    assert [problem.path for problem in refused.value.problems] == ["/title", "/minutes"]
