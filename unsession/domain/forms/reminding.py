"""When a draft is reminded of the end of its form: some days before, by daylight of the event."""

import datetime as dt
from collections.abc import Collection
from zoneinfo import ZoneInfo

from unsession.domain.moments import ANYWHERE

USUAL_DAYS = (7, 2)
MOST_DAYS = 5  #: reminders of one form
FARTHEST = 60  #: days before the end
#: The hours of the event's zone in which a reminder leaves.
MORNING, EVENING = 9, 21


def days_left(
    closes_at: dt.datetime,
    days: Collection[int],
    now: dt.datetime,
    zone: str,
    *,
    anywhere: bool = False,
) -> int | None:
    """How many days before the last one it is, if a reminder is due on that day and now.

    Days are those on the calendar: of the event, and for the last one of the place it is said in.
    """
    today = now.astimezone(ZoneInfo(zone))
    if not MORNING <= today.hour < EVENING:
        return None
    last = closes_at.astimezone(ZoneInfo(ANYWHERE if anywhere else zone)).date()
    left = (last - today.date()).days
    return left if left in days else None
