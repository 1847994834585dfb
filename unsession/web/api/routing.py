"""Which operations a path below /api/v1 stands for. Literal segments win over parameters."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

from unsession.catalogue import Operation

#: Methods whose arguments stand in the query; those of all others are one JSON body.
WITHOUT_BODY = frozenset({"GET", "DELETE"})


@dataclass(slots=True)
class _Node:
    literal: dict[str, "_Node"] = field(default_factory=dict)
    parameter: tuple[str, "_Node"] | None = None
    operations: dict[str, Operation] = field(default_factory=dict)


class Match(NamedTuple):
    """The operations of a path by method, and the values of its parameters."""

    operations: dict[str, Operation]
    parameters: dict[str, str]


class Routes:
    """The routes of some operations, as a tree of segments."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._root = _Node()
        for operation in operations:
            if operation.route is not None:
                self._add(operation, operation.route.method, operation.route.path)
                if operation.on_delete:
                    self._add(operation, "DELETE", operation.route.path)

    def _add(self, operation: Operation, method: str, path: str) -> None:
        node = self._root
        for segment in path.strip("/").split("/"):
            if segment.startswith("{"):
                name = segment[1:-1]
                if node.parameter is None:
                    node.parameter = (name, _Node())
                if node.parameter[0] != name:
                    raise TypeError(
                        f"{path}: the parameter is called {node.parameter[0]} elsewhere"
                    )
                node = node.parameter[1]
            else:
                node = node.literal.setdefault(segment, _Node())
        if method in node.operations:
            raise TypeError(f"{method} {path} is taken by {node.operations[method].name}")
        node.operations[method] = operation

    def match(self, raw_path: str) -> Match | None:
        """The operations at a raw (still encoded) path, or None.

        Segments are decoded after splitting, so an encoded slash belongs to its segment.
        """
        segments = raw_path.strip("/").split("/")
        return _match(self._root, segments, 0, {})


def _match(node: _Node, segments: list[str], at: int, found: dict[str, str]) -> Match | None:
    if at == len(segments):
        return Match(node.operations, found) if node.operations else None
    raw = segments[at]
    child = node.literal.get(raw)
    if child is not None and (match := _match(child, segments, at + 1, found)):
        return match
    if node.parameter is not None and raw:
        name, child = node.parameter
        try:
            value = unquote(raw, errors="strict")
        except UnicodeDecodeError:
            return None
        return _match(child, segments, at + 1, {**found, name: value})
    return None
