"""A speaker's profile: what may stand in it, how it changes, and all that belongs to it."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import and_, bindparam, select
from sqlmodel import col

from unsession.catalogue import OUTSIDERS
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.sessions import SessionStatus
from unsession.domain.tasks import today
from unsession.domain.text import fold, slugify, typed_line, typed_text
from unsession.errors import Invalid, Problem
from unsession.models import Event, Session, SessionSpeaker, Speaker
from unsession.services.lifecycle import free_slug
from unsession.services.onboarding import files, task_rows
from unsession.services.onboarding.files import FileShown
from unsession.services.onboarding.task_rows import TaskFull

MAX_LINKS = 20
_KEY = re.compile(r"[a-z0-9_-]{1,30}")
_LINK = re.compile(r"https?://[^\s<>\"]{1,500}")

Name = Annotated[
    str,
    Meta(min_length=1, max_length=200, pattern=r"\S", description="Name as the public sees it."),
]
Bio = Annotated[str, Meta(max_length=5000, description="Biography, plain text.")]
JobTitle = Annotated[str, Meta(max_length=200, description="What they do.")]
Company = Annotated[str, Meta(max_length=200, description="Where they do it.")]
Pronouns = Annotated[str, Meta(max_length=60, description="Such as she/her.")]
Links = Annotated[
    dict[str, str],
    Meta(
        max_length=MAX_LINKS,
        description="Addresses (http or https) by key, such as website or mastodon; merged into "
        "what is there. Empty text removes one.",
    ),
]
TravelNotes = Annotated[
    str, Meta(max_length=5000, description="Arrival, hotel and such; organisers only.")
]


class SessionOf(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A session of a speaker and their answer. Neither instant: not answered yet."""

    id: str
    code: str
    title: Annotated[str, Meta(description=OUTSIDERS)]
    status: SessionStatus
    confirmed_at: dt.datetime | UnsetType = UNSET
    declined_at: dt.datetime | UnsetType = UNSET
    decline_reason: str | UnsetType = UNSET


class SpeakerFull(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A speaker with everything that belongs to them."""

    id: str
    code: str
    number: int
    name: Annotated[str, Meta(description=OUTSIDERS)]
    slug: str
    sessions: Sequence[SessionOf]
    tasks: Sequence[TaskFull]
    files: Sequence[FileShown]
    has_account: Annotated[bool, Meta(description="Signed in with their address once.")]
    version: int
    address: str | UnsetType = UNSET
    bio: Annotated[str, Meta(description=OUTSIDERS)] | UnsetType = UNSET
    job_title: str | UnsetType = UNSET
    company: str | UnsetType = UNSET
    pronouns: str | UnsetType = UNSET
    links: dict[str, str] | UnsetType = UNSET
    travel_notes: str | UnsetType = UNSET


class _Profile(msgspec.Struct, frozen=True):
    id: str
    code: str
    number: int
    name: str
    slug: str
    user_id: str | None
    address: str | None
    bio: str
    job_title: str | None
    company: str | None
    pronouns: str | None
    links: dict[str, str]
    travel_notes: str | None
    version: int
    event_id: str
    zone: str


class _Session(msgspec.Struct, frozen=True):
    id: str
    code: str
    title: str
    status: SessionStatus
    confirmed_at: dt.datetime | None
    declined_at: dt.datetime | None
    decline_reason: str | None


_PROFILE = Prepared(
    select(
        col(Speaker.id),
        col(Speaker.code),
        col(Speaker.number),
        col(Speaker.name),
        col(Speaker.slug),
        col(Speaker.user_id),
        col(Speaker.address),
        col(Speaker.bio),
        col(Speaker.job_title),
        col(Speaker.company),
        col(Speaker.pronouns),
        col(Speaker.links),
        col(Speaker.travel_notes),
        col(Speaker.version),
        col(Speaker.event_id),
        col(Event.zone),
    )
    .join(Event, col(Event.id) == col(Speaker.event_id))
    .where(col(Speaker.id) == bindparam("speaker")),
    _Profile,
)
_SESSIONS = Prepared(
    select(
        col(Session.id),
        col(Session.code),
        col(Session.title),
        col(Session.status),
        col(SessionSpeaker.confirmed_at),
        col(SessionSpeaker.declined_at),
        col(SessionSpeaker.decline_reason),
    )
    .join(
        SessionSpeaker,
        and_(
            col(SessionSpeaker.session_id) == col(Session.id),
            col(SessionSpeaker.speaker_id) == bindparam("speaker"),
        ),
    )
    .where(col(Session.cancelled_at).is_(None))
    .order_by(col(Session.title_folded), col(Session.id)),
    _Session,
)
#: More than any one speaker owes.
_ALL = 500


async def whole(ctx: Context, speaker_id: str) -> SpeakerFull:
    """A speaker that was found already, in full."""
    here = {"speaker": speaker_id}
    (row,), sessions, sent = await ctx.together(
        (_PROFILE, here), (_SESSIONS, here), (files.OF_SPEAKER, here)
    )
    tasks = await ctx.all(
        task_rows.PAGE[task_rows.Shape(frozenset({"speaker"}))],
        event=row.event_id,
        limit=_ALL,
        **here,
    )
    on = today(row.zone, ctx.now)
    return SpeakerFull(
        id=row.id,
        code=row.code,
        number=row.number,
        name=row.name,
        slug=row.slug,
        sessions=[_session(one) for one in sessions],
        tasks=[task_rows.full_of(task, on) for task in tasks],
        files=[files.shown(one) for one in sent],
        has_account=row.user_id is not None,
        version=row.version,
        address=row.address or UNSET,
        bio=row.bio or UNSET,
        job_title=row.job_title or UNSET,
        company=row.company or UNSET,
        pronouns=row.pronouns or UNSET,
        links=row.links or UNSET,
        travel_notes=row.travel_notes or UNSET,
    )


def _session(row: _Session) -> SessionOf:
    return SessionOf(
        row.id,
        row.code,
        row.title,
        row.status,
        row.confirmed_at or UNSET,
        row.declined_at or UNSET,
        row.decline_reason or UNSET,
    )


@dataclass(frozen=True, slots=True)
class Changes:
    """What changes in a profile; what is unset stays, None clears."""

    name: str | UnsetType = UNSET
    bio: str | None | UnsetType = UNSET
    job_title: str | None | UnsetType = UNSET
    company: str | None | UnsetType = UNSET
    pronouns: str | None | UnsetType = UNSET
    links: dict[str, str] | None | UnsetType = UNSET
    travel_notes: str | None | UnsetType = UNSET


async def change(ctx: Context, speaker: Speaker, changes: Changes) -> None:
    """Bring a profile to what was typed. Refuses with Invalid.

    With another name goes another address: nobody is to be found under a name they left.
    """
    if changes.name is not UNSET:
        name = typed_line(changes.name)
        if not fold(name):
            raise Invalid.at("/name", "must not be blank")
        if slugify(name, "") != slugify(speaker.name, ""):
            speaker.slug = await free_slug(ctx, speaker.event_id, name, speaker.number)
        speaker.name, speaker.name_folded = name, fold(name)
    if changes.bio is not UNSET:
        speaker.bio = typed_text(changes.bio or "")
    if changes.job_title is not UNSET:
        speaker.job_title = typed_line(changes.job_title or "") or None
    if changes.company is not UNSET:
        speaker.company = typed_line(changes.company or "") or None
    if changes.pronouns is not UNSET:
        speaker.pronouns = typed_line(changes.pronouns or "") or None
    if changes.travel_notes is not UNSET:
        speaker.travel_notes = typed_text(changes.travel_notes or "") or None
    if changes.links is not UNSET:
        speaker.links = _merged(speaker.links, changes.links or {}, afresh=changes.links is None)


def _merged(there: dict[str, str], given: dict[str, str], *, afresh: bool) -> dict[str, str]:
    """Links with what was given put in by key; an empty one goes."""
    problems = []
    for key, address in given.items():
        if not _KEY.fullmatch(key):
            problems.append(Problem(f"/links/{key[:40]}", "a key is 1 to 30 of a–z, 0–9, - and _"))
        elif address.strip() and not _LINK.fullmatch(address.strip()):
            problems.append(Problem(f"/links/{key}", "must be an address with http:// or https://"))
    if problems:
        raise Invalid(problems)
    merged = {} if afresh else dict(there)
    merged |= {key: address.strip() for key, address in given.items()}
    merged = {key: address for key, address in merged.items() if address}
    if len(merged) > MAX_LINKS:
        raise Invalid.at("/links", f"takes at most {MAX_LINKS}")
    return merged
