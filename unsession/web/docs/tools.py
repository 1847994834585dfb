"""The tools as the documentation shows them, made from the catalogue."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from unsession.catalogue import OPERATIONS, Operation
from unsession.catalogue.schemas import tool_input
from unsession.web.mcp.profiles import NAMES_OF, Profile, shows

T = TypeVar("T")

#: Families of the services, in the order of a conference, with what a reader calls them.
_FAMILIES = {
    "orientation": "Finding one's way",
    "guide": "Finding one's way",
    "search": "Finding one's way",
    "events": "Events and set-up",
    "setup": "Events and set-up",
    "collect": "Forms and submissions",
    "submissions": "Forms and submissions",
    "evaluation": "Evaluation",
    "decisions": "Decisions and outbox",
    "sessions": "Programme",
    "agenda": "Programme",
    "onboarding": "Speakers and tasks",
    "files": "Files",
    "mail_log": "Mail",
    "team": "Team",
    "history": "Activity, undo and approvals",
    "undo": "Activity, undo and approvals",
    "approvals": "Activity, undo and approvals",
}


@dataclass(frozen=True, slots=True)
class ArgumentRow:
    """One argument of a tool."""

    name: str
    kind: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class ToolSection:
    """One tool: what it does, what it takes, and what comes of it."""

    name: str
    title: str
    paragraphs: tuple[str, ...]
    writes: bool
    mails: bool
    undo: bool
    profiles: tuple[str, ...]
    arguments: tuple[ArgumentRow, ...]


@dataclass(frozen=True, slots=True)
class ToolFamily:
    """The tools of one area of the product."""

    id: str
    title: str
    tools: tuple[ToolSection, ...]


def offered() -> list[Operation]:
    """The operations that are tools; what belongs to a page alone is none."""
    return [operation for operation in OPERATIONS.values() if operation.route is not None]


def families() -> tuple[ToolFamily, ...]:
    """Every tool, by area."""
    areas = by_family((family_of(one), _section(one)) for one in offered())
    return tuple(
        ToolFamily(f"family-{at}", title, tuple(sorted(tools, key=lambda tool: tool.name)))
        for at, (title, tools) in enumerate(areas.items(), 1)
    )


def family_of(operation: Operation) -> str:
    """The title of the area of the product that an operation belongs to."""
    family = operation.function.__module__.split(".")[2]
    return _FAMILIES.get(family, family.replace("_", " ").capitalize())


def by_family(found: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """What there is of each area, in the order of a conference; areas without anything left out."""
    areas: dict[str, list[T]] = {title: [] for title in _FAMILIES.values()}
    for title, one in found:
        areas.setdefault(title, []).append(one)
    return {title: some for title, some in areas.items() if some}


def _section(operation: Operation) -> ToolSection:
    schema = tool_input(operation)
    return ToolSection(
        name=operation.name,
        title=operation.title,
        paragraphs=tuple(operation.description.replace("``", "").split("\n\n")),
        writes=operation.writes,
        mails=operation.mails is not None,
        undo=operation.undo,
        profiles=tuple(p for p in Profile if p in NAMES_OF and shows(p, operation.name)),
        arguments=tuple(_arguments(schema["properties"], schema.get("required", ()))),
    )


def _arguments(properties: dict[str, Any], required: Iterable[str]) -> Iterable[ArgumentRow]:
    for name, schema in properties.items():
        yield ArgumentRow(name, _kind(schema), name in required, schema.get("description", ""))


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    kind = str(schema.get("type", "any"))
    return f"array of {_kind(schema['items'])}" if "items" in schema else kind
