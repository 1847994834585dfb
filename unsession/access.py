"""Who may do what, on two tables: what a permission is, and which role holds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from unsession.errors import Forbidden, NotFound


class Role(StrEnum):
    """What a person is, in a workspace or in one event."""

    OWNER = "owner"
    ADMIN = "admin"
    ORGANIZER = "organizer"
    REVIEWER = "reviewer"


class Level(StrEnum):
    """Where a permission acts. Nothing of workspace level is shown to an event's token."""

    WORKSPACE = "workspace"
    EVENT = "event"


class Kind(NamedTuple):
    """What a permission lets happen."""

    level: Level
    writes: bool
    means: str


class Permission(StrEnum):
    """``subject:action``, one word for docs, code, tokens and refusals."""

    SELF_READ = "self:read"
    EVENT_READ = "event:read"
    SUBMISSION_READ = "submission:read"
    SUBMISSION_DECIDE = "submission:decide"
    TOKEN_CREATE = "token:create"  # noqa: S105  (a permission's name, no secret)

    @property
    def kind(self) -> Kind:
        """Level and effect, from the table below."""
        return KINDS[self]


KINDS: dict[Permission, Kind] = {
    Permission.SELF_READ: Kind(Level.EVENT, False, "see who one is and what one may do"),
    Permission.EVENT_READ: Kind(Level.EVENT, False, "see events, their set-up and their counts"),
    Permission.SUBMISSION_READ: Kind(
        Level.EVENT, False, "read submissions with their speakers, answers, scores and activity"
    ),
    Permission.SUBMISSION_DECIDE: Kind(
        Level.EVENT, True, "accept, decline or waitlist submissions"
    ),
    Permission.TOKEN_CREATE: Kind(
        Level.EVENT, True, "make tokens that act for oneself, never wider than oneself"
    ),
}

_OWN = {Permission.SELF_READ, Permission.TOKEN_CREATE}
_PROGRAMME = {Permission.EVENT_READ, Permission.SUBMISSION_READ, Permission.SUBMISSION_DECIDE}

#: Role -> permissions. What an actor holds is the union of its roles, under its ceiling.
GRANTS: dict[Role, frozenset[Permission]] = {
    Role.OWNER: frozenset(Permission),
    Role.ADMIN: frozenset(_OWN | _PROGRAMME),
    Role.ORGANIZER: frozenset(_OWN | _PROGRAMME),
    Role.REVIEWER: frozenset(_OWN),
}

READ_ONLY = frozenset(p for p in Permission if not p.kind.writes)
EVERYTHING = frozenset(Permission)


class ActorKind(StrEnum):
    """Who stands at a door."""

    PERSON = "person"
    TOKEN = "token"  # noqa: S105  (a kind of actor, no secret)
    LINK = "link"
    ANONYMOUS = "anonymous"
    SYSTEM = "system"


class Reach(NamedTuple):
    """One place an actor reaches: a whole workspace, or one event of it."""

    workspace_id: str
    event_id: str | None


def _roles() -> Mapping[str, frozenset[Role]]:
    return {}


@dataclass(frozen=True)
class Actor:
    """A person, a token, the holder of a link, nobody or the system; already authenticated.

    A plain value: no check can issue a query. ``workspace_roles`` holds for every event of that
    workspace, ``event_roles`` (keyed by event, with the event's workspace in ``event_homes``)
    for that event alone. A token restricted to one event carries ``only_event``.
    """

    kind: ActorKind
    id: str
    name: str  #: as the activity log shows it: ``Ana Lima`` or ``api:ci``
    user_id: str | None = None
    workspace_roles: Mapping[str, frozenset[Role]] = field(default_factory=_roles)
    event_roles: Mapping[str, frozenset[Role]] = field(default_factory=_roles)
    event_homes: Mapping[str, str] = field(default_factory=dict)
    ceiling: frozenset[Permission] = EVERYTHING
    only_event: str | None = None

    def roles_in(self, workspace_id: str, event_id: str | None) -> frozenset[Role]:
        """The roles that count at one place. Empty: the place does not exist for this actor."""
        if self.only_event is not None and event_id != self.only_event:
            return frozenset()
        here = self.workspace_roles.get(workspace_id, frozenset())
        if event_id is not None:
            here = here | self.event_roles.get(event_id, frozenset())
        return here

    def reaches(self, workspace_id: str, event_id: str | None) -> bool:
        """Whether the place exists for this actor at all."""
        return bool(self.roles_in(workspace_id, event_id))

    def holds(self, permission: Permission, workspace_id: str, event_id: str | None) -> bool:
        """Whether a role grants the permission there and the ceiling lets it through."""
        if permission not in self.ceiling:
            return False
        return any(permission in GRANTS[role] for role in self.roles_in(workspace_id, event_id))

    def require(
        self, permission: Permission, workspace_id: str, event_id: str | None, missing: NotFound
    ) -> None:
        """Refuse outside the actor's places with ``missing``, inside them with Forbidden."""
        if not self.reaches(workspace_id, event_id):
            raise missing
        if not self.holds(permission, workspace_id, event_id):
            raise self.refusal(permission)

    def may_ever(self, permission: Permission) -> bool:
        """Whether there is any place where this actor could use the permission.

        The list of tools shown to a token and the check at the start of a call are this.
        """
        if permission not in self.ceiling:
            return False
        if self.only_event is not None and permission.kind.level is Level.WORKSPACE:
            return False
        granted = [*self.workspace_roles.values()]
        if permission.kind.level is Level.EVENT:
            granted += self.event_roles.values()
        return any(permission in GRANTS[role] for roles in granted for role in roles)

    def refusal(self, permission: Permission) -> Forbidden:
        """The sentence for an act that is not this actor's: says which limit is in the way."""
        means = permission.kind.means
        if self.kind is ActorKind.TOKEN and permission not in self.ceiling:
            return Forbidden(
                f"This token is read-only; to {means} takes a read & write token.",
                permission=str(permission),
                scope="write",
            )
        if self.only_event is not None and permission.kind.level is Level.WORKSPACE:
            return Forbidden(
                "This token is restricted to one event; this acts on the workspace.",
                permission=str(permission),
            )
        return Forbidden(f"Your role does not let you {means}.", permission=str(permission))

    def places(self) -> list[Reach]:
        """Where to look for things: whole workspaces first, then single events."""
        if self.only_event is not None:
            home = self.event_homes.get(self.only_event) or next(iter(self.workspace_roles), "")
            return [Reach(home, self.only_event)]
        whole = [Reach(workspace, None) for workspace in self.workspace_roles]
        return whole + [
            Reach(home, event)
            for event, home in self.event_homes.items()
            if home not in self.workspace_roles
        ]


def system_actor(job: str, workspace_id: str) -> Actor:
    """The actor of a command or a job in one workspace: ``system:<job>``."""
    name = f"system:{job}"
    owner = {workspace_id: frozenset({Role.OWNER})}
    return Actor(ActorKind.SYSTEM, id=job, name=name, workspace_roles=owner)
