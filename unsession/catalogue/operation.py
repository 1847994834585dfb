"""What an operation is, and the registry that REST, MCP, OpenAPI and the docs are made from."""

import inspect
import re
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from unsession.access import Actor, Permission
from unsession.catalogue.inputs import Input, description_of
from unsession.context import Context

MAX_DESCRIPTION = 1000


class Route(NamedTuple):
    """A REST route below ``/api/v1``; path parameters are input fields."""

    method: str
    path: str


def get(path: str) -> Route:
    """A route that reads."""
    return Route("GET", path)


def post(path: str) -> Route:
    """A route that acts or creates."""
    return Route("POST", path)


def put(path: str) -> Route:
    """A route that sets one thing."""
    return Route("PUT", path)


def patch(path: str) -> Route:
    """A route that changes some fields."""
    return Route("PATCH", path)


def delete(path: str) -> Route:
    """A route that removes or clears."""
    return Route("DELETE", path)


@dataclass(frozen=True)
class Operation:
    """One service function with everything the doors need to offer it."""

    name: str
    title: str
    description: str
    function: Callable[[Context, Any], Awaitable[Any]]
    input: type[Input]
    output: Any
    needs: Permission
    route: Route | None
    because: str | None  #: why it has neither route nor tool
    mails: str | None
    undo: bool
    destructive: bool
    idempotent: bool
    creates: str | None  #: the operation that reads the one thing it makes
    subjects: tuple[str, ...]  #: arguments that name what it is about, one or several each
    reports: bool  #: whether it tells how far it is
    on_delete: Mapping[str, Any]  #: arguments that DELETE at the same address stands for

    @property
    def writes(self) -> bool:
        """Whether a call opens a write transaction."""
        return self.needs.kind.writes

    @property
    def may_need_approval(self) -> bool:
        """Whether there are arguments with which a policy asks for more than the call."""
        return self.writes and (
            self.mails is not None
            or self.needs is Permission.AGENDA_PUBLISH
            or self.needs is Permission.CHANGE_UNDO
            or (self.route is not None and self.route.method == "DELETE")
            or bool(self.subjects)
        )

    @property
    def path_fields(self) -> tuple[str, ...]:
        """The wire names of the fields that stand in the path."""
        return tuple(re.findall(r"{(\w+)}", self.route.path)) if self.route else ()

    @property
    def takes_version(self) -> bool:
        """Whether the caller may say which version it read."""
        return "version" in self.input.__struct_fields__


#: Every operation by name, in the order of registration.
OPERATIONS: dict[str, Operation] = {}

_Function = Callable[[Context, Any], Awaitable[Any]]
F = typing.TypeVar("F", bound=Callable[..., Awaitable[Any]])


def operation(
    *,
    title: str,
    rest: Route,
    needs: Permission,
    mails: str | None = None,
    undo: bool = False,
    destructive: bool = True,
    idempotent: bool = False,
    reports: bool = False,
    creates: str | None = None,
    subjects: tuple[str, ...] = (),
    on_delete: Mapping[str, Any] | None = None,
) -> Callable[[F], F]:
    """Register a service function as an operation with a REST route and an MCP tool.

    ``mails`` says which mail it may queue and how to suppress it; ``undo`` that its inverse is
    recorded; ``destructive`` and ``idempotent`` are MCP's hints for writes; ``reports`` that it
    tells its progress; ``creates`` names the operation that reads the one thing it makes, whose
    id is the answer's; ``subjects`` are the arguments that name what it is about (several at once
    may need approval); ``on_delete`` makes DELETE at the same address the same call with these
    arguments. Raises TypeError at import when the function's shape, its input or its docstring is
    not what the doors need.
    """

    def register(function: F) -> F:
        _add(
            function,
            title=title,
            needs=needs,
            route=rest,
            because=None,
            mails=mails,
            undo=undo,
            destructive=destructive and needs.kind.writes,
            idempotent=idempotent or not needs.kind.writes,
            reports=reports,
            creates=creates,
            subjects=subjects,
            on_delete=dict(on_delete or {}),
        )
        return function

    return register


def page_operation(*, needs: Permission, because: str) -> Callable[[F], F]:
    """Register a write that belongs to a page or a command alone: no route, no tool, and why."""

    def register(function: F) -> F:
        _add(
            function,
            title=function.__name__.replace("_", " ").capitalize(),
            needs=needs,
            route=None,
            because=because,
            mails=None,
            undo=False,
            destructive=True,
            idempotent=False,
            reports=False,
            creates=None,
            subjects=(),
            on_delete={},
        )
        return function

    return register


def visible_to(actor: Actor) -> list[Operation]:
    """What an actor could ever do through the doors: the list it is shown, and no other."""
    return [op for op in OPERATIONS.values() if op.route and actor.may_ever(op.needs)]


def _add(function: Any, **parts: Any) -> None:
    name = function.__name__
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters)
    if len(parameters) != 2 or not inspect.iscoroutinefunction(function):
        raise TypeError(f"{name}: an operation is async and takes (ctx, args)")
    kind, output = hints[parameters[1]], hints["return"]
    if not (isinstance(kind, type) and issubclass(kind, Input)):
        raise TypeError(f"{name}: the arguments must be an Input")
    undescribed = [f.name for f in msgspec.structs.fields(kind) if not description_of(f.type)]
    if undescribed:
        raise TypeError(f"{kind.__name__}: fields without a description: {undescribed}")
    description = _description(function, parts["mails"])
    registered = Operation(
        name=name,
        description=description,
        function=function,
        input=kind,
        output=output,
        **parts,
    )
    fields = {field.encode_name for field in msgspec.structs.fields(kind)}
    missing = set(registered.path_fields) - fields
    if missing:
        raise TypeError(f"{name}: path parameters that are no fields: {sorted(missing)}")
    if registered.route and (registered.route.method == "GET") == registered.writes:
        raise TypeError(f"{name}: GET reads, every other method writes")
    if name in OPERATIONS:
        raise TypeError(f"{name} is registered twice")
    msgspec.json.schema(kind)  # a schema that cannot be made fails here, not at the first call
    msgspec.json.schema(output)
    OPERATIONS[name] = registered


def _description(function: Any, mails: str | None) -> str:
    """The docstring as callers read it; what it mails is said by the catalogue itself."""
    text = inspect.getdoc(function)
    if not text:
        raise TypeError(f"{function.__name__}: an operation needs a docstring")
    if mails:
        text += f"\n\nMay queue mail: {mails}."
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    joined = "\n\n".join(paragraphs)
    if len(joined) > MAX_DESCRIPTION:
        raise TypeError(f"{function.__name__}: the description has {len(joined)} characters")
    return joined
