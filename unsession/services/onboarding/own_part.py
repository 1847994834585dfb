"""What a submission says about oneself: a speaker completes their own part, and no other."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import ColumnElement, func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.forms import Field, FieldType, Role, Speaker, judge
from unsession.domain.submissions import OWNER_EDITS, SubmissionStatus
from unsession.domain.text import fold
from unsession.errors import Conflict, Invalid, NotFound, Problem
from unsession.models import Event, Submission, SubmissionSpeaker
from unsession.services.onboarding.own import OwnId, verified_addresses
from unsession.services.refs import Version

_FIELD = Field("speakers", FieldType.SPEAKERS, "Speakers", required=True, role=Role.SPEAKERS)


class OwnPart(msgspec.Struct, frozen=True):
    """Oneself as one submission names one."""

    id: str
    submission_id: str
    number: int
    title: str
    status: SubmissionStatus
    role: str
    name: str
    bio: str
    job_title: str | None
    company: str | None
    version: int

    @property
    def editable(self) -> bool:
        """Whether it can be completed now."""
        return self.status in OWNER_EDITS


def _mine(user_id: str) -> tuple[ColumnElement[bool], ...]:
    return (
        col(Submission.number).is_not(None),
        func.lower(col(SubmissionSpeaker.address)).in_(verified_addresses(user_id)),
    )


async def own_part(ctx: Context, event_id: str, submission_id: str) -> OwnPart:
    """The part of the person who is signed in. Refuses with NotFound."""
    rows = await ctx.db.rows(
        select(
            col(SubmissionSpeaker.id),
            col(SubmissionSpeaker.submission_id),
            col(Submission.number),
            col(Submission.title),
            col(Submission.status),
            col(SubmissionSpeaker.role),
            col(SubmissionSpeaker.name),
            col(SubmissionSpeaker.bio),
            col(SubmissionSpeaker.job_title),
            col(SubmissionSpeaker.company),
            col(SubmissionSpeaker.version),
        )
        .join(Submission, col(Submission.id) == col(SubmissionSpeaker.submission_id))
        .where(
            col(Submission.id) == submission_id,
            col(Submission.event_id) == event_id,
            *_mine(ctx.actor.user_id or ""),
        )
        .order_by(col(SubmissionSpeaker.position))
        .limit(1)
    )
    if not rows:
        raise NotFound("submission", submission_id)
    return OwnPart(*rows[0])


class UpdateOwnPart(Input):
    """What a submission shall say about oneself."""

    part: OwnId
    name: Annotated[str, Meta(max_length=1000, description="Name.")]
    bio: Annotated[str, Meta(max_length=20_000, description="About oneself.")] = ""
    job_title: Annotated[str, Meta(max_length=1000, description="Job title.")] = ""
    company: Annotated[str, Meta(max_length=1000, description="Company.")] = ""
    version: Version | UnsetType = UNSET


class PartChanged(msgspec.Struct, frozen=True):
    """Which part, and of which submission."""

    id: str
    submission_id: str


@page_operation(
    needs=Permission.OWN_WRITE, because="a speaker completes their own part in the portal"
)
async def update_own_part(ctx: Context, args: UpdateOwnPart) -> PartChanged:
    """Change what a submission says about oneself: name, biography, what and where one works.

    Whoever proved the address of that speaker may, also after the form has closed, until the
    submission is declined or withdrawn. Address, role, order and everything else stay; whoever
    has the submission open is told that it changed.

    Refuses with: not_found (another's), conflict (declined or withdrawn), invalid, stale.
    """
    found = await ctx.session.execute(
        select(SubmissionSpeaker)
        .join(Submission, col(Submission.id) == col(SubmissionSpeaker.submission_id))
        .where(col(SubmissionSpeaker.id) == args.part, *_mine(ctx.actor.user_id or ""))
    )
    part = found.scalar_one_or_none()
    if part is None:
        raise NotFound("submission", args.part)
    submission = await ctx.session.get_one(Submission, part.submission_id, with_for_update=True)
    ctx.expect(part, args.version)
    if submission.status not in OWNER_EDITS:
        raise Conflict(f"A submission that is {submission.status.value} stays as it is.")
    given = _judged(args, part)
    event = await ctx.session.get_one(Event, submission.event_id)
    ctx.writing.about(
        submission,
        f"{given.name} completed their part of {submission.label()}",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    part.name, part.name_folded = given.name, fold(given.name)
    part.bio, part.job_title, part.company = given.bio, given.job_title, given.company
    if part in ctx.session.dirty and ctx.session.is_modified(part):
        submission.updated_at = ctx.now  # its version moves with its speakers
    await ctx.session.flush()
    return PartChanged(part.id, submission.id)


def _judged(args: UpdateOwnPart, part: SubmissionSpeaker) -> Speaker:
    """The part as the form would take it. Refuses with Invalid."""
    typed = {
        "name": args.name,
        "address": part.address or "",
        "bio": args.bio,
        "jobTitle": args.job_title,
        "company": args.company,
    }
    verdict = judge([_FIELD], {_FIELD.id: [typed]})
    if verdict.faults:
        raise Invalid([Problem(f"/{one.inside[-1]}", one.message) for one in verdict.faults])
    speaker: Speaker = verdict.values[_FIELD.id][0]
    return speaker
