"""The clash engine: known pairs, laws, and what it costs."""

import datetime as dt
import itertools

import pytest
from hypothesis import given, strategies as st

from unsession.domain.scheduling import (
    Clash,
    ClashKind,
    Hours,
    Person,
    Placed,
    clashes,
    clashes_of,
)

DAY = dt.date(2027, 5, 20)
NEXT = dt.date(2027, 5, 21)
ALWAYS = [Hours(DAY, 0, 3000), Hours(NEXT, 0, 3000)]
ROOM, SPEAKER, ALL, HOURS = ClashKind


def placed(session, start, end, room="R1", people=(), date=DAY) -> Placed:
    return Placed(
        session,
        f"Title {session}",
        date,
        start,
        end - start,
        None if room in (None, "ALL") else room,
        room or "",
        room == "ALL",
        tuple(Person(one, one.upper()) for one in people),
    )


#: A, B, the kinds that are right, and why where it is not plain.
PAIRS = [
    ((600, 630, "R1", ["s1"]), (630, 660, "R1", ["s2"]), []),  # one ends as the other begins
    ((600, 630, "R1", ["s1"]), (629, 660, "R1", ["s2"]), [ROOM]),
    ((600, 630, "R1", ["s1"]), (600, 630, "R2", ["s1"]), [SPEAKER]),  # the same start and end
    ((600, 690, "R1", ["s1"]), (620, 640, "R2", ["s9", "s1"]), [SPEAKER]),  # within; a co-speaker
    ((600, 630, "R1", ["s1"]), (615, 645, "R1", ["s1"]), [ROOM, SPEAKER]),
    ((720, 780, "ALL", []), (750, 790, "R3", ["s4"]), [ALL]),  # lunch takes every room
    ((720, 780, "ALL", []), (750, 790, "ALL", []), [ALL]),
    ((720, 780, "ALL", []), (750, 790, None, []), []),  # has no place yet: may be outside
    ((600, 630, None, []), (600, 630, None, []), []),
]


@pytest.mark.parametrize(("one", "other", "kinds"), PAIRS)
def test_pairs_clash_as_they_should(one, other, kinds) -> None:
    both = [placed("a", *one), placed("b", *other)]

    for order in itertools.permutations(both):
        assert [clash.kind for clash in clashes(order, ALWAYS)] == kinds


def test_the_same_hours_on_two_days_are_no_clash() -> None:
    both = [placed("a", 600, 630, people=["s1"]), placed("b", 600, 630, people=["s1"], date=NEXT)]

    assert clashes(both, ALWAYS) == []


def test_a_night_goes_on_across_midnight() -> None:
    late = placed("late", 23 * 60 + 30, 24 * 60 + 30, people=["s1"])
    early = placed("early", 15, 60, people=["s1"], date=NEXT)

    found = clashes([late, early], ALWAYS)

    assert [clash.kind for clash in found] == [ROOM, SPEAKER]
    assert found[1].text == "S1 is in “Title late” and “Title early” at 00:15."


def test_what_is_outside_the_hours_of_its_day_or_on_no_day_is_said() -> None:
    days = [Hours(DAY, 540, 1080)]
    early, late, fits, nowhere = (
        placed("early", 530, 560),
        placed("late", 1060, 1081, "R2"),
        placed("fits", 540, 1080, "R3"),
        placed("nowhere", 600, 630, date=NEXT),
    )

    found = clashes([early, late, fits, nowhere], days)

    assert [(clash.kind, clash.sessions) for clash in found] == [
        (HOURS, ("early",)),
        (HOURS, ("late",)),
        (HOURS, ("nowhere",)),
    ]
    assert found[0].text == "“Title early” at 08:50 is outside the hours of the day."


def test_a_day_may_close_after_midnight() -> None:
    assert clashes([placed("jam", 1500, 1530)], [Hours(DAY, 540, 1530)]) == []


def test_three_in_one_room_are_three_pairs_and_each_session_knows_its_own() -> None:
    three = [placed("a", 600, 700), placed("b", 650, 690), placed("c", 695, 720)]

    found = clashes(three, ALWAYS)

    assert [clash.sessions for clash in found] == [("a", "b"), ("a", "c")]
    assert clashes_of("c", found) == [Clash(ROOM, three[0], three[2], "R1")]


spots = st.builds(
    placed,
    st.uuids().map(str),
    st.integers(0, 200),
    st.integers(201, 400),
    st.sampled_from(["R1", "R2", "ALL", None]),
    st.lists(st.sampled_from(["s1", "s2", "s3"]), unique=True),
)


@given(st.lists(spots, max_size=12))
def test_every_pair_that_shares_a_minute_and_a_thing_is_found_once(schedule) -> None:
    expected = set()
    for one, other in itertools.combinations(schedule, 2):
        if not (one.begins < other.ends and other.begins < one.ends):
            continue
        pair = frozenset((one.session_id, other.session_id))
        if one.room_id and one.room_id == other.room_id:
            expected.add((ROOM, pair, one.room))
        for person in set(one.people) & set(other.people):
            expected.add((SPEAKER, pair, person.name))
        somewhere = all(spot.all_rooms or spot.room_id for spot in (one, other))
        if somewhere and (one.all_rooms or other.all_rooms):
            expected.add((ALL, pair, ""))

    found = [
        (clash.kind, frozenset(clash.sessions), clash.who) for clash in clashes(schedule, ALWAYS)
    ]

    assert len(found) == len(set(found))
    assert set(found) == expected
