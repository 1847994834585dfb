"""Completion: what an argument of a prompt or of a resource's address could be."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold
from unsession.errors import Refusal
from unsession.web.mcp import prompts
from unsession.web.mcp.eras import INVALID_PARAMS, Fault
from unsession.web.mcp.offers import Completing

Read = Callable[[str, Mapping[str, Any]], Awaitable[Any]]

_OF_RESOURCES = {
    "unsession://event/{event}": ("event",),
    "unsession://event/{event}/agenda": ("event",),
    "unsession://event/{event}/submissions/{number}": ("event", "number"),
    "unsession://event/{event}/forms/{form}": ("event", "form"),
}
_ALL = 200  # of one list


async def values(read: Read, asked: Completing) -> list[str]:
    """What fits what is typed: beginnings first, then what merely contains it.

    Reads with the caller's rights; what needs an event gives nothing until one is named. Raises
    Fault for a prompt or template there is not, or an argument it does not take.
    """
    prompt = asked.kind == "ref/prompt"
    arguments = prompts.arguments_of(asked.of) if prompt else _OF_RESOURCES.get(asked.of)
    if arguments is None:
        what = "prompt" if prompt else "resource template"
        raise Fault(INVALID_PARAMS, f"Unknown {what}: {asked.of[:80]}")
    if asked.argument not in arguments:
        raise Fault(INVALID_PARAMS, f"{asked.argument[:60]} is none of: {', '.join(arguments)}.")
    try:
        return _fitting(await _candidates(read, asked), asked.typed)
    except Refusal:
        return []


async def _candidates(read: Read, asked: Completing) -> list[str]:
    """Everything the argument could be, in an order that means something."""
    if asked.argument == "event":
        return [row["slug"] for row in (await read("list_events", {"limit": _ALL}))["items"]]
    if asked.argument == "status":
        return [status.value for status in SubmissionStatus]
    event = asked.others.get("event", "")
    if not event:
        return []
    if asked.argument == "form":
        return [row["slug"] for row in (await read("list_forms", {"event": event}))["items"]]
    if asked.argument == "task":
        found = await read("list_task_templates", {"event": event})
        return [row["name"] for row in found["items"]]
    if asked.argument == "number":
        found = await read("list_submissions", {"event": event, "limit": _ALL})
        return [str(row["number"]) for row in found["items"] if "number" in row]
    return _of_event(await read("get_event", {"event": event}), asked.argument)


def _of_event(event: Mapping[str, Any], argument: str) -> list[str]:
    if argument == "room":
        return [room["name"] for room in event["rooms"]]
    if argument == "day":
        return [str(day["day"]) for day in event["days"]]
    return [
        option["name"]
        for taxonomy in event["taxonomies"]
        if taxonomy["key"] == argument
        for option in taxonomy["options"]
    ]


def _fitting(candidates: Iterable[str], typed: str) -> list[str]:
    wanted = fold(typed)
    fitting = [one for one in candidates if wanted in fold(one)]
    return sorted(fitting, key=lambda one: not fold(one).startswith(wanted))
