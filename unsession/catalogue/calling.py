"""The one way to call an operation: rights, transaction, preview, activity, idempotency."""

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm.exc import StaleDataError

from unsession.access import Actor
from unsession.catalogue import idempotency
from unsession.catalogue.inputs import Input
from unsession.catalogue.operation import Operation
from unsession.catalogue.record import record
from unsession.context import Context, Effect, Report, UnitOfWork, Warning
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.errors import Conflict, Stale, TooLarge
from unsession.ids import new_id
from unsession.settings import Settings


@dataclass(frozen=True, slots=True)
class Request:
    """What a door knows of a call besides the operation and its arguments."""

    actor: Actor
    db: Database
    settings: Settings
    request_id: str
    dry_run: bool = False
    idempotency_key: str | None = None
    report: Report | None = None  #: how far a long write is: done, of, in words


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call answers. ``data`` is the wire form; a page reads ``result``."""

    result: Any
    effects: tuple[Effect, ...] = ()
    warnings: tuple[Warning, ...] = ()
    activity_id: str | None = None
    dry_run: bool = False
    writes: bool = False
    replayed: dict[str, Any] | None = None

    def data(self) -> Any:
        """The answer as the doors send it: the result, for a write with what it did."""
        if self.replayed is not None:
            return self.replayed
        if not self.writes:
            return self.result
        answer: dict[str, Any] = msgspec.to_builtins(self.result)
        answer["effects"] = msgspec.to_builtins(self.effects)
        answer["warnings"] = msgspec.to_builtins(self.warnings)
        if self.activity_id:
            answer["activityId"] = self.activity_id
        if self.dry_run:
            answer["dryRun"] = True
        return answer


async def call(request: Request, operation: Operation, args: Input) -> Outcome:
    """Run an operation for an actor.

    A read runs on the committed state. A write runs in one transaction that is committed before
    this returns, or thrown away for a dry run; its activity entry is part of it. Hooks run after
    a commit only. Refuses with Forbidden when the actor could nowhere do this, with Stale and
    Conflict when another write got in between, with TooLarge when a preview takes too long, and
    with everything the operation itself refuses.
    """
    actor = request.actor
    if not actor.may_ever(operation.needs):
        raise actor.refusal(operation.needs)
    ctx = Context(
        actor,
        request.db,
        request.settings,
        operation.needs,
        utc_now(),
        request.request_id,
        report=request.report,
    )
    if not operation.writes:
        return Outcome(await operation.function(ctx, args))
    try:
        if not request.dry_run:
            return await _write(ctx, request, operation, args)
        async with asyncio.timeout(request.settings.preview_seconds):
            return await _write(ctx, request, operation, args)
    except TimeoutError:
        raise TooLarge(
            f"This preview took more than {request.settings.preview_seconds:g} seconds. "
            "Name fewer things at once."
        ) from None
    except StaleDataError:
        raise Stale("Somebody changed this at the same moment. Read it again.") from None
    except IntegrityError:
        raise Conflict(
            "Another change got in the way of this one. Read again what is there, then repeat."
        ) from None


async def _write(ctx: Context, request: Request, operation: Operation, args: Input) -> Outcome:
    key = None if request.dry_run else request.idempotency_key
    async with ctx.db.write(keep=not request.dry_run) as session:
        ctx.work = work = UnitOfWork(session)
        work.activity_id = new_id("act")
        digest = _digest(operation, args)
        if key is not None:
            earlier = await idempotency.claim(ctx, key, operation.name, digest)
            if earlier is not None:
                return Outcome(None, writes=True, replayed=earlier)
        result = await operation.function(ctx, args)
        activity_id = await record(ctx, operation.name, work.activity_id)
        outcome = Outcome(
            result,
            effects=tuple(work.effects()),
            warnings=tuple(work.warnings),
            activity_id=activity_id,
            dry_run=request.dry_run,
            writes=True,
        )
        if key is not None:
            await idempotency.keep(ctx, key, outcome.data())
    if not request.dry_run:
        for hook in work.after_commit:
            hook()
    return outcome


def _digest(operation: Operation, args: Input) -> str:
    asked = msgspec.to_builtins(args)
    text = msgspec.json.encode([operation.name, asked], order="sorted")
    return hashlib.sha256(text).hexdigest()
