"""The shape of the house: small modules, named by the words of the glossary."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted([*ROOT.glob("unsession/**/*.py"), *ROOT.glob("migrations/**/*.py")])
FOLDERS = sorted({module.parent for module in MODULES if module.is_relative_to(ROOT / "unsession")})

MOST_LINES = 400

#: A drawer for everything is a name for nothing.
DRAWERS = frozenset({"util", "utils", "helper", "helpers", "misc", "common", "manager"})
#: Verbs that say nothing about what happens.
EMPTY_VERBS = frozenset({"process", "handle", "manage", "do", "perform", "execute", "executemany"})

#: Names a framework gives, by file and name, with who calls them so.
GIVEN = {
    ("unsession/services/oauth/protocol.py", "handle_response"): "Authlib calls it",
    ("unsession/db/dialect.py", "execute"): "a DBAPI cursor and connection have it",
    ("unsession/db/dialect.py", "executemany"): "a DBAPI cursor has it",
    ("unsession/db/types.py", "process_bind_param"): "SQLAlchemy's TypeDecorator calls it",
}


class Name(NamedTuple):
    """A module, class or function with the place where it is named."""

    where: str
    kind: str
    name: str

    @property
    def words(self) -> list[str]:
        """``OneHopCursor`` -> one hop cursor; ``_run_all`` -> run all."""
        spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.name)
        return [word for word in spaced.lower().split("_") if word]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def names() -> Iterator[Name]:
    for module in MODULES:
        where = shown(module)
        yield Name(
            where, "module", module.parent.name if module.stem == "__init__" else module.stem
        )
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield Name(where, "class", node.name)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield Name(where, "function", node.name)


NAMES = sorted(set(names()))


def test_no_module_is_longer_than_a_person_reads() -> None:
    lengths = {shown(m): len(m.read_text(encoding="utf-8").splitlines()) for m in MODULES}
    long = {m: lines for m, lines in lengths.items() if lines > MOST_LINES}
    assert not long, f"Over {MOST_LINES} lines: {long}. A room that outgrows them becomes a folder."


@pytest.mark.parametrize("folder", FOLDERS, ids=shown)
def test_a_package_says_what_it_is_for_in_one_line(folder: Path) -> None:
    module = folder / "__init__.py"
    assert module.exists(), f"{shown(folder)} has no __init__.py."

    purpose = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""

    first, _, rest = purpose.partition("\n")
    assert first.endswith("."), f"{shown(module)} does not begin with a sentence."
    assert not rest or rest.startswith("\n"), (
        f"{shown(module)}: the purpose takes more than a line."
    )


def test_nothing_is_named_after_a_drawer() -> None:
    drawers = [
        f"{name.where}: {name.kind} {name.name} is a drawer, not a purpose"
        for name in NAMES
        if DRAWERS.intersection(name.words)
    ]
    assert not drawers, "\n".join(drawers)


def test_a_function_is_named_after_what_it_does() -> None:
    empty = [
        f"{name.where}: {name.name} says nothing; name what happens"
        for name in NAMES
        if name.kind == "function" and name.words and name.words[0] in EMPTY_VERBS
        if (name.where, name.name) not in GIVEN
    ]
    assert not empty, "\n".join(empty)


def test_an_exception_for_a_framework_is_still_needed() -> None:
    assert set(GIVEN) <= {(name.where, name.name) for name in NAMES}
