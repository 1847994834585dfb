"""Public pages as bytes: made at the first request after a release, kept until the next change.

What is kept of an event holds for one state of the database. Any commit by anybody, in this
process or another, makes the next request look again which release is current and what is hidden;
only when that differs are the pages made anew. So a publish and a cancellation show at once.
"""

import datetime as dt
import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from unsession.db.types import utc_now
from unsession.domain.theme import theme_css
from unsession.services.agenda.document import Agenda, canonical
from unsession.services.agenda.reading import Standing, public_agenda, standing
from unsession.web.house import House
from unsession.web.public import contexts
from unsession.web.public.ics import agenda_ics
from unsession.web.rendering import policy_of, render

_MOST_EVENTS = 200
_MOST_PAGES = 2_000  # of one event, kept at a time
_SMALL = 500  # bytes that are not worth compressing

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Blob:
    """A page ready to send, as it is and compressed."""

    etag: bytes
    plain: bytes
    plain_headers: Headers
    zipped: bytes
    zipped_headers: Headers
    unchanged_headers: Headers


@dataclass(slots=True)
class _Known:
    """What is kept of one event, and the state of the database it was true for."""

    stands: Standing
    seen: int | None
    agenda: Agenda | None = None
    blobs: dict[str, Blob] = field(default_factory=dict)

    def holds(self, seen: int | None, now: dt.datetime) -> bool:
        """Whether nothing can have changed since."""
        until = self.stands.until
        return seen is not None and seen == self.seen and (until is None or now <= until)


class Released:
    """The public pages of every event of this process."""

    def __init__(self, house: House) -> None:
        self._house = house

    @property
    def _events(self) -> dict[str, _Known]:
        return self._house.released

    async def blob(self, slug: str, path: str) -> Blob | None:
        """The page at a path below an event, or None: not there, and nothing says which."""
        known = await self._known(slug)
        if known is None:
            return None
        blob = known.blobs.get(path)
        if blob is None:
            blob = self._make(known, path)
            if blob is not None:
                if len(known.blobs) >= _MOST_PAGES:
                    known.blobs.clear()
                known.blobs[path] = blob
        return blob

    async def theme(self, slug: str) -> Blob:
        """The event's stylesheet; the house's own colours for an event that is not there."""
        known = await self._known(slug)
        css = theme_css(known.stands.accent) if known else ""
        return blob_of(css.encode(), "text/css; charset=utf-8")

    async def _known(self, slug: str) -> _Known | None:
        known = self._events.get(slug)
        seen = self._house.db.changed()  # before the look: what comes later is looked at later
        if known is not None and known.holds(seen, utc_now()):
            return known
        stands = await standing(self._house.db, slug)
        if stands is None:
            self._events.pop(slug, None)
            return None
        if known is not None and known.stands == stands:
            known.seen = seen
            return known
        agenda = await public_agenda(self._house.db, stands)
        if len(self._events) >= _MOST_EVENTS:
            self._events.clear()
        fresh = self._events[slug] = _Known(stands, seen, agenda)
        return fresh

    def _make(self, known: _Known, path: str) -> Blob | None:
        stands, agenda = known.stands, known.agenda
        if path == "":
            return html(contexts.event_page(stands, agenda)) if stands.is_public else None
        if agenda is None:
            return None
        make = self._makers().get(path)
        if make is not None:
            return make(stands, agenda)
        kind, _, name = path.partition("/")
        if kind == "sessions":
            session = contexts.session_page(stands, agenda, name)
            return html(session) if session else None
        speaker = contexts.speaker_page(stands, agenda, name)
        return html(speaker) if speaker else None

    def _makers(self) -> dict[str, Callable[[Standing, Agenda], Blob]]:
        public_url = self._house.settings.public_url
        return {
            "agenda": lambda stands, agenda: html(contexts.agenda_page(stands, agenda, public_url)),
            "agenda.json": lambda _, agenda: blob_of(
                canonical(agenda), "application/json", open_to_all=True
            ),
            "agenda.ics": lambda _, agenda: blob_of(
                agenda_ics(agenda, public_url), "text/calendar; charset=utf-8", open_to_all=True
            ),
            "speakers": lambda stands, agenda: html(contexts.speakers_page(stands, agenda)),
        }


def html(context: object) -> Blob:
    """A page of a context."""
    extra = [(b"content-security-policy", policy_of(context).encode())]
    return blob_of(render(context).encode(), "text/html; charset=utf-8", extra)


def blob_of(
    body: bytes, media_type: str, extra: Headers | None = None, *, open_to_all: bool = False
) -> Blob:
    """Bytes with every header they will need. The tag is weak: it stands for both encodings."""
    etag = f'W/"{hashlib.sha256(body).hexdigest()[:24]}"'.encode()
    shared: Headers = [
        (b"etag", etag),
        (b"cache-control", b"public, no-cache"),  # kept, and asked about each time
        (b"vary", b"accept-encoding"),
        *(extra or []),
    ]
    if open_to_all:
        shared.append((b"access-control-allow-origin", b"*"))
    typed: Headers = [*shared, (b"content-type", media_type.encode())]
    zipped = gzip.compress(body, 6, mtime=0) if len(body) > _SMALL else b""
    return Blob(
        etag=etag,
        plain=body,
        plain_headers=[*typed, (b"content-length", str(len(body)).encode())],
        zipped=zipped,
        zipped_headers=[
            *typed,
            (b"content-encoding", b"gzip"),
            (b"content-length", str(len(zipped)).encode()),
        ],
        unchanged_headers=shared,
    )
