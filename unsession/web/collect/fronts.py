"""What the public pages of a form hold: form, thanks, and the closed one."""

import datetime as dt
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from babel.dates import format_date, format_interval

from unsession.access import Actor, ActorKind
from unsession.context import Context
from unsession.domain.forms import (
    MAX_SPEAKERS,
    Field,
    FieldType,
    FormStatus,
    Opening,
    Reason,
    Role,
    role_of,
)
from unsession.domain.text import initial
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.collect.form_files import files_of_page
from unsession.services.collect.submitting import Profile, Receipt
from unsession.web.collect import drafting
from unsession.web.collect.drafting import TRAP, DraftNote, Mine, OtherDraft
from unsession.web.collect.typed import (
    ShownSection,
    Typed,
    rules_of,
    sections_of,
)
from unsession.web.pages import (
    FormFault,
)
from unsession.web.rendering import page
from unsession.web.words import moment


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


@page("collect/form.html")
@dataclass(frozen=True, slots=True)
class FormPage:
    """The form itself, with everything typed so far."""

    front: EventFront
    state: str
    accepts: bool
    late: str
    by_link: bool
    per_person: int
    welcomes: bool  #: there is an introduction to go back to
    preview: bool
    intro: str
    sections: tuple[ShownSection, ...]
    rules: str
    uploads: bool  #: whether it asks for files
    values: dict[str, str]
    blocks: tuple[int, ...]
    may_add: bool
    focus: str
    profile: Profile | None
    submit_key: str
    trap: str
    draft: DraftNote
    others: tuple[OtherDraft, ...]
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
    link: str  #: why a late link did not open it; empty without one
    drafts: tuple[OtherDraft, ...]  #: the visitor's own, kept
    others: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody at a form: who, with what to read, and the form as they meet it."""

    actor: Actor
    ctx: Context
    form: FormRow
    fields: tuple[Field, ...]
    profile: Profile | None
    state: Opening  #: whether the form takes something from them
    late: str = ""  #: the secret of a late link they came by


def key_of(typed: Typed) -> str:
    """The page's own key: what makes a double submit one."""
    return typed.values.get("submit_key", "")


def said_at(visit: Visit, at: dt.datetime) -> str:
    """When something was saved, in the event's zone."""
    return moment(at, visit.form.zone)


async def form_page(
    visit: Visit,
    typed: Typed,
    faults: Sequence[FormFault] = (),
    focus: str = "",
    *,
    draft: DraftNote | None = None,
    others: Sequence[Mine] = (),
) -> FormPage:
    state = visit.state
    speakers = role_of(visit.fields, Role.SPEAKERS)
    most = min((speakers.most if speakers else None) or MAX_SPEAKERS, MAX_SPEAKERS)
    key = key_of(typed)
    asks_files = any(field.type is FieldType.FILE for field in visit.fields)
    files = await files_of_page(visit.ctx, key) if asks_files else {}
    return FormPage(
        front=front_of(visit.form),
        state=state.sentence,
        accepts=state.accepts,
        late=visit.late,
        by_link=state.late,
        per_person=visit.form.max_per_person or 0,
        welcomes=bool(visit.form.intro),
        preview=state.reason is Reason.DRAFT,
        intro=visit.form.intro,
        sections=sections_of(visit.fields, typed, faults, files),
        uploads=bool(asks_files),
        rules=rules_of(visit.fields),
        values=dict(typed.values),
        blocks=tuple(range(1, typed.blocks + 1)),
        may_add=typed.blocks < most,
        focus=focus,
        profile=visit.profile,
        submit_key=key if drafting.KEY.fullmatch(key) else secrets.token_urlsafe(24),
        trap=TRAP,
        draft=draft or DraftNote(),
        others=others_of(visit, others),
        faults=tuple(faults),
    )


def others_of(visit: Visit, drafts: Sequence[Mine]) -> tuple[OtherDraft, ...]:
    """Drafts as a page lists them."""
    return tuple(
        OtherDraft(one.row.id, one.row.title, said_at(visit, one.row.touched_at)) for one in drafts
    )


def done_page(visit: Visit, receipt: Receipt, *, again: bool) -> DonePage:
    """The thank-you page."""
    signed_in = visit.actor.kind is ActorKind.PERSON
    return DonePage(front_of(visit.form), receipt, visit.form.thanks, again, signed_in)


async def closed_page(visit: Visit, drafts: Sequence[Mine] = ()) -> ClosedPage:
    """Why the form takes nothing now, and what else does."""
    state = visit.state
    heading, sentence = "This form is closed", "It takes no submissions any more."
    plain = visit.form.opening(visit.ctx.now).sentence
    link = state.sentence.removeprefix(plain).strip()
    if state.reason is Reason.NOT_YET:
        heading, sentence = "This form is not open yet", plain
    elif state.reason is Reason.ENDED:
        heading, sentence = "This form has closed", plain
    others = [
        (row.name, f"/{row.event_slug}/{row.slug}", row.opening(visit.ctx.now).sentence)
        for row in await asking.forms_of(visit.ctx, visit.form.event_id)
        if row.status is FormStatus.OPEN
        and row.id != visit.form.id
        and row.opening(visit.ctx.now).accepts
    ]
    return ClosedPage(
        front_of(visit.form), heading, sentence, link, others_of(visit, drafts), tuple(others)
    )


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
