"""What stands behind the scores: criteria, who was asked, who said what, and the sums of it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from unsession.demo.casting import Cast, Marks
from unsession.demo.content.reviewing import ABSTAINED, CRITERIA, GOOD, MIDDLING, POOR
from unsession.demo.history import By, History
from unsession.demo.rows import Rows
from unsession.demo.stage import PLAN, REVIEWS, Stage
from unsession.demo.submissions import Given
from unsession.demo.team import Reviewer
from unsession.domain.evaluation import AssignmentStatus, ReviewStatus
from unsession.domain.scoring import Scored, Tally, tally
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold_address
from unsession.models import (
    Assignment,
    Criterion,
    PlanReviewer,
    Review,
    ReviewScore,
    SubmissionScore,
)

_SCALE = 5
_ASKED = dt.timedelta(days=29)  # ago: before that the plan had nobody
_ABSTAINING = 0.08
_WITH_A_NOTE = 0.35
_LIKED, _DISLIKED = 3.8, 2.8


def tally_of(reviews: Sequence[Marks]) -> Tally:
    """Mean and spread of reviews, as the product computes them."""
    return tally(
        [
            Scored(value, _SCALE, criterion.weight)
            for value, criterion in zip(marks, CRITERIA, strict=True)
        ]
        for marks in reviews
    )


def add_reviews(
    rows: Rows,
    history: History,
    stage: Stage,
    given: Sequence[Given],
    reviewers: Sequence[Reviewer],
    by: By,
    rng: Random,
    now: dt.datetime,
) -> None:
    """The plan's panel, and for every submission who was asked, what they said and the score."""
    at = now - _ASKED
    for reviewer in reviewers:
        rows.add(PlanReviewer, at, plan_id=stage.plan_id, user_id=reviewer.user_id)
    criteria = [
        rows.add(
            Criterion,
            at,
            plan_id=stage.plan_id,
            name=one.name,
            hint=one.hint,
            scale=_SCALE,
            weight=one.weight,
            position=position,
        )
        for position, one in enumerate(CRITERIA)
    ]
    desk = _Desk(rows, stage.plan_id, criteria, _Shares(reviewers), rng, now)
    in_turn = [one for one in given if one.cast.submitted_at is not None]
    asked = sum(desk.add(one) for one in in_turn)
    history.note(
        at,
        by,
        "assign_reviewers",
        ("evaluation_plan", stage.plan_id),
        f"Reviewers of “{PLAN}” assigned: {asked} new, 0 taken away",
        event_id=stage.event_id,
    )


@dataclass(frozen=True, slots=True)
class _Panel:
    """Who is asked about one submission: those who have answered, and those who will."""

    done: tuple[Reviewer, ...]
    waiting: tuple[Reviewer, ...]
    spare: tuple[Reviewer, ...]


class _Shares:
    """Who reads what. The first reviewer has done a third of what their queue shows."""

    def __init__(self, reviewers: Sequence[Reviewer]) -> None:
        self._first, *self._fellows = reviewers
        self._listed = self._done = self._turn = 0

    def panel(self, cast: Cast) -> _Panel:
        """Three reviewers, as many of them done as there are reviews; nobody reads their own."""
        own = {fold_address(person.address) for person in cast.people}
        self._turn += 1
        place = self._turn % len(self._fellows)
        fellows = [
            one
            for one in (*self._fellows[place:], *self._fellows[:place])
            if one.address not in own
        ]
        done = len(cast.marks)
        lacking = len(fellows) < REVIEWS
        takes = self._first.address not in own and (lacking or self._may_take(cast, done))
        if not takes:
            return _Panel(tuple(fellows[:done]), tuple(fellows[done:REVIEWS]), ())
        reads = done > 0 and (self._is_due or len(fellows) < done)
        self._listed += reads or cast.status is SubmissionStatus.IN_REVIEW
        self._done += reads
        others = done - reads
        busy = fellows[: REVIEWS - 1]
        first = (self._first,)
        return _Panel(
            (*(first if reads else ()), *busy[:others]),
            (*(() if reads else first), *busy[others:]),
            tuple(fellows[REVIEWS - 1 :]),
        )

    @property
    def _is_due(self) -> bool:
        return 3 * (self._done + 1) <= self._listed + 1

    def _may_take(self, cast: Cast, done: int) -> bool:
        """Whether it may be the first reviewer's, without more done than a third."""
        if done and self._is_due:
            return True
        return done < REVIEWS and cast.status is SubmissionStatus.IN_REVIEW


@dataclass(slots=True)
class _Desk:
    """Writes what became of asking."""

    rows: Rows
    plan_id: str
    criteria: Sequence[str]
    shares: _Shares
    rng: Random
    now: dt.datetime

    def add(self, given: Given) -> int:
        """The rows about one submission; says how many were asked."""
        cast = given.cast
        panel = self.shares.panel(cast)
        asked_at = max(cast.submitted_at or self.now, self.now - _ASKED)
        until = cast.moved_at or self.now
        for reviewer, marks in zip(panel.done, cast.marks, strict=True):
            at = asked_at + self.rng.random() * (until - asked_at)
            self._ask(given, reviewer, AssignmentStatus.DONE, asked_at, at)
            self._review(given, reviewer, marks, at)
        for reviewer in panel.waiting:
            self._ask(given, reviewer, AssignmentStatus.OPEN, asked_at, asked_at)
        abstaining = panel.spare if self.rng.random() < _ABSTAINING else ()
        for reviewer in abstaining:
            at = asked_at + self.rng.random() * (until - asked_at)
            self._ask(given, reviewer, AssignmentStatus.ABSTAINED, asked_at, at)
            self._put_review(
                given, reviewer, at, ReviewStatus.ABSTAINED, self.rng.choice(ABSTAINED)
            )
        expected = len(panel.done) + len(panel.waiting)
        total = tally_of(cast.marks)
        self.rows.add(
            SubmissionScore,
            submission_id=given.id,
            plan_id=self.plan_id,
            is_leading=True,
            mean=total.mean,
            spread=total.spread,
            reviews=total.reviews,
            expected=expected,
        )
        return expected + len(abstaining)

    def _ask(
        self,
        given: Given,
        reviewer: Reviewer,
        status: AssignmentStatus,
        asked_at: dt.datetime,
        at: dt.datetime,
    ) -> None:
        self.rows.add(
            Assignment,
            asked_at,
            updated_at=at,
            plan_id=self.plan_id,
            submission_id=given.id,
            user_id=reviewer.user_id,
            status=status,
        )

    def _review(self, given: Given, reviewer: Reviewer, marks: Marks, at: dt.datetime) -> None:
        note = self._note(tally_of([marks]).mean or 0)
        review_id = self._put_review(given, reviewer, at, ReviewStatus.SUBMITTED, note)
        for criterion_id, value in zip(self.criteria, marks, strict=True):
            self.rows.add(
                ReviewScore, at, review_id=review_id, criterion_id=criterion_id, value=value
            )

    def _put_review(
        self, given: Given, reviewer: Reviewer, at: dt.datetime, status: ReviewStatus, note: str
    ) -> str:
        return self.rows.add(
            Review,
            at,
            plan_id=self.plan_id,
            submission_id=given.id,
            user_id=reviewer.user_id,
            note=note,
            status=status,
            submitted_at=at if status is ReviewStatus.SUBMITTED else None,
        )

    def _note(self, mean: float) -> str:
        if self.rng.random() >= _WITH_A_NOTE:
            return ""
        words = GOOD if mean >= _LIKED else POOR if mean < _DISLIKED else MIDDLING
        return self.rng.choice(words)
