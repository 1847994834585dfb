"""When a form takes submissions, and the sentence that says so."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from unsession.domain.moments import ANYWHERE, in_words


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
    late: bool = False  #: a late link lets in who holds it

    @property
    def accepts(self) -> bool:
        """Whether a submission is taken."""
        return self.late or self.reason is Reason.OPEN


def opening(
    status: FormStatus,
    opens_at: dt.datetime | None,
    closes_at: dt.datetime | None,
    now: dt.datetime,
    zone: str,
    *,
    anywhere: bool = False,
) -> Opening:
    """Whether a form takes submissions now. The second it closes at is the last one open.

    ``anywhere`` says the last moment as that of the last place on earth.
    """
    if status is FormStatus.DRAFT:
        return Opening(Reason.DRAFT, "This form is not open yet.")
    if status is FormStatus.CLOSED:
        return Opening(Reason.CLOSED, "This form is closed.")
    if opens_at is not None and now < opens_at:
        return Opening(Reason.NOT_YET, f"This form opens on {in_words(opens_at, zone)}.")
    if closes_at is not None and now.replace(microsecond=0) > closes_at:
        return Opening(
            Reason.ENDED, f"This form closed on {closing_in_words(closes_at, zone, anywhere)}."
        )
    if closes_at is None:
        return Opening(Reason.OPEN, "This form is open.")
    until = closing_in_words(closes_at, zone, anywhere)
    return Opening(Reason.OPEN, f"This form is open until {until}.")


def closing_in_words(closes_at: dt.datetime, zone: str, anywhere: bool) -> str:
    """The last open moment, with the zone it was set in."""
    if anywhere:
        return in_words(closes_at, ANYWHERE, "anywhere on earth")
    return in_words(closes_at, zone)


@dataclass(frozen=True, slots=True)
class LateLink:
    """What a late link allows: ``uses`` submissions came in through it so far."""

    uses: int
    max_uses: int | None = None
    expires_at: dt.datetime | None = None
    revoked_at: dt.datetime | None = None

    def fault(self, now: dt.datetime, zone: str) -> str:
        """Why it opens nothing any more; empty while it does."""
        if self.revoked_at is not None:
            return "This late link was revoked."
        if self.expires_at is not None and now.replace(microsecond=0) > self.expires_at:
            return f"This late link ran out on {in_words(self.expires_at, zone)}."
        if self.max_uses is not None and self.uses >= self.max_uses:
            return "This late link was used as often as it may be."
        return ""


def let_in(state: Opening, link: LateLink | None, now: dt.datetime, zone: str) -> Opening:
    """When a form takes submissions, for whoever came by a late link.

    It opens a form that has closed or is not open yet, never a draft.
    """
    if link is None or state.accepts or state.reason is Reason.DRAFT:
        return state
    if fault := link.fault(now, zone):
        return Opening(state.reason, f"{state.sentence} {fault}")
    until = f" until {in_words(link.expires_at, zone)}" if link.expires_at else ""
    sentence = f"{state.sentence} Your late link lets you submit all the same{until}."
    return Opening(state.reason, sentence, late=True)
