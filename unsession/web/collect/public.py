"""/{event}/{form}: what everybody meets who wants to submit something."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from babel.dates import format_date, format_interval
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Actor, ActorKind, Permission
from unsession.context import Context
from unsession.domain.forms import MAX_SPEAKERS, Choice, Field, FormStatus, Reason, Role, role_of
from unsession.domain.text import fold_address, initial
from unsession.errors import Refusal, TooMany
from unsession.services.collect import asking, submitting
from unsession.services.collect.asking import FormRow
from unsession.services.collect.submitting import Profile, Receipt
from unsession.web.admin.shell import reading
from unsession.web.collect.typed import (
    ShownSection,
    Typed,
    answers_of,
    faults_from,
    rules_of,
    sections_of,
)
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    actor_of,
    go,
    show,
)
from unsession.web.posted import posted
from unsession.web.rates import FORM_HOUR, FORM_MINUTE, RECEIPTS
from unsession.web.rendering import page
from unsession.web.wire import visit_of

TRAP = "website"  #: a field that people never see and robots like to fill
_KEY = re.compile(r"[A-Za-z0-9_-]{20,64}")


@dataclass(frozen=True, slots=True)
class EventFront:
    """An event as its public pages name it."""

    name: str
    slug: str
    mark: str
    when: str
    venue: str
    zone: str
    contact: str
    released: bool
    form_name: str
    form_slug: str


@page("collect/welcome.html")
@dataclass(frozen=True, slots=True)
class WelcomePage:
    """What the form is about, and until when."""

    front: EventFront
    intro: str
    formats: tuple[Choice, ...]
    until: str


@page("collect/form.html")
@dataclass(frozen=True, slots=True)
class FormPage:
    """The form itself, with everything typed so far."""

    front: EventFront
    state: str
    accepts: bool
    preview: bool
    intro: str
    sections: tuple[ShownSection, ...]
    rules: str
    values: dict[str, str]
    blocks: tuple[int, ...]
    may_add: bool
    focus: str
    profile: Profile | None
    submit_key: str
    trap: str
    faults: tuple[FormFault, ...]


@page("collect/done.html")
@dataclass(frozen=True, slots=True)
class DonePage:
    """It came in: the number, and what happens now."""

    front: EventFront
    receipt: Receipt
    thanks: str
    again: bool
    signed_in: bool


@page("collect/closed.html")
@dataclass(frozen=True, slots=True)
class ClosedPage:
    """The form takes nothing now: when and why, and what still does."""

    front: EventFront
    heading: str
    sentence: str
    others: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody at a form: who, with what to read, and the form as they meet it."""

    actor: Actor
    ctx: Context
    form: FormRow
    fields: tuple[Field, ...]
    profile: Profile | None


def public_form_routes(house: House) -> list[HTTPRouteHandler]:
    """The public form: GET shows, POST submits."""

    @get("/{event:str}/{form:str}")
    async def form_page(
        request: AnyRequest, event: FromPath[str], form: FromPath[str]
    ) -> PageResponse:
        visit = await _visit(house, request, event, form)
        if key := request.query_params.get("receipt"):
            receipt = await submitting.receipt_of(visit.ctx, visit.form, key)
            if receipt is not None:
                return show(_done(visit, receipt, again="again" in request.query_params))
        state = visit.form.opening(visit.ctx.now)
        if not state.accepts and state.reason is not Reason.DRAFT:
            return show(await _closed(visit))
        if visit.form.intro and "start" not in request.query_params:
            return show(_welcome(visit))
        return show(_page(visit, _prefilled(visit.profile)))

    @post("/{event:str}/{form:str}")
    async def submit(
        request: AnyRequest, event: FromPath[str], form: FromPath[str]
    ) -> PageResponse:
        visit = await _visit(house, request, event, form)
        sent = await posted(request)
        typed, do = Typed.of(sent), sent.get("do")
        if do == "add":
            more = typed.with_block()
            return show(_page(visit, more, focus=f"speaker-{more.blocks}-name"))
        if do == "look":
            return show(_page(visit, typed))
        if do.startswith("remove-") and do.removeprefix("remove-").isdecimal():
            return show(_page(visit, typed.without_block(int(do.removeprefix("remove-")))))
        if sent.get(TRAP):
            message = "A field that nobody sees was filled in, as robots do. Send it once more"
            return show(_page(visit, typed, (FormFault("", message),)), 422)
        if refused := _too_many(house, request, visit.actor):
            answer = show(_page(visit, typed, (FormFault("", refused.message),)), 429)
            answer.headers["retry-after"] = str(refused.retry_after)
            return answer
        if not _KEY.fullmatch(_key(typed)):
            message = "This page had become too old. Send it once more"
            return show(_page(visit, typed, (FormFault("", message),)), 409)
        try:
            done = await act(house, request, visit.actor, "submit", _wire(house, visit, typed))
        except Refusal as refusal:
            faults = faults_from(refusal, visit.fields)
            return show(_page(visit, typed, faults), refusal.http_status)
        again = "" if done.result.same else "&again=1"
        return go(f"/{event}/{form}?receipt={_key(typed)}{again}")

    return [form_page, submit]


async def _visit(house: House, request: AnyRequest, event: str, form: str) -> Visit:
    actor = await actor_of(house, request)
    ctx = reading(house, request, actor, Permission.SUBMISSION_SUBMIT)
    row = await asking.public_form(ctx, event, form)
    fields = await asking.fields_asked(ctx, row)
    return Visit(actor, ctx, row, fields, await submitting.profile_of(ctx))


def _too_many(house: House, request: AnyRequest, actor: Actor) -> TooMany | None:
    who = actor.id if actor.kind is ActorKind.PERSON else visit_of(request.scope).address
    for rate, name in ((FORM_MINUTE, "minute"), (FORM_HOUR, "hour")):
        wait = house.limiter.take(f"form:{name}:{who}", rate)
        if wait is not None:
            sentence = (
                "Too much was sent from here within a short time. Send it again in "
                f"{wait} seconds; what you typed is kept on this page"
            )
            return TooMany(sentence, retry_after=wait)
    return None


def _key(typed: Typed) -> str:
    return typed.values.get("submit_key", "")


def _wire(house: House, visit: Visit, typed: Typed) -> dict[str, object]:
    speakers = typed.speakers()
    if visit.profile is None:
        address = typed.values.get("address", "") or speakers[0]["address"]
        receipt = house.limiter.take(f"receipt:{fold_address(address)}", RECEIPTS) is None
    else:
        address, receipt = "", True
    return {
        "event": visit.form.event_slug,
        "form": visit.form.slug,
        "submitKey": _key(typed),
        "title": typed.values.get("title", ""),
        "abstract": typed.values.get("abstract", ""),
        "answers": answers_of(visit.fields, typed),
        "speakers": speakers,
        "address": address,
        "receipt": receipt,
    }


def _prefilled(profile: Profile | None) -> Typed:
    if profile is None:
        return Typed.of_nobody()
    return Typed.of_nobody(
        {
            "speaker-1-name": profile.name,
            "speaker-1-address": profile.address,
            "speaker-1-bio": profile.bio,
            "speaker-1-jobTitle": profile.job_title or "",
            "speaker-1-company": profile.company or "",
        }
    )


def _page(
    visit: Visit, typed: Typed, faults: Sequence[FormFault] = (), focus: str = ""
) -> FormPage:
    state = visit.form.opening(visit.ctx.now)
    speakers = role_of(visit.fields, Role.SPEAKERS)
    most = min((speakers.most if speakers else None) or MAX_SPEAKERS, MAX_SPEAKERS)
    key = _key(typed)
    return FormPage(
        front=front_of(visit.form),
        state=state.sentence,
        accepts=state.accepts,
        preview=state.reason is Reason.DRAFT,
        intro=visit.form.intro,
        sections=sections_of(visit.fields, typed, faults),
        rules=rules_of(visit.fields),
        values=dict(typed.values),
        blocks=tuple(range(1, typed.blocks + 1)),
        may_add=typed.blocks < most,
        focus=focus,
        profile=visit.profile,
        submit_key=key if _KEY.fullmatch(key) else secrets.token_urlsafe(24),
        trap=TRAP,
        faults=tuple(faults),
    )


def _welcome(visit: Visit) -> WelcomePage:
    formats = role_of(visit.fields, Role.FORMAT)
    return WelcomePage(
        front_of(visit.form),
        visit.form.intro,
        formats.options if formats else (),
        visit.form.opening(visit.ctx.now).sentence,
    )


def _done(visit: Visit, receipt: Receipt, *, again: bool) -> DonePage:
    signed_in = visit.actor.kind is ActorKind.PERSON
    return DonePage(front_of(visit.form), receipt, visit.form.thanks, again, signed_in)


async def _closed(visit: Visit) -> ClosedPage:
    state = visit.form.opening(visit.ctx.now)
    heading, sentence = "This form is closed", "It takes no submissions any more."
    if state.reason is Reason.NOT_YET:
        heading, sentence = "This form is not open yet", state.sentence
    elif state.reason is Reason.ENDED:
        heading, sentence = "This form has closed", state.sentence
    others = [
        (row.name, f"/{row.event_slug}/{row.slug}", row.opening(visit.ctx.now).sentence)
        for row in await asking.forms_of(visit.ctx, visit.form.event_id)
        if row.status is FormStatus.OPEN
        and row.id != visit.form.id
        and row.opening(visit.ctx.now).accepts
    ]
    return ClosedPage(front_of(visit.form), heading, sentence, tuple(others))


def front_of(form: FormRow) -> EventFront:
    """The frame of an event's public page around one of its forms."""
    if form.starts_on == form.ends_on:
        when = format_date(form.starts_on, "d MMMM y", locale="en_GB")
    else:
        when = format_interval(form.starts_on, form.ends_on, "yMMMMd", locale="en_GB")
    return EventFront(
        name=form.event_name,
        slug=form.event_slug,
        mark=initial(form.event_name),
        when=when,
        venue=form.venue or "",
        zone=form.zone,
        contact=form.contact_address or "",
        released=form.release_id is not None,
        form_name=form.name,
        form_slug=form.slug,
    )
