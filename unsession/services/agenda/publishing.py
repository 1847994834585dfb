"""Publishing: a numbered, immutable release, and one notice to each speaker it concerns."""

import datetime as dt
import hashlib
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, post
from unsession.context import Context
from unsession.domain.calendar import zone_words
from unsession.domain.releases import Difference, difference, notice_text
from unsession.ids import new_id
from unsession.models import Event, Mail, Release, ReleaseHidden, Session, SessionSpeaker, Speaker
from unsession.services import find
from unsession.services.agenda.document import (
    AgendaRelease,
    Contents,
    canonical,
    items,
    read,
    released,
)
from unsession.services.agenda.drafting import Draft, draft
from unsession.services.refs import EventRef

_SHOWN = 3  # clashes named in the warning


class PublishAgenda(Input):
    """What is published."""

    event: EventRef
    changelog: Annotated[
        str, Meta(max_length=5000, description="What changed, for the public; plain text.")
    ] = ""
    send_email: Annotated[
        bool,
        Meta(
            description="false: tell nobody. Default true: each speaker of a new or moved session "
            "gets one mail."
        ),
    ] = True


class Changes(msgspec.Struct, frozen=True, rename="camel"):
    """How many sessions differ from the release before."""

    new: int
    moved: int
    gone: int
    reworded: int


class Published(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A release. ``mails`` lists who is told."""

    event: str
    number: int
    published_at: dt.datetime
    sessions: int
    left_out: Annotated[int, Meta(description="Placed sessions that are pending.")]
    changes: Changes
    mails: Sequence[str]
    release: str | UnsetType = UNSET


@operation(
    title="Publish the agenda",
    rest=post("/events/{event}/agenda/release"),
    needs=Permission.AGENDA_PUBLISH,
    mails="one notice to each speaker of a session that is new or moved since the last release, "
    "unless sendEmail is false",
    undo=True,
    destructive=False,
)
async def publish_agenda(ctx: Context, args: PublishAgenda) -> Published:
    """Publish the working schedule as the next numbered release, which never changes again.

    It holds every placed, confirmed and public session; pending ones are left out and a warning
    says how many. Clashes are warned of, not refused. Public pages, agenda.json and agenda.ics
    show it at once. When nothing differs from the current release there is no new one.

    Refuses with: not_found, forbidden, ambiguous.
    """
    place = await find.event(ctx, args.event)
    found = await ctx.session.execute(
        select(Event).where(col(Event.id) == place.id).with_for_update()
    )
    event = found.scalar_one()
    next_release = await draft(ctx, event.id)
    _warn(ctx, next_release)
    digest = digest_of(next_release.contents)
    current = await _current(ctx, event)
    hidden = await _hidden(ctx, event)
    if current is not None and current.digest == digest and not hidden:
        ctx.writing.about(
            current,
            f"Release {current.number} stays",
            workspace_id=event.workspace_id,
            event_id=event.id,
        )
        ctx.writing.warn(
            "already_published", f"Nothing differs from release {current.number}; it stays."
        )
        return _published(event, current, next_release, Difference(), [])
    changes = difference(
        items(read(current.snapshot)) if current else {}, items(next_release.contents)
    )
    release = await _release(ctx, event, next_release.contents, digest, args.changelog.strip())
    ctx.writing.about(
        release,
        f"Release {release.number}: {changes.sentence}",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    for row in hidden:
        await ctx.session.delete(row)
    event.current_release_id = release.id
    mails = await _notices(ctx, event, changes) if args.send_email else []
    ctx.session.add_all(mails)
    await ctx.session.flush()
    told = [f"{mail.to_name} <{mail.to_address}>" for mail in mails]
    return _published(event, release, next_release, changes, told)


def digest_of(contents: Contents) -> str:
    """What two releases with the same contents share."""
    return hashlib.sha256(canonical(contents)).hexdigest()


def _warn(ctx: Context, next_release: Draft) -> None:
    pending, clashing = len(next_release.pending), len(next_release.clashes)
    if pending:
        verb = "session is" if pending == 1 else "sessions are"
        ctx.writing.warn("pending", f"{pending} placed {verb} pending and left out.")
    if clashing:
        named = " ".join(clash.text for clash in next_release.clashes[:_SHOWN])
        more = f" And {clashing - _SHOWN} more." if clashing > _SHOWN else ""
        verb = "clash stands" if clashing == 1 else "clashes stand"
        ctx.writing.warn("clashes", f"{clashing} {verb} on the schedule. {named}{more}")
    if not next_release.contents.sessions:
        ctx.writing.warn("empty", "No session is placed and confirmed: the agenda is empty.")


async def _current(ctx: Context, event: Event) -> Release | None:
    if event.current_release_id is None:
        return None
    return await ctx.session.get(Release, event.current_release_id)


async def _hidden(ctx: Context, event: Event) -> list[ReleaseHidden]:
    found = await ctx.session.execute(
        select(ReleaseHidden).where(col(ReleaseHidden.event_id) == event.id)
    )
    return list(found.scalars())


async def _release(
    ctx: Context, event: Event, contents: Contents, digest: str, changelog: str
) -> Release:
    number = await ctx.next_number(event.id, "release")
    about = AgendaRelease(number=number, published_at=ctx.now, changelog=changelog or UNSET)
    release = Release(
        event_id=event.id,
        number=number,
        changelog=changelog,
        snapshot=canonical(released(contents, about)).decode(),
        digest=digest,
        published_at=ctx.now,
        published_by=ctx.actor.name,
    )
    ctx.session.add(release)
    await ctx.session.flush()
    return release


async def _notices(ctx: Context, event: Event, changes: Difference) -> list[Mail]:
    """One mail per speaker with an address, whatever number of their sessions is new or moved."""
    concerned = [item.session_id for item in changes.new]
    concerned += [move.now.session_id for move in changes.moved]
    found = await ctx.session.execute(
        select(col(SessionSpeaker.session_id), Speaker)
        .join(Speaker, col(Speaker.id) == col(SessionSpeaker.speaker_id))
        .join(Session, col(Session.id) == col(SessionSpeaker.session_id))
        .where(
            col(Session.event_id) == event.id,
            col(SessionSpeaker.declined_at).is_(None),
            col(Speaker.address).is_not(None),
        )
        .order_by(col(Speaker.name_folded), col(Speaker.id))
    )
    sessions: dict[str, set[str]] = {}
    people: dict[str, Speaker] = {}
    wanted = frozenset(concerned)
    for session_id, speaker in found.all():
        if session_id in wanted:
            people[speaker.id] = speaker
            sessions.setdefault(speaker.id, set()).add(session_id)
    return [
        _notice(ctx, event, speaker, sessions[speaker.id], changes) for speaker in people.values()
    ]


def _notice(
    ctx: Context, event: Event, speaker: Speaker, mine: set[str], changes: Difference
) -> Mail:
    words = zone_words(event.zone, ctx.now)
    public_url = ctx.settings.public_url
    text = notice_text(
        name=speaker.name,
        event=event.name,
        new=[item for item in changes.new if item.session_id in mine],
        moved=[move for move in changes.moved if move.now.session_id in mine],
        zone=words.place,
        url=f"{public_url}/{event.slug}/agenda",
    )
    host = urlsplit(public_url).hostname or "localhost"
    mail_id = new_id("mai")
    return Mail(
        id=mail_id,
        workspace_id=event.workspace_id,
        event_id=event.id,
        kind="agenda:notice",
        subject_id=event.id,
        to_address=speaker.address or "",
        to_name=speaker.name,
        to_user_id=speaker.user_id,
        subject=text.subject,
        body=text.body,
        cause_key=f"agenda:{event.id}:{speaker.address_folded}:{ctx.writing.activity_id}",
        message_id=f"<{mail_id}@{host}>",
    )


def _published(
    event: Event,
    release: Release,
    next_release: Draft,
    changes: Difference,
    told: Sequence[str],
) -> Published:
    return Published(
        event=event.id,
        release=release.id,
        number=release.number,
        published_at=release.published_at,
        sessions=len(next_release.contents.sessions),
        left_out=len(next_release.pending),
        changes=Changes(
            len(changes.new), len(changes.moved), len(changes.gone), len(changes.reworded)
        ),
        mails=told,
    )
