"""Who of a team may read what organisers read of an event, and so may be told of it."""

from collections.abc import Iterable, Sequence

from unsession.context import Context
from unsession.domain.people import EventRole
from unsession.errors import Invalid
from unsession.services import find
from unsession.services.find.workspaces import TeamRole


def reads(roles: Sequence[TeamRole], event_id: str) -> bool:
    """Whether a teammate reads what organisers say: by the workspace, or as organizer there."""
    return any(
        role.event_id is None
        or (role.event_id == event_id and role.role == EventRole.ORGANIZER.value)
        for role in roles
    )


async def reader(ctx: Context, workspace_id: str, event_id: str, name: str, path: str) -> TeamRole:
    """A teammate by id, address or exact name, who may read of the event.

    Refuses with not_found, ambiguous, and with invalid at ``path`` whoever may not read there.
    """
    roles = await find.teammate(ctx, workspace_id, name)
    if not reads(roles, event_id):
        raise Invalid.at(path, f"{roles[0].name} may not read submissions of this event")
    return roles[0]


async def readers_of(
    ctx: Context, workspace_id: str, event_id: str, among: Iterable[str] | None = None
) -> list[TeamRole]:
    """Everybody who may read of an event now, by name; of some ids, those who still may."""
    rows = await ctx.all(find.TEAM, workspace=workspace_id)
    wanted = None if among is None else set(among)
    people = {
        row.user_id: row
        for row in rows
        if reads([row], event_id) and (wanted is None or row.user_id in wanted)
    }
    return list(people.values())
