"""The rows of a submission: made once, in the transaction that takes its number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlmodel import col

from unsession.context import Context
from unsession.domain.forms import OPTION_ROLES, Field, Role, Speaker
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold, fold_address
from unsession.models import Submission, SubmissionOption, SubmissionSpeaker
from unsession.services.collect import verdicts
from unsession.services.collect.asking import FormRow


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose submission it is: an account, an address, or nobody's yet."""

    user_id: str | None = None
    address: str | None = None
    proved: bool = False  #: the address is known to be the submitter's


async def write_submission(
    ctx: Context,
    form: FormRow,
    fields: Sequence[Field],
    values: Mapping[str, Any],
    *,
    status: SubmissionStatus,
    owner: Owner,
    submit_key: str | None = None,
) -> Submission:
    """Make a submission with its options and its speakers as typed; number it unless a draft.

    Effects: one submission, its options, its speakers; the event's speakers are not touched.
    """
    draft = status is SubmissionStatus.DRAFT
    title = verdicts.value_of(fields, values, Role.TITLE) or ""
    submission = Submission(
        event_id=form.event_id,
        form_id=form.id,
        form_version_id=form.version_id,
        number=None if draft else await ctx.next_number(form.event_id, "submission"),
        status=status,
        title=title,
        title_folded=fold(title),
        abstract=verdicts.value_of(fields, values, Role.ABSTRACT) or "",
        answers=verdicts.own_answers(fields, values),
        submitted_at=None if draft else ctx.now,
        owner_user_id=owner.user_id,
        owner_address=owner.address,
        owner_proved=owner.proved,
        owner_address_folded=fold_address(owner.address) if owner.address else None,
        submit_key=submit_key,
    )
    ctx.session.add(submission)
    await ctx.session.flush()
    ctx.session.add_all(
        SubmissionOption(submission_id=submission.id, option_id=option_id)
        for option_id in verdicts.option_ids(fields, values)
    )
    speakers: Sequence[Speaker] = verdicts.value_of(fields, values, Role.SPEAKERS) or ()
    ctx.session.add_all(
        SubmissionSpeaker(
            submission_id=submission.id,
            position=position,
            role=speaker.role,
            name=speaker.name,
            name_folded=fold(speaker.name),
            address=speaker.address or None,
            bio=speaker.bio,
            job_title=speaker.job_title,
            company=speaker.company,
        )
        for position, speaker in enumerate(speakers)
    )
    await ctx.session.flush()
    return submission


async def put_values(
    ctx: Context, submission: Submission, fields: Sequence[Field], changed: Mapping[str, Any]
) -> None:
    """Write judged values over a submission's, by field id; None empties. Speakers as a whole.

    Effects: the submission, its options and speakers; sessions and speakers of the event keep
    their own copies.
    """
    for field in fields:
        if field.id not in changed:
            continue
        value = changed[field.id]
        if field.role is Role.TITLE:
            submission.title = str(value)
            submission.title_folded = fold(submission.title)
        elif field.role is Role.ABSTRACT:
            submission.abstract = value or ""
        elif field.role is Role.SPEAKERS:
            await _put_speakers(ctx, submission, value or ())
        elif field.role in OPTION_ROLES:
            await _put_option(ctx, submission, field, value)
        elif submission.answers.get(field.id) != value:
            kept = {name: one for name, one in submission.answers.items() if name != field.id}
            submission.answers = kept if value is None else {**kept, field.id: value}


async def _put_option(
    ctx: Context, submission: Submission, field: Field, option_id: str | None
) -> None:
    await ctx.session.flush()
    ids = [choice.id for choice in field.options]
    found = await ctx.session.execute(
        select(SubmissionOption).where(
            col(SubmissionOption.submission_id) == submission.id,
            col(SubmissionOption.option_id).in_(ids),
        )
    )
    for one in found.scalars():
        await ctx.session.delete(one)
    await ctx.session.flush()
    if option_id is not None:
        ctx.session.add(SubmissionOption(submission_id=submission.id, option_id=option_id))
    submission.updated_at = ctx.now  # the version moves with the options


async def _put_speakers(ctx: Context, submission: Submission, speakers: Sequence[Speaker]) -> None:
    """Other speakers as typed; who is linked to a speaker of the event stays so by address."""
    found = await ctx.session.execute(
        select(SubmissionSpeaker).where(col(SubmissionSpeaker.submission_id) == submission.id)
    )
    linked = {}
    for one in found.scalars().all():
        if one.address and one.speaker_id:
            linked[fold_address(one.address)] = one.speaker_id
        await ctx.session.delete(one)
    await ctx.session.flush()
    ctx.session.add_all(
        SubmissionSpeaker(
            submission_id=submission.id,
            position=position,
            role=speaker.role,
            name=speaker.name,
            name_folded=fold(speaker.name),
            address=speaker.address or None,
            bio=speaker.bio,
            job_title=speaker.job_title,
            company=speaker.company,
            speaker_id=linked.get(fold_address(speaker.address)),
        )
        for position, speaker in enumerate(speakers)
    )
    submission.updated_at = ctx.now
