"""Approval: which writes need more than their call, the plan a person reads, and its seal.

A plan is what a write would do, in numbered sentences without anything that chance or the clock
decides, so that running it again over unchanged data gives the same text. Its checksum stands in
the sealed token of a preview, and with an approval that waits for a person.
"""

import dataclasses
import datetime as dt
import hashlib
import itertools
import re
import secrets
from collections.abc import Iterable
from typing import Any

import msgspec

from unsession.access import Permission
from unsession.catalogue.inputs import Input
from unsession.catalogue.operation import Operation
from unsession.catalogue.record import actor_id
from unsession.context import Context, UnitOfWork
from unsession.errors import Invalid, Stale
from unsession.seal import BrokenSeal, Purpose, seal, unseal

#: How long the token of a preview can be used: shorter than its nonce is remembered.
TOKEN_LIVES = dt.timedelta(minutes=30)

_ID = re.compile(r"\b[a-z]{3}_[0-9a-z]{16}\b")


def needs_approval(operation: Operation, args: Input) -> bool:
    """Whether this call mails, publishes, deletes, takes back, or names several things."""
    if not operation.may_need_approval:
        return False
    if operation.needs in (Permission.AGENDA_PUBLISH, Permission.CHANGE_UNDO):
        return True
    if operation.route is not None and operation.route.method == "DELETE":
        return True
    if operation.mails is not None and _mails(args):
        return True
    return subjects_named(operation, args) > 1


def subjects_named(operation: Operation, args: Input) -> int:
    """How many things the arguments name as what the write is about."""
    named = [getattr(args, name) for name in operation.subjects]
    return sum(len(value) for value in named if isinstance(value, list | tuple))


def _mails(args: Input) -> bool:
    """Whether the caller left the mail on: it can say so by one of two names."""
    told = getattr(args, "send_email", getattr(args, "notify", True))
    return bool(told)


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """What a write would do, in words, and the checksum of exactly that."""

    text: str
    digest: str


def plan_of(operation: Operation, work: UnitOfWork) -> Plan:
    """The plan of what a unit of work has gathered."""
    made: dict[str, str] = {}

    def settled(text: str) -> str:
        return _ID.sub(lambda found: _name(found[0], fresh, made), text)

    fresh = {
        str(value) for change in work.changes if change.created for value in change.key().values()
    }
    steps = _counted(settled(effect.text) for effect in work.effects())
    notes = [settled(warning.text) for warning in work.warnings]
    summary = work.subject.summary if work.subject is not None else operation.title
    lines = [f"{operation.title}: {settled(summary)}"]
    lines += [f"{number}. {step}" for number, step in enumerate(steps, 1)]
    lines += [f"Mind: {note}" for note in notes]
    text = "\n".join(lines)
    return Plan(text, hashlib.sha256(text.encode()).hexdigest())


def _counted(steps: Iterable[str]) -> list[str]:
    """Equal steps that follow each other as one, with how often."""
    runs = ((step, len(list(same))) for step, same in itertools.groupby(steps))
    return [step if count == 1 else f"{step} ({count} times)" for step, count in runs]


def _name(found: str, fresh: set[str], made: dict[str, str]) -> str:
    """An id that this very run made up reads as a place; any other stays."""
    if found not in fresh:
        return found
    return made.setdefault(found, f"new-{len(made) + 1}")


def sealed(ctx: Context, operation: Operation, arguments: str, plan: Plan) -> str:
    """The token with which exactly this can be applied; ``arguments`` is their digest."""
    return seal(
        ctx.settings.secret_key,
        Purpose.APPROVAL,
        {
            "actor": actor_id(ctx.actor),
            "operation": operation.name,
            "arguments": arguments,
            "plan": plan.digest,
            "until": int((ctx.now + TOKEN_LIVES).timestamp()),
            "nonce": secrets.token_hex(12),
        },
    )


class Seal(msgspec.Struct, frozen=True):
    """What an approval token says."""

    actor: str
    operation: str
    arguments: str
    plan: str
    until: int
    nonce: str

    @property
    def key(self) -> str:
        """The idempotency key it stands for: a second use gets the first answer."""
        return f"approval:{self.nonce}"


def opened(ctx: Context, operation: Operation, arguments: str, token: str) -> Seal:
    """The token of a call, if it is this caller's and of this call.

    Refuses with Invalid for a token that is broken, too old, another's or of other arguments.
    """
    try:
        value: Any = unseal(ctx.settings.secret_key, Purpose.APPROVAL, token)
        found = msgspec.convert(value, Seal)
    except (BrokenSeal, msgspec.ValidationError, msgspec.DecodeError):
        raise Invalid.at("/approvalToken", "is not one of ours: preview again") from None
    if found.until < ctx.now.timestamp():
        raise Invalid.at("/approvalToken", "is too old: preview again")
    if (found.actor, found.operation) != (actor_id(ctx.actor), operation.name):
        raise Invalid.at("/approvalToken", "belongs to another call")
    if found.arguments != arguments:
        raise Invalid.at("/approvalToken", "was given for other arguments: preview these")
    return found


def check(plan: Plan, approved: str) -> None:
    """Refuse with Stale when a write would not do what was approved."""
    if plan.digest != approved:
        raise Stale(
            "What this would do has changed since it was previewed. Preview it again.",
        )
