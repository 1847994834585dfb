"""Files that people sent: saved, never shown, by those who may."""

from collections.abc import AsyncGenerator

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Stream

from unsession.access import ActorKind, Permission
from unsession.domain.files import disposition
from unsession.errors import NotFound
from unsession.services.downloads import download
from unsession.web.admin.shell import reading
from unsession.web.house import House
from unsession.web.pages import AnyRequest, actor_of

#: Whatever it holds, a browser that opens it all the same runs nothing of it.
_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"


def download_routes(house: House) -> list[HTTPRouteHandler]:
    """One file."""

    @get("/{slug:str}/files/{file_id:str}")
    async def file(request: AnyRequest, slug: FromPath[str], file_id: FromPath[str]) -> Stream:
        actor = await actor_of(house, request)
        if actor.kind is not ActorKind.PERSON:
            raise NotFound("file")  # in the words of a file that is not there, for everybody
        found = await download(reading(house, request, actor, Permission.OWN_WRITE), slug, file_id)
        pieces = house.files.read(found.sha256)
        try:
            first = await anext(pieces)
        except (FileNotFoundError, StopAsyncIteration):
            raise NotFound("file") from None

        async def whole() -> AsyncGenerator[bytes, None]:
            yield first
            async for piece in pieces:
                yield piece

        return Stream(
            whole(),
            media_type=found.media_type,
            headers={
                "content-disposition": disposition(found.filename),
                "content-length": str(found.size),
                "content-security-policy": _POLICY,
                "cache-control": "private, no-store",
            },
        )

    return [file]
