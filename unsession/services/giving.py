"""Tasks given to speakers and sessions: to each live one once, whoever gives them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import or_, select
from sqlmodel import col

from unsession.context import Context
from unsession.domain.tasks import TaskStatus, TaskTarget
from unsession.models import Session, Speaker, Task, TaskTemplate


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a task is for."""

    kind: TaskTarget
    id: str
    label: str

    @classmethod
    def of(cls, row: Speaker | Session) -> "Target":
        """A speaker or a session as a target."""
        if isinstance(row, Speaker):
            return cls(TaskTarget.SPEAKER, row.id, row.name)
        return cls(TaskTarget.SESSION, row.id, row.title)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A target that has the task already, and whether it is done."""

    target: Target
    status: TaskStatus


async def give(
    ctx: Context, template: TaskTemplate, targets: Sequence[Target]
) -> tuple[list[tuple[Target, Task]], list[Skipped]]:
    """Give a template's task to targets that have no live one of it. Effects: task rows."""
    given, skipped = [], []
    live = await _live(ctx, [template], targets)
    for target in targets:
        status = live.get((template.id, target.id))
        if status is not None:
            skipped.append(Skipped(target, status))
        else:
            given.append((target, _task(template, target)))
    await keep(ctx, given)
    return given, skipped


async def keep(ctx: Context, given: Sequence[tuple[Target, Task]]) -> None:
    """Store new tasks, each named in the effects with whom it is for. Effects: task rows."""
    for target, task in given:
        ctx.writing.call_it(task, f"“{task.name}” for {target.label}")
    ctx.session.add_all(task for _, task in given)
    await ctx.session.flush()


async def give_on_accept(ctx: Context, session: Session, speakers: Sequence[Speaker]) -> None:
    """The tasks that come with acceptance: the session's once, each speaker's once."""
    found = await ctx.session.execute(
        select(TaskTemplate)
        .where(
            col(TaskTemplate.event_id) == session.event_id,
            col(TaskTemplate.on_accept),
            col(TaskTemplate.archived_at).is_(None),
        )
        .order_by(col(TaskTemplate.id))
    )
    templates = list(found.scalars())
    if not templates:
        return
    targets = [Target.of(session), *(Target.of(speaker) for speaker in speakers)]
    live = await _live(ctx, templates, targets)
    given = [
        (target, _task(template, target))
        for template in templates
        for target in targets
        if target.kind is template.target and (template.id, target.id) not in live
    ]
    await keep(ctx, given)


async def _live(
    ctx: Context, templates: Sequence[TaskTemplate], targets: Sequence[Target]
) -> dict[tuple[str, str], TaskStatus]:
    """Tasks of these templates that these targets have and that are not cancelled."""
    ids = [target.id for target in targets]
    found = await ctx.session.execute(
        select(
            col(Task.template_id), col(Task.speaker_id), col(Task.session_id), col(Task.status)
        ).where(
            col(Task.template_id).in_([template.id for template in templates]),
            or_(col(Task.speaker_id).in_(ids), col(Task.session_id).in_(ids)),
            col(Task.status) != TaskStatus.CANCELLED,
        )
    )
    return {
        (template_id or "", speaker_id or session_id or ""): status
        for template_id, speaker_id, session_id, status in found
    }


def _task(template: TaskTemplate, target: Target) -> Task:
    """A task in the template's words; later changes of the template leave it alone."""
    return Task(
        event_id=template.event_id,
        template_id=template.id,
        name=template.name,
        name_folded=template.name_folded,
        description=template.description,
        kind=template.kind,
        due_on=template.due_on,
        speaker_id=target.id if target.kind is TaskTarget.SPEAKER else None,
        session_id=target.id if target.kind is TaskTarget.SESSION else None,
    )
