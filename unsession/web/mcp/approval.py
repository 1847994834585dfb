"""A person's word in the middle of a call: asked through the client, where it can ask.

The question carries the plan; the state that comes back with the answer is the approval token of
that very plan, sealed and good for one use.
"""

from typing import Any

from unsession.errors import PreviewNeeded
from unsession.web.mcp.turns import InputNeeded, Turn

_KEY = "approval"
#: One choice, because every client that asks at all can show one.
_SCHEMA = {
    "type": "object",
    "properties": {
        "decision": {
            "type": "string",
            "title": "Do it?",
            "enum": ["apply", "cancel"],
        }
    },
    "required": ["decision"],
}


class Declined(Exception):
    """The person said no."""

    message = "The person was asked and said no. Nothing was changed. Next: ask them what instead."


def can_ask(turn: Turn) -> bool:
    """Whether the client shows forms: declared, and not for addresses alone."""
    declared = turn.capabilities.get("elicitation")
    if not turn.era.modern or not isinstance(declared, dict):
        return False
    return not declared or "form" in declared


def question(needed: PreviewNeeded) -> InputNeeded:
    """What to ask: the plan, and one choice."""
    message = f"{needed.plan}\n\nThis is exactly what will be done. Nothing has been done yet."
    params: dict[str, Any] = {"mode": "form", "message": message, "requestedSchema": _SCHEMA}
    asked = {_KEY: {"method": "elicitation/create", "params": params}}
    return InputNeeded(asked, needed.approval_token)


def given(turn: Turn) -> str | None:
    """The approval token a person let through; None when nobody was asked or has answered yet.

    Raises Declined for any answer but a clear yes.
    """
    said = turn.responses.get(_KEY)
    if said is None or not isinstance(turn.state, str):
        return None
    content = said.get("content")
    decision = content.get("decision") if isinstance(content, dict) else None
    if said.get("action") != "accept" or decision != "apply":
        raise Declined
    return turn.state
