"""The specifications say what the code does: tables are compared, promises are looked up."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import unsession.services  # noqa: F401  (registers the operations)
from unsession.access import GRANTS, KINDS, Permission, Role
from unsession.catalogue import OPERATIONS, Operation
from unsession.cli import main
from unsession.errors import Refusal
from unsession.settings import NOT_YET, PREFIX, SETTINGS
from unsession.web.mcp.door import INSTRUCTIONS
from unsession.web.mcp.tools import definition

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "SPECS"
DECISIONS = sorted(SPECS.glob("decisions/*.md"))

#: What the doors answer besides refusals, with its HTTP status.
OF_THE_DOORS = {
    "unauthenticated": 401,
    "no_such_address": 404,
    "method_not_allowed": 405,
    "malformed": 400,
    "unsupported_media_type": 415,
    "internal": 500,
}

#: Words of the glossary's right-hand column that are also plain English, or another thing's name.
AMBIGUOUS = {
    "abstract": "the text of a submission",
    "author": "of a plan's instructions",
    "cancel": "what happens to a session or a mail",
    "call": "what one does with an operation",
    "category": "an everyday word",
    "conference": "what the product is for, in its own sentence",
    "dismiss": "what one does with a notice",
    "freeze": "an everyday word",
    "grid": "a layout",
    "history": "an everyday word",
    "location": "HTTP's header",
    "paper": "an everyday word",
    "programme": "what sessions make up together",
    "proposal": "an everyday word, and how the product presents itself",
    "question": "what a page may ask",
    "stage": "where a room has its speaker",
    "state": "an everyday word",
    "topic": "an everyday word",
    "version": "of a row, for optimistic locking",
    "vote": "an everyday word",
}


class Table(NamedTuple):
    """A Markdown table: its header and its rows, marks of code taken off."""

    header: list[str]
    rows: list[list[str]]


def page(name: str) -> str:
    return (SPECS / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one of its level."""
    found = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section {heading}"
    return found[1]


def tables(text: str) -> list[Table]:
    blocks = re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE)
    return [table_of(block) for block in blocks]


def table_of(block: str) -> Table:
    lines = [
        [plain(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in block.strip().splitlines()
    ]
    return Table(lines[0], lines[2:])


def plain(cell: str) -> str:
    """A cell without the marks of code around the whole of it."""
    cell = cell.strip().replace(r"\|", "|")
    return cell[1:-1] if re.fullmatch(r"`[^`]+`", cell) else cell


class TestAccess:
    def test_every_permission_is_listed_with_what_it_lets_one_do(self) -> None:
        (table,) = tables(section(page("access.md"), "Permissions"))
        due = [
            [p.value, kind.level.value, "writes" if kind.writes else "reads", kind.means]
            for p, kind in KINDS.items()
        ]

        assert table.rows == due

    def test_the_matrix_is_the_one_in_force(self) -> None:
        shown: dict[tuple[str, str], bool] = {}
        for table in tables(section(page("access.md"), "Matrix")):
            for name, *cells in table.rows:
                for role, cell in zip(table.header[1:], cells, strict=True):
                    assert cell in ("✓", "")
                    shown[name, role] = cell == "✓"

        in_force = {(p.value, role.value) for role in Role for p in GRANTS[role]}
        assert {pair for pair, granted in shown.items() if granted} == in_force
        assert {name for name, _ in shown} == {permission.value for permission in Permission}
        assert {role for _, role in shown} == {role.value for role in Role}


class TestRefusals:
    def test_every_code_is_listed_with_its_status(self) -> None:
        (table,) = tables(section(page("api.md"), "Refusals"))

        assert {row[0]: int(row[1]) for row in table.rows} == {
            refusal.code: refusal.http_status for refusal in every_refusal()
        }

    def test_what_the_doors_answer_besides_is_named_too(self) -> None:
        said = section(page("api.md"), "Refusals")

        for code, status in OF_THE_DOORS.items():
            assert re.search(rf"`{code}` {status}\b", said), code

    def test_no_door_answers_with_a_code_that_is_not_written_down(self) -> None:
        known = {refusal.code for refusal in every_refusal()} | set(OF_THE_DOORS)
        for module in sorted((ROOT / "unsession" / "web").rglob("*.py")):
            text = module.read_text(encoding="utf-8")
            for code in re.findall(r'envelope\((?:[^()]|\([^()]*\))*?"([a-z_]+)"\s*\)', text):
                assert code in known, f"{module.relative_to(ROOT)} answers {code}"


def every_refusal(above: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    for refusal in above.__subclasses__():
        yield refusal
        yield from every_refusal(refusal)


class TestOperations:
    def test_every_operation_is_listed_with_route_permission_and_marks(self) -> None:
        offered, _ = tables(page("operations.md"))
        listed = {name: (marks, route, needs) for name, marks, route, needs in offered.rows}
        routed = [operation for operation in OPERATIONS.values() if operation.route]

        assert set(listed) == {operation.name for operation in routed}
        for operation in routed:
            marks, route, needs = listed[operation.name]
            assert marks == marks_of(operation), operation.name
            assert needs == operation.needs.value, operation.name
            assert route.strip("`").startswith(" ".join(operation.route or ())), operation.name
            assert ("DELETE" in route) is deletes(operation), operation.name

    def test_every_operation_of_a_page_alone_is_listed_with_its_reason(self) -> None:
        _, of_pages = tables(page("operations.md"))

        assert {name: (needs, because) for name, needs, because in of_pages.rows} == {
            op.name: (op.needs.value, op.because) for op in OPERATIONS.values() if not op.route
        }


def marks_of(operation: Operation) -> str:
    """What the second cell says: R or W, whether it may mail, whether it can be undone."""
    marks = "W" if operation.writes else "R"
    return marks + (" ✉" if operation.mails else "") + (" ↶" if operation.undo else "")


def deletes(operation: Operation) -> bool:
    """Whether DELETE at its address does something."""
    assert operation.route is not None
    return operation.route.method == "DELETE" or bool(operation.on_delete)


class TestOperating:
    def test_every_setting_is_listed(self) -> None:
        (table,) = tables(section(page("operate.md"), "Settings"))

        assert [row[0] for row in table.rows] == [PREFIX + setting.name for setting in SETTINGS]
        assert all(row[1] for row in table.rows)

    def test_a_setting_that_is_not_yet_available_is_not_offered(self) -> None:
        assert not set(NOT_YET) & {setting.name for setting in SETTINGS}

    def test_every_command_is_listed_with_its_options(self) -> None:
        (table,) = tables(section(page("operate.md"), "Commands"))
        listed = {row[0].strip("`").split(" ", 1)[1]: row[1] for row in table.rows}
        named = {re.sub(r"( [A-Z]+)+$", "", name): text for name, text in listed.items()}
        due = dict(commands())

        assert set(named) == set(due)
        for name, command in due.items():
            for parameter in command.params:
                if isinstance(parameter, click.Option):
                    assert f"`{parameter.opts[0]}`" in named[name], f"{name} {parameter.opts[0]}"

    def test_a_command_that_exists_is_not_called_missing(self) -> None:
        missing = re.search(r"^Not yet available: (.*)$", page("operate.md"), re.MULTILINE)
        names = set(re.findall(r"`([a-z-]+)`", missing[1])) if missing else set()

        assert not names & set(dict(commands()))


def commands(
    group: click.Group = main, above: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))
        else:
            yield " ".join((*above, name)), command


class TestDecisions:
    @pytest.mark.parametrize("record", DECISIONS, ids=lambda record: record.stem)
    def test_a_record_ends_with_the_tests_that_enforce_it(self, record: Path) -> None:
        *_, last = record.read_text(encoding="utf-8").strip().splitlines()

        assert last.startswith("Enforced by: `tests/"), f"{record.name} ends otherwise"
        for name in re.findall(r"`([^`]+)`", last):
            assert (ROOT / name).exists(), f"{record.name} names {name}, which is not there"

    def test_numbers_are_in_order_and_taken_once(self) -> None:
        numbers = [int(record.name[:4]) for record in DECISIONS]

        assert numbers == list(range(1, len(numbers) + 1))

    @pytest.mark.parametrize("record", DECISIONS, ids=lambda record: record.stem)
    def test_a_record_has_its_parts_and_its_number(self, record: Path) -> None:
        text = record.read_text(encoding="utf-8")

        assert text.startswith(f"# {record.name[:4]} ")
        for part in ("Context", "Decision", "Consequences"):
            assert f"**{part}.**" in text


class TestPages:
    def test_the_table_of_contents_names_every_page(self) -> None:
        (table,) = tables(page("README.md"))
        linked = re.findall(r"\]\(([^)]+)\)", " ".join(row[0] for row in table.rows))
        pages = {path.name for path in SPECS.glob("*.md")} - {"README.md"}

        assert set(linked) == pages

    @pytest.mark.parametrize(
        "path", sorted([*SPECS.rglob("*.md"), ROOT / "README.md"]), ids=lambda path: path.name
    )
    def test_a_link_leads_to_a_file(self, path: Path) -> None:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{path.name} links to {target}"

    def test_the_readme_names_the_two_commands(self) -> None:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

        for target in ("demo", "test"):
            assert f"make {target}" in readme
            assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def others_words() -> list[str]:
    """The words of other products, as far as they can only mean what ours mean."""
    (table,) = tables(page("glossary.md"))
    words = [
        word.strip() for row in table.rows for part in row[2].split(";") for word in part.split(",")
    ]
    return sorted({word for word in words if word} - set(AMBIGUOUS))


class TestGlossary:
    """One word per thing: what others call it appears nowhere as ours."""

    def test_the_words_are_read(self) -> None:
        assert {"tenant", "CfP", "COI", "API key", "audit log", "timeslot"} <= set(others_words())

    def test_no_tool_is_described_in_others_words(self) -> None:
        texts = {op.name: repr(definition(op)) for op in OPERATIONS.values() if op.route}
        texts["instructions"] = INSTRUCTIONS

        assert not list(found_in(texts))

    def test_no_template_speaks_others_words(self) -> None:
        texts = {
            path.relative_to(ROOT).as_posix(): shown_text(path.read_text(encoding="utf-8"))
            for path in sorted((ROOT / "templates").rglob("*.html"))
        }

        assert not list(found_in(texts))


def found_in(texts: dict[str, str]) -> Iterator[str]:
    for word in others_words():
        pattern = re.compile(rf"\b{re.escape(word)}s?\b", 0 if word.isupper() else re.IGNORECASE)
        for where, text in texts.items():
            if pattern.search(text):
                yield f"{where} says “{word}”"


def shown_text(template: str) -> str:
    """A template without addresses, classes and code: what people read, about."""
    template = re.sub(
        r'\b(?:class|href|id|name|for|value|src|type|autocomplete)="[^"]*"', "", template
    )
    return re.sub(r"<code>.*?</code>|\{#.*?#\}", "", template, flags=re.DOTALL)
