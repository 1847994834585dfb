"""Approvals: where one stands, how long it waits, and the notice that it waits."""

import datetime as dt
from enum import StrEnum

from unsession.domain.mail import Text, lines, one_line

WAITS = dt.timedelta(days=7)
#: For so long the same call again gets what a person decided about it.
REMEMBERED = dt.timedelta(hours=24)


class ApprovalStatus(StrEnum):
    """Pending waits for a person; one that nobody answered in time is expired."""

    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"


def standing(status: ApprovalStatus, expires_at: dt.datetime, now: dt.datetime) -> ApprovalStatus:
    """Where an approval stands now: nobody has to come by for it to expire."""
    if status is ApprovalStatus.PENDING and expires_at <= now:
        return ApprovalStatus.EXPIRED
    return status


def notice_of(token: str, plan: str, url: str) -> Text:
    """The mail that tells a person that something waits for them. Answering needs a sign-in."""
    asker = one_line(token)
    body = (
        f"“{asker}” asks for your approval. Nothing has been done.\n\n"
        f"{lines(plan)}\n\n"
        f"Approve or refuse it here, signed in:\n{url}\n\n"
        f"Left alone, it lapses after {WAITS.days} days.\n"
    )
    return Text(f"“{asker}” asks for your approval", body)
