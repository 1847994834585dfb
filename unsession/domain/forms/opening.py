"""When a form takes submissions, and the sentence that says so."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from unsession.domain.moments import in_words


class FormStatus(StrEnum):
    """Whether a form takes submissions."""

    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


class Reason(StrEnum):
    """Why a form takes submissions now, or does not."""

    OPEN = "open"
    DRAFT = "draft"
    CLOSED = "closed"
    NOT_YET = "not_yet"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Opening:
    """Whether a form takes submissions at one moment, why, and in a sentence."""

    reason: Reason
    sentence: str

    @property
    def accepts(self) -> bool:
        """Whether a submission is taken."""
        return self.reason is Reason.OPEN


def opening(
    status: FormStatus,
    opens_at: dt.datetime | None,
    closes_at: dt.datetime | None,
    now: dt.datetime,
    zone: str,
) -> Opening:
    """Whether a form takes submissions now. The second it closes at is the last one open."""
    if status is FormStatus.DRAFT:
        return Opening(Reason.DRAFT, "This form is not open yet.")
    if status is FormStatus.CLOSED:
        return Opening(Reason.CLOSED, "This form is closed.")
    if opens_at is not None and now < opens_at:
        return Opening(Reason.NOT_YET, f"This form opens on {in_words(opens_at, zone)}.")
    if closes_at is not None and now.replace(microsecond=0) > closes_at:
        return Opening(Reason.ENDED, f"This form closed on {in_words(closes_at, zone)}.")
    if closes_at is None:
        return Opening(Reason.OPEN, "This form is open.")
    return Opening(Reason.OPEN, f"This form is open until {in_words(closes_at, zone)}.")
