"""Tasks given to speakers and sessions by hand, and the digest that tells them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, exists, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, post
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.sessions import SessionKind
from unsession.domain.tasks import Owed, TaskStatus, TaskTarget, digest_text
from unsession.domain.text import fold, fold_address, typed_line, typed_text
from unsession.errors import Invalid, NotFound, Problem
from unsession.models import (
    Event,
    Mail,
    Session,
    SessionSpeaker,
    Speaker,
    Task,
    TaskTemplate,
)
from unsession.services import find
from unsession.services.giving import Skipped, Target, give, keep
from unsession.services.letters import add_letter
from unsession.services.onboarding.templates import Description, DueOn, Kind, TaskName
from unsession.services.refs import EventRef, TaskTemplateRef

MAX_TARGETS = 200
Refs = Annotated[
    list[Annotated[str | int, Meta(description="Id, code or number.")]],
    Meta(max_length=MAX_TARGETS, description="Ids, codes or numbers; never names."),
]


class OneOff(Input):
    """A task without a template."""

    name: TaskName
    kind: Kind
    due_on: DueOn | UnsetType = UNSET
    description: Description | UnsetType = UNSET


class AssignTask(Input):
    """What is asked, and of whom."""

    event: EventRef
    template: TaskTemplateRef | UnsetType = UNSET
    one_off: (
        Annotated[OneOff, Meta(description="A task without a template. Either this or template.")]
        | UnsetType
    ) = UNSET
    speakers: Refs | UnsetType = UNSET
    sessions: Refs | UnsetType = UNSET
    send_email: Annotated[
        bool, Meta(description="false: tell nobody. Default true: one mail to each speaker.")
    ] = True


class TargetNamed(msgspec.Struct, frozen=True):
    """Whom a task is for."""

    type: TaskTarget
    id: str
    name: str


class TaskGiven(msgspec.Struct, frozen=True):
    """A task that is new."""

    task: str
    target: TargetNamed


class TaskSkipped(msgspec.Struct, frozen=True):
    """A target that got none, and why: it has the task already, open or done."""

    target: TargetNamed
    reason: str


class TasksAssigned(msgspec.Struct, frozen=True):
    """Who was given the task, who was not, and who is told."""

    name: str
    created: Sequence[TaskGiven]
    skipped: Sequence[TaskSkipped]
    mails: Sequence[str]


@operation(
    title="Assign a task",
    rest=post("/events/{event}/tasks"),
    needs=Permission.TASK_WRITE,
    mails="one digest to each speaker with a new task, unless sendEmail is false",
    undo=True,
    destructive=False,
    subjects=("speakers", "sessions"),
)
async def assign_task(ctx: Context, args: AssignTask) -> TasksAssigned:
    """Give a task to speakers or sessions, from a template or as a one-off.

    Name a template or oneOff, and speakers or sessions; a one-off may go to both. A template
    for speakers takes speakers, one for sessions takes sessions. Whoever has the template's task
    already is skipped with the reason, so calling again gives nothing twice; a one-off is given
    anew each time. All or nothing: one unknown target and nobody gets it.

    Refuses with: not_found, forbidden, ambiguous, invalid.
    """
    event = await find.event(ctx, args.event)
    if (args.template is UNSET) == (args.one_off is UNSET):
        raise Invalid.at("/template", "either this or oneOff is needed, not both")
    template = await _template(ctx, event.id, args)
    targets = await _targets(ctx, event.id, args, template)
    about = template if args.template is not UNSET else await ctx.session.get_one(Event, event.id)
    if args.template is not UNSET:
        given, skipped = await give(ctx, template, targets)
    else:
        given, skipped = await _give_once(ctx, template, targets), []
    ctx.writing.about(
        about,
        f"Task “{template.name}” given to {_counted(target for target, _ in given)}",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    if not given:
        ctx.writing.warn("already_assigned", f"All of them have “{template.name}” already.")
    mails = await _tell(ctx, event, [task for _, task in given]) if args.send_email else []
    return TasksAssigned(
        name=template.name,
        created=[TaskGiven(task.id, _named(target)) for target, task in given],
        skipped=[TaskSkipped(_named(one.target), _reason(one)) for one in skipped],
        mails=[f"{mail.to_name} <{mail.to_address}>" for mail in mails],
    )


async def _template(ctx: Context, event_id: str, args: AssignTask) -> TaskTemplate:
    """The template, or a one-off in the shape of one that is never stored."""
    if args.template is not UNSET:
        place = await find.task_template(ctx, event_id, args.template)
        return await ctx.session.get_one(TaskTemplate, place.id)
    wanted = args.one_off
    assert wanted is not UNSET
    name = typed_line(wanted.name)
    if not fold(name):
        raise Invalid.at("/oneOff/name", "must not be blank")
    return TaskTemplate(
        event_id=event_id,
        name=name,
        name_folded=fold(name),
        description=typed_text(wanted.description or ""),
        kind=wanted.kind,
        target=TaskTarget.SPEAKER,
        due_on=wanted.due_on or None,
    )


async def _give_once(
    ctx: Context, words: TaskTemplate, targets: Sequence[Target]
) -> list[tuple[Target, Task]]:
    """A task to each target in these words, bound to no template."""
    given = [
        (
            target,
            Task(
                event_id=words.event_id,
                name=words.name,
                name_folded=words.name_folded,
                description=words.description,
                kind=words.kind,
                due_on=words.due_on,
                speaker_id=target.id if target.kind is TaskTarget.SPEAKER else None,
                session_id=target.id if target.kind is TaskTarget.SESSION else None,
            ),
        )
        for target in targets
    ]
    await keep(ctx, given)
    return given


async def _targets(
    ctx: Context, event_id: str, args: AssignTask, template: TaskTemplate
) -> list[Target]:
    """Everybody who was named, each once, in that order. Refuses with every problem at once."""
    named = {
        TaskTarget.SPEAKER: ("speakers", args.speakers or []),
        TaskTarget.SESSION: ("sessions", args.sessions or []),
    }
    if args.template is not UNSET:
        for kind, (field, refs) in named.items():
            if refs and kind is not template.target:
                raise Invalid.at(
                    f"/{field}", f"“{template.name}” is for {template.target.value}s: name those"
                )
    if not any(refs for _, refs in named.values()):
        field = "sessions" if template.target is TaskTarget.SESSION else "speakers"
        raise Invalid.at(f"/{field}", "name at least one")
    problems: list[Problem] = []
    targets: dict[str, Target] = {}
    for kind, (field, refs) in named.items():
        known = await _known(ctx, event_id, kind, refs)
        for position, ref in enumerate(refs):
            row = known.get(str(ref)) or known.get(str(ref).upper())
            if row is None:
                missing = NotFound(kind.value, str(ref)).message
                problems.append(Problem(f"/{field}/{position}", missing))
            elif isinstance(row, Session) and row.cancelled_at is not None:
                problems.append(Problem(f"/{field}/{position}", f"“{row.title}” is cancelled"))
            else:
                targets.setdefault(row.id, Target.of(row))
    if problems:
        raise Invalid(problems, next_call="list_speakers")
    return list(targets.values())


async def _known(
    ctx: Context, event_id: str, kind: TaskTarget, refs: Sequence[str | int]
) -> Mapping[str, Speaker | Session]:
    """The event's rows that the refs name, by id, code and number."""
    if not refs:
        return {}
    model: Any = Speaker if kind is TaskTarget.SPEAKER else Session
    texts = [str(ref) for ref in refs]
    numbers = [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 10]
    found = await ctx.session.execute(
        select(model).where(
            col(model.event_id) == event_id,
            col(model.id).in_(texts)
            | col(model.code).in_([text.upper() for text in texts])
            | col(model.number).in_(numbers),
        )
    )
    known: dict[str, Speaker | Session] = {}
    for row in found.scalars():
        known |= {str(row.number): row, row.code: row, row.id: row}
    return known


class PossibleTarget(msgspec.Struct, frozen=True):
    """Somebody or something on the programme that a task may go to."""

    id: str
    label: str


_SPEAKERS_ON = Prepared(
    select(col(Speaker.id), col(Speaker.name))
    .where(
        col(Speaker.event_id) == bindparam("event"),
        exists().where(
            col(SessionSpeaker.speaker_id) == col(Speaker.id),
            col(SessionSpeaker.declined_at).is_(None),
            col(SessionSpeaker.session_id) == col(Session.id),
            col(Session.cancelled_at).is_(None),
        ),
    )
    .order_by(col(Speaker.name_folded), col(Speaker.id)),
    PossibleTarget,
)
_SESSIONS_ON = Prepared(
    select(col(Session.id), col(Session.title))
    .where(
        col(Session.event_id) == bindparam("event"),
        col(Session.cancelled_at).is_(None),
        col(Session.kind) != SessionKind.SERVICE,
    )
    .order_by(col(Session.title_folded), col(Session.id)),
    PossibleTarget,
)


async def possible_targets(
    ctx: Context, event_id: str, kind: TaskTarget
) -> Sequence[PossibleTarget]:
    """Everybody on the programme, or everything on it that has speakers, to choose from."""
    read = _SPEAKERS_ON if kind is TaskTarget.SPEAKER else _SESSIONS_ON
    return await ctx.all(read, event=event_id)


async def _tell(ctx: Context, event: find.FoundEvent, tasks: Sequence[Task]) -> list[Mail]:
    """One digest to each person who owes something new. Effects: mail rows."""
    people, owed = await _owed(ctx, tasks)
    portal = f"{ctx.settings.public_url}/{event.slug}/portal"
    mails = []
    for key, person in people.items():
        text = digest_text(owed[key], event=event.name, name=person.name, portal=portal)
        mails.append(
            add_letter(
                ctx,
                "tasks",
                text,
                subject_id=person.id,
                to_address=person.address or "",
                to_name=person.name,
                to_user_id=person.user_id,
                workspace_id=event.workspace_id,
                event_id=event.id,
            )
        )
    await ctx.session.flush()
    return mails


async def _owed(
    ctx: Context, tasks: Sequence[Task]
) -> tuple[dict[str, Speaker], dict[str, list[Owed]]]:
    """People with an address by that address, and what each newly owes."""
    sessions = [task.session_id for task in tasks if task.session_id]
    line_ups = await ctx.session.execute(
        select(col(SessionSpeaker.session_id), col(Session.title), Speaker)
        .join(Speaker, col(Speaker.id) == col(SessionSpeaker.speaker_id))
        .join(Session, col(Session.id) == col(SessionSpeaker.session_id))
        .where(
            col(SessionSpeaker.session_id).in_(sessions),
            col(SessionSpeaker.declined_at).is_(None),
        )
        .order_by(col(SessionSpeaker.session_id), col(SessionSpeaker.position))
    )
    of_session: dict[str, list[tuple[str, Speaker]]] = {}
    for session_id, title, speaker in line_ups:
        of_session.setdefault(session_id, []).append((title, speaker))
    own = [task.speaker_id for task in tasks if task.speaker_id]
    found = await ctx.session.execute(select(Speaker).where(col(Speaker.id).in_(own)))
    by_id = {speaker.id: speaker for speaker in found.scalars()}
    people: dict[str, Speaker] = {}
    owed: dict[str, list[Owed]] = {}
    silent: dict[str, None] = {}
    for task in tasks:
        asked: list[tuple[str | None, Speaker]] = [*of_session.get(task.session_id or "", [])]
        if task.speaker_id:
            asked = [(None, by_id[task.speaker_id])]
        for about, person in asked:
            if not person.address:
                silent.setdefault(person.name)
                continue
            key = fold_address(person.address)
            people.setdefault(key, person)
            owed.setdefault(key, []).append(Owed(task.name, about, task.due_on))
    for name in silent:
        ctx.writing.warn("no_address", f"{name} has no address and is not told.")
    return people, owed


def _named(target: Target) -> TargetNamed:
    return TargetNamed(target.kind, target.id, target.label)


def _reason(skipped: Skipped) -> str:
    return "already_done" if skipped.status is TaskStatus.DONE else "already_open"


def _counted(targets: Iterable[Target]) -> str:
    """``3 speakers and 1 session``; one alone by its name."""
    every = list(targets)
    if len(every) == 1:
        return every[0].label
    counts = []
    for kind in TaskTarget:
        count = sum(target.kind is kind for target in every)
        if count:
            counts.append(f"{count} {kind.value}{'' if count == 1 else 's'}")
    return " and ".join(counts) or "nobody"
