"""A refusal on the wire: the REST envelope and its headers."""

from typing import Any

from unsession.errors import Refusal, TooMany
from unsession.web.wire import Reply, json_reply


def envelope(error: str, code: str, details: dict[str, Any] | None = None) -> dict[str, Any]:
    """What every failing answer of REST looks like."""
    body: dict[str, Any] = {"ok": False, "error": error, "code": code}
    if details:
        body["details"] = details
    return body


def refusal_reply(refusal: Refusal) -> Reply:
    """A refusal as a REST answer."""
    headers = {}
    if isinstance(refusal, TooMany):
        headers["retry-after"] = str(refusal.retry_after)
    body = envelope(refusal.message, refusal.code, dict(refusal.facts))
    return json_reply(refusal.http_status, body, headers)


def fault_reply(request_id: str) -> Reply:
    """A fault of ours as an answer: nothing of it but the number it is logged under."""
    sentence = f"Something failed on our side. Quote {request_id} when you report it."
    return json_reply(500, envelope(sentence, "internal"))
