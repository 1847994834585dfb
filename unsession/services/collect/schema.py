"""The fields of a form changed, and put back from an earlier version."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, post, put
from unsession.context import Context
from unsession.domain.files import FileKind
from unsession.domain.forms import (
    MOST_FIELDS,
    MOST_TESTS,
    OPTION_ROLES,
    Choice,
    Condition,
    Field,
    FieldType,
    Operator,
    Role,
    Test,
    difference,
    wrongs,
)
from unsession.domain.text import typed_line, typed_text
from unsession.errors import Invalid, NotFound, Problem
from unsession.ids import new_id
from unsession.models import Form, FormVersion, Submission
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.collect.reading import FormFull, full
from unsession.services.form_fields import NOTHING, fields_of, stored_fields
from unsession.services.refs import EventRef, FormRef, Version

Day = Annotated[str, Meta(max_length=10, description="Of DATE: 2027-02-28.")]


class OptionGiven(Input):
    """One thing to choose. Its id stays when its label changes."""

    label: Annotated[str, Meta(max_length=200, description="What people read.")]
    id: Annotated[str, Meta(max_length=60, description="Left out: a new one.")] = ""
    hint: Annotated[str, Meta(max_length=200, description="Beside the label.")] = ""


class TestGiven(Input):
    """One test of an earlier answer."""

    field: Annotated[str, Meta(max_length=60, description="Id of an earlier field.")]
    op: Annotated[Operator, Meta(description="answered and blank take no value.")] = Operator.IS
    value: Annotated[
        str, Meta(max_length=200, description="Id of a choice, true, 5, 2027-02-28 or a text.")
    ] = ""


class ConditionGiven(Input):
    """When it is asked; of a heading: it and what follows up to the next."""

    tests: Annotated[list[TestGiven], Meta(max_length=MOST_TESTS, description="In any order.")]
    any: Annotated[bool, Meta(description="One that passes is enough.")] = False


class FieldGiven(Input):
    """One field. Answers are kept by its id, so the id stays when the label changes."""

    type: Annotated[
        FieldType,
        Meta(description="HDR is a heading, GRP the speakers."),
    ]
    label: Annotated[str, Meta(max_length=300, description="What people read.")]
    id: Annotated[str, Meta(max_length=60, description="Left out: a new field.")] = ""
    hint: Annotated[str, Meta(max_length=2000, description="Below the label.")] = ""
    required: Annotated[bool, Meta(description="Whether it must be answered.")] = False
    role: Annotated[Role, Meta(description="What it is to the submission.")] | UnsetType = UNSET
    options: Annotated[list[OptionGiven], Meta(description="Of SEL and MULTI.")] | UnsetType = UNSET
    when: ConditionGiven | UnsetType = UNSET
    min_length: Annotated[int, Meta(description="Characters.")] | UnsetType = UNSET
    max_length: Annotated[int, Meta(description="Characters.")] | UnsetType = UNSET
    max_words: Annotated[int, Meta(description="Words.")] | UnsetType = UNSET
    minimum: Annotated[float, Meta(description="Of NUM.")] | UnsetType = UNSET
    maximum: Annotated[float, Meta(description="Of NUM.")] | UnsetType = UNSET
    whole: Annotated[bool, Meta(description="NUM without a fraction.")] = False
    earliest: Day | UnsetType = UNSET
    latest: Day | UnsetType = UNSET
    most: (
        Annotated[int, Meta(description="Choices of MULTI, speakers of GRP, files of FILE.")]
        | UnsetType
    ) = UNSET
    accepts: Annotated[list[FileKind], Meta(description="Of FILE; none: any.")] | UnsetType = UNSET
    placeholder: Annotated[str, Meta(max_length=200, description="In the empty input.")] = ""
    new_page: Annotated[bool, Meta(description="HDR that begins a page of its own.")] = False
    internal: Annotated[bool, Meta(description="Organisers alone fill it in and read it.")] = False
    no_reviewers: Annotated[bool, Meta(description="Reviewers do not read the answer.")] = False
    max_mb: Annotated[int, Meta(description="Of each file.")] | UnsetType = UNSET


def given_of(field: Field) -> dict[str, Any]:
    """A field in the words of :class:`FieldGiven`, without what says nothing."""
    kept = msgspec.to_builtins(field)
    if field.role in OPTION_ROLES:
        del kept["options"]  # the event's own
    return {
        FieldGiven.__struct_encode_fields__[FieldGiven.__struct_fields__.index(name)]: value
        for name, value in kept.items()
        if value not in NOTHING
    }


class UpdateFormSchema(Input):
    """All fields of a form, in order."""

    event: EventRef
    form: FormRef
    fields: Annotated[
        list[FieldGiven],
        Meta(
            max_length=MOST_FIELDS,
            description="All fields in order, as list_form_versions gives them with number; "
            "what is left out is no longer asked. A new field needs no id.",
        ),
    ]
    version: Version | UnsetType = UNSET


@operation(
    title="Change what a form asks",
    rest=put("/events/{event}/forms/{form}/fields"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    idempotent=True,
)
async def update_form_schema(ctx: Context, args: UpdateFormSchema) -> FormFull:
    """Put a whole list of fields in place of what a form asks.

    Submissions keep the fields they were given through: once one came in, a change makes a new
    version. The same list again changes nothing. A field keeps its type.

    Refuses with: not_found, forbidden, ambiguous, invalid (each place named), stale.
    """
    kept = await _kept(ctx, args)
    fields = [_field(given) for given in args.fields]
    choices = await asking.choices_of(ctx, kept.event.id)
    problems = [Problem(_path(one.at, one.setting), one.message) for one in wrongs(fields, choices)]
    types = {field.id: field.type for field in fields_of(kept.current.fields)}
    problems += [
        Problem(f"/fields/{at}/type", f"must stay {types[field.id].value}: add another field")
        for at, field in enumerate(fields)
        if types.get(field.id, field.type) is not field.type
    ]
    if problems:
        raise Invalid(problems)
    return await _put(ctx, kept, fields, "changed")


@dataclasses.dataclass(frozen=True, slots=True)
class _Kept:
    """A form, locked, with its current version and where it is."""

    event: find.FoundEvent
    form: Form
    current: FormVersion


async def _kept(ctx: Context, args: "UpdateFormSchema | RestoreFormVersion") -> _Kept:
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    form = await ctx.session.get_one(Form, named.id, with_for_update=True)
    ctx.expect(form, args.version)
    row = await asking.form_by_id(ctx, form.id)
    return _Kept(event, form, await ctx.session.get_one(FormVersion, row.version_id))


async def _put(ctx: Context, kept: _Kept, fields: Sequence[Field], done: str) -> FormFull:
    """Make fields the current ones: of a new version where one was already given through."""
    form, current = kept.form, kept.current
    stored = stored_fields(fields)
    before = fields_of(current.fields)
    if fields_of(stored) != before:
        used = await ctx.session.execute(
            select(col(Submission.id))
            .where(
                col(Submission.form_version_id) == current.id,
                col(Submission.submitted_at).is_not(None),
            )
            .limit(1)
        )
        if used.first() is None:
            current.fields = stored
        else:
            newest = await ctx.session.execute(
                select(func.max(col(FormVersion.number))).where(col(FormVersion.form_id) == form.id)
            )
            version = FormVersion(form_id=form.id, number=newest.scalar_one() + 1, fields=stored)
            ctx.session.add(version)
            await ctx.session.flush()
            form.current_version_id = version.id
        form.updated_at = ctx.now  # whoever read the form before now is stale
    changed = difference(before, fields_of(stored))
    ctx.writing.about(
        form,
        f"Fields of form {form.label()} {done}: {changed}",
        workspace_id=kept.event.workspace_id,
        event_id=kept.event.id,
    )
    await ctx.session.flush()
    return await full(ctx, await asking.form_by_id(ctx, form.id))


def _path(at: int | None, setting: str) -> str:
    head, *rest = setting.split("_")
    name = head + "".join(part.capitalize() for part in rest)
    return "/fields" if at is None else f"/fields/{at}/{name}"


#: What is not taken over as it was given.
_OWN = frozenset({"id", "label", "hint", "options", "when", "accepts"})


def _field(given: FieldGiven) -> Field:
    options = tuple(
        Choice(one.id or new_id("cho"), typed_line(one.label), typed_line(one.hint))
        for one in given.options or ()
    )
    plain = {
        name: value
        for name in given.__struct_fields__
        if (value := getattr(given, name)) is not UNSET and name not in _OWN
    }
    return Field(
        id=given.id or (given.role.value if given.role else new_id("fld")),
        label=typed_line(given.label),
        hint=typed_text(given.hint),
        options=options,
        accepts=tuple(given.accepts or ()),
        when=_when(given.when) if given.when else None,
        **plain,
    )


def _when(given: ConditionGiven) -> Condition:
    tests = tuple(Test(one.field, one.op, one.value.strip()) for one in given.tests)
    return Condition(tests, given.any)


class RestoreFormVersion(Input):
    """Which version of which form."""

    event: EventRef
    form: FormRef
    number: Annotated[int, Meta(ge=1, description="The version: its number.")]
    version: Version | UnsetType = UNSET


@operation(
    title="Put a version of a form back",
    rest=post("/events/{event}/forms/{form}/restoration"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    idempotent=True,
)
async def restore_form_version(ctx: Context, args: RestoreFormVersion) -> FormFull:
    """Ask again what an earlier version of a form asked.

    No version is lost: where submissions came in through the present one, a new version is made.

    Refuses with: not_found, forbidden, ambiguous, stale.
    """
    kept = await _kept(ctx, args)
    found = await ctx.session.execute(
        select(FormVersion).where(
            col(FormVersion.form_id) == kept.form.id, col(FormVersion.number) == args.number
        )
    )
    version = found.scalar_one_or_none()
    if version is None:
        raise NotFound("version of the form", str(args.number))
    done = f"put back from version {args.number}"
    return await _put(ctx, kept, fields_of(version.fields), done)
