"""The team of a workspace or an event: people with their roles, and who is invited."""

import datetime as dt
from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import String, bindparam, cast, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, get, operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.models import Event, Invitation
from unsession.services import find
from unsession.services.refs import EventRef, WorkspaceRef


class ListTeam(Input):
    """Whose team."""

    workspace: WorkspaceRef | UnsetType = UNSET
    event: EventRef | UnsetType = UNSET


class RoleIn(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A role; without an event it holds for the whole workspace."""

    role: str
    event: str | UnsetType = UNSET
    event_name: str | UnsetType = UNSET


class Teammate(msgspec.Struct, frozen=True):
    """A person with every role they have."""

    id: str
    name: str
    address: str
    roles: Sequence[RoleIn]


class Pending(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Somebody who was invited and has not answered."""

    id: str
    address: str
    role: str
    expires_at: dt.datetime
    expired: bool
    event: str | UnsetType = UNSET
    event_name: str | UnsetType = UNSET


class Team(msgspec.Struct, frozen=True):
    """People and open invitations."""

    items: Sequence[Teammate]
    invitations: Sequence[Pending]
    total: int


class _Row(msgspec.Struct, frozen=True):
    id: str
    address: str
    role: str
    expires_at: dt.datetime
    event_id: str | None
    event_name: str | None


_PENDING = Prepared(
    select(
        col(Invitation.id),
        col(Invitation.address),
        cast(col(Invitation.role), String),
        col(Invitation.expires_at),
        col(Invitation.event_id),
        col(Event.name),
    )
    .outerjoin(Event, col(Event.id) == col(Invitation.event_id))
    .where(
        col(Invitation.workspace_id) == bindparam("workspace"),
        col(Invitation.accepted_at).is_(None),
        col(Invitation.revoked_at).is_(None),
    )
    .order_by(col(Invitation.created_at), col(Invitation.id)),
    _Row,
)


@operation(title="List the team", rest=get("/team"), needs=Permission.MEMBER_READ)
async def list_team(ctx: Context, args: ListTeam) -> Team:
    """List who belongs to a workspace, with their roles, and the invitations still open.

    With event: the members of the workspace and those of that event alone.

    Refuses with: not_found, forbidden, ambiguous.
    """
    event_id = None
    if args.event is not UNSET:
        event = await find.event(ctx, args.event)
        workspace_id, event_id = event.workspace_id, event.id
    else:
        workspace_id = (await find.workspace(ctx, args.workspace or None)).id
    roles, pending = await ctx.together(
        (find.TEAM, {"workspace": workspace_id}), (_PENDING, {"workspace": workspace_id})
    )
    people = _people(roles, event_id)
    return Team(
        people,
        [_pending(row, ctx.now) for row in pending if event_id in (None, row.event_id)],
        len(people),
    )


def _people(roles: Sequence[find.TeamRole], event_id: str | None) -> list[Teammate]:
    by_person: dict[str, list[find.TeamRole]] = {}
    for row in roles:
        if event_id is None or row.event_id in (None, event_id):
            by_person.setdefault(row.user_id, []).append(row)
    return [
        Teammate(
            rows[0].user_id,
            rows[0].name,
            rows[0].address,
            [
                RoleIn(row.role, row.event_id or UNSET, row.event_name or UNSET)
                for row in sorted(rows, key=lambda row: (row.event_name or "", row.role))
            ],
        )
        for rows in by_person.values()
    ]


def _pending(row: _Row, now: dt.datetime) -> Pending:
    return Pending(
        row.id,
        row.address,
        row.role,
        row.expires_at,
        row.expires_at <= now,
        row.event_id or UNSET,
        row.event_name or UNSET,
    )
