"""When a draft is reminded of the end of its form."""

import datetime as dt

import pytest

from unsession.domain.forms.reminding import days_left

CLOSES = dt.datetime(2027, 6, 14, 21, 59, 59, tzinfo=dt.UTC)  # 23:59:59 in Paris


@pytest.mark.parametrize(
    ("now", "left"),
    [
        ("2027-06-07T09:00+02:00", 7),
        ("2027-06-07T20:59+02:00", 7),
        ("2027-06-07T08:59+02:00", None),
        ("2027-06-07T21:00+02:00", None),
        ("2027-06-08T12:00+02:00", None),
        ("2027-06-12T12:00+02:00", 2),
        ("2027-06-14T12:00+02:00", None),
    ],
)
def test_it_is_due_by_daylight_of_the_event_so_many_days_before(now: str, left: int | None) -> None:
    assert days_left(CLOSES, (7, 2), dt.datetime.fromisoformat(now), "Europe/Paris") == left


def test_days_are_those_of_the_calendar_across_a_change_of_clocks() -> None:
    closes = dt.datetime(2027, 3, 28, 21, 59, 59, tzinfo=dt.UTC)  # clocks change that night
    now = dt.datetime.fromisoformat("2027-03-26T09:30+01:00")

    assert days_left(closes, (2,), now, "Europe/Paris") == 2


def test_a_last_day_anywhere_on_earth_is_counted_from_as_it_is_said() -> None:
    closes = dt.datetime(2027, 6, 15, 11, 59, 59, tzinfo=dt.UTC)  # the 14th in UTC−12
    now = dt.datetime.fromisoformat("2027-06-12T10:00+09:00")

    assert days_left(closes, (2,), now, "Asia/Tokyo", anywhere=True) == 2
    assert days_left(closes, (2,), now, "Asia/Tokyo") is None
