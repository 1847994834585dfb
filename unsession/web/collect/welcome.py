"""What a form says first: what it is about, until when, and what to have at hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from unsession.domain.forms import Choice, FieldType, Role, role_of
from unsession.domain.moments import ANYWHERE
from unsession.web.collect.drafting import Mine
from unsession.web.collect.fronts import EventFront, Visit, front_of
from unsession.web.rendering import page


@dataclass(frozen=True, slots=True)
class Asked:
    """Something to prepare."""

    label: str
    required: bool
    words: int  #: at most so many; 0 for any number
    signs: int


@page("collect/welcome.html")
@dataclass(frozen=True, slots=True)
class WelcomePage:
    """The introduction, before the form itself."""

    front: EventFront
    intro: str
    formats: Sequence[Choice]
    tracks: Sequence[Choice]
    asked: tuple[Asked, ...]
    until: str
    days_left: int | None  #: on the calendar of the last day; 0 is that day
    late: str
    by_link: bool
    accepts: bool
    per_person: int
    signed_in: bool
    draft: str  #: the one to go on with


def welcome(visit: Visit, drafts: Sequence[Mine] = ()) -> WelcomePage:
    """The introduction as this visitor meets it."""
    formats, tracks = role_of(visit.fields, Role.FORMAT), role_of(visit.fields, Role.TRACK)
    return WelcomePage(
        front=front_of(visit.form),
        intro=visit.form.intro,
        formats=formats.options if formats else (),
        tracks=tracks.options if tracks else (),
        asked=_asked(visit),
        until=visit.state.sentence,
        days_left=_days_left(visit),
        late=visit.late,
        by_link=visit.state.late,
        accepts=visit.state.accepts,
        per_person=visit.form.max_per_person or 0,
        signed_in=visit.profile is not None,
        draft=drafts[0].row.id if drafts else "",
    )


def _asked(visit: Visit) -> tuple[Asked, ...]:
    """What takes thought: not the headings, and not what hangs on other answers."""
    return tuple(
        Asked(field.label, field.required, field.max_words or 0, field.max_length or 0)
        for field in visit.fields
        if field.type is not FieldType.HEADING and field.when is None
    )


def _days_left(visit: Visit) -> int | None:
    form = visit.form
    if form.closes_at is None or visit.state.late:
        return None
    zone = ZoneInfo(ANYWHERE if form.closes_anywhere else form.zone)
    left = form.closes_at.astimezone(zone).date() - visit.ctx.now.astimezone(zone).date()
    return max(left.days, 0)
