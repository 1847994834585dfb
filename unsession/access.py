"""Who may do what, on two tables: what a permission is, and which role holds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from unsession.errors import Forbidden, NotFound


class Role(StrEnum):
    """What somebody is: in a workspace, in one event, or towards the product as a whole."""

    OWNER = "owner"
    ADMIN = "admin"
    ORGANIZER = "organizer"
    REVIEWER = "reviewer"
    PERSON = "person"  #: anybody who is signed in, towards what is their own
    HOLDER = "holder"  #: whoever holds one mailed link, towards its subject
    VISITOR = "visitor"  #: anybody at all, towards what is public


class ApprovalPolicy(StrEnum):
    """When a write that mails, publishes, deletes or names several things needs a word more."""

    NEVER = "never"  #: it is done when it is called
    PREVIEW = "preview"  #: it is done with the token of its own preview
    ALWAYS = "always"  #: it waits until a person approves it at a page


class Level(StrEnum):
    """Where a permission acts. Nothing of workspace level is shown to an event's token."""

    WORKSPACE = "workspace"
    EVENT = "event"
    OWN = "own"  #: outside workspaces: an account, one's own things, a public form


class Kind(NamedTuple):
    """What a permission lets happen."""

    level: Level
    writes: bool
    means: str


class Permission(StrEnum):
    """``subject:action``, one word for docs, code, tokens and refusals."""

    SELF_READ = "self:read"
    SELF_WRITE = "self:write"
    WORKSPACE_OWN = "workspace:own"
    WORKSPACE_RUN = "workspace:run"
    MEMBER_READ = "member:read"
    EVENT_READ = "event:read"
    EVENT_SET_UP = "event:set_up"
    ACTIVITY_READ = "activity:read"
    MAIL_READ = "mail:read"
    SUBMISSION_READ = "submission:read"
    SUBMISSION_WRITE = "submission:write"
    SUBMISSION_DECIDE = "submission:decide"
    REVIEW_READ = "review:read"
    REVIEW_GIVE = "review:give"
    SPEAKER_READ = "speaker:read"
    SPEAKER_WRITE = "speaker:write"
    TASK_READ = "task:read"
    TASK_WRITE = "task:write"
    SESSION_READ = "session:read"
    SESSION_WRITE = "session:write"
    AGENDA_PUBLISH = "agenda:publish"
    CHANGE_UNDO = "change:undo"
    TOKEN_CREATE = "token:create"  # noqa: S105  (a permission's name, no secret)
    ACCOUNT_ENTER = "account:enter"
    ACCOUNT_KEEP = "account:keep"
    WORKSPACE_CREATE = "workspace:create"
    SUBMISSION_SUBMIT = "submission:submit"
    OWN_WRITE = "own:write"
    LINK_ANSWER = "link:answer"

    @property
    def kind(self) -> Kind:
        """Level and effect, from the table below."""
        return KINDS[self]


_E, _W, _O = Level.EVENT, Level.WORKSPACE, Level.OWN

KINDS: dict[Permission, Kind] = {
    Permission.SELF_READ: Kind(_E, False, "see who one is and what one may do"),
    Permission.SELF_WRITE: Kind(_E, True, "ask for approval, and answer what waits for one"),
    Permission.WORKSPACE_OWN: Kind(_W, True, "rename the workspace and choose its owners"),
    Permission.WORKSPACE_RUN: Kind(_W, True, "create events, invite members and end tokens"),
    Permission.MEMBER_READ: Kind(_E, False, "see who belongs to the workspace and the event"),
    Permission.EVENT_READ: Kind(_E, False, "see events, their set-up and their counts"),
    Permission.EVENT_SET_UP: Kind(_E, True, "change an event, its forms, plans and reviewers"),
    Permission.ACTIVITY_READ: Kind(_E, False, "read the activity log"),
    Permission.MAIL_READ: Kind(_E, False, "read the mail log and the outbox"),
    Permission.SUBMISSION_READ: Kind(
        _E, False, "read submissions with their speakers, answers, scores and activity"
    ),
    Permission.SUBMISSION_WRITE: Kind(_E, True, "add and change submissions"),
    Permission.SUBMISSION_DECIDE: Kind(_E, True, "accept, decline or waitlist submissions"),
    Permission.REVIEW_READ: Kind(_E, False, "read the reviews one has to give"),
    Permission.REVIEW_GIVE: Kind(_E, True, "review what is assigned"),
    Permission.SPEAKER_READ: Kind(_E, False, "read speakers"),
    Permission.SPEAKER_WRITE: Kind(_E, True, "change speakers"),
    Permission.TASK_READ: Kind(_E, False, "read tasks"),
    Permission.TASK_WRITE: Kind(_E, True, "assign and complete tasks"),
    Permission.SESSION_READ: Kind(_E, False, "read sessions and the schedule"),
    Permission.SESSION_WRITE: Kind(_E, True, "add, change and place sessions"),
    Permission.AGENDA_PUBLISH: Kind(_E, True, "publish the agenda and send the outbox"),
    Permission.CHANGE_UNDO: Kind(_E, True, "undo what one may do"),
    Permission.TOKEN_CREATE: Kind(
        _E, True, "make tokens that act for oneself, never wider than oneself"
    ),
    Permission.ACCOUNT_ENTER: Kind(_O, True, "sign up, sign in and use mailed links"),
    Permission.ACCOUNT_KEEP: Kind(_O, True, "change one's own account and sign out"),
    Permission.WORKSPACE_CREATE: Kind(_O, True, "create a workspace"),
    Permission.SUBMISSION_SUBMIT: Kind(_O, True, "submit through an open form"),
    Permission.OWN_WRITE: Kind(_O, True, "change one's own submissions, profile and tasks"),
    Permission.LINK_ANSWER: Kind(_O, True, "answer what a mailed link asks"),
}

_VISITOR = frozenset({Permission.ACCOUNT_ENTER, Permission.SUBMISSION_SUBMIT})
_PERSON = _VISITOR | {
    Permission.ACCOUNT_KEEP,
    Permission.WORKSPACE_CREATE,
    Permission.OWN_WRITE,
    Permission.LINK_ANSWER,
}
_REVIEWER = frozenset(
    {
        Permission.SELF_READ,
        Permission.SELF_WRITE,
        Permission.TOKEN_CREATE,
        Permission.REVIEW_READ,
        Permission.REVIEW_GIVE,
    }
)
_ORGANIZER = frozenset(
    permission
    for permission, kind in KINDS.items()
    if kind.level is Level.EVENT
    and permission not in (Permission.REVIEW_READ, Permission.REVIEW_GIVE)
)

#: Role -> permissions. What an actor holds is the union of its roles, under its ceiling.
#: Members review only where they are made reviewers of an event.
GRANTS: dict[Role, frozenset[Permission]] = {
    Role.OWNER: _ORGANIZER | {Permission.WORKSPACE_RUN, Permission.WORKSPACE_OWN},
    Role.ADMIN: _ORGANIZER | {Permission.WORKSPACE_RUN},
    Role.ORGANIZER: _ORGANIZER,
    Role.REVIEWER: _REVIEWER,
    Role.PERSON: _PERSON,
    Role.HOLDER: frozenset({Permission.LINK_ANSWER, Permission.ACCOUNT_ENTER}),
    Role.VISITOR: _VISITOR,
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
    policy: ApprovalPolicy = ApprovalPolicy.NEVER
    standing: frozenset[Role] = frozenset()  #: roles outside workspaces: person, holder, visitor

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
        if permission not in self.ceiling or self._is_beyond(permission):
            return False
        return any(permission in GRANTS[role] for role in self.roles_in(workspace_id, event_id))

    def _is_beyond(self, permission: Permission) -> bool:
        """Whether a restriction to one event rules a workspace's permission out."""
        return self.only_event is not None and permission.kind.level is Level.WORKSPACE

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
        if self._is_beyond(permission):
            return False
        if permission.kind.level is Level.OWN:
            return any(permission in GRANTS[role] for role in self.standing)
        granted = [*self.workspace_roles.values()]
        if permission.kind.level is Level.EVENT:
            granted += [
                roles
                for event_id, roles in self.event_roles.items()
                if self.only_event in (None, event_id)
            ]
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
        if self._is_beyond(permission):
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


def system_actor(job: str, workspace_id: str | None = None) -> Actor:
    """The actor of a command or a job: ``system:<job>``, an owner in one workspace if named."""
    owner = {workspace_id: frozenset({Role.OWNER})} if workspace_id else {}
    return Actor(
        ActorKind.SYSTEM,
        id=job,
        name=f"system:{job}",
        workspace_roles=owner,
        standing=frozenset({Role.PERSON}),
    )


def visitor_actor() -> Actor:
    """Anybody at a public door."""
    return Actor(ActorKind.ANONYMOUS, "visitor", "visitor", standing=frozenset({Role.VISITOR}))


def holder_actor(link_id: str, name: str) -> Actor:
    """Whoever holds one mailed link: may answer it, nothing else."""
    return Actor(ActorKind.LINK, link_id, name, standing=frozenset({Role.HOLDER}))
