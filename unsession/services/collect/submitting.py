"""What a submitter does at the public form."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import ActorKind, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.forms import OPTION_ROLES, Role, Speaker, for_submitters, whole_address
from unsession.domain.mail import came_in_text, named_text, received_text
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold_address, typed_line
from unsession.errors import Conflict, Invalid
from unsession.models import Form, Submission, SubmissionSpeaker, UserAddress
from unsession.services import listing
from unsession.services.collect import asking, drafts, entry, form_files, limits, verdicts
from unsession.services.collect.asking import FormRow
from unsession.services.collect.limits import Known
from unsession.services.collect.writing import Owner, write_submission
from unsession.services.letters import add_letter
from unsession.services.readers import readers_of

CLOSED = "closed"  #: the kind of fact that says why a submission was not taken

Slug = Annotated[str, Meta(min_length=1, max_length=200, description="Part of the form's address.")]


class SpeakerTyped(Input):
    """A speaker as typed. Who it is, is only said; nothing is looked up by it."""

    name: Annotated[str, Meta(max_length=1000, description="Name.")] = ""
    address: Annotated[str, Meta(max_length=1000, description="Mail address.")] = ""
    bio: Annotated[str, Meta(max_length=20_000, description="About the speaker.")] = ""
    job_title: Annotated[str, Meta(max_length=1000, description="Job title.")] = ""
    company: Annotated[str, Meta(max_length=1000, description="Company.")] = ""
    role: Annotated[
        str, Meta(max_length=1000, description="One of the roles a speaker can have.")
    ] = ""


class Submit(Input):
    """Everything one submit of a public form carries."""

    event: Slug
    form: Slug
    submit_key: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]{20,64}$",
            description="Random, made with the page: the same one again is the same submission.",
        ),
    ]
    answers: Annotated[dict[str, Any], Meta(description="Other answers by field id.")]
    speakers: Annotated[list[SpeakerTyped], Meta(max_length=20, description="Speakers.")]
    title: Annotated[str, Meta(description="Title.")] = ""
    abstract: Annotated[str, Meta(description="Abstract.")] = ""
    draft: Annotated[str, Meta(max_length=60, description="The draft this page went on with.")] = ""
    late: Annotated[str, Meta(max_length=100, description="The secret of a late link.")] = ""
    address: Annotated[
        str, Meta(max_length=1000, description="Where to write to. Default: the first speaker's.")
    ] = ""
    invite: (
        Annotated[
            list[str],
            Meta(max_length=20, description="Speakers' addresses that may be written to."),
        ]
        | UnsetType
    ) = UNSET
    receipt: Annotated[
        bool, Meta(description="false: no mail, because too many went to this address already.")
    ] = True


class Submitted(msgspec.Struct, frozen=True):
    """What became of it. ``repeated``: it had been given before; ``same``: with these words."""

    id: str
    number: int
    repeated: bool = False
    same: bool = True


@page_operation(
    needs=Permission.SUBMISSION_SUBMIT, because="a submitter gives it at the public form"
)
async def submit(ctx: Context, args: Submit) -> Submitted:
    """Take one submission through a public form, give it its number, tell the submitter.

    The same ``submitKey`` again is the same submission: nothing is made, the first answer comes
    back. The receipt goes to the submitter's address alone; unless that is a verified address of
    the person who is signed in, it holds nothing that was typed. Speakers who are somebody
    else, and may be written to, are asked to complete their part, by a text nobody typed.

    Refuses with: not_found, conflict (closed; too many of one person; both with the reason),
    invalid.
    """
    form = await asking.public_form(ctx, args.event, args.form)
    # Two submits of one form follow each other from here on, so that a double click finds its twin.
    locked = await ctx.session.execute(
        select(Form).where(col(Form.id) == form.id).with_for_update()
    )
    given = await ctx.session.execute(
        select(Submission).where(col(Submission.submit_key) == args.submit_key)
    )
    if earlier := given.scalar_one_or_none():
        return _again(ctx, form, earlier, args)
    ctx.writing.about(
        locked.scalar_one(), "A submit", workspace_id=form.workspace_id, event_id=form.event_id
    )
    draft = await drafts.saving.draft_of_page(ctx, form, args.submit_key, args.draft)
    state, link = await entry.come_in(ctx, form, args.late, args.submit_key, args.draft)
    if not state.accepts:
        raise Conflict(f"{state.sentence} Nothing was submitted.", reason=CLOSED)
    person = await limits.known(ctx, draft)
    await limits.hold_to(ctx, form, person)
    fields = for_submitters(await asking.fields_asked(ctx, form))
    merged = verdicts.with_roles(fields, args.answers, _arguments(args))
    verdict = verdicts.approve(fields, merged)
    speakers: list[Speaker] = verdicts.value_of(fields, verdict.values, Role.SPEAKERS)
    owner, verified = _owner(ctx, args, form, person, speakers)
    submission = await write_submission(
        ctx,
        form,
        fields,
        verdict.values,
        status=SubmissionStatus.IN_REVIEW,
        owner=owner,
        submit_key=args.submit_key,
    )
    await form_files.take_along(ctx, args.submit_key, submission.id, fields, verdict.values)
    if link is not None:
        link.uses += 1
    if draft is not None:
        await drafts.saving.became(ctx, draft.id, submission.id)
    ctx.writing.about(
        submission,
        f"{submission.label()} submitted",
        workspace_id=form.workspace_id,
        event_id=form.event_id,
    )
    if args.receipt and owner.address:
        add_letter(
            ctx,
            "received",
            received_text(
                f"SUB-{submission.number}",
                event=form.event_name,
                signin=f"{ctx.settings.public_url}/signin",
                title=submission.title if verified else None,
            ),
            subject_id=submission.id,
            to_address=owner.address,
            to_name=ctx.actor.name if verified else "",
            to_user_id=owner.user_id,
            workspace_id=form.workspace_id,
            event_id=form.event_id,
        )
    known_ones = {fold_address(owner.address or ""), *(person.addresses if person else ())}
    wanted = {fold_address(one) for one in args.invite or ()} - known_ones
    others = [one.address for one in speakers if fold_address(one.address) in wanted]
    _invite(ctx, form, submission, others)
    await _tell_team(ctx, form, submission)
    return Submitted(submission.id, submission.number or 0)


async def _tell_team(ctx: Context, form: FormRow, submission: Submission) -> None:
    """Tell those of the team whom the form names, and who may still read it, by a fixed text."""
    if not form.notify:
        return
    ref = f"SUB-{submission.number}"
    url = f"{ctx.settings.public_url}/app/{form.event_slug}/submissions/{ref}"
    for one in await readers_of(ctx, form.workspace_id, form.event_id, form.notify):
        add_letter(
            ctx,
            "came_in",
            came_in_text(ref, event=form.event_name, form=form.name, url=url),
            subject_id=submission.id,
            to_address=one.address,
            to_name=one.name,
            to_user_id=one.user_id,
            workspace_id=form.workspace_id,
            event_id=form.event_id,
        )


def _invite(ctx: Context, form: FormRow, submission: Submission, addresses: Sequence[str]) -> None:
    """Ask speakers whom somebody else named to complete their part, once each, by a fixed text."""
    for address in addresses:
        add_letter(
            ctx,
            "named",
            named_text(
                f"SUB-{submission.number}",
                event=form.event_name,
                signin=f"{ctx.settings.public_url}/signin?next=/{form.event_slug}/portal",
            ),
            subject_id=submission.id,
            to_address=address,
            to_name="",
            workspace_id=form.workspace_id,
            event_id=form.event_id,
        )


def _arguments(args: Submit) -> dict[Role, Any]:
    return {
        Role.TITLE: args.title,
        Role.ABSTRACT: args.abstract,
        Role.SPEAKERS: [msgspec.to_builtins(speaker) for speaker in args.speakers],
    }


def _again(ctx: Context, form: FormRow, earlier: Submission, args: Submit) -> Submitted:
    ctx.writing.about(
        earlier,
        f"{earlier.label()} submitted once more",
        workspace_id=form.workspace_id,
        event_id=form.event_id,
    )
    if earlier.form_id != form.id or earlier.number is None:
        raise Conflict("This page belongs to another submission. Open the form again.")
    same = (earlier.title, earlier.abstract) == (
        typed_line(args.title),
        args.abstract.strip(),
    )
    return Submitted(earlier.id, earlier.number, repeated=True, same=same)


def _owner(
    ctx: Context, args: Submit, form: FormRow, person: Known | None, speakers: list[Speaker]
) -> tuple[Owner, bool]:
    """Whose it is, and whether they are the person who is signed in.

    Where submissions are counted per person, whoever proved an address by a draft's mailed link
    submits by that one, whatever is typed.
    """
    if person is not None and ctx.actor.kind is ActorKind.PERSON:
        return Owner(person.user_id, person.address, proved=True), True
    if person is not None and form.max_per_person:
        return Owner(None, person.address, proved=True), False
    address = typed_line(args.address) or speakers[0].address
    if not whole_address(address):
        raise Invalid.at("/address", f"“{address[:80]}” is not a complete mail address")
    return Owner(ctx.actor.user_id, address), False


class _Address(msgspec.Struct, frozen=True):
    address: str


_VERIFIED = Prepared(
    select(col(UserAddress.address))
    .where(
        col(UserAddress.user_id) == bindparam("user"),
        col(UserAddress.verified_at).is_not(None),
    )
    .order_by(col(UserAddress.primary).desc(), col(UserAddress.id))
    .limit(1),
    _Address,
)


async def verified_address(ctx: Context, user_id: str) -> str | None:
    """The address of a person that is known to be theirs, the primary one first."""
    rows = await ctx.all(_VERIFIED, user=user_id)
    return rows[0].address if rows else None


class Profile(msgspec.Struct, frozen=True):
    """What a signed-in person need not type again."""

    name: str
    address: str
    bio: str = ""
    job_title: str | None = None
    company: str | None = None


class _Typed(msgspec.Struct, frozen=True):
    bio: str
    job_title: str | None
    company: str | None


_LAST_TYPED = Prepared(
    select(
        col(SubmissionSpeaker.bio),
        col(SubmissionSpeaker.job_title),
        col(SubmissionSpeaker.company),
    )
    .join(Submission, col(Submission.id) == col(SubmissionSpeaker.submission_id))
    .where(
        col(Submission.owner_user_id) == bindparam("user"),
        col(SubmissionSpeaker.address) == bindparam("address"),
    )
    .order_by(col(Submission.created_at).desc())
    .limit(1),
    _Typed,
)


async def profile_of(ctx: Context) -> Profile | None:
    """What is known of the person who is signed in: their own words of the last time."""
    user_id = ctx.actor.user_id
    if ctx.actor.kind is not ActorKind.PERSON or user_id is None:
        return None
    address = await verified_address(ctx, user_id)
    if address is None:
        return None
    rows = await ctx.all(_LAST_TYPED, user=user_id, address=address)
    if not rows:
        return Profile(ctx.actor.name, address)
    return Profile(ctx.actor.name, address, rows[0].bio, rows[0].job_title, rows[0].company)


class Receipt(msgspec.Struct, frozen=True):
    """What the page after a submit shows of it."""

    number: int
    title: str
    options: tuple[str, ...]
    speakers: tuple[str, ...]
    address: str
    status: SubmissionStatus


class _Given(msgspec.Struct, frozen=True):
    id: str
    event_id: str
    form_id: str
    number: int
    title: str
    status: SubmissionStatus
    address: str | None


class _Name(msgspec.Struct, frozen=True):
    name: str


_BY_KEY = Prepared(
    select(
        col(Submission.id),
        col(Submission.event_id),
        col(Submission.form_id),
        col(Submission.number),
        col(Submission.title),
        col(Submission.status),
        col(Submission.owner_address),
    ).where(col(Submission.submit_key) == bindparam("key"), col(Submission.number).is_not(None)),
    _Given,
)
_NAMES = Prepared(
    select(col(SubmissionSpeaker.name))
    .where(col(SubmissionSpeaker.submission_id) == bindparam("submission"))
    .order_by(col(SubmissionSpeaker.position)),
    _Name,
)


async def receipt_of(ctx: Context, form: FormRow, key: str) -> Receipt | None:
    """What was submitted with a key, for whoever holds it."""
    rows = await ctx.all(_BY_KEY, key=key)
    if not rows or rows[0].form_id != form.id:
        return None
    given = rows[0]
    listed, names, options = await ctx.together(
        (listing.ONE, {"submission": given.id}),
        (_NAMES, {"submission": given.id}),
        (listing.OPTIONS, {"event": given.event_id}),
    )
    named: Mapping[str, listing.OptionRow] = {option.id: option for option in options}
    chosen = [named[one] for one in (listed[0].options or "").split() if one in named]
    return Receipt(
        given.number,
        given.title,
        tuple(one.name for role in OPTION_ROLES for one in chosen if one.key == role),
        tuple(row.name for row in names),
        given.address or "",
        given.status,
    )
