"""The rows of a submission: made once, in the transaction that takes its number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unsession.context import Context
from unsession.domain.forms import Field, Role, Speaker
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
