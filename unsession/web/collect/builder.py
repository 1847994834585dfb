"""What a form asks, on a page: its fields in order, the settings of one, and its versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.domain.forms import OPTION_ROLES, Field, FieldType, settings_of
from unsession.errors import NotFound, Refusal
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.collect.form_files import KIND_WORDS
from unsession.services.collect.schema import given_of
from unsession.services.collect.versions import FormVersionLine
from unsession.services.form_fields import fields_of
from unsession.web.admin.shell import Desk, Shell, desk
from unsession.web.collect.hanging import WORDS, Choices, Hanging, hanging, told, typed_condition
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, PageResponse, act, faults_of, go, show
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

#: What can be added, and what people call it. Titles and speakers are there from the start.
KINDS = (
    (FieldType.TEXT, "Short text"),
    (FieldType.LONG, "Long text"),
    (FieldType.SELECT, "One of several"),
    (FieldType.MULTI, "Some of several"),
    (FieldType.CHECK, "A box to tick"),
    (FieldType.NUMBER, "Number"),
    (FieldType.DATE, "Date"),
    (FieldType.ADDRESS, "E-mail address"),
    (FieldType.URL, "Web address"),
    (FieldType.PHONE, "Phone number"),
    (FieldType.FILE, "Files"),
    (FieldType.HEADING, "Heading of a section"),
)
_WORDS = {**dict(KINDS), FieldType.SPEAKERS: "Speakers"}
#: Settings of one line each: the wire name is the field's name, too.
_COUNTS = ("minLength", "maxLength", "maxWords", "most", "maxMb")
_NUMBERS = ("minimum", "maximum")
_DAYS = ("earliest", "latest")


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A field in the list."""

    id: str
    label: str
    kind: str
    required: bool
    when: str  #: what it hangs on, in words; "" when it is always asked
    first: bool
    last: bool


@dataclass(frozen=True, slots=True)
class Editing:
    """The field whose settings are open; without an id it is a new one."""

    id: str
    type: FieldType
    kind: str
    role: str
    settings: frozenset[str]
    options: tuple[tuple[str, str], ...]  #: (id, label), blank ones to fill in last
    hanging: Hanging
    accepts: tuple[str, ...]


@page("collect/builder.html")
@dataclass(frozen=True, slots=True)
class BuilderPage:
    """``/app/{event}/forms/{form}/fields``."""

    shell: Shell
    name: str
    slug: str
    address: str
    version: int
    fields: tuple[FieldLine, ...]
    editing: Editing | None
    kinds: tuple[tuple[str, str], ...]
    operators: tuple[tuple[str, str], ...]
    file_kinds: tuple[tuple[str, str], ...]
    versions: Sequence[FormVersionLine]
    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


def builder_routes(house: House) -> list[HTTPRouteHandler]:
    """The page of a form's fields."""

    @get("/app/{slug:str}/forms/{form:str}/fields")
    async def look(request: AnyRequest, slug: FromPath[str], form: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        asked_for = request.query_params
        row = await _row(at, form)
        draft = _opened(row, asked_for.get("field", ""), asked_for.get("add", ""))
        return show(await _page(house, request, at, row, draft))

    @post("/app/{slug:str}/forms/{form:str}/fields")
    async def change(request: AnyRequest, slug: FromPath[str], form: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "forms", Permission.EVENT_SET_UP)
        row = await _row(at, form)
        sent = await posted(request)
        wire: dict[str, Any] = {"event": slug, "form": row.id}
        if sent.get("version").isdecimal():
            wire["version"] = int(sent.get("version"))
        draft = None
        if sent.get("do") == "restore" and sent.get("number").isdecimal():
            name, wire["number"] = "restore_form_version", int(sent.get("number"))
        else:
            name = "update_form_schema"
            if sent.get("do") == "save":
                taxonomies = await asking.choices_of(at.ctx, at.event.id)
                draft = _typed(sent, fields_of(row.fields), taxonomies)
            wire["fields"] = _list(row, sent, draft)
        try:
            done = await act(house, request, at.actor, name, wire)
        except Refusal as refusal:
            faults = faults_of(refusal, _names(wire, draft))
            context = await _page(house, request, at, row, draft, sent.values(), faults)
            return show(context, refusal.http_status)
        return go(f"/app/{slug}/forms/{row.slug}/fields", done=done.activity_id)

    return [look, change]


async def _row(at: Desk, slug: str) -> FormRow:
    named = await find.form(at.ctx, at.event.id, slug)
    return await asking.form_by_id(at.ctx, named.id)


def _opened(row: FormRow, field_id: str, kind: str) -> dict[str, Any] | None:
    """The field to open, in the words of update_form_schema; None for none."""
    if kind:
        if kind not in {one.value for one, _ in KINDS}:
            raise NotFound("kind of field", kind)
        return {"type": kind, "label": ""}
    if not field_id:
        return None
    for one in fields_of(row.fields):
        if one.id == field_id:
            return given_of(one)
    raise NotFound("field of the form", field_id)


def _typed(sent: Posted, fields: Sequence[Field], taxonomies: Choices) -> dict[str, Any]:
    """The open field as it was typed. What is no number is sent as it came, to be refused."""
    made: dict[str, Any] = {
        name: sent.get(name) for name in ("type", "label", "hint", "placeholder")
    }
    for name in ("id", "role", *_DAYS):
        if sent.get(name):
            made[name] = sent.get(name)
    for name in ("required", "whole", "internal", "noReviewers", "newPage"):
        if sent.checked(name):
            made[name] = True
    for name in _COUNTS:
        if text := sent.get(name):
            made[name] = int(text) if text.isdecimal() and text.isascii() else text
    for name in _NUMBERS:
        if text := sent.get(name):
            made[name] = _number(text)
    pairs = zip(sent.all("option_id"), sent.all("option"), strict=False)
    options = [
        {"label": label.strip(), **({"id": known} if known else {})}
        for known, label in pairs
        if label.strip()
    ]
    if options:
        made["options"] = options
    if kinds := sent.all("accepts"):
        made["accepts"] = list(kinds)
    if when := typed_condition(sent, fields, taxonomies):
        made["when"] = when
    return made


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _list(row: FormRow, sent: Posted, draft: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The whole list as it would be: the open field put in its place, moved or taken out."""
    fields = [given_of(one) for one in fields_of(row.fields)]
    at = next((n for n, one in enumerate(fields) if one["id"] == sent.get("id")), None)
    if draft is not None:
        return [*fields, draft] if at is None else [*fields[:at], draft, *fields[at + 1 :]]
    if at is None:
        raise NotFound("field of the form", sent.get("id"))
    taken = fields.pop(at)
    place = sent.get("at")
    step = {"up": -1, "down": 1}.get(sent.get("do"))
    if step is not None:
        fields.insert(max(at + step, 0), taken)
    elif sent.get("do") == "place":
        fields.insert(int(place) if place.isdecimal() and place.isascii() else at, taken)
    return fields


def _names(wire: Mapping[str, Any], draft: dict[str, Any] | None) -> dict[str, str]:
    """Where the page shows what is wrong: at the open field's settings, else above it all."""
    names = {"fields": ""}
    if draft is not None:
        place = wire["fields"].index(draft)
        names |= {f"fields/{place}/{name}": name for name in (*_COUNTS, *_NUMBERS, *_DAYS)}
        names |= {
            f"fields/{place}/{name}": name for name in ("label", "hint", "placeholder", "internal")
        }
        names[f"fields/{place}/when"] = "when-0"
        names[f"fields/{place}/options"] = "option-0"
    return names


async def _page(
    house: House,
    request: AnyRequest,
    at: Desk,
    row: FormRow,
    draft: dict[str, Any] | None,
    values: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
) -> BuilderPage:
    fields = fields_of(row.fields)
    taxonomies = await asking.choices_of(at.ctx, at.event.id)
    wire = {"event": at.event.slug, "form": row.id}
    versions = await act(house, request, at.actor, "list_form_versions", wire)
    return BuilderPage(
        shell=at.shell,
        name=row.name,
        slug=row.slug,
        address=f"{house.settings.public_url}/{row.event_slug}/{row.slug}",
        version=row.version,
        fields=tuple(_lines(fields, taxonomies)),
        editing=_editing(draft, fields, taxonomies) if draft else None,
        kinds=tuple((kind.value, words) for kind, words in KINDS),
        file_kinds=tuple((kind.value, words) for kind, words in KIND_WORDS.items()),
        operators=tuple((op.value, words) for op, words in WORDS.items()),
        versions=versions.result.items,
        values=values or _values(draft or {}),
        faults=faults,
    )


def _lines(fields: Sequence[Field], taxonomies: Choices) -> list[FieldLine]:
    lines = []
    for n, one in enumerate(fields):
        words = told(one.when, fields, taxonomies) if one.when else ""
        lines.append(
            FieldLine(
                one.id,
                one.label,
                _WORDS[one.type],
                one.required,
                words,
                n == 0,
                n == len(fields) - 1,
            )
        )
    return lines


def _editing(draft: dict[str, Any], fields: Sequence[Field], taxonomies: Choices) -> Editing:
    kind = FieldType(draft["type"])
    known = [one.id for one in fields]
    own = draft.get("id", "")
    before = fields[: known.index(own)] if own in known else fields
    options = [(one.get("id", ""), one["label"]) for one in draft.get("options", ())]
    return Editing(
        own,
        kind,
        _WORDS[kind],
        draft.get("role", ""),
        settings_of(kind) - ({"options"} if draft.get("role") in OPTION_ROLES else set()),
        (*options, ("", ""), ("", "")),
        hanging(draft.get("when"), before, taxonomies),
        tuple(draft.get("accepts", ())),
    )


def _values(draft: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: str(int(value) if isinstance(value, float) and value.is_integer() else value)
        for name, value in draft.items()
        if name not in ("options", "when", "accepts")
    }
