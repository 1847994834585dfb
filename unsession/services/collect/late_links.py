"""Late links as organisers keep them: made, their secret shown once; listed; revoked."""

import datetime as dt
import secrets
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, Page, PageRequest, delete, get, operation, post
from unsession.catalogue.paging import question, read_cursor, write_cursor
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.forms import LateLink
from unsession.domain.moments import moment
from unsession.domain.text import typed_line
from unsession.errors import Conflict, Invalid, NotFound
from unsession.models import FormLateLink
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.principals import secret_hash
from unsession.services.refs import EventRef, FormRef

#: Of one form at a time; more of them is no exception to a deadline but another deadline.
_MOST_LIVE = 100


class CreateLateLink(Input):
    """For whom, how often and how long."""

    event: EventRef
    form: FormRef
    note: Annotated[
        str, Meta(max_length=200, description="Who it is for. Only organisers read it.")
    ] = ""
    max_uses: (
        Annotated[int, Meta(ge=1, le=1000, description="Submissions it lets in. Default: any.")]
        | UnsetType
    ) = UNSET
    expires_at: (
        Annotated[
            str,
            Meta(
                max_length=40,
                description="Its last moment: RFC 3339, or wall time of the event (2027-03-02 is "
                "the whole day). Default: none.",
            ),
        ]
        | UnsetType
    ) = UNSET


class LateLinkLine(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A late link. ``works`` says whether it lets anybody in now; ``why`` not, if not."""

    id: str
    note: str
    uses: Annotated[int, Meta(description="Submissions that came in by it.")]
    works: bool
    created_at: dt.datetime
    why: str = ""
    max_uses: int | UnsetType = UNSET
    expires_at: dt.datetime | UnsetType = UNSET


class NewLateLink(LateLinkLine, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A late link just made. ``secret`` is the whole address, shown this once."""

    secret: str = ""


class _LateRow(msgspec.Struct, frozen=True):
    id: str
    note: str
    uses: int
    max_uses: int | None
    expires_at: dt.datetime | None
    revoked_at: dt.datetime | None
    created_at: dt.datetime


_LINKS = Prepared(
    select(
        col(FormLateLink.id),
        col(FormLateLink.note),
        col(FormLateLink.uses),
        col(FormLateLink.max_uses),
        col(FormLateLink.expires_at),
        col(FormLateLink.revoked_at),
        col(FormLateLink.created_at),
    )
    .where(col(FormLateLink.form_id) == bindparam("form"))
    .order_by(col(FormLateLink.created_at).desc(), col(FormLateLink.id).desc()),
    _LateRow,
)


@operation(
    title="Make a late link",
    rest=post("/events/{event}/forms/{form}/late-links"),
    needs=Permission.EVENT_SET_UP,
    destructive=False,
)
async def create_late_link(ctx: Context, args: CreateLateLink) -> NewLateLink:
    """Make a link that lets whoever holds it submit while the form is closed or not open yet.

    ``secret`` is the whole address; it is shown once and cannot be read again. It opens no draft
    form, and works until it is revoked, runs out or was used ``maxUses`` times.

    Refuses with: not_found, forbidden, ambiguous, invalid, conflict (too many that work).
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    form = await asking.form_by_id(ctx, named.id)
    expires = _moment(args.expires_at or None, event.zone)
    if expires is not None and expires <= ctx.now:
        raise Invalid.at("/expiresAt", "must lie in the future", got=args.expires_at or None)
    rows = await ctx.all(_LINKS, form=form.id)
    if sum(not _rule(row).fault(ctx.now, event.zone) for row in rows) >= _MOST_LIVE:
        raise Conflict(
            f"{_MOST_LIVE} late links of this form work already. Revoke some, or move the deadline."
        )
    secret = secrets.token_urlsafe(32)
    link = FormLateLink(
        form_id=form.id,
        secret_hash=secret_hash(secret),
        note=typed_line(args.note),
        max_uses=args.max_uses or None,
        expires_at=expires,
    )
    ctx.session.add(link)
    await ctx.session.flush()
    ctx.writing.about(
        link,
        f"Late link {link.label()} made for form “{form.name}”",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    line = _line(ctx, _row_of(link), event.zone)
    return NewLateLink(
        **msgspec.structs.asdict(line),
        secret=f"{ctx.settings.public_url}/{form.event_slug}/{form.slug}?late={secret}",
    )


class ListLateLinks(PageRequest):
    """Of which form."""

    event: EventRef
    form: FormRef


@operation(
    title="List the late links of a form",
    rest=get("/events/{event}/forms/{form}/late-links"),
    needs=Permission.SUBMISSION_READ,
)
async def list_late_links(ctx: Context, args: ListLateLinks) -> Page[LateLinkLine]:
    """List the late links of a form, newest first: for whom, how often used, whether they work.

    Never their secrets.
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    rows = await ctx.all(_LINKS, form=named.id)
    asked = question(args, named.id)
    start = 0
    if args.cursor is not UNSET:
        (start,) = read_cursor(ctx.settings.secret_key, asked, args.cursor)
    end = start + args.limit
    return Page(
        [_line(ctx, row, event.zone) for row in rows[start:end]],
        len(rows),
        write_cursor(ctx.settings.secret_key, asked, [end]) if len(rows) > end else UNSET,
    )


class RevokeLateLink(Input):
    """Which link."""

    event: EventRef
    form: FormRef
    link: Annotated[str, Meta(min_length=1, max_length=60, description="Late link: id.")]


@operation(
    title="Revoke a late link",
    rest=delete("/events/{event}/forms/{form}/late-links/{link}"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    idempotent=True,
)
async def revoke_late_link(ctx: Context, args: RevokeLateLink) -> LateLinkLine:
    """End a late link at once. What came in by it stays; drafts begun by it cannot be submitted.

    Refuses with: not_found, forbidden, ambiguous.
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    link = await ctx.session.get(FormLateLink, args.link, with_for_update=True)
    if link is None or link.form_id != named.id:
        raise NotFound("late link", args.link, next_call="list_late_links")
    ctx.writing.about(
        link,
        f"Late link {link.label()} revoked",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    if link.revoked_at is None:
        link.revoked_at = ctx.now
    await ctx.session.flush()
    return _line(ctx, _row_of(link), event.zone)


def _moment(text: str | None, zone: str) -> dt.datetime | None:
    if not text:
        return None
    try:
        return moment(text, zone, ends=True)
    except (ValueError, OverflowError):
        raise Invalid.at(
            "/expiresAt",
            "must be a day or a time, such as 2027-03-02 or 2027-03-02T18:00",
            got=text,
        ) from None


def _row_of(link: FormLateLink) -> _LateRow:
    return _LateRow(
        link.id,
        link.note,
        link.uses,
        link.max_uses,
        link.expires_at,
        link.revoked_at,
        link.created_at,
    )


def _rule(row: _LateRow) -> LateLink:
    return LateLink(row.uses, row.max_uses, row.expires_at, row.revoked_at)


def _line(ctx: Context, row: _LateRow, zone: str) -> LateLinkLine:
    fault = _rule(row).fault(ctx.now, zone)
    return LateLinkLine(
        id=row.id,
        note=row.note,
        uses=row.uses,
        works=not fault,
        created_at=row.created_at,
        why=fault,
        max_uses=row.max_uses or UNSET,
        expires_at=row.expires_at or UNSET,
    )
