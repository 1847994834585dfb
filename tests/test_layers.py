"""Imports point down, never up and never in a circle."""

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "unsession"

#: The rooms of each floor, lowest first. A room imports itself and the floors below it.
FLOORS = (
    {"domain"},
    {"errors", "settings", "ids", "seal", "files", "writing"},
    {"access"},
    {"db", "adapters"},
    {"models"},
    {"context"},
    {"catalogue"},
    {"services"},
    {"worker", "web", "demo"},
    {"app", "serving", "bridge", "cli", "__main__"},
)
FLOOR = {room: height for height, floor in enumerate(FLOORS) for room in floor}
TOP = len(FLOORS) - 1

#: Rooms that may know less than the floors below them.
ONLY = {
    "domain": {"unsession.domain"},
    "adapters": {
        "unsession.adapters",
        "unsession.db.types",
        "unsession.domain",
        "unsession.errors",
        "unsession.ids",
        "unsession.settings",
        "unsession.writing",
    },
}
#: What a room never imports, and what it does instead.
NEVER = {
    "services": {"litestar": "a service knows no door"},
    "web": {
        "unsession.models": "a page asks a service",
        "sqlalchemy": "a page asks a service",
        "sqlmodel": "a page asks a service",
    },
}


class Import(NamedTuple):
    """One imported name: ``from target import name``, or ``import target``."""

    file: Path
    module: str  #: who imports
    line: int
    target: str  #: the module, as far as it is one
    name: str | None

    @property
    def room(self) -> str:
        """The room of the importing module."""
        return room_of(self.module)

    def sentence(self, rule: str) -> str:
        """What is wrong, for the person who wrote the import."""
        what = f"{self.name} from {self.target}" if self.name else self.target
        return f"{self.file.relative_to(ROOT)}:{self.line} imports {what}: {rule}."


def room_of(module: str) -> str:
    """``unsession.services.find`` -> ``services``; the package itself has no room."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = sorted(PACKAGE.rglob("*.py"))
MODULES = {module_of(file): file for file in FILES}


def imports_of(module: str, file: Path) -> Iterator[Import]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, module, node.lineno, alias.name, None)
        elif isinstance(node, ast.ImportFrom):
            target = node.module or ""
            if node.level:  # relative: from the package the module stands in
                package = module.split(".")
                up = node.level - (file.name == "__init__.py")
                target = ".".join([*package[: len(package) - up], *filter(None, [node.module])])
            for alias in node.names:
                deeper = f"{target}.{alias.name}"
                if deeper in MODULES:  # ``from unsession.services import find`` names a module
                    yield Import(file, module, node.lineno, deeper, None)
                else:
                    yield Import(file, module, node.lineno, target, alias.name)


IMPORTS = [found for module, file in MODULES.items() for found in imports_of(module, file)]
OURS = [found for found in IMPORTS if found.target.split(".")[0] == "unsession"]


def within(target: str, modules: set[str]) -> bool:
    return any(target == module or target.startswith(f"{module}.") for module in modules)


def test_every_module_has_a_floor() -> None:
    homeless = {room_of(module) for module in MODULES} - {"", *FLOOR}
    assert not homeless, f"No floor is drawn for {sorted(homeless)}: add it to FLOORS."


def test_imports_point_down() -> None:
    wrong = [found.sentence(fault) for found in OURS if (fault := upward(found))]
    assert not wrong, "\n".join(wrong)


def upward(found: Import) -> str | None:
    """Why an import does not point down, or None if it does."""
    here, there = found.room, room_of(found.target)
    if here == there or here not in FLOOR or there not in FLOOR:
        return None
    if FLOOR[here] < FLOOR[there]:
        return f"{there} stands above {here}"
    if FLOOR[here] == FLOOR[there] < TOP:  # at the top, what runs imports what is built
        return f"{here} and {there} stand side by side"
    return None


def test_the_package_itself_imports_nothing() -> None:
    wrong = [found.sentence("it holds the version, nothing else") for found in IMPORTS]
    wrong = [line for line in wrong if line.startswith("unsession/__init__.py")]
    assert not wrong, "\n".join(wrong)


#: Libraries of pure functions that the standard library lacks: characters as people count them.
PURE = ("regex",)


def test_the_domain_knows_the_standard_library_and_itself() -> None:
    wrong = [
        found.sentence("the domain is pure")
        for found in IMPORTS
        if found.room == "domain"
        if found.target.split(".")[0] not in (*sys.stdlib_module_names, *PURE)
        if not within(found.target, ONLY["domain"])
    ]
    assert not wrong, "\n".join(wrong)


def test_adapters_know_no_tables_and_no_verbs() -> None:
    wrong = [
        found.sentence("adapters stand beside the database")
        for found in OURS
        if found.room == "adapters"
        if not within(found.target, ONLY["adapters"])
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", NEVER)
def test_a_room_never_imports_what_is_not_its_business(room: str) -> None:
    wrong = [
        found.sentence(rule)
        for found in IMPORTS
        if found.room == room
        for target, rule in NEVER[room].items()
        if within(found.target, {target})
    ]
    assert not wrong, "\n".join(wrong)


def test_litestar_is_known_to_the_doors_and_to_what_builds_them() -> None:
    wrong = [
        found.sentence("only the doors know the framework")
        for found in IMPORTS
        if found.target.split(".")[0] == "litestar"
        if FLOOR.get(found.room, TOP) < FLOOR["web"]
    ]
    assert not wrong, "\n".join(wrong)


def test_doors_and_workers_use_what_services_offer() -> None:
    wrong = [
        found.sentence("a name with an underscore belongs to its module")
        for found in OURS
        if room_of(found.target) == "services" and found.room != "services"
        if (found.name or found.target.rpartition(".")[2]).startswith("_")
    ]
    assert not wrong, "\n".join(wrong)


def test_rooms_import_each_other_in_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for found in OURS:
        here, there = found.room, room_of(found.target)
        if here and there and here != there:
            graph.setdefault(here, set()).add(there)
    assert_no_circle(graph)


def test_modules_import_each_other_in_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for found in OURS:
        if found.target in MODULES and found.target != found.module:
            graph.setdefault(found.module, set()).add(found.target)
    assert_no_circle(graph)


def assert_no_circle(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail("A circle of imports: " + " ← ".join(circle.args[1]), pytrace=False)
