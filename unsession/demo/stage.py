"""An event with its set-up: days, rooms, taxonomies, form, plan and working schedule."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from unsession.demo.content.reviewing import INSTRUCTIONS
from unsession.demo.content.shapes import EventText, OptionText
from unsession.demo.history import By, History
from unsession.demo.rows import Rows
from unsession.domain.evaluation import PlanStatus
from unsession.domain.forms import Preset, preset_fields
from unsession.domain.text import fold, slugify
from unsession.ids import new_id
from unsession.models import (
    EvaluationPlan,
    Event,
    EventDay,
    Form,
    FormVersion,
    Room,
    Schedule,
    Taxonomy,
    TaxonomyOption,
)
from unsession.services.form_fields import stored_fields

PLAN = "Programme committee"
REVIEWS = 3
_INTRO = (
    "We look for people who kept something running and can say how. First-time speakers gave a "
    "third of last year’s talks.\n\n"
    "## How we choose\n\n"
    "Three people read every submission without names. Then the programme committee balances "
    "tracks and rooms.\n\n"
    "## What you get\n\n"
    "* A ticket, travel and three nights\n"
    "* A mentor, if you want one\n"
    "* An answer with feedback, whatever we decide"
)
_THANKS = "Three people will read it without your name. You hear from us whatever we decide."


@dataclass(frozen=True, slots=True)
class FormIds:
    """A form with the ids that answers refer to."""

    id: str
    version_id: str
    pitch: str
    notes: str
    recording: str
    given_before: str
    choices: tuple[str, ...]
    needs: str
    wishes: tuple[str, ...]
    consent: str


@dataclass(frozen=True, slots=True)
class Stage:
    """An event's ids: everything that submissions and sessions refer to."""

    event_id: str
    text: EventText
    dates: tuple[dt.date, ...]
    rooms: tuple[str, ...]
    form: FormIds
    plan_id: str
    schedule_id: str
    options: dict[tuple[str, str], str] = field(default_factory=dict)  #: by taxonomy and key


def add_stage(rows: Rows, history: History, text: EventText, by: By, now: dt.datetime) -> Stage:
    """Set an event up, some weeks before its first submission."""
    at = now - dt.timedelta(days=58, hours=3)
    first = now.astimezone(ZoneInfo(text.zone)).date() + dt.timedelta(days=text.starts_in)
    first += dt.timedelta(days=(text.weekday - first.weekday()) % 7)
    dates = tuple(first + dt.timedelta(days=day) for day in range(len(text.days)))
    event_id = rows.add(
        Event,
        at,
        workspace_id=history.workspace_id,
        name=text.name,
        name_folded=fold(text.name),
        slug=text.slug,
        starts_on=dates[0],
        ends_on=dates[-1],
        zone=text.zone,
        venue=text.venue,
        mode=text.mode,
        description=text.description,
        accent=text.accent,
        contact_address=text.contact,
    )
    history.note(
        at, by, "create_event", ("event", event_id), f"Event “{text.name}” created",
        event_id=event_id,
    )  # fmt: skip
    for date, day in zip(dates, text.days, strict=True):
        rows.add(
            EventDay,
            at,
            event_id=event_id,
            date=date,
            opens_minute=day.opens,
            closes_minute=day.closes,
        )
    rooms = tuple(
        rows.add(
            Room,
            at,
            event_id=event_id,
            name=name,
            name_folded=fold(name),
            capacity=capacity,
            position=position,
        )
        for position, (name, capacity) in enumerate(text.rooms)
    )
    stage = Stage(
        event_id,
        text,
        dates,
        rooms,
        _form(rows, history, text, event_id, by, now),
        _plan(rows, history, event_id, by, now),
        rows.add(Schedule, at, event_id=event_id, name="Working schedule", is_working=True),
    )
    _taxonomies(rows, history, stage, by, at + dt.timedelta(hours=1))
    return stage


def _taxonomies(rows: Rows, history: History, stage: Stage, by: By, at: dt.datetime) -> None:
    lists: Sequence[tuple[str, str, tuple[OptionText, ...]]] = (
        ("track", "Track", stage.text.tracks),
        ("format", "Format", stage.text.formats),
        ("level", "Level", stage.text.levels),
    )
    for position, (key, name, options) in enumerate(lists):
        taxonomy_id = rows.add(
            Taxonomy, at, event_id=stage.event_id, key=key, name=name, position=position
        )
        for place, option in enumerate(options):
            stage.options[key, option.key] = rows.add(
                TaxonomyOption,
                at,
                taxonomy_id=taxonomy_id,
                name=option.name,
                name_folded=fold(option.name),
                color=option.color,
                minutes=option.minutes,
                position=place,
            )
        history.note(
            at, by, "create_taxonomy", ("taxonomy", taxonomy_id), f"Taxonomy “{name}” created",
            event_id=stage.event_id,
        )  # fmt: skip


def _form(
    rows: Rows, history: History, text: EventText, event_id: str, by: By, now: dt.datetime
) -> FormIds:
    at = now - dt.timedelta(days=44)
    opens_at = now - dt.timedelta(days=41)
    name = "Call for speakers"
    version_id = new_id("fvr")
    form_id = rows.add(
        Form,
        at,
        current_version_id=version_id,
        updated_at=opens_at,
        event_id=event_id,
        name=name,
        name_folded=fold(name),
        slug=slugify(name, "form"),
        status=text.form_status,
        opens_at=opens_at,
        closes_at=now + dt.timedelta(days=text.closes_in),
        intro=_INTRO,
        thanks=_THANKS,
    )
    history.note(
        at, by, "create_form", ("form", form_id), f"Form “{name}” created", event_id=event_id
    )
    choices = _choices("No, it is new", "Once or twice", "Many times")
    wishes = _choices("Sound from my laptop", "A table", "Sign language interpreter", "A mentor")
    own: list[dict[str, Any]] = [
        _field("HDR", "More about it"),
        _field("TXT", "In one sentence, why should people come?", required=True),
        _field("SEL", "Have you given this session before?", options=choices),
        _field("URL", "A recording or slides of yours"),
        _field("HDR", "Practical things"),
        _field("MULTI", "What do you need on stage?", options=wishes),
        _field("LONG", "Anything else for the committee?"),
        _field("CHK", "I have read the code of conduct", required=True),
    ]
    *core, speakers = stored_fields(preset_fields(Preset.CALL))
    fields = [*core, *own, speakers]
    rows.add(FormVersion, at, id=version_id, form_id=form_id, number=1, fields=fields)
    ids = [str(one["id"]) for one in own]
    return FormIds(
        id=form_id,
        version_id=version_id,
        pitch=ids[1],
        given_before=ids[2],
        choices=tuple(choice["id"] for choice in choices),
        recording=ids[3],
        needs=ids[5],
        wishes=tuple(wish["id"] for wish in wishes),
        notes=ids[6],
        consent=ids[7],
    )


def _field(kind: str, label: str, **more: Any) -> dict[str, Any]:
    return {"id": new_id("fld"), "type": kind, "label": label, **more}


def _choices(*labels: str) -> list[dict[str, str]]:
    return [{"id": new_id("fop"), "label": label} for label in labels]


def _plan(rows: Rows, history: History, event_id: str, by: By, now: dt.datetime) -> str:
    at = now - dt.timedelta(days=30)
    plan_id = rows.add(
        EvaluationPlan,
        at,
        event_id=event_id,
        name=PLAN,
        name_folded=fold(PLAN),
        status=PlanStatus.OPEN,
        instructions=INSTRUCTIONS,
        phase=1,
        reviews_per_submission=REVIEWS,
        closes_at=now + dt.timedelta(days=21),
    )
    history.note(
        at, by, "save_evaluation_plan", ("evaluation_plan", plan_id),
        f"Evaluation plan “{PLAN}” saved", event_id=event_id,
    )  # fmt: skip
    return plan_id
