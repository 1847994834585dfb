"""When a task is late, and what its digest says."""

import datetime as dt

from unsession.domain.tasks import Owed, TaskStatus, digest_text, is_overdue, today


def test_lateness_is_told_by_the_events_calendar() -> None:
    evening = dt.datetime(2027, 3, 20, 22, 30, tzinfo=dt.UTC)
    due = dt.date(2027, 3, 20)

    assert today("Europe/Lisbon", evening) == due
    assert today("Pacific/Auckland", evening) == dt.date(2027, 3, 21)
    assert not is_overdue(TaskStatus.OPEN, due, today("Europe/Lisbon", evening))
    assert is_overdue(TaskStatus.OPEN, due, today("Pacific/Auckland", evening))
    assert not is_overdue(TaskStatus.DONE, due, today("Pacific/Auckland", evening))
    assert not is_overdue(TaskStatus.OPEN, None, due)


def test_a_digest_names_everything_once_and_what_was_typed_stays_in_its_line() -> None:
    text = digest_text(
        [
            Owed("Photo\nBcc: all@example.org", None, dt.date(2027, 3, 20)),
            Owed("Slides", "Async “live”", None),
        ],
        event="DevConf\r\n2027",
        name="Ana\nLima",
        portal="https://conference.test/devconf-2027/portal",
    )

    assert text.subject == "DevConf 2027 needs 2 things from you"
    assert (
        "* Photo Bcc: all@example.org, by 20 March 2027\n* Slides for “Async “live””\n" in text.body
    )
    assert "https://conference.test/devconf-2027/portal" in text.body


def test_a_digest_of_one_is_named_after_it() -> None:
    text = digest_text([Owed("Photo", None, None)], event="PyDay", name="Li", portal="/p")

    assert text.subject == "PyDay: Photo"
