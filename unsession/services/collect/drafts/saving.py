"""A draft is kept while somebody types: no verdict, no entry in the log, no mail."""

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import delete, select, update
from sqlmodel import col

from unsession.access import ActorKind, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.mail import MailStatus
from unsession.domain.text import typed_line
from unsession.errors import Conflict, NotFound, Stale, TooLarge
from unsession.models import Draft, File, Mail, Submission
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.collect.entry import entry
from unsession.services.principals import secret_hash
from unsession.services.sent_files import PAGE

CLOSED, ELSEWHERE, SUBMITTED = "closed", "elsewhere", "submitted"
#: As JSON; the longest answers of a hundred fields fit several times over.
MOST_BYTES = 200_000

Slug = Annotated[str, Meta(min_length=1, max_length=200, description="Part of the form's address.")]
Key = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{20,64}$", description="The page's own, random.")]


class SaveDraft(Input):
    """A form as far as it is typed."""

    event: Slug
    form: Slug
    submit_key: Key
    typed: Annotated[
        dict[str, list[str]], Meta(description="The page's fields by name, each with its values.")
    ]
    draft: Annotated[
        str, Meta(max_length=60, description="Which draft this page goes on with.")
    ] = ""
    late: Annotated[str, Meta(max_length=100, description="The secret of a late link.")] = ""
    version: Annotated[int, Meta(ge=1, description="As this page saved it last.")] | UnsetType = (
        UNSET
    )


class DraftSaved(msgspec.Struct, frozen=True):
    """Where it stands. ``bound``: a person's own, found wherever they sign in."""

    id: str
    version: int
    at: dt.datetime
    bound: bool


@page_operation(needs=Permission.SUBMISSION_SUBMIT, because="a submitter types into a public form")
async def save_draft(ctx: Context, args: SaveDraft) -> DraftSaved:
    """Keep what is typed, for whoever holds the page's key; a signed-in person's becomes theirs.

    Nothing is judged and nothing is recorded. A person goes on with a draft of theirs on another
    page by naming it: that page's key counts from then on, and the older page is told.

    Refuses with: not_found, conflict (closed; submitted; gone on with elsewhere), stale (another
    window saved in between), too_large.
    """
    form = await asking.public_form(ctx, args.event, args.form)
    if len(msgspec.json.encode(args.typed)) > MOST_BYTES:
        raise TooLarge("This is more than a form holds. It was not saved.")
    met = await entry(ctx, form, args.late, args.submit_key, args.draft)
    if not met.state.accepts:
        raise Conflict(f"{met.state.sentence} The draft was not saved.", reason=CLOSED)
    draft = await draft_of_page(ctx, form, args.submit_key, args.draft)
    person = ctx.actor.user_id if ctx.actor.kind is ActorKind.PERSON else None
    if draft is None:
        draft = Draft(
            event_id=form.event_id, form_id=form.id, key_hash=secret_hash(args.submit_key)
        )
        ctx.session.add(draft)
    elif args.version is not UNSET and args.version != draft.version:
        raise Stale("Another window saved this draft meanwhile. Look at it before you go on here.")
    draft.typed = dict(args.typed)
    draft.late_link_id = met.link_id or draft.late_link_id
    draft.title = _title(args.typed)
    if draft.user_id is None:  # whoever signs in on the same page later takes nothing over
        draft.user_id = person
    draft.updated_at = ctx.now
    await ctx.session.flush()
    return DraftSaved(draft.id, draft.version, draft.updated_at, draft.user_id is not None)


def _title(typed: Mapping[str, Any]) -> str:
    return typed_line(next(iter(typed.get("title", ())), ""))[:200]


async def draft_of_page(ctx: Context, form: FormRow, key: str, named: str) -> Draft | None:
    """The draft a page writes, locked; None: none yet. A person's named one gets the page's key.

    Refuses with conflict what was submitted or gone on with elsewhere, and with not_found a
    draft of another form.
    """
    hashed = secret_hash(key)
    found = await ctx.session.execute(
        select(Draft).where(col(Draft.key_hash) == hashed).with_for_update()
    )
    draft = found.scalar_one_or_none()
    if draft is None and named:
        draft = await ctx.session.get(Draft, named, with_for_update=True)
        if draft is None or draft.form_id != form.id:
            return None  # forgotten meanwhile: what is typed here begins a new one
        await _refuse_submitted(ctx, draft)
        if draft.user_id is None or draft.user_id != ctx.actor.user_id:
            raise Conflict(
                "This draft was gone on with somewhere else. Open it there, or copy what you need "
                "from here.",
                reason=ELSEWHERE,
            )
        await files_move_on(ctx, draft.key_hash, hashed)
        draft.key_hash = hashed
    if draft is None:
        return None
    if draft.form_id != form.id:
        raise NotFound("draft")
    await _refuse_submitted(ctx, draft)
    return draft


async def files_move_on(ctx: Context, before: str, after: str) -> None:
    """A draft has another page now, by the hashes of their keys: its files go along."""
    await ctx.session.execute(
        update(File)
        .where(col(File.subject_type) == PAGE, col(File.subject_id) == before)
        .values(subject_id=after, version=File.version + 1, updated_at=ctx.now)
        .execution_options(synchronize_session=False)
    )


async def _refuse_submitted(ctx: Context, draft: Draft) -> None:
    if draft.submission_id is None:
        return
    found = await ctx.session.execute(
        select(col(Submission.number)).where(col(Submission.id) == draft.submission_id)
    )
    raise Conflict(
        f"This was submitted from another window, as SUB-{found.scalar_one()}.", reason=SUBMITTED
    )


#: The kind of mail that reminds of an unfinished draft.
REMINDER = "draft_reminder"


async def became(ctx: Context, draft_id: str, submission_id: str) -> None:
    """A draft was submitted: its words are the submission's now. By statement.

    A reminder of it that still waits is not sent.
    """
    await ctx.session.execute(
        update(Mail)
        .where(
            col(Mail.subject_id) == draft_id,
            col(Mail.kind) == REMINDER,
            col(Mail.status) == MailStatus.QUEUED,
        )
        .values(status=MailStatus.CANCELLED, version=Mail.version + 1, updated_at=ctx.now)
        .execution_options(synchronize_session=False)
    )
    await ctx.session.execute(
        update(Draft)
        .where(col(Draft.id) == draft_id)
        .values(
            submission_id=submission_id,
            typed={},
            title="",
            updated_at=ctx.now,
            version=Draft.version + 1,
        )
        .execution_options(synchronize_session=False)
    )


class DiscardDraft(Input):
    """Which draft: by the key of its page, or a person's own by its id."""

    submit_key: Annotated[str, Meta(max_length=64, description="The page's own.")] = ""
    draft: Annotated[str, Meta(max_length=60, description="A draft of the person's.")] = ""


class Discarded(msgspec.Struct, frozen=True):
    """How many: none when it was gone already."""

    drafts: int


@page_operation(needs=Permission.SUBMISSION_SUBMIT, because="a submitter gives up what they typed")
async def discard_draft(ctx: Context, args: DiscardDraft) -> Discarded:
    """Forget a draft for good. One that was submitted stays: it only says what it became."""
    mine = col(Draft.key_hash) == secret_hash(args.submit_key)
    if args.draft:
        mine = (col(Draft.id) == args.draft) & (
            col(Draft.user_id) == ctx.actor.user_id if ctx.actor.kind is ActorKind.PERSON else mine
        )
    gone = await ctx.session.execute(
        delete(Draft)
        .where(mine, col(Draft.submission_id).is_(None))
        .execution_options(synchronize_session=False)
    )
    return Discarded(int(gone.rowcount))  # type: ignore[attr-defined]  # of a delete
