"""Deleting a file, from the page of what it is of."""

from litestar import post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.web.admin.shell import desk
from unsession.web.house import House
from unsession.web.pages import AnyRequest, PageResponse, act, go, local_path
from unsession.web.posted import posted


def file_routes(house: House) -> list[HTTPRouteHandler]:
    """/app/{event}/files/{file}/delete; what is refused there is a page of its own."""

    @post("/app/{slug:str}/files/{file:str}/delete")
    async def remove(request: AnyRequest, slug: FromPath[str], file: FromPath[str]) -> PageResponse:
        at = await desk(house, request, slug, "submissions", Permission.SUBMISSION_READ)
        back = local_path((await posted(request)).get("back"), f"/app/{slug}")
        done = await act(house, request, at.actor, "delete_file", {"file": file})
        return go(back, done=done.activity_id)

    return [remove]
