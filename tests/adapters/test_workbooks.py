"""Workbooks: what is written is read again, and what runs nowhere stays text."""

import datetime as dt
import io

import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

from unsession.adapters.workbooks import csv_of_workbook, workbook_of
from unsession.domain.tables import Unreadable, table_of


def test_what_is_written_is_read_again() -> None:
    rows = [["=1+1", 5, "-3 degrees"], ["Zoë\nof two lines", 2.5, "'quoted"], ["👩\u200d💻", 0, ""]]
    table = table_of(csv_of_workbook(workbook_of("Talks: 2027", ["A", "B", "C"], rows)))

    assert table.header == ("A", "B", "C")
    assert [row.cells for row in table.rows] == [
        ("=1+1", "5", "-3 degrees"),
        ("Zoë\nof two lines", "2.5", "'quoted"),
        ("👩\u200d💻", "0", ""),
    ]  # fmt: skip


def test_nothing_in_it_is_a_formula_and_numbers_are_numbers() -> None:
    book = CalamineWorkbook.from_filelike(
        io.BytesIO(workbook_of("x", ["A", "B"], [["=HYPERLINK(1)", 7.0]]))
    )

    assert book.get_sheet_by_index(0).to_python()[1] == ["=HYPERLINK(1)", 7.0]


def test_days_and_ticks_become_words_and_empty_sheets_are_passed_over() -> None:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    book.add_worksheet("Nothing")
    sheet = book.add_worksheet("Talks")
    sheet.write_row(0, 0, ["Day", "Tick", "Number"])
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    sheet.write_datetime(1, 0, dt.datetime(2027, 2, 28), day)  # noqa: DTZ001  (Excel has no zones)
    sheet.write_boolean(1, 1, True)
    sheet.write_number(1, 2, 12)
    book.close()

    assert table_of(csv_of_workbook(out.getvalue())).rows[0].cells == ("2027-02-28", "yes", "12")


@pytest.mark.parametrize("data", [b"", b"Title,Name\n", b"PK\x03\x04 and no more", b"%PDF-1.7"])
def test_what_is_no_workbook_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        csv_of_workbook(data)
