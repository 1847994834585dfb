"""Tables whatever their origin, and cells that no spreadsheet computes."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from unsession.domain.tables import (
    Unreadable,
    csv_lines,
    decoded,
    guarded,
    joined,
    parted,
    table_of,
    unguarded,
)

CASES = Path(__file__).parents[1] / "cases" / "csv"
TEXT = "Name;Città\nZoë;Milano\n"


def cells(name: str) -> list[tuple[str, ...]]:
    """The rows of one of the reported files, the header first."""
    table = table_of(decoded((CASES / name).read_bytes()))
    return [table.header, *(row.cells for row in table.rows)]


def test_a_byte_order_mark_is_no_part_of_the_first_column() -> None:
    header, first, second = cells("01-bom-comma-crlf.csv")

    assert header == ("Name", "Email", "Company", "Bio")
    assert first == (
        "Ivana Nováková", "ivana@speakers.example", "Žluťásek s.r.o.",
        "Runs databases, likes trains",
    )  # fmt: skip
    assert second[0] == "Mario De Luca"


def test_semicolons_part_as_well_as_commas() -> None:
    header, first, _ = cells("02-semicolon-utf8.csv")

    assert len(header) == 4
    assert first == ("Nodira K.", "nodira@speakers.example", "Samarkand; Data", "Likes, commas")


def test_quoted_lines_stay_one_cell_and_empty_rows_are_none() -> None:
    header, first, second = cells("03-reordered-unknown-columns.csv")

    assert header == ("Shoe size", "EMAIL", "Bio", "Full name")
    assert first == ("42", "lea@speakers.example", 'Two\nlines, and a "quote"', "Léa Martin")
    assert second == ("", "tom@speakers.example", "", "Tom Ó Briain")


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ('=HYPERLINK("http://evil.example","x")', '\'=HYPERLINK("http://evil.example","x")'),
        ("@SUM(A1:A9)", "'@SUM(A1:A9)"),
        ("+1+1", "'+1+1"),
        ("\t=2+3", "'\t=2+3"),
        ("-5", "-5"),
        ("-12.75", "-12.75"),
        ("+49", "+49"),
        ("'=x", "''=x"),
        ("'-5", "''-5"),
        ("'quoted'", "'quoted'"),
        ("", ""),
        ("'", "'"),
    ],
)
def test_what_would_run_is_guarded_and_numbers_are_not(cell: str, kept: str) -> None:
    assert guarded(cell) == kept
    assert unguarded(kept) == cell


@given(st.text())
def test_a_guard_is_taken_away_again(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell


@given(st.text(alphabet="'=+-@\t\r1a"))
def test_nothing_guarded_runs(cell: str) -> None:
    kept = guarded(cell)
    numeric = cell.lstrip("+-").replace(".", "", 1).isdigit()

    assert numeric or kept[:1] not in ("=", "+", "-", "@", "\t", "\r")


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Z"]), min_size=1)))
def test_several_words_come_back_from_one_cell(words: list[str]) -> None:
    assert parted(joined(words)) == [word for word in words if word.strip()]


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        b"\xff\xfe" + TEXT.encode("utf-16-le"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("cp1252"),
    ],
)
def test_the_text_is_the_same_in_every_encoding(data: bytes) -> None:
    assert decoded(data) == TEXT


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_parts_evenly(delimiter: str) -> None:
    out = io.StringIO(newline="")
    rows = [["Title", "Abstract, long; or not"], ["A", "One, two; three"], ["B", "four"]]
    csv.writer(out, delimiter=delimiter).writerows(rows)

    table = table_of(out.getvalue())

    assert [list(table.header), *(list(row.cells) for row in table.rows)] == rows


def test_one_column_needs_no_delimiter() -> None:
    assert table_of("Title\nOne, two\n").header == ("Title",)


def test_each_row_knows_its_line() -> None:
    table = table_of('A,B\n1,"x\ny"\n\n2,z\n')

    assert [row.line for row in table.rows] == [2, 5]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing in it"),
        (" \n,,\n", "nothing in it"),
        ("A,B,a\n1,2,3\n", "Two columns are called “A”"),
        (",".join(f"c{n}" for n in range(301)) + "\n", "more than 300 columns"),
        ('A,B\n"x' + "y" * 200_000, "Line 2 cannot be read"),
    ],
)
def test_what_is_no_table_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        table_of(text)


@pytest.mark.parametrize("data", [b"\x89PNG\0\0", b"\x00\x01\x02", b"a\0b\0\0\0c"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        decoded(data)


ROWS = st.lists(
    st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")),
             min_size=2, max_size=2),
    min_size=1, max_size=5,
)  # fmt: skip


@given(ROWS)
def test_what_is_written_is_read_again(rows: list[list[str]]) -> None:
    text = "".join(csv_lines([["First", "Second"], *rows]))
    table = table_of(decoded(text.encode()))
    kept = [tuple(cell.strip(" \u00a0\ufeff") for cell in row) for row in rows]

    assert [row.cells for row in table.rows] == [row for row in kept if any(row)]
