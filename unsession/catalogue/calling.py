"""The one way to call an operation: rights, transaction, preview, activity, idempotency."""

import asyncio
import dataclasses
import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm.exc import StaleDataError

from unsession.access import Actor, ActorKind, ApprovalPolicy
from unsession.catalogue import idempotency
from unsession.catalogue.approving import (
    Plan,
    check,
    needs_approval,
    opened,
    plan_of,
    sealed,
    subjects_named,
)
from unsession.catalogue.inputs import Input, parse
from unsession.catalogue.operation import OPERATIONS, Operation
from unsession.catalogue.record import record
from unsession.context import Context, Effect, Report, UnitOfWork, Warning
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.errors import ApprovalNeeded, Conflict, PreviewNeeded, Stale, TooLarge
from unsession.ids import new_id
from unsession.settings import Settings

#: The operation that writes down what waits for a person.
ASK = "ask_approval"


@dataclass(frozen=True, slots=True)
class Request:
    """What a door knows of a call besides the operation and its arguments."""

    actor: Actor
    db: Database
    settings: Settings
    request_id: str
    dry_run: bool = False
    idempotency_key: str | None = None
    approval_token: str | None = None
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
    approval_token: str | None = None  #: of a preview: applies exactly what was previewed
    plan: Plan | None = None  #: of a preview that may need approval
    several: bool = False  #: whether the arguments name several things

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
        if self.approval_token is not None:
            answer["approvalToken"] = self.approval_token
        if self.plan is not None and self.several:
            answer["plan"] = self.plan.text
        return answer


async def call(request: Request, operation: Operation, args: Input) -> Outcome:
    """Run an operation for an actor.

    A read runs on the committed state. A write runs in one transaction that is committed before
    this returns, or thrown away for a dry run; its activity entry is part of it. Hooks run after
    a commit only. Refuses with Forbidden when the actor could nowhere do this, with Stale and
    Conflict when another write got in between, with TooLarge when a preview takes too long, with
    PreviewNeeded or ApprovalNeeded when the actor's policy asks for more than the call, and with
    everything the operation itself refuses.
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
        if request.dry_run:
            return await _preview(ctx, request, operation, args)
        if actor.policy is not ApprovalPolicy.NEVER and needs_approval(operation, args):
            return await _with_approval(ctx, request, operation, args)
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


async def _preview(ctx: Context, request: Request, operation: Operation, args: Input) -> Outcome:
    async with asyncio.timeout(request.settings.preview_seconds):
        return await _write(ctx, request, operation, args)


async def _with_approval(
    ctx: Context, request: Request, operation: Operation, args: Input
) -> Outcome:
    """A write that the actor's policy does not leave to its call alone."""
    asked = request.approval_token is not None
    if asked and ctx.actor.policy is ApprovalPolicy.PREVIEW:
        return await _write(ctx, request, operation, args)
    previewing = dataclasses.replace(request, dry_run=True, approval_token=None)
    again = dataclasses.replace(ctx)
    seen = await _preview(again, previewing, operation, args)
    plan = seen.plan
    assert plan is not None, "what needs approval has a plan"
    if ctx.actor.policy is ApprovalPolicy.PREVIEW:
        raise PreviewNeeded(plan.text, seen.approval_token or "")
    asking = OPERATIONS[ASK]
    wire = {
        "operation": operation.name,
        "arguments": msgspec.json.encode(args).decode(),
        "digest": digest_of(operation, args),
        "plan": plan.text,
        "planDigest": plan.digest,
        "workspace": again.writing.workspace_id,
        "event": again.writing.event_id,
    }
    given = parse(asking.input, {name: value for name, value in wire.items() if value is not None})
    plain = dataclasses.replace(request, idempotency_key=None, approval_token=None)
    waiting = await _write(ctx, plain, asking, given)
    if waiting.result.answer is not None:
        return Outcome(None, writes=True, replayed=msgspec.json.decode(waiting.result.answer))
    raise ApprovalNeeded(waiting.result.approval, waiting.result.url)


async def _write(ctx: Context, request: Request, operation: Operation, args: Input) -> Outcome:
    key = None if request.dry_run else request.idempotency_key
    async with ctx.db.write(keep=not request.dry_run) as session:
        ctx.work = work = UnitOfWork(session)
        work.activity_id = new_id("act")
        digest = digest_of(operation, args)
        approved = None
        if request.approval_token is not None and not request.dry_run:
            approved = opened(ctx, operation, digest, request.approval_token)
        keys = [one for one in (key, approved and approved.key) if one]
        for one in keys:
            earlier = await idempotency.claim(ctx, one, operation.name, digest)
            if earlier is not None:
                return Outcome(None, writes=True, replayed=earlier)
        result = await operation.function(ctx, args)
        plan = None
        if approved is not None or (request.dry_run and needs_approval(operation, args)):
            await session.flush()
            plan = plan_of(operation, work)
        if approved is not None and plan is not None:
            check(plan, approved.plan)
        activity_id = await record(ctx, operation.name, work.activity_id)
        outcome = Outcome(
            result,
            effects=tuple(work.effects()),
            warnings=tuple(work.warnings),
            activity_id=activity_id,
            dry_run=request.dry_run,
            writes=True,
        )
        if request.dry_run and plan is not None and ctx.actor.kind is ActorKind.TOKEN:
            outcome = dataclasses.replace(
                outcome,
                approval_token=sealed(ctx, operation, digest, plan),
                plan=plan,
                several=subjects_named(operation, args) > 1,
            )
        for one in keys:
            await idempotency.keep(ctx, one, outcome.data())
    if not request.dry_run:
        for hook in work.after_commit:
            hook()
    return outcome


def digest_of(operation: Operation, args: Input) -> str:
    """The checksum of a call: what is asked, of what."""
    asked = msgspec.to_builtins(args)
    text = msgspec.json.encode([operation.name, asked], order="sorted")
    return hashlib.sha256(text).hexdigest()
