"""What organisers add on behalf of others, and what they change in a submission."""

import dataclasses
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, patch, post
from unsession.context import Context
from unsession.domain.forms import (
    MAX_SPEAKERS,
    OPTION_ROLES,
    Field,
    FieldType,
    Role,
    judge,
    role_of,
    shown_fields,
)
from unsession.domain.mail import added_text
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold, fold_address
from unsession.errors import Invalid
from unsession.models import Submission, SubmissionOption, SubmissionSpeaker
from unsession.services import find, listing
from unsession.services.collect import asking, form_files, verdicts
from unsession.services.collect.asking import FormRow
from unsession.services.collect.writing import Owner, write_submission
from unsession.services.letters import add_letter
from unsession.services.refs import (
    EventOf,
    EventRef,
    FormatRef,
    FormRef,
    LevelRef,
    SubmissionRef,
    TrackRef,
    Version,
)
from unsession.services.submissions import SubmissionFull, full_submission

Title = Annotated[str, Meta(min_length=1, max_length=1000, description="Title.")]
Abstract = Annotated[str, Meta(max_length=20_000, description="Abstract, Markdown.")]
Answers = Annotated[
    dict[str, Any],
    Meta(
        description="Answers by field id or label (get_form lists them): text, number, true or "
        "false, a choice by id or label, or a list of choices."
    ),
]


class SpeakerGiven(Input):
    """A speaker, as the form would ask for one."""

    name: Annotated[str, Meta(min_length=1, max_length=1000, description="Name.")]
    address: Annotated[str, Meta(min_length=1, max_length=1000, description="Mail address.")]
    bio: Annotated[str, Meta(max_length=20_000, description="About the speaker.")] = ""
    job_title: Annotated[str, Meta(max_length=1000, description="Job title.")] = ""
    company: Annotated[str, Meta(max_length=1000, description="Company.")] = ""
    role: Annotated[
        str,
        Meta(
            max_length=1000,
            description="speaker (default), co-speaker, co-author, moderator or panelist.",
        ),
    ] = ""


class StartsAs(StrEnum):
    """Where an added submission stands."""

    IN_REVIEW = "in_review"
    DRAFT = "draft"


class CreateSubmission(Input):
    """What is submitted, through which form."""

    event: EventRef
    form: FormRef
    title: Title
    speakers: Annotated[
        list[SpeakerGiven],
        Meta(max_length=MAX_SPEAKERS, description="At least one, unless it is a draft."),
    ]
    abstract: Abstract = ""
    answers: Answers | UnsetType = UNSET
    status: Annotated[
        StartsAs, Meta(description="in_review (default), or draft: without a number, not reviewed.")
    ] = StartsAs.IN_REVIEW
    notify: Annotated[
        bool, Meta(description="true: tell each speaker by mail. Default: nobody is told.")
    ] = False


@operation(
    title="Create a submission on behalf",
    rest=post("/events/{event}/submissions"),
    needs=Permission.SUBMISSION_WRITE,
    mails="a note to each speaker, only with notify: true",
    destructive=False,
    creates="get_submission",
)
async def create_submission(ctx: Context, args: CreateSubmission) -> SubmissionFull:
    """Create a submission on behalf of its speakers, as the public form would.

    It is validated exactly like the public form: ``get_form`` says what the form asks. Track,
    format and level are answers too: ``{"track": "Web"}``. A draft may lack answers. A form that
    is closed still takes what organisers add, with a warning.

    Refuses with: not_found, forbidden, ambiguous, invalid.
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    form = await asking.form_by_id(ctx, named.id)
    draft = args.status is StartsAs.DRAFT
    # Files come through the form's own page: what is added on behalf can lack them.
    fields = [
        dataclasses.replace(one, required=False) if one.type is FieldType.FILE else one
        for one in await asking.fields_asked(ctx, form)
    ]
    roles = {
        Role.TITLE: args.title,
        Role.ABSTRACT: args.abstract,
        Role.SPEAKERS: [msgspec.to_builtins(speaker) for speaker in args.speakers],
    }
    merged = verdicts.with_roles(fields, verdicts.answers_by_id(fields, args.answers or {}), roles)
    verdict = verdicts.approve(fields, merged, required=not draft)
    form_files.refuse_foreign(fields, verdict.values, {})
    if not verdicts.value_of(fields, verdict.values, Role.TITLE):
        raise Invalid.at("/title", "must not be empty")
    submission = await write_submission(
        ctx,
        form,
        fields,
        verdict.values,
        status=SubmissionStatus(args.status),
        owner=Owner(),
    )
    ctx.writing.about(
        submission,
        f"{submission.label()} added on behalf",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    state = form.opening(ctx.now)
    if not state.accepts:
        ctx.writing.warn("form_not_open", f"{state.sentence} It was added all the same.")
    if args.notify:
        await _notify(ctx, form, submission)
    return await full_submission(ctx, submission.id, event.id, event.slug)


async def _notify(ctx: Context, form: FormRow, submission: Submission) -> None:
    if submission.number is None:
        ctx.writing.warn("draft", "Nobody is told of a draft.")
        return
    found = await ctx.session.execute(
        select(SubmissionSpeaker)
        .where(col(SubmissionSpeaker.submission_id) == submission.id)
        .order_by(col(SubmissionSpeaker.position))
    )
    people = {fold_address(one.address): one for one in found.scalars() if one.address}
    for one in people.values():
        add_letter(
            ctx,
            "added",
            added_text(
                f"SUB-{submission.number}",
                event=form.event_name,
                name=one.name,
                title=submission.title,
            ),
            subject_id=submission.id,
            to_address=one.address or "",
            to_name=one.name,
            workspace_id=form.workspace_id,
            event_id=form.event_id,
        )
    await ctx.session.flush()


class UpdateSubmission(Input):
    """What to change. What is not named stays as it is; speakers always do."""

    submission: SubmissionRef
    event: EventOf | UnsetType = UNSET
    title: Title | UnsetType = UNSET
    abstract: Abstract | UnsetType | None = UNSET
    answers: (
        Annotated[
            dict[str, Any],
            Meta(description="Answers to change, by field id or label; null empties one."),
        ]
        | UnsetType
    ) = UNSET
    track: TrackRef | UnsetType | None = UNSET
    format: FormatRef | UnsetType | None = UNSET
    level: LevelRef | UnsetType | None = UNSET
    version: Version | UnsetType = UNSET


@operation(
    title="Change a submission",
    rest=patch("/submissions/{submission}"),
    needs=Permission.SUBMISSION_WRITE,
    undo=True,
    idempotent=True,
)
async def update_submission(ctx: Context, args: UpdateSubmission) -> SubmissionFull:
    """Change title, abstract, answers, track, format or level of a submission.

    What you change is validated against the form as it stood when the submission was given; what
    you do not name is left alone, right or wrong. An accepted submission's session keeps its own
    copy.

    Refuses with: not_found, forbidden, ambiguous, invalid, stale.
    """
    place = await find.submission(ctx, args.submission, args.event or None)
    found = await ctx.session.execute(
        select(Submission).where(col(Submission.id) == place.id).with_for_update()
    )
    submission = found.scalar_one()
    ctx.expect(submission, args.version)
    fields = await asking.fields_pinned(ctx, submission.form_version_id, place.event_id)
    held = await _options(ctx, submission)
    before = _stored(fields, submission, held)
    touched = _touched(fields, args)
    values = _judged(fields, before, touched, draft=submission.number is None)
    kept = await form_files.files_of_submission(ctx, submission.id)
    form_files.refuse_foreign(
        fields, {name: values[name] for name in touched if name in values}, kept
    )
    _put(fields, submission, before, values)
    await _put_options(ctx, fields, submission, held, values)
    ctx.writing.about(
        submission,
        f"{submission.label()} changed",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    await ctx.session.flush()
    return await full_submission(ctx, submission.id, place.event_id, place.event_slug)


def _touched(fields: Sequence[Field], args: UpdateSubmission) -> dict[str, Any]:
    """What is to be changed, by field id; None empties."""
    given = {
        Role.TITLE: args.title,
        Role.ABSTRACT: args.abstract,
        Role.TRACK: args.track,
        Role.FORMAT: args.format,
        Role.LEVEL: args.level,
    }
    roles = {role: value for role, value in given.items() if value is not UNSET}
    answers = verdicts.answers_by_id(fields, args.answers or {})
    for role in roles:
        field = role_of(fields, role)
        if field is not None and field.id in answers:
            raise Invalid.at(f"/answers/{field.id}", f"is set in /{role} as well")
    return verdicts.with_roles(fields, answers, roles)


def _stored(
    fields: Sequence[Field], submission: Submission, held: Mapping[str, SubmissionOption]
) -> dict[str, Any]:
    """The submission as answers by field id. Speakers are left out: no change reaches them."""
    stored: dict[str, Any] = dict(submission.answers)
    if title := role_of(fields, Role.TITLE):
        stored[title.id] = submission.title
    if abstract := role_of(fields, Role.ABSTRACT):
        stored[abstract.id] = submission.abstract
    for field in fields:
        if field.role and field.role in held:
            stored[field.id] = held[field.role].option_id
    return stored


def _judged(
    fields: Sequence[Field], before: Mapping[str, Any], touched: Mapping[str, Any], *, draft: bool
) -> dict[str, Any]:
    """The new values by field id, None for what is emptied or no longer asked.

    Judged is what was touched, and what is asked only now.
    """
    after = {**before, **touched}
    was_shown = {field.id for field in shown_fields(fields, before)}
    shown = {field.id for field in shown_fields(fields, after)}
    judged = {field_id for field_id in shown if field_id in touched or field_id not in was_shown}
    verdict = judge(fields, after, required=not draft)
    faults = [fault for fault in verdict.faults if fault.field in judged]
    own = (Role.TITLE, Role.ABSTRACT, *OPTION_ROLES)
    verdicts.refuse(fields, faults, own)
    values = {field_id: verdict.values.get(field_id) for field_id in judged}
    return values | dict.fromkeys(was_shown - shown)


def _put(
    fields: Sequence[Field],
    submission: Submission,
    before: Mapping[str, Any],
    values: Mapping[str, Any],
) -> None:
    title, abstract = role_of(fields, Role.TITLE), role_of(fields, Role.ABSTRACT)
    if title and title.id in values:
        if not values[title.id]:
            raise Invalid.at("/title", "must not be empty")
        submission.title = values[title.id]
        submission.title_folded = fold(submission.title)
    if abstract and abstract.id in values:
        submission.abstract = values[abstract.id] or ""
    plain = {field.id for field in fields if field.role is None}
    changed = {name: value for name, value in values.items() if name in plain}
    if any(before.get(name) != value for name, value in changed.items()):
        merged = {**submission.answers, **changed}
        submission.answers = {name: value for name, value in merged.items() if value is not None}


async def _options(ctx: Context, submission: Submission) -> dict[str, SubmissionOption]:
    """What the submission has chosen, by taxonomy key."""
    keys = {row.id: row.key for row in await ctx.all(listing.OPTIONS, event=submission.event_id)}
    found = await ctx.session.execute(
        select(SubmissionOption).where(col(SubmissionOption.submission_id) == submission.id)
    )
    return {keys[one.option_id]: one for one in found.scalars() if one.option_id in keys}


async def _put_options(
    ctx: Context,
    fields: Sequence[Field],
    submission: Submission,
    held: Mapping[str, SubmissionOption],
    values: Mapping[str, Any],
) -> None:
    names = {row.id: row.name for row in await ctx.all(listing.OPTIONS, event=submission.event_id)}
    for field in fields:
        if field.role not in OPTION_ROLES or field.id not in values:
            continue
        was, now = held.get(field.role), values[field.id]
        if now == (was.option_id if was else None):
            continue
        if was is not None:
            await ctx.session.delete(was)
        if now is not None:
            ctx.session.add(SubmissionOption(submission_id=submission.id, option_id=now))
        submission.updated_at = ctx.now  # the version moves with the options
        before = names[was.option_id] if was else "none"
        ctx.writing.tell(
            "changed",
            submission.id,
            f"Submission {submission.label()}: {field.role} {before} → {names.get(now, 'none')}.",
        )
