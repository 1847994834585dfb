"""A form taken as the start of another one, and a form that nobody used, deleted."""

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, delete, operation, post
from unsession.context import Context
from unsession.domain.text import fold
from unsession.errors import Conflict
from unsession.models import Form, FormVersion, Submission
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.collect.forms import Name, free_slug, name_of_form
from unsession.services.collect.reading import FormFull, full
from unsession.services.refs import EventRef, FormRef


class DuplicateForm(Input):
    """Which form, and how the new one is called."""

    event: EventRef
    form: FormRef
    name: Name | UnsetType = UNSET


@operation(
    title="Duplicate a form",
    rest=post("/events/{event}/forms/{form}/duplicate"),
    needs=Permission.EVENT_SET_UP,
    destructive=False,
    creates="get_form",
)
async def duplicate_form(ctx: Context, args: DuplicateForm) -> FormFull:
    """Make a form with the fields and texts of another one: a draft, without dates or submissions.

    Fields and options keep their ids, so answers to both can be read side by side.

    Refuses with: not_found, forbidden, ambiguous, invalid.
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    source = await asking.form_by_id(ctx, named.id)
    name = name_of_form(f"Copy of {source.name}"[:200] if args.name is UNSET else args.name)
    form = Form(
        event_id=event.id,
        name=name,
        name_folded=fold(name),
        slug=await free_slug(ctx, event.id, name),
        intro=source.intro,
        thanks=source.thanks,
        max_per_person=source.max_per_person,
        reminder_days=source.reminder_days,
        notify=source.notify,
    )
    ctx.session.add(form)
    await ctx.session.flush()
    version = FormVersion(form_id=form.id, number=1, fields=source.fields)
    ctx.session.add(version)
    await ctx.session.flush()
    form.current_version_id = version.id
    await ctx.session.flush()
    ctx.writing.about(
        form,
        f"Form “{name}” made from “{source.name}”",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    return await full(ctx, await asking.form_by_id(ctx, form.id))


class DeleteForm(Input):
    """Which form."""

    event: EventRef
    form: FormRef


class FormGone(msgspec.Struct, frozen=True):
    """A form that is no more."""

    id: str
    name: str


@operation(
    title="Delete a form",
    rest=delete("/events/{event}/forms/{form}"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
)
async def delete_form(ctx: Context, args: DeleteForm) -> FormGone:
    """Delete a form through which nothing came in, with its versions.

    Refuses with: not_found, forbidden, ambiguous, conflict (it has submissions: close it instead).
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    form = await ctx.session.get_one(Form, named.id, with_for_update=True)
    came = await ctx.session.execute(
        select(func.count()).select_from(Submission).where(col(Submission.form_id) == form.id)
    )
    if count := came.scalar_one():
        some = "A submission" if count == 1 else f"{count} submissions"
        raise Conflict(f"{some} came in through “{form.name}”. Close it instead.")
    ctx.writing.about(
        form, f"Form “{form.name}” deleted", workspace_id=event.workspace_id, event_id=event.id
    )
    versions = await ctx.session.execute(
        select(FormVersion).where(col(FormVersion.form_id) == form.id)
    )
    for version in versions.scalars():
        await ctx.session.delete(version)
    await ctx.session.flush()
    await ctx.session.delete(form)
    return FormGone(form.id, form.name)
