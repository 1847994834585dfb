"""What the command palette looks up: things by their words, as JSON for the page's own script."""

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from unsession.access import Permission
from unsession.errors import Refusal
from unsession.services.search import Hit
from unsession.web.faults import response
from unsession.web.house import House
from unsession.web.pages import AnyRequest, act, person_of
from unsession.web.wire import json_reply

_KINDS = {"submission": "Submissions", "session": "Sessions", "speaker": "Speakers"}


def palette_routes(house: House) -> list[HTTPRouteHandler]:
    """The look-up of the palette."""

    @get("/app/search.json")
    async def search(request: AnyRequest) -> Response[bytes]:
        actor = await person_of(house, request)
        q = request.query_params.get("q", "").strip()
        if not q or not actor.may_ever(Permission.EVENT_READ):
            return response(json_reply(200, {"items": []}))
        try:
            found = (await act(house, request, actor, "search", {"q": q[:200]})).result.items
        except Refusal:
            found = []
        items = [
            {
                "group": _KINDS[hit.kind],
                "label": hit.label,
                "note": f"SUB-{hit.number}" if hit.number else hit.event,
                "href": _href(hit),
            }
            for hit in found
        ]
        return response(json_reply(200, {"items": items}))

    return [search]


def _href(hit: Hit) -> str:
    base = f"/app/{hit.event}"
    if hit.kind == "submission":
        return f"{base}/submissions/SUB-{hit.number}"
    return f"{base}/{hit.kind}s/{hit.code}"
