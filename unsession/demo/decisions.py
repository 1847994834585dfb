"""What the organisers decided so far, and the mail that told people."""

import datetime as dt
from collections.abc import Sequence

from unsession.demo.history import By, History
from unsession.demo.reviewing import tally_of
from unsession.demo.rows import Rows
from unsession.demo.stage import Stage
from unsession.demo.submissions import Given
from unsession.domain.mail import MailStatus, decision_text
from unsession.domain.submissions import Decision, SubmissionStatus
from unsession.domain.text import fold_address
from unsession.ids import new_id
from unsession.models import Mail, QueuedDecision

_DECISIONS = {decision.outcome: decision for decision in Decision}
#: Mail about the last decisions of an event, so many, still waits for the worker.
_UNSENT = 1
_ON_ITS_WAY = dt.timedelta(seconds=8)
#: What waits in the outbox, from the best reviewed submission to the worst.
_QUEUED: tuple[tuple[Decision, str | None], ...] = (
    (Decision.ACCEPT, None),
    (Decision.ACCEPT, "We would love a little more time for questions."),
    (Decision.WAITLIST, None),
    (Decision.DECLINE, "The committee missed an example. Please try again next year."),
)
_QUEUED_AGO = dt.timedelta(hours=20)


def add_decisions(
    rows: Rows, history: History, stage: Stage, given: Sequence[Given], organizer: By
) -> None:
    """An activity entry for every decision, and one mail to each person it concerns."""
    decided = [(one.cast.moved_at, one) for one in given if one.cast.decided]
    in_turn = sorted(((at, one) for at, one in decided if at is not None), key=lambda turn: turn[0])
    for place, (at, one) in enumerate(in_turn):
        cast = one.cast
        activity_id = history.note(
            at,
            organizer,
            "decide_submission",
            ("submission", one.id),
            f"{one.label}: {SubmissionStatus.IN_REVIEW.words} → {cast.status.words}",
            event_id=stage.event_id,
        )
        sent_at = at + _ON_ITS_WAY if place < len(in_turn) - _UNSENT else None
        _mails(rows, history.workspace_id, stage, one, activity_id, at, sent_at)


def add_queue(
    rows: Rows,
    history: History,
    stage: Stage,
    given: Sequence[Given],
    organizer: By,
    now: dt.datetime,
) -> None:
    """Decisions about the best and the worst of what is in review, taken and not yet told."""
    scored = [
        (total.mean, one)
        for one in given
        if one.cast.status is SubmissionStatus.IN_REVIEW
        and (total := tally_of(one.cast.marks)).mean is not None
    ]
    ranked = [one for _, one in sorted(scored, key=lambda pair: (-pair[0], pair[1].number))]
    chosen = [*ranked[:3], *ranked[3:][-1:]]
    for minutes, (one, (decision, feedback)) in enumerate(zip(chosen, _QUEUED, strict=False)):
        at = now - _QUEUED_AGO + dt.timedelta(minutes=minutes)
        rows.add(
            QueuedDecision,
            at,
            event_id=stage.event_id,
            submission_id=one.id,
            decision=decision,
            feedback=feedback,
            queued_by=organizer.name,
        )
        history.note(
            at,
            organizer,
            "queue_decision",
            ("submission", one.id),
            f"{one.label}: queued to {decision.value}",
            event_id=stage.event_id,
        )


def _mails(
    rows: Rows,
    workspace_id: str,
    stage: Stage,
    given: Given,
    activity_id: str,
    at: dt.datetime,
    sent_at: dt.datetime | None,
) -> None:
    decision = _DECISIONS[given.cast.status]
    for person in given.cast.people:
        text = decision_text(
            decision, title=given.cast.talk.title, event=stage.text.name, name=person.name
        )
        mail_id = new_id("mai")
        rows.add(
            Mail,
            at,
            updated_at=sent_at or at,
            id=mail_id,
            workspace_id=workspace_id,
            event_id=stage.event_id,
            kind=f"decision:{decision.value}",
            subject_id=given.id,
            to_address=person.address,
            to_name=person.name,
            subject=text.subject,
            body=text.body,
            cause_key=f"decision:{given.id}:{fold_address(person.address)}:{activity_id}",
            message_id=f"<{mail_id}@northlight.example>",
            status=MailStatus.SENT if sent_at else MailStatus.QUEUED,
            sent_at=sent_at,
        )
