"""The mail log's pages: a list with filters, and one message as its recipient gets it, no link."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import Request, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.catalogue import Page, parse
from unsession.domain.mail import MailStatus
from unsession.errors import NotFound
from unsession.services.mail_log import (
    Email,
    EmailRow,
    GetEmail,
    ListEmailLog,
    get_email,
    list_email_log,
)
from unsession.web.admin.shell import Shell, desk
from unsession.web.house import House
from unsession.web.pages import PageResponse, show
from unsession.web.rendering import page

#: A status as a page says it, and the look of its dot.
WORDS: dict[MailStatus, tuple[str, str]] = {
    MailStatus.HELD: ("waits for you", "waiting"),
    MailStatus.QUEUED: ("to be sent", "pending"),
    MailStatus.SENDING: ("being sent", "in_review"),
    MailStatus.SENT: ("sent", "done"),
    MailStatus.FAILED: ("failed", "overdue"),
    MailStatus.KEPT: ("kept, not sent", "waiting"),
    MailStatus.CANCELLED: ("cancelled", "withdrawn"),
}


@dataclass(frozen=True, slots=True)
class Filter:
    """A chip that narrows the list."""

    label: str
    href: str
    current: bool


@page("admin/mail/list.html")
@dataclass(frozen=True, slots=True)
class MailPage:
    """An event's mail, the newest first."""

    shell: Shell
    base: str
    rows: Sequence[EmailRow]
    words: dict[MailStatus, tuple[str, str]]
    total: int
    filters: tuple[Filter, ...]
    q: str
    status: str
    more: str  #: address of the next page, empty on the last
    sends_mail: bool


@page("admin/mail/one.html")
@dataclass(frozen=True, slots=True)
class OneMailPage:
    """One message."""

    shell: Shell
    base: str
    mail: Email
    word: str
    look: str


def mail_routes(house: House) -> list[HTTPRouteHandler]:
    """/app/{event}/mail and one message below it."""

    @get("/app/{slug:str}/mail")
    async def mail_log(request: Request[Any, Any, Any], slug: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "mail", Permission.MAIL_READ)
        asked = {
            name: value
            for name in ("status", "q", "cursor")
            if (value := (request.query_params.get(name) or "").strip())
        }
        wire = {"event": at.event.id, **asked}
        listed = await list_email_log(at.ctx, parse(ListEmailLog, wire))
        base = f"/app/{at.event.slug}/mail"
        return show(
            MailPage(
                at.shell,
                base,
                listed.items,
                WORDS,
                listed.total,
                _filters(base, asked.get("status", ""), asked.get("q", "")),
                asked.get("q", ""),
                asked.get("status", ""),
                _next(base, asked, listed),
                bool(house.settings.smtp_url),
            )
        )

    @get("/app/{slug:str}/mail/{mail:str}")
    async def one_mail(
        request: Request[Any, Any, Any], slug: FromPath[str], mail: FromPath[str]
    ) -> PageResponse:
        at = await desk(house, request, slug, "mail", Permission.MAIL_READ)
        found = await get_email(at.ctx, parse(GetEmail, {"email": mail}))
        if found.event != at.event.slug:
            raise NotFound("mail", mail)
        word, look = WORDS[found.status]
        return show(OneMailPage(at.shell, f"/app/{at.event.slug}/mail", found, word, look))

    return [mail_log, one_mail]


def _filters(base: str, status: str, q: str) -> tuple[Filter, ...]:
    kept = {"q": q} if q else {}
    chips = [Filter("All", _address(base, kept), not status)]
    for one, (word, _) in WORDS.items():
        address = _address(base, {"status": one.value, **kept})
        chips.append(Filter(word.capitalize(), address, status == one.value))
    return tuple(chips)


def _next(base: str, asked: dict[str, str], listed: Page[EmailRow]) -> str:
    if not listed.next_cursor:
        return ""
    return _address(base, {**asked, "cursor": str(listed.next_cursor)})


def _address(base: str, query: dict[str, str]) -> str:
    return f"{base}?{urlencode(query)}" if query else base
