"""Cursors: sealed, of one question, for one installation."""

import base64

import pytest
from hypothesis import given, settings, strategies as st

from unsession.catalogue import PageRequest
from unsession.catalogue.paging import question, read_cursor, write_cursor
from unsession.errors import Invalid

KEY = b"0123456789abcdef0123456789abcdef"
PLACES = st.lists(
    st.text("aé日👋\x00 '", max_size=20)
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.none(),
    max_size=3,
)


class Asked(PageRequest):
    """A list with a filter."""

    q: str = ""


class Other(PageRequest):
    """Another list with the same filter."""

    q: str = ""


@given(PLACES)
@settings(max_examples=50, deadline=None, database=None)
def test_a_cursor_gives_back_the_place_it_was_made_at(place: list[object]) -> None:
    asked = question(Asked(q="x"))

    assert read_cursor(KEY, asked, write_cursor(KEY, asked, place)) == place


def test_a_question_is_all_that_is_asked_but_where_and_how_much() -> None:
    asked = question(Asked(q="x"), "evt_1")

    assert question(Asked(q="x", limit=7, cursor="abc"), "evt_1") == asked
    assert question(Asked(q="y"), "evt_1") != asked
    assert question(Asked(q="x"), "evt_2") != asked
    assert question(Other(q="x"), "evt_1") != asked


def test_no_two_cursors_of_a_place_look_alike_and_none_shows_it() -> None:
    asked = question(Asked(q="x"))
    cursors = {write_cursor(KEY, asked, ["a title", "sub_1"]) for _ in range(20)}

    assert len(cursors) == 20
    for cursor in cursors:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        assert b"sub_1" not in raw


def test_a_cursor_that_is_not_ours_is_refused_at_its_field() -> None:
    asked = question(Asked(q="x"))
    cursor = write_cursor(KEY, asked, ["a", 1])
    changed = [
        cursor[:position] + ("A" if letter != "A" else "B") + cursor[position + 1 :]
        for position, letter in enumerate(cursor[:-1])
    ]
    foreign = write_cursor(b"another key" * 4, asked, ["a", 1])
    other_question = write_cursor(KEY, question(Asked(q="y")), ["a", 1])

    for wrong in [*changed, cursor[:-4], cursor[4:], foreign, other_question, "", "é", "====", "a"]:
        with pytest.raises(Invalid) as refused:
            read_cursor(KEY, asked, wrong)
        assert [problem.path for problem in refused.value.problems] == ["/cursor"]
