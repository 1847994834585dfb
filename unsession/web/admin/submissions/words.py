"""How submissions are named on pages: statuses, decisions, tracks."""

from dataclasses import dataclass

from unsession.domain.submissions import Decision, SubmissionStatus
from unsession.services.events import EventFull

STATUS_WORDS = {
    SubmissionStatus.DRAFT: "Draft",
    SubmissionStatus.IN_REVIEW: "In review",
    SubmissionStatus.ACCEPTED: "Accepted",
    SubmissionStatus.WAITLISTED: "Waitlisted",
    SubmissionStatus.DECLINED: "Declined",
    SubmissionStatus.WITHDRAWN: "Withdrawn",
}
DECISION_WORDS = {
    Decision.ACCEPT: "Accept",
    Decision.WAITLIST: "Waitlist",
    Decision.DECLINE: "Decline",
}


@dataclass(frozen=True, slots=True)
class TrackMark:
    """A track with the number of its colour."""

    id: str
    name: str
    number: int


def tracks_of(event: EventFull) -> tuple[TrackMark, ...]:
    """The tracks of an event in order; six colours, then the first again."""
    return tuple(
        TrackMark(option.id, option.name, at % 6 + 1)
        for taxonomy in event.taxonomies
        if taxonomy.key == "track"
        for at, option in enumerate(taxonomy.options)
    )
