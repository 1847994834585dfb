"""What the speakers owe: done by some, late with others."""

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random

from unsession.demo.casting import Cast
from unsession.demo.content.shapes import Person
from unsession.demo.content.tasks import TASKS, TaskText
from unsession.demo.history import By, History
from unsession.demo.programme import accepted_in_turn
from unsession.demo.rows import Rows
from unsession.demo.stage import Stage
from unsession.domain.tasks import TaskKind, TaskStatus, TaskTarget, today
from unsession.domain.text import fold, fold_address
from unsession.models import Task, TaskTemplate

_MADE = dt.timedelta(days=26)  # ago
_AT_LEAST = dt.timedelta(days=7)  # that everybody has for a task
_BY_MAIL = "Came by mail."


def add_tasks(
    rows: Rows,
    history: History,
    stage: Stage,
    casts: Sequence[Cast],
    speakers: Mapping[str, str],
    accounts: Collection[str],
    by: By,
    rng: Random,
    now: dt.datetime,
) -> None:
    """Templates given on acceptance, and one task of each to everybody who was accepted.

    Whoever has an account has done the first task, is late with the second and owes the others.
    """
    templates = [(text, *_template(rows, history, stage, text, by, now)) for text in TASKS]
    for person, accepted_at in _accepted(casts):
        folded = fold_address(person.address)
        for place, (text, template_id, due_on) in enumerate(templates):
            done = rng.random() < text.done
            if folded in accounts:
                done = place == 0
            done_at = accepted_at + rng.random() * (now - accepted_at)
            mailed = text.kind is TaskKind.FILE
            rows.add(
                Task,
                accepted_at,
                updated_at=done_at if done else accepted_at,
                event_id=stage.event_id,
                template_id=template_id,
                name=text.name,
                name_folded=fold(text.name),
                description=text.description,
                kind=text.kind,
                speaker_id=speakers[folded],
                status=TaskStatus.DONE if done else TaskStatus.OPEN,
                due_on=max(due_on, today(stage.text.zone, accepted_at + _AT_LEAST)),
                completed_at=done_at if done else None,
                completed_by=(by.name if mailed else person.name) if done else None,
                note=_BY_MAIL if done and mailed else None,
            )


def _template(
    rows: Rows, history: History, stage: Stage, text: TaskText, by: By, now: dt.datetime
) -> tuple[str, dt.date]:
    at = now - _MADE
    due_on = stage.dates[0] - dt.timedelta(days=text.due_before)
    if text.due_in is not None:
        due_on = today(stage.text.zone, now) + dt.timedelta(days=text.due_in)
    template_id = rows.add(
        TaskTemplate,
        at,
        event_id=stage.event_id,
        name=text.name,
        name_folded=fold(text.name),
        description=text.description,
        kind=text.kind,
        target=TaskTarget.SPEAKER,
        due_on=due_on,
        on_accept=True,
    )
    history.note(
        at, by, "save_task_template", ("task_template", template_id),
        f"Task template “{text.name}” made", event_id=stage.event_id,
    )  # fmt: skip
    return template_id, due_on


def _accepted(casts: Sequence[Cast]) -> Iterator[tuple[Person, dt.datetime]]:
    """Everybody once, with when they were accepted first."""
    seen: set[str] = set()
    for cast in accepted_in_turn(casts):
        for person in cast.people:
            folded = fold_address(person.address)
            if folded not in seen:
                seen.add(folded)
                yield person, cast.moved_at or cast.begun_at
