"""From a presented secret to an actor; remembered, and forgotten at once when it must be."""

import asyncio
import datetime as dt
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import msgspec
import structlog
from sqlalchemy import String, bindparam, cast, literal, null, select, union_all, update
from sqlmodel import col

from unsession.access import EVERYTHING, READ_ONLY, Actor, ActorKind, ApprovalPolicy, Role
from unsession.db.engine import Database
from unsession.db.prepared import AnySelect, Prepared
from unsession.db.types import utc_now
from unsession.domain.oauth import Resource
from unsession.domain.people import TokenScope
from unsession.models import (
    AuthEpoch,
    Event,
    EventMember,
    Membership,
    SigninSession,
    Token,
    User,
)

T = TypeVar("T", bound=msgspec.Struct)
log = structlog.get_logger(__name__)

#: How long a token's last use may stay unwritten, and how often one token's is written at most.
FLUSH_EVERY = 10.0
TOUCH_EVERY = dt.timedelta(minutes=1)
_MAX_REMEMBERED = 10_000


class TokenRow(msgspec.Struct, frozen=True):
    """A token with what decides whether it works."""

    id: str
    workspace_id: str
    user_id: str
    name: str
    scope: TokenScope
    approval_policy: ApprovalPolicy
    resource: Resource | None
    event_id: str | None
    expires_at: dt.datetime | None
    revoked_at: dt.datetime | None
    disabled_at: dt.datetime | None


class SigninRow(msgspec.Struct, frozen=True):
    """A browser's sign-in with what decides whether it still holds."""

    id: str
    user_id: str
    name: str
    expires_at: dt.datetime
    revoked_at: dt.datetime | None
    disabled_at: dt.datetime | None


class RoleRow(msgspec.Struct, frozen=True):
    """One role of a person: in a workspace, or in one event of it."""

    workspace_id: str
    event_id: str | None
    role: str


class _Person(msgspec.Struct, frozen=True):
    name: str
    disabled_at: dt.datetime | None


class Ask(Protocol):
    """``all`` of a database or of a context."""

    async def __call__(self, prepared: Prepared[T], **parameters: Any) -> list[T]:
        """The rows of a prepared read."""


class _Number(msgspec.Struct, frozen=True):
    number: int


_TOKEN = select(
    col(Token.id),
    col(Token.workspace_id),
    col(Token.user_id),
    col(Token.name),
    col(Token.scope),
    col(Token.approval_policy),
    col(Token.resource),
    col(Token.event_id),
    col(Token.expires_at),
    col(Token.revoked_at),
    col(User.disabled_at),
).join(User, col(User.id) == col(Token.user_id))
TOKEN_BY_HASH = Prepared(_TOKEN.where(col(Token.secret_hash) == bindparam("hash")), TokenRow)
TOKEN_BY_ID = Prepared(_TOKEN.where(col(Token.id) == bindparam("id")), TokenRow)
_memberships: AnySelect = select(
    col(Membership.workspace_id).label("workspace_id"),
    null().label("event_id"),
    cast(col(Membership.role), String).label("role"),
).where(col(Membership.user_id) == bindparam("user"))
_event_roles = (
    select(
        col(Event.workspace_id),
        col(EventMember.event_id),
        cast(col(EventMember.role), String),
    )
    .join(Event, col(Event.id) == col(EventMember.event_id))
    .where(col(EventMember.user_id) == bindparam("user"))
)
_roles = union_all(_memberships, _event_roles).subquery()
SIGNIN_BY_HASH = Prepared(
    select(
        col(SigninSession.id),
        col(SigninSession.user_id),
        col(User.name),
        col(SigninSession.expires_at),
        col(SigninSession.revoked_at),
        col(User.disabled_at),
    )
    .join(User, col(User.id) == col(SigninSession.user_id))
    .where(col(SigninSession.secret_hash) == bindparam("hash")),
    SigninRow,
)
PERSON_BY_ID = Prepared(
    select(col(User.name), col(User.disabled_at)).where(col(User.id) == bindparam("id")), _Person
)
ROLES_OF_PERSON = Prepared(select(_roles.c.workspace_id, _roles.c.event_id, _roles.c.role), RoleRow)
EPOCH = Prepared(select(col(AuthEpoch.number)).where(col(AuthEpoch.id) == literal(1)), _Number)


def secret_hash(secret: str) -> str:
    """What is stored of a random secret: its SHA-256, in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a secret stands for, until when; a token, or a browser somebody signed in with."""

    actor: Actor
    token_id: str  #: of the token or the sign-in
    expires_at: dt.datetime | None
    resource: Resource | None = None  #: of a connection: the one door it opens


class Principals:
    """Tokens looked up and remembered.

    An entry is dropped when anything that decides rights changes anywhere: the database's change
    number says that something did, the epoch row says whether it was about rights. The epoch is
    read **before** the look-up, so a revocation in between is never overlooked.
    """

    def __init__(self, db: Database, now: Callable[[], dt.datetime] = utc_now) -> None:
        self._db = db
        self._now = now
        self._remembered: dict[tuple[ActorKind, str], Principal] = {}
        self._change: int | None = None
        self._epoch = -1
        self._generation = 0  #: grows with every clearing; a look-up that spans one is not kept
        self._written: dict[str, dt.datetime] = {}
        self._unwritten: dict[str, tuple[dt.datetime, str | None]] = {}

    async def token(self, secret: str, address: str | None = None) -> Principal | None:
        """The principal of a token's secret, or None: unknown, expired, revoked, nobody's."""
        principal = await self._known(ActorKind.TOKEN, secret, self._look_up)
        if principal is None:
            return None
        now = self._now()
        last = self._written.get(principal.token_id)
        if last is None or now - last >= TOUCH_EVERY:
            self._unwritten[principal.token_id] = (now, address)
        return principal

    async def signin(self, secret: str) -> Principal | None:
        """The person signed in with a browser's secret, or None: unknown, expired, ended."""
        return await self._known(ActorKind.PERSON, secret, self._look_up_signin)

    async def _known(
        self,
        kind: ActorKind,
        secret: str,
        look_up: Callable[[str], Awaitable[Principal | None]],
    ) -> Principal | None:
        await self._guard()
        hashed = secret_hash(secret)
        key = kind, hashed  # a browser's secret is no token, remembered or not
        principal = self._remembered.get(key)
        if principal is None:
            generation = self._generation
            principal = await look_up(hashed)
            if principal is None:
                return None
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._clear()
            if generation == self._generation:
                self._remembered[key] = principal
        if principal.expires_at is not None and principal.expires_at <= self._now():
            return None
        return principal

    def _clear(self) -> None:
        self._remembered.clear()
        self._generation += 1

    async def flush(self) -> None:
        """Write the last uses gathered since the last time. Effects: token rows, no activity."""
        if not self._unwritten:
            return
        uses, self._unwritten = self._unwritten, {}
        async with self._db.write() as session:
            for token_id, (at, address) in uses.items():
                await session.execute(
                    update(Token)
                    .where(col(Token.id) == token_id)
                    .values(last_used_at=at, last_used_ip=address, updated_at=Token.updated_at)
                )
        self._written.update({token_id: at for token_id, (at, _) in uses.items()})

    async def keep_flushing(self) -> None:
        """Write last uses for ever; ends by cancellation."""
        while True:
            await asyncio.sleep(FLUSH_EVERY)
            try:
                await self.flush()
            except Exception:
                log.exception("last_used_not_written")

    async def _guard(self) -> None:
        change = self._db.changed()
        if change is not None and change == self._change:
            return
        rows = await self._db.all(EPOCH)
        epoch = rows[0].number if rows else 0
        if epoch != self._epoch:
            self._clear()
            self._epoch = epoch
        self._change = change

    async def _look_up_signin(self, key: str) -> Principal | None:
        rows = await self._db.all(SIGNIN_BY_HASH, hash=key)
        if not rows or rows[0].revoked_at is not None or rows[0].disabled_at is not None:
            return None
        row = rows[0]
        roles = await self._db.all(ROLES_OF_PERSON, user=row.user_id)
        return Principal(person_actor(row.user_id, row.name, roles), row.id, row.expires_at)

    async def _look_up(self, key: str) -> Principal | None:
        rows = await self._db.all(TOKEN_BY_HASH, hash=key)
        if not rows or rows[0].revoked_at is not None or rows[0].disabled_at is not None:
            return None
        token = rows[0]
        roles = await self._db.all(ROLES_OF_PERSON, user=token.user_id)
        actor = token_actor(
            token, [role for role in roles if role.workspace_id == token.workspace_id]
        )
        return Principal(actor, token.id, token.expires_at, token.resource) if actor else None


async def actor_again(ask: Ask, kind: ActorKind, actor_id: str, now: dt.datetime) -> Actor | None:
    """A person or token as they may act now, for work they began earlier; None: not any more."""
    if kind is ActorKind.PERSON:
        people = await ask(PERSON_BY_ID, id=actor_id)
        if not people or people[0].disabled_at is not None:
            return None
        return person_actor(actor_id, people[0].name, await ask(ROLES_OF_PERSON, user=actor_id))
    tokens = await ask(TOKEN_BY_ID, id=actor_id) if kind is ActorKind.TOKEN else []
    token = tokens[0] if tokens else None
    over = token is None or token.revoked_at is not None or token.disabled_at is not None
    if token is None or over or (token.expires_at is not None and token.expires_at <= now):
        return None
    roles = await ask(ROLES_OF_PERSON, user=token.user_id)
    return token_actor(token, [role for role in roles if role.workspace_id == token.workspace_id])


def person_actor(user_id: str, name: str, roles: Sequence[RoleRow]) -> Actor:
    """The actor of a signed-in person: every role they have, and a person's own rights."""
    workspace_roles, event_roles, homes = _by_place(roles)
    return Actor(
        kind=ActorKind.PERSON,
        id=user_id,
        name=name,
        user_id=user_id,
        workspace_roles=workspace_roles,
        event_roles=event_roles,
        event_homes=homes,
        standing=frozenset({Role.PERSON}),
    )


def _by_place(
    roles: Sequence[RoleRow],
) -> tuple[dict[str, frozenset[Role]], dict[str, frozenset[Role]], dict[str, str]]:
    """Roles by workspace, roles by event, and each such event's workspace."""
    workspace_roles: dict[str, frozenset[Role]] = {}
    event_roles: dict[str, frozenset[Role]] = {}
    homes: dict[str, str] = {}
    for row in roles:
        role = frozenset({Role(row.role)})
        if row.event_id is None:
            workspace_roles[row.workspace_id] = role
        else:
            event_roles[row.event_id] = event_roles.get(row.event_id, frozenset()) | role
            homes[row.event_id] = row.workspace_id
    return workspace_roles, event_roles, homes


def token_actor(token: TokenRow, roles: list[RoleRow]) -> Actor | None:
    """The actor of a token: its maker's roles in its workspace, under its scope."""
    counting = [r for r in roles if token.event_id is None or r.event_id in (None, token.event_id)]
    workspace_roles, event_roles, homes = _by_place(counting)
    if not workspace_roles and not event_roles:
        return None  # the maker has left: the token dies with their membership
    return Actor(
        kind=ActorKind.TOKEN,
        id=token.id,
        name=f"api:{token.name}",
        user_id=token.user_id,
        workspace_roles=workspace_roles,
        event_roles=event_roles,
        event_homes=homes,
        ceiling=EVERYTHING if token.scope is TokenScope.WRITE else READ_ONLY,
        only_event=token.event_id,
        policy=token.approval_policy,
    )
