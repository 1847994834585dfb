"""A submission of one's own: read for ever, changed while its form accepts."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import and_, or_, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.forms import Field, Opening, Role, Speaker, for_submitters, judge
from unsession.domain.submissions import OWNER_EDITS, SubmissionStatus
from unsession.errors import Conflict, NotFound
from unsession.models import Event, Submission
from unsession.services.collect import asking, form_files, verdicts
from unsession.services.collect.drafts.saving import CLOSED, Key
from unsession.services.collect.submitting import SpeakerTyped
from unsession.services.collect.writing import put_values
from unsession.services.onboarding.own import named_with_address
from unsession.services.porting.judging import answers_of_known, known_one
from unsession.services.sent_files import FormFile

Id = Annotated[str, Meta(min_length=1, max_length=60, description="One of your own, by its id.")]


class OwnFull(msgspec.Struct, frozen=True):
    """A submission as its owner reads it, and whether it can be changed now."""

    id: str
    number: int
    version: int
    status: SubmissionStatus
    form_slug: str
    form_name: str
    fields: Sequence[Field]
    answers: Mapping[str, Any]  #: by field id, speakers as typed
    files: Mapping[str, FormFile]
    opening: Opening
    submitted_at: dt.datetime | None

    @property
    def editable(self) -> bool:
        """Whether its owner may change it now."""
        return self.status in OWNER_EDITS and self.opening.accepts


async def own_submission(ctx: Context, event_id: str, submission_id: str) -> OwnFull:
    """One submission of the actor's in an event. Refuses with NotFound."""
    found = await ctx.db.rows(_own(ctx, submission_id))
    if not found or found[0].event_id != event_id:
        raise NotFound("submission", submission_id)
    row = found[0]
    form = await asking.form_by_id(ctx, row.form_id)
    fields = for_submitters(await asking.fields_pinned(ctx, row.form_version_id, event_id))
    known = await known_one(ctx, row.id)
    return OwnFull(
        row.id,
        row.number,
        row.version,
        row.status,
        form.slug,
        form.name,
        fields,
        answers_of_known(fields, known),
        await form_files.files_of_submission(ctx, row.id),
        form.opening(ctx.now),
        row.submitted_at,
    )


def _own(ctx: Context, submission_id: str) -> Any:
    """Its owner's; where it has none, of any of its speakers. Drafts are the organisers' own."""
    user_id = ctx.actor.user_id or ""
    return select(*Submission.__table__.columns).where(  # type: ignore[attr-defined]  # a table
        col(Submission.id) == submission_id,
        col(Submission.number).is_not(None),
        or_(
            col(Submission.owner_user_id) == user_id,
            and_(col(Submission.owner_user_id).is_(None), named_with_address(user_id)),
        ),
    )


class UpdateOwnSubmission(Input):
    """The whole form, as it shall be."""

    submission: Id
    submit_key: Key
    answers: Annotated[dict[str, Any], Meta(description="Other answers by field id.")]
    speakers: Annotated[list[SpeakerTyped], Meta(max_length=20, description="Speakers.")]
    title: Annotated[str, Meta(description="Title.")] = ""
    abstract: Annotated[str, Meta(description="Abstract.")] = ""
    version: Annotated[int, Meta(ge=1, description="The version you read.")] | UnsetType = UNSET


class OwnChanged(msgspec.Struct, frozen=True):
    """Which it is, and its new version."""

    id: str
    version: int


@page_operation(needs=Permission.OWN_WRITE, because="submitters change their own in the portal")
async def update_own_submission(ctx: Context, args: UpdateOwnSubmission) -> OwnChanged:
    """Change what one's own submission says, while its form accepts and nothing is declined.

    All of it is judged against the fields it was given through. Number, status and decision stay;
    an accepted one's session keeps its own copy. Organisers see before and after in the activity.

    Refuses with: not_found (another's), conflict (closed; declined or withdrawn), invalid, stale.
    """
    found = await ctx.session.execute(
        select(Submission)
        .where(col(Submission.id).in_(_own(ctx, args.submission).with_only_columns(Submission.id)))
        .with_for_update()
    )
    submission = found.scalar_one_or_none()
    if submission is None or ctx.actor.user_id is None:
        raise NotFound("submission", args.submission)
    ctx.expect(submission, args.version)
    form = await asking.form_by_id(ctx, submission.form_id)
    if submission.status not in OWNER_EDITS:
        raise Conflict(f"A submission that is {submission.status.value} stays as it is.")
    state = form.opening(ctx.now)
    if not state.accepts:
        raise Conflict(f"{state.sentence} It can be read, and not changed.", reason=CLOSED)
    pinned = await asking.fields_pinned(ctx, submission.form_version_id, submission.event_id)
    fields = for_submitters(pinned)
    given = verdicts.with_roles(
        fields,
        args.answers,
        {
            Role.TITLE: args.title,
            Role.ABSTRACT: args.abstract,
            Role.SPEAKERS: [msgspec.to_builtins(one) for one in args.speakers],
        },
    )
    after = verdicts.approve(fields, given).values
    await form_files.take_along(ctx, args.submit_key, submission.id, fields, after)
    known = await known_one(ctx, submission.id)
    before = judge(fields, answers_of_known(fields, known), required=False).values
    changed = {
        field.id: after.get(field.id)
        for field in fields
        if not _same(after.get(field.id), before.get(field.id))
    }
    await put_values(ctx, submission, fields, changed)
    event = await ctx.session.get_one(Event, submission.event_id)
    ctx.writing.about(
        submission,
        f"{submission.label()} changed by its submitter",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    await ctx.session.flush()
    return OwnChanged(submission.id, submission.version)


def _same(after: Any, before: Any) -> bool:
    if isinstance(after, list) and after and isinstance(after[0], Speaker):
        return bool(after == before)
    return bool(after == before or (not after and not before))
