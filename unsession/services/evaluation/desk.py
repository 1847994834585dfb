"""The desk an assignment is decided on: rows as they are, and the states they shall have."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta
from sqlalchemy import select
from sqlmodel import col

from unsession.catalogue import Input
from unsession.context import Context
from unsession.domain.assignment import Ask, Pair, assign
from unsession.domain.evaluation import AssignmentSource, AssignmentStatus, PlanRole
from unsession.domain.people import EventRole
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold_address
from unsession.errors import Invalid, Problem
from unsession.models import (
    Assignment,
    EvaluationPlan,
    EventMember,
    PlanReviewer,
    Submission,
    User,
    UserAddress,
)
from unsession.services.evaluation.own import own_pairs

_S = AssignmentStatus
SubmissionNumber = Annotated[
    str,
    Meta(min_length=1, max_length=60, description="Submission: id or number (141 or SUB-141)."),
]


class PairGiven(Input):
    """One submission and one reviewer."""

    submission: SubmissionNumber
    reviewer: Annotated[
        str, Meta(min_length=3, max_length=320, description="Reviewer: verified address or id.")
    ]


@dataclass(slots=True)
class Desk:
    """Everything an assignment is decided on: the rows, and the states they shall have."""

    members: dict[str, str]  #: reviewer -> name
    addresses: dict[str, str]  #: folded address -> reviewer
    numbers: dict[str, int]  #: submission in review -> number
    rows: dict[Pair, Assignment]
    own: frozenset[Pair]
    wanted: dict[Pair, tuple[AssignmentStatus, AssignmentSource]]
    _by_number: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._by_number = {str(number): one for one, number in self.numbers.items()}

    def loads(self) -> Counter[str]:
        """Open and done ones per reviewer, as they shall be."""
        states = self.wanted.items()
        return Counter(pair[1] for pair, (now, _) in states if now in (_S.OPEN, _S.DONE))

    def done(self, reviewer: str) -> int:
        """How many reviews of one reviewer are in."""
        return sum(p[1] == reviewer and now is _S.DONE for p, (now, _) in self.wanted.items())

    def by_hand(self, unassign: Sequence[PairGiven], pin: Sequence[PairGiven]) -> None:
        """Take over the pairs that a person named. Refuses with Invalid, all problems at once."""
        problems: list[Problem] = []
        for name, pairs in (("unassign", unassign), ("assign", pin)):
            for position, given in enumerate(pairs):
                where = f"/{name}/{position}"
                submission = self._submission(given.submission)
                reviewer = self._reviewer(given.reviewer)
                if submission is None:
                    sentence = "is no submission in review here"
                    problems.append(Problem(f"{where}/submission", sentence, got=given.submission))
                elif reviewer is None:
                    sentence = "is no member of this plan"
                    problems.append(Problem(f"{where}/reviewer", sentence, got=given.reviewer))
                elif fault := self._pin(name, (submission, reviewer)):
                    problems.append(Problem(where, fault))
        if problems:
            raise Invalid(problems)

    def _pin(self, what: str, pair: Pair) -> str | None:
        """Set one pair as a person wants it; says what is in the way."""
        now = self.wanted.get(pair, (_S.RELEASED, AssignmentSource.AUTO))[0]
        answered = now in (_S.DONE, _S.ABSTAINED)
        if what == "unassign" and answered:
            return "is answered already: reviewed, or abstained from"
        if what == "assign" and pair in self.own:
            return "is the reviewer's own submission"
        if not answered:
            state = _S.OPEN if what == "assign" else _S.RELEASED
            self.wanted[pair] = (state, AssignmentSource.PINNED)
        return None

    def balance(self, only: Sequence[str] | None, each: int) -> dict[str, int]:
        """Fill and level; says what stays short, by submission."""
        chosen = list(self.numbers) if only is None else self._chosen(only)
        ask = self._question(chosen, each)
        plan = assign(ask)
        for pair in set(ask.open) - plan.open:
            self.wanted[pair] = (_S.RELEASED, AssignmentSource.AUTO)
        for pair in plan.open - set(ask.open):
            self.wanted[pair] = (_S.OPEN, AssignmentSource.AUTO)
        if only is None:
            self._release_decided()
        return dict(plan.short)

    def _question(self, chosen: Sequence[str], each: int) -> Ask:
        """What is wanted as a question: what stays, what may move, what must not be."""
        inside = set(chosen)
        fixed: set[Pair] = set()
        movable: set[Pair] = set()
        barred = set(self.own)
        for pair, (now, source) in self.wanted.items():
            by_hand = source is AssignmentSource.PINNED
            if now is _S.DONE:
                fixed.add(pair)
            elif now is _S.ABSTAINED or (now is _S.RELEASED and by_hand):
                barred.add(pair)
            elif now is _S.OPEN and pair[0] in self.numbers:
                stays = (by_hand or pair[0] not in inside) and pair not in self.own
                (fixed if stays else movable).add(pair)
        return Ask(chosen, list(self.members), each, fixed=fixed, open=movable, barred=barred)

    def _release_decided(self) -> None:
        """Ask nobody any more for what is no longer in review."""
        for pair, (now, source) in self.wanted.items():
            if now is _S.OPEN and pair[0] not in self.numbers:
                self.wanted[pair] = (_S.RELEASED, source)

    def write(self, ctx: Context, plan_id: str) -> tuple[int, int]:
        """Bring the rows to the states wanted; says how many are new and how many are gone."""
        assigned = released = 0
        for pair, (now, source) in self.wanted.items():
            row = self.rows.get(pair)
            if row is None:
                if now is not _S.OPEN:
                    continue
                row = Assignment(plan_id=plan_id, submission_id=pair[0], user_id=pair[1])
                row.source = source
                ctx.session.add(row)
                assigned += 1
                continue
            assigned += now is _S.OPEN and row.status is not _S.OPEN
            released += now is _S.RELEASED and row.status is not _S.RELEASED
            row.status, row.source = now, source
        return assigned, released

    def _chosen(self, only: Sequence[str]) -> list[str]:
        found, problems = [], []
        for position, identifier in enumerate(only):
            submission = self._submission(identifier)
            if submission is None:
                sentence = "is no submission in review here"
                problems.append(Problem(f"/submissions/{position}", sentence, got=identifier))
            elif submission not in found:
                found.append(submission)
        if problems:
            raise Invalid(problems)
        return found

    def _submission(self, identifier: str) -> str | None:
        wanted = identifier.strip()
        if wanted in self.numbers:
            return wanted
        return self._by_number.get(wanted.upper().removeprefix("SUB-"))

    def _reviewer(self, identifier: str) -> str | None:
        if identifier in self.members:
            return identifier
        return self.addresses.get(fold_address(identifier))


async def lay_out(ctx: Context, plan: EvaluationPlan, event_id: str) -> Desk:
    """Read what there is: members who may review, what is in review, what is assigned."""
    members = await ctx.session.execute(
        select(col(User.id), col(User.name))
        .join(PlanReviewer, col(PlanReviewer.user_id) == col(User.id))
        .join(EventMember, col(EventMember.user_id) == col(User.id))
        .where(
            col(PlanReviewer.plan_id) == plan.id,
            col(PlanReviewer.role) == PlanRole.MEMBER,
            col(EventMember.event_id) == event_id,
            col(EventMember.role) == EventRole.REVIEWER,
            col(User.disabled_at).is_(None),
        )
        .order_by(col(User.id))
    )
    names = dict(members.all())
    addresses = await ctx.session.execute(
        select(col(UserAddress.folded), col(UserAddress.user_id))
        .join(PlanReviewer, col(PlanReviewer.user_id) == col(UserAddress.user_id))
        .where(col(PlanReviewer.plan_id) == plan.id, col(UserAddress.verified_at).is_not(None))
    )
    waiting = await ctx.session.execute(
        select(col(Submission.id), col(Submission.number))
        .where(
            col(Submission.event_id) == event_id,
            col(Submission.status) == SubmissionStatus.IN_REVIEW,
        )
        .order_by(col(Submission.number))
    )
    assigned = await ctx.session.execute(
        select(Assignment).where(col(Assignment.plan_id) == plan.id).order_by(col(Assignment.id))
    )
    rows = {(row.submission_id, row.user_id): row for row in assigned.scalars()}
    owned = {folded: user for folded, user in addresses if user in names}
    return Desk(
        members=names,
        addresses=owned,
        numbers={one: number or 0 for one, number in waiting},
        rows=rows,
        own=await own_pairs(ctx, event_id, names, owned),
        wanted={pair: (row.status, row.source) for pair, row in rows.items()},
    )
