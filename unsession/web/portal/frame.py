"""The frame of the portal's pages, and who stands before it."""

from dataclasses import dataclass

from babel.dates import format_date, format_interval

from unsession.access import Actor, Permission
from unsession.context import Context
from unsession.domain.text import initial
from unsession.services import overview
from unsession.services.agenda.reading import Standing
from unsession.services.onboarding.portal import Portal, PortalEvent, portal_event, portal_of
from unsession.web.admin.shell import reading
from unsession.web.house import House
from unsession.web.pages import AnyRequest, act, person_of

_LOCALE = "en_GB"


@dataclass(frozen=True, slots=True)
class PortalHead:
    """What the frame says. ``said`` is what was just done."""

    name: str
    slug: str
    when: str
    venue: str
    contact: str
    released: bool
    zone: str
    said: str = ""

    @property
    def initial(self) -> str:
        """What the mark shows."""
        return initial(self.name)


@dataclass(frozen=True, slots=True)
class Own:
    """A person at their portal: who, a context to read with, and everything of theirs."""

    actor: Actor
    ctx: Context
    portal: Portal
    head: PortalHead


async def own(house: House, request: AnyRequest, slug: str) -> Own:
    """Everything of whoever is signed in, in one event.

    A place that has one of their verified addresses becomes theirs by this. Raises SignInNeeded;
    refuses with NotFound when nothing here is theirs, as if there were no such event.
    """
    actor = await person_of(house, request)
    ctx = reading(house, request, actor, Permission.OWN_WRITE)
    event = await portal_event(ctx, slug)
    if event.claimable:
        await act(house, request, actor, "claim_speaker", {"event": event.id})
    done = request.query_params.get("done")
    entry = await overview.just_done(ctx, done) if done else None
    return Own(actor, ctx, await portal_of(ctx, slug), _head(event, entry[1] if entry else ""))


def head_of_stranger(stands: Standing) -> PortalHead:
    """The frame before somebody to whom the event shows what it shows everybody."""
    return PortalHead(
        stands.name,
        stands.slug,
        _when(stands),
        stands.venue,
        stands.contact,
        stands.release_id is not None,
        stands.zone,
    )


def _head(event: PortalEvent, said: str) -> PortalHead:
    return PortalHead(
        event.name,
        event.slug,
        _when(event),
        event.venue or "",
        event.contact or "",
        event.released,
        event.zone,
        said,
    )


def _when(event: PortalEvent | Standing) -> str:
    if event.starts_on == event.ends_on:
        return format_date(event.starts_on, "d MMMM y", locale=_LOCALE)
    return format_interval(event.starts_on, event.ends_on, "yMMMMd", locale=_LOCALE)
