"""Wall time and instants, on both sides of clock changes."""

import datetime as dt

import pytest

from unsession.domain.calendar import clock, instant, local, minute_of, wall, zone_words

#: Zone, date, wall time, instant, offset in hours: the same whatever the season is now.
CASES = [
    ("America/Los_Angeles", "2027-04-17", "11:00", "2027-04-17T18:00:00Z", -7),
    ("America/Los_Angeles", "2027-11-20", "09:30", "2027-11-20T17:30:00Z", -8),
    ("Europe/Berlin", "2027-03-27", "17:00", "2027-03-27T16:00:00Z", 1),
    ("Europe/Berlin", "2027-03-28", "09:00", "2027-03-28T07:00:00Z", 2),
    ("Asia/Kolkata", "2027-06-05", "10:00", "2027-06-05T04:30:00Z", 5.5),
    ("UTC", "2027-06-05", "10:00", "2027-06-05T10:00:00Z", 0),
    # Beyond twelve hours either way.
    ("Pacific/Kiritimati", "2027-06-05", "10:00", "2027-06-04T20:00:00Z", 14),
    ("Etc/GMT+12", "2027-06-05", "10:00", "2027-06-05T22:00:00Z", -12),
    # After midnight, on the programme's day: Berlin, one at night.
    ("Europe/Berlin", "2027-05-07", "25:00", "2027-05-07T23:00:00Z", 2),
    ("Europe/Berlin", "2027-05-08", "25:00", "2027-05-08T23:00:00Z", 2),
    ("Europe/Berlin", "2027-05-07", "23:30", "2027-05-07T21:30:00Z", 2),
]


@pytest.mark.parametrize(("zone", "date", "start", "utc", "hours"), CASES)
def test_a_wall_time_means_one_instant(zone, date, start, utc, hours) -> None:
    minute = minute_of(start)
    assert minute is not None

    at = instant(dt.date.fromisoformat(date), minute, zone)

    assert at == dt.datetime.fromisoformat(utc)
    assert local(at, zone).strftime("%H:%M") == clock(minute)
    assert local(at, zone).utcoffset() == dt.timedelta(hours=hours)


def test_a_skipped_wall_time_is_read_with_the_offset_before_the_change() -> None:
    skipped = instant(dt.date(2027, 3, 28), 150, "Europe/Berlin")

    assert skipped == dt.datetime(2027, 3, 28, 1, 30, tzinfo=dt.UTC)
    assert local(skipped, "Europe/Berlin").strftime("%H:%M") == "03:30"


def test_a_wall_time_that_happens_twice_means_the_first() -> None:
    assert instant(dt.date(2027, 10, 31), 150, "Europe/Berlin") == dt.datetime(
        2027, 10, 31, 0, 30, tzinfo=dt.UTC
    )


@pytest.mark.parametrize(("text", "minute"), [("00:00", 0), ("9:05", 545), ("25:30", 1530)])
def test_a_start_counts_from_midnight_and_may_pass_the_next(text, minute) -> None:
    assert minute_of(text) == minute


@pytest.mark.parametrize("text", ["", "9", "09:60", "36:01", "-1:00", "09:00:00", "٠٩:٠٠"])
def test_what_is_no_time_is_none(text) -> None:
    assert minute_of(text) is None


def test_minutes_are_written_as_the_programme_counts_them() -> None:
    assert (wall(1530), clock(1530)) == ("25:30", "01:30")


@pytest.mark.parametrize(
    ("zone", "place", "offset"),
    [
        ("Europe/Lisbon", "Lisbon", "WEST, UTC+1"),
        ("Asia/Kolkata", "Kolkata", "IST, UTC+5:30"),
        ("America/Sao_Paulo", "Sao Paulo", "UTC−3"),
        ("UTC", "UTC", "UTC"),
    ],
)
def test_a_zone_is_named_by_its_place_and_its_offset(zone, place, offset) -> None:
    words = zone_words(zone, dt.datetime(2027, 6, 14, 12, tzinfo=dt.UTC))

    assert words.place == place
    assert words.offset.replace("UTC+0", "UTC") == offset
