"""What people do with their own: claim, tick, send a file, edit their profile, withdraw."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tasks import TaskKind, TaskStatus
from unsession.errors import Conflict, NotFound
from unsession.models import (
    Event,
    Speaker,
    Submission,
    SubmissionSpeaker,
    Task,
    UserAddress,
)
from unsession.services import find
from unsession.services.decisions.act import Decided
from unsession.services.decisions.verbs import withdraw
from unsession.services.onboarding import profile
from unsession.services.onboarding.files import FileAdded, StoredFile, add_version
from unsession.services.onboarding.tasks import complete, load, reopen, say
from unsession.services.refs import Version

OwnId = Annotated[str, Meta(min_length=1, max_length=60, description="Its id.")]


def verified_addresses(user_id: object) -> Select[str]:
    """The folded addresses that a person has proved to be theirs."""
    return select(col(UserAddress.folded)).where(
        col(UserAddress.user_id) == user_id, col(UserAddress.verified_at).is_not(None)
    )


def named_with_address(user_id: object) -> ColumnElement[bool]:
    """A submission has a typed speaker with an address of this person."""
    return exists().where(
        col(SubmissionSpeaker.submission_id) == col(Submission.id),
        func.lower(col(SubmissionSpeaker.address)).in_(verified_addresses(user_id)),
    )


def is_own_submission(user_id: object) -> ColumnElement[bool]:
    """One's own: as its owner, or, once it is no draft, as one of its speakers."""
    return or_(
        col(Submission.owner_user_id) == user_id,
        and_(
            col(Submission.status) != SubmissionStatus.DRAFT,
            named_with_address(user_id),
        ),
    )


class ClaimSpeaker(Input):
    """In which event."""

    event: Annotated[str, Meta(min_length=1, max_length=60, description="The event's id.")]


class Claimed(msgspec.Struct, frozen=True):
    """How much was found that is the person's."""

    speakers: int
    submissions: int


@page_operation(
    needs=Permission.OWN_WRITE, because="a person's sign-in proves the address, nobody else may"
)
async def claim_speaker(ctx: Context, args: ClaimSpeaker) -> Claimed:
    """Bind what an event has under one's verified addresses and is nobody's yet.

    Effects: the speakers and submissions with these addresses. Nothing else about them changes.

    Refuses with: not_found.
    """
    event = await ctx.session.get(Event, args.event)
    if event is None:
        raise NotFound("event", args.event)
    mine = verified_addresses(ctx.actor.user_id)
    speakers = await ctx.session.execute(
        select(Speaker)
        .where(
            col(Speaker.event_id) == event.id,
            col(Speaker.user_id).is_(None),
            col(Speaker.address_folded).in_(mine),
        )
        .order_by(col(Speaker.id))
        .with_for_update()
    )
    submissions = await ctx.session.execute(
        select(Submission)
        .where(
            col(Submission.event_id) == event.id,
            col(Submission.owner_user_id).is_(None),
            col(Submission.owner_address_folded).in_(mine),
        )
        .order_by(col(Submission.id))
        .with_for_update()
    )
    claimed, owned = list(speakers.scalars()), list(submissions.scalars())
    for speaker in claimed:
        speaker.user_id = ctx.actor.user_id
    for submission in owned:
        submission.owner_user_id = ctx.actor.user_id
    about = claimed[0] if claimed else owned[0] if owned else event
    ctx.writing.about(
        about,
        f"{ctx.actor.name} signed in as a speaker",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    return Claimed(len(claimed), len(owned))


class TickOwnTask(Input):
    """Which task of one's own, and whether it is done."""

    task: OwnId
    done: Annotated[bool, Meta(description="false: it is open again.")] = True


class Ticked(msgspec.Struct, frozen=True):
    """Where the task stands."""

    task: str
    status: TaskStatus


@page_operation(needs=Permission.OWN_WRITE, because="a speaker ticks what they owe in the portal")
async def tick_own_task(ctx: Context, args: TickOwnTask) -> Ticked:
    """Mark a task of one's own, or of one's session, as done or open again.

    A file's task is done by sending the file. The same again: success without effects.

    Refuses with: not_found (another's), conflict.
    """
    task, workspace_id = await _own_task(ctx, args.task)
    said = "is done" if args.done else "is open again"
    say(ctx, task, workspace_id, f"“{task.name}” {said}")
    if args.done is (task.status is TaskStatus.DONE):
        return Ticked(task.id, task.status)
    if task.kind is TaskKind.FILE:
        raise Conflict(f"“{task.name}” asks for a file: send it, and the task is done.")
    if args.done:
        complete(ctx, task)
    else:
        reopen(task)
    await ctx.session.flush()
    return Ticked(task.id, task.status)


class AddOwnFile(StoredFile):
    """A file for a task of one's own."""

    task: OwnId


@page_operation(needs=Permission.OWN_WRITE, because="a speaker sends a file in the portal")
async def add_own_file(ctx: Context, args: AddOwnFile) -> FileAdded:
    """Send the next version of a file that one owes; the task is done by that.

    Refuses with: not_found (another's), invalid, conflict.
    """
    task, workspace_id = await _own_task(ctx, args.task)
    return await add_version(ctx, task, args, workspace_id)


class UpdateOwnProfile(Input):
    """What changes about oneself; what is not named stays."""

    speaker: OwnId
    name: profile.Name | UnsetType = UNSET
    bio: profile.Bio | None | UnsetType = UNSET
    job_title: profile.JobTitle | None | UnsetType = UNSET
    company: profile.Company | None | UnsetType = UNSET
    pronouns: profile.Pronouns | None | UnsetType = UNSET
    version: Version | UnsetType = UNSET


class ProfileSaved(msgspec.Struct, frozen=True):
    """A profile's version now."""

    speaker: str
    version: int


@page_operation(needs=Permission.OWN_WRITE, because="speakers edit their own profile in the portal")
async def update_own_profile(ctx: Context, args: UpdateOwnProfile) -> ProfileSaved:
    """Change one's own profile as a speaker of an event.

    Refuses with: not_found (another's), invalid, stale.
    """
    speaker = await ctx.session.get(Speaker, args.speaker, with_for_update=True)
    if speaker is None or ctx.actor.user_id is None or speaker.user_id != ctx.actor.user_id:
        raise NotFound("speaker", args.speaker)
    event = await ctx.session.get_one(Event, speaker.event_id)
    ctx.writing.about(
        speaker,
        f"{speaker.name} changed their profile",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    ctx.expect(speaker, args.version)
    await profile.change(
        ctx,
        speaker,
        profile.Changes(
            name=args.name,
            bio=args.bio,
            job_title=args.job_title,
            company=args.company,
            pronouns=args.pronouns,
        ),
    )
    await ctx.session.flush()
    return ProfileSaved(speaker.id, speaker.version)


class WithdrawOwnSubmission(Input):
    """Which submission of one's own is taken back, and why."""

    submission: OwnId
    reason: (
        Annotated[str, Meta(max_length=1000, description="Why; organisers read it.")] | UnsetType
    ) = UNSET


@page_operation(needs=Permission.OWN_WRITE, because="submitters take back their own in the portal")
async def withdraw_own_submission(ctx: Context, args: WithdrawOwnSubmission) -> Decided:
    """Withdraw one's own submission, exactly as the organisers would for its speakers.

    Its owner may; where it has no owner, any of its speakers.

    Refuses with: not_found (another's), illegal_move.
    """
    user_id = ctx.actor.user_id
    found = await ctx.session.execute(
        select(Submission)
        .where(
            col(Submission.id) == args.submission,
            or_(
                col(Submission.owner_user_id) == user_id,
                and_(col(Submission.owner_user_id).is_(None), named_with_address(user_id)),
            ),
        )
        .with_for_update()
    )
    submission = found.scalar_one_or_none()
    if submission is None or user_id is None:
        raise NotFound("submission", args.submission)
    event = await ctx.session.get_one(Event, submission.event_id)
    return await withdraw(ctx, submission, event.workspace_id, reason=args.reason or None)


async def _own_task(ctx: Context, task_id: str) -> tuple[Task, str]:
    """A task that the actor owes as a speaker, held, and its workspace. Refuses with NotFound."""
    owes = exists().where(
        col(Speaker.user_id) == ctx.actor.user_id,
        col(Speaker.event_id) == col(Task.event_id),
        find.owed_by(col(Speaker.id)),
    )
    found = await ctx.session.execute(
        select(col(Event.workspace_id))
        .join(Task, col(Task.event_id) == col(Event.id))
        .where(
            col(Task.id) == task_id,
            col(Task.status) != TaskStatus.CANCELLED,
            owes.correlate(Task),
        )
    )
    workspace_id = found.scalar_one_or_none()
    if workspace_id is None or ctx.actor.user_id is None:
        raise NotFound("task", task_id)
    return await load(ctx, task_id), workspace_id
