"""Submissions: statuses, decisions, and every legal move between them."""

from enum import StrEnum


class SubmissionStatus(StrEnum):
    """Where a submission stands."""

    DRAFT = "draft"
    IN_REVIEW = "in_review"
    ACCEPTED = "accepted"
    WAITLISTED = "waitlisted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"

    @property
    def words(self) -> str:
        """The status in a sentence."""
        return self.value.replace("_", " ")


class Decision(StrEnum):
    """What the organisers decide about a submission."""

    ACCEPT = "accept"
    DECLINE = "decline"
    WAITLIST = "waitlist"

    @property
    def outcome(self) -> SubmissionStatus:
        """The status the decision leads to."""
        return _OUTCOME[self]


_S = SubmissionStatus

_OUTCOME = {
    Decision.ACCEPT: _S.ACCEPTED,
    Decision.DECLINE: _S.DECLINED,
    Decision.WAITLIST: _S.WAITLISTED,
}

#: Nobody has decided about these yet.
UNDECIDED = (_S.DRAFT, _S.IN_REVIEW)

#: Every legal move. A move that is not in this table cannot happen.
MOVES: dict[SubmissionStatus, frozenset[SubmissionStatus]] = {
    _S.DRAFT: frozenset({_S.IN_REVIEW}),
    _S.IN_REVIEW: frozenset({_S.ACCEPTED, _S.WAITLISTED, _S.DECLINED, _S.WITHDRAWN}),
    _S.WAITLISTED: frozenset({_S.ACCEPTED, _S.DECLINED, _S.IN_REVIEW, _S.WITHDRAWN}),
    _S.ACCEPTED: frozenset({_S.WAITLISTED, _S.DECLINED, _S.IN_REVIEW, _S.WITHDRAWN}),
    _S.DECLINED: frozenset({_S.IN_REVIEW, _S.ACCEPTED, _S.WAITLISTED}),
    _S.WITHDRAWN: frozenset({_S.IN_REVIEW}),
}


#: Where its owner may still change what it says, as long as its form accepts.
OWNER_EDITS = frozenset({_S.IN_REVIEW, _S.ACCEPTED, _S.WAITLISTED})


def may_move(was: SubmissionStatus, to: SubmissionStatus) -> bool:
    """Whether a submission can go from one status to another."""
    return to in MOVES[was]
