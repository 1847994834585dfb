"""What is answered when no handler could: pages for people, the envelope below /api."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException

from unsession.errors import Refusal, TooMany
from unsession.web.refusals import envelope, refusal_reply
from unsession.web.rendering import page, page_reply
from unsession.web.wire import Reply, json_reply, visit_of

log = structlog.get_logger(__name__)


class SignInNeeded(Exception):
    """Nobody is signed in; the page asks for it and leads back afterwards."""

    def __init__(self, back_to: str) -> None:
        super().__init__(back_to)
        self.back_to = back_to


@page("error.html")
@dataclass(frozen=True, slots=True)
class ErrorPage:
    """Something could not be shown, and what to do."""

    http_status: int
    heading: str
    sentence: str
    request_id: str


_SENTENCES = {
    404: ("Nothing here", "There is no page at this address, or it is not yours to see."),
    405: ("Not possible here", "This address exists, but not for what you tried to do."),
    413: ("Too large", "What you sent is larger than this page takes."),
    429: ("Too often", "There were too many attempts in a short time."),
}
#: The codes of the same below /api; anything else could not be read.
_CODES = {404: "no_such_address", 405: "method_not_allowed", 413: "too_large"}
_DEFAULT = ("This did not work", "The request could not be understood. Go back and try again.")


def http_fault(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """The framework found nothing to call, or could not read the request."""
    status = error.status_code
    heading, sentence = _SENTENCES.get(status, _DEFAULT)
    allow = {k: v for k, v in (error.headers or {}).items() if k.lower() == "allow"}
    if _is_api(request):
        reply = json_reply(status, envelope(sentence, _CODES.get(status, "malformed")), allow)
    else:
        visit = visit_of(request.scope)
        reply = page_reply(ErrorPage(status, heading, sentence, visit.request_id), status)
        reply = Reply(reply.status, reply.body, {**reply.headers, **allow})
    return response(reply)


def refused(request: Request[Any, Any, Any], refusal: Refusal) -> Response[bytes]:
    """A page's verb refused and the page has no better place to say so."""
    if _is_api(request):
        return response(refusal_reply(refusal))
    heading = _SENTENCES.get(refusal.http_status, _DEFAULT)[0]
    context = ErrorPage(
        refusal.http_status, heading, refusal.message, visit_of(request.scope).request_id
    )
    answer = response(page_reply(context, refusal.http_status))
    if isinstance(refusal, TooMany):
        answer.headers["retry-after"] = str(refusal.retry_after)
    return answer


def sign_in(_: Request[Any, Any, Any], needed: SignInNeeded) -> Response[bytes]:
    """Nobody is signed in: ask for it, then come back."""
    target = f"/signin?next={quote(needed.back_to)}"
    return Response(b"", status_code=303, headers={"location": target, "cache-control": "no-store"})


def failed(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """A fault of ours: logged whole, answered without a detail."""
    visit = visit_of(request.scope)
    log.error("failed", request_id=visit.request_id, exc_info=error)
    sentence = "Something failed on our side. Nothing was changed; try again in a moment."
    if _is_api(request):
        return response(json_reply(500, envelope(sentence, "internal")))
    return response(page_reply(ErrorPage(500, "Our fault", sentence, visit.request_id), 500))


def response(reply: Reply) -> Response[bytes]:
    """A reply as the framework sends it."""
    headers = dict(reply.headers)
    kind = headers.pop("content-type", "application/octet-stream").partition(";")[0]
    return Response(reply.body, status_code=reply.status, media_type=kind, headers=headers)


def _is_api(request: Request[Any, Any, Any]) -> bool:
    return request.url.path.startswith(("/api", "/.well-known/", "/mcp"))
