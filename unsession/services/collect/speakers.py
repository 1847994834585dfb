"""The speakers of a submission as organisers set them."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, put
from unsession.context import Context
from unsession.domain.forms import MAX_SPEAKERS, Role, Speaker, judge, role_of
from unsession.domain.submissions import SubmissionStatus
from unsession.errors import Invalid
from unsession.models import Submission, SubmissionSpeaker
from unsession.services import find
from unsession.services.collect import asking, verdicts
from unsession.services.collect.on_behalf import SpeakerGiven
from unsession.services.collect.writing import put_values
from unsession.services.refs import EventOf, SubmissionRef, Version
from unsession.services.submissions import SubmissionFull, full_submission


class SetSubmissionSpeakers(Input):
    """All speakers of a submission."""

    submission: SubmissionRef
    speakers: Annotated[
        list[SpeakerGiven],
        Meta(max_length=MAX_SPEAKERS, description="All of them, in order. None only for a draft."),
    ]
    event: EventOf | UnsetType = UNSET
    version: Version | UnsetType = UNSET


@operation(
    title="Set the speakers of a submission",
    rest=put("/submissions/{submission}/speakers"),
    needs=Permission.SUBMISSION_WRITE,
    undo=True,
    idempotent=True,
)
async def set_submission_speakers(ctx: Context, args: SetSubmissionSpeakers) -> SubmissionFull:
    """Replace the speakers of a submission: their order, roles and what is said about them.

    Validated like the form. Whoever is not named is taken away, nobody is told. The event's
    speakers, and the line-up of a session made from it, stay as they are.

    Refuses with: not_found, forbidden, ambiguous, invalid, stale.
    """
    place = await find.submission(ctx, args.submission, args.event or None)
    submission = await ctx.session.get_one(Submission, place.id, with_for_update=True)
    ctx.expect(submission, args.version)
    fields = await asking.fields_pinned(ctx, submission.form_version_id, place.event_id)
    field = role_of(fields, Role.SPEAKERS)
    if field is None:
        raise Invalid.at("/speakers", "are not asked by the form of this submission")
    given: list[dict[str, Any]] = [msgspec.to_builtins(one) for one in args.speakers]
    verdict = judge([field], {field.id: given}, required=submission.number is not None)
    verdicts.refuse([field], verdict.faults, (Role.SPEAKERS,))
    speakers: list[Speaker] = verdict.values.get(field.id) or []
    ctx.writing.about(
        submission,
        f"Speakers of {submission.label()} set",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    if speakers != await _held(ctx, submission.id):
        await put_values(ctx, submission, [field], {field.id: speakers})
        await ctx.session.flush()
        if submission.status is SubmissionStatus.ACCEPTED:
            ctx.writing.warn("line_up", "The session made from it keeps its own line-up.")
    return await full_submission(ctx, submission.id, place.event_id, place.event_slug)


async def _held(ctx: Context, submission_id: str) -> list[Speaker]:
    """The speakers as they stand."""
    found = await ctx.session.execute(
        select(SubmissionSpeaker)
        .where(col(SubmissionSpeaker.submission_id) == submission_id)
        .order_by(col(SubmissionSpeaker.position))
    )
    return [
        Speaker(one.name, one.address or "", one.bio, one.job_title, one.company, one.role)
        for one in found.scalars()
    ]
