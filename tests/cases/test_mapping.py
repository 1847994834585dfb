"""SPECS/cases.md: every reported case once, with tests that exist or with what is missing."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "SPECS" / "cases.md"

#: The numbers of every family; they are not contiguous.
FAMILIES = {
    "FRM": "01 02 04 05 06 08 10 12 13 14 15 18",
    "REV": "01 02 04 06 07 09 11 14",
    "DEC": "01 02 03 05 07 08 10 11 13 15 17 19 21",
    "SPK": "01 03 05 07 09",
    "TIM": "01 03 04 06 08",
    "SCH": "01 03 04 06 08 10",
    "PUB": "01 02 04 06 08 10 12 13 15 16",
    "CSV": "01 02 03 06 08",
    "SAN": "01 03 05",
    "PRM": "01 02 04 05 08 09 11",
    "PRF": "01",
    "A11": "01 02 04",
    "API": "01 03 05",
    "MCP": "01 03 05 07 08 10 11 13 14 16 18 20 21 22 24 26 27 28 29 31 33",
    "OAU": "01 02 04 05 07 09 11 13 15 16",
}
KNOWN = [f"{family}-{number}" for family, all_ in FAMILIES.items() for number in all_.split()]

#: Case, what it is, state.
ROWS = re.findall(
    r"^\| ([A-Z0-9]{3}-\d\d) \| (.*?) \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE
)


@functools.cache
def those_in(path: Path) -> frozenset[str]:
    """``test_name`` and ``Class::test_name`` of a file of tests."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        found |= {
            prefix + one.name
            for one in inside
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
            and one.name.startswith("test_")
        }
    return frozenset(found)


def test_every_case_is_there_once() -> None:
    assert len(KNOWN) == 112
    assert [case for case, _, _ in ROWS] == KNOWN


@pytest.mark.parametrize(("case", "words", "state"), ROWS, ids=[row[0] for row in ROWS])
def test_a_case_names_tests_that_exist_or_what_is_missing(
    case: str, words: str, state: str
) -> None:
    assert 1 <= len(words.split()) <= 12
    for part in state.split("; "):
        if part.startswith("not here yet: "):
            assert part.removeprefix("not here yet: ").strip()
            continue
        named = re.fullmatch(r"`(tests/[\w/]+\.py)::(\w+(?:::\w+)?)`", part)
        assert named, f"{case}: {part}"
        path = ROOT / named[1]
        assert path.is_file(), f"{case}: no file {named[1]}"
        assert named[2] in those_in(path), f"{case}: no test {named[2]} in {named[1]}"
