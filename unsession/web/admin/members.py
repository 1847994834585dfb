"""The members page: people with their roles, open invitations, and the form to invite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler

from unsession.access import Actor, Permission
from unsession.errors import Refusal
from unsession.services import find, overview
from unsession.services.team.listing import ListTeam, Team, list_team
from unsession.web.admin.shell import Shell, reading, shell
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    person_of,
    show,
)
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

PATH = "/app/members"
WORKSPACE_ROLES = ("organizer", "admin", "owner")


@page("admin/members.html")
@dataclass(frozen=True, slots=True)
class MembersPage:
    """The team of one workspace. Whoever may not run it sees no forms."""

    shell: Shell
    workspace: find.FoundWorkspace
    others: Sequence[find.FoundWorkspace]
    team: Team
    me: str
    may_run: bool
    roles: Sequence[tuple[str, str]]  #: of the workspace, as far as one may give them
    events: Sequence[tuple[str, str]]
    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


def member_routes(house: House) -> list[HTTPRouteHandler]:
    """/app/members and what its forms send."""

    @get(PATH)
    async def members(request: Request[Any, Any, Any]) -> PageResponse:
        actor = await person_of(house, request)
        return show(await _members_page(house, request, actor))

    def acting(path: str, name: str, *fields: str) -> HTTPRouteHandler:
        @post(f"{PATH}/{path}", name=f"members_{name}")
        async def act_on_team(request: Request[Any, Any, Any]) -> PageResponse:
            actor = await person_of(house, request)
            form = await posted(request)
            wire = {key: value for key in fields if (value := form.get(key))}
            try:
                outcome = await act(house, request, actor, name, wire)
            except Refusal as refusal:
                shown = await _members_page(house, request, actor, form, faults_of(refusal))
                return show(shown, refusal.http_status)
            return go(_of(form.get("workspace")), done=outcome.activity_id)

        return act_on_team

    @post(f"{PATH}/invite")
    async def invite(request: Request[Any, Any, Any]) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        try:
            outcome = await act(house, request, actor, "invite_teammate", _invitation(form))
        except Refusal as refusal:
            shown = await _members_page(house, request, actor, form, faults_of(refusal))
            return show(shown, refusal.http_status)
        return go(_of(form.get("workspace")), done=outcome.activity_id)

    return [
        members,
        invite,
        acting("revoke", "revoke_invite", "invitation", "workspace"),
        acting("role", "change_role", "person", "role", "workspace"),
        acting("remove", "remove_member", "person", "event", "workspace"),
    ]


def _of(workspace: str) -> str:
    return f"{PATH}?workspace={quote(workspace, safe='')}" if workspace else PATH


def _invitation(form: Posted) -> dict[str, str]:
    """The form's one choice of a role, ``reviewer evt_…``, as the operation's two."""
    role, _, event = form.get("role").partition(" ")
    wire = {"address": form.get("address"), "role": role}
    return wire | ({"event": event} if event else {"workspace": form.get("workspace")})


async def _members_page(
    house: House,
    request: AnyRequest,
    actor: Actor,
    form: Posted | None = None,
    faults: tuple[FormFault, ...] = (),
) -> MembersPage:
    """The page. Refuses with NotFound and Forbidden."""
    ctx = reading(house, request, actor, Permission.MEMBER_READ)
    mine = await find.workspaces(ctx)
    asked = (form.get("workspace") if form else None) or request.query_params.get("workspace")
    workspace = await find.workspace(ctx, asked or (mine[0].id if mine else None))
    team = await list_team(ctx, ListTeam(workspace=workspace.id))
    owns = actor.holds(Permission.WORKSPACE_OWN, workspace.id, None)
    events = await overview.events_of(ctx)
    return MembersPage(
        await shell(house, request, actor, "members"),
        workspace,
        [one for one in mine if one.id != workspace.id],
        team,
        actor.user_id or "",
        actor.holds(Permission.WORKSPACE_RUN, workspace.id, None),
        [(role, role.capitalize()) for role in WORKSPACE_ROLES if owns or role != "owner"],
        [(one.id, one.name) for one in events if one.workspace_id == workspace.id],
        form.values() if form else {},
        faults,
    )
