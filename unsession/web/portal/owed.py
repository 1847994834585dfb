"""One task in the portal: read it, tick it, or send the file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.domain.files import MAX_BYTES
from unsession.errors import Refusal
from unsession.services.onboarding.files import FileShown
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    show,
)
from unsession.web.portal.frame import Own, PortalHead, own
from unsession.web.portal.home import Due, due
from unsession.web.posted import posted
from unsession.web.rendering import page
from unsession.web.uploads import MAX_REQUEST, put_away


@page("portal/task.html")
@dataclass(frozen=True, slots=True)
class TaskPage:
    """``/{event}/portal/tasks/{id}``."""

    head: PortalHead
    due: Due
    files: tuple[FileShown, ...]
    next_number: int  #: of the version to come
    most_mb: int
    faults: tuple[FormFault, ...]


def owed_routes(house: House) -> list[HTTPRouteHandler]:
    """A task and its two acts."""

    @get("/{slug:str}/portal/tasks/{task:str}")
    async def one(request: AnyRequest, slug: FromPath[str], task: FromPath[str]) -> PageResponse:
        return show(_page(await own(house, request, slug), task))

    @post("/{slug:str}/portal/tasks/{task:str}")
    async def tick(request: AnyRequest, slug: FromPath[str], task: FromPath[str]) -> PageResponse:
        at = await own(house, request, slug)
        form = await posted(request)
        wire = {"task": task, "done": form.get("do") != "reopen"}
        return await _acted(house, request, at, "tick_own_task", wire)

    @post("/{slug:str}/portal/tasks/{task:str}/file", request_max_body_size=MAX_REQUEST)
    async def send(request: AnyRequest, slug: FromPath[str], task: FromPath[str]) -> PageResponse:
        at = await own(house, request, slug)
        at.portal.task(task)  # whose it is, before a byte is read
        upload = (await posted(request)).file("file")
        if upload is None:
            return show(_page(at, task, (FormFault("file", "Choose a file first"),)), 422)
        try:
            async with put_away(house, upload) as stored:
                wire = {**stored, "task": task}
                done = await act(house, request, at.actor, "add_own_file", wire)
        except Refusal as refusal:
            return show(_page(at, task, _file_faults(refusal)), refusal.http_status)
        return go(f"/{slug}/portal/tasks/{task}", done=done.activity_id)

    return [one, tick, send]


async def _acted(
    house: House, request: AnyRequest, at: Own, name: str, wire: Mapping[str, Any]
) -> PageResponse:
    try:
        done = await act(house, request, at.actor, name, wire)
    except Refusal as refusal:
        return show(_page(at, wire["task"], faults_of(refusal)), refusal.http_status)
    return go(f"/{at.head.slug}/portal", done=done.activity_id)


def _file_faults(refusal: Refusal) -> tuple[FormFault, ...]:
    """Whatever is wrong belongs to the file."""
    return tuple(FormFault("file", fault.message) for fault in faults_of(refusal))


def _page(at: Own, task_id: str, faults: tuple[FormFault, ...] = ()) -> TaskPage:
    task = at.portal.task(task_id)
    files = tuple(file for file in at.portal.files if file.task == task_id)
    return TaskPage(
        at.head,
        due(task, at.portal.today),
        files,
        max((file.number for file in files), default=0) + 1,
        MAX_BYTES // (1024 * 1024),
        faults,
    )
