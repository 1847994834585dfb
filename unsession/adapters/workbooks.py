"""Workbooks (.xlsx) in and out: read as the table of their first sheet, written as text."""

import datetime as dt
import io
import zipfile
from collections.abc import Sequence
from typing import Any

import xlsxwriter
from python_calamine import CalamineError, CalamineWorkbook

from unsession.domain.tables import Unreadable, csv_lines

#: What a workbook may hold once it is unpacked: a small file can say it is very large.
MOST_UNPACKED = 200 * 1024 * 1024
MOST_CELLS = 2_000_000


def csv_of_workbook(data: bytes) -> str:
    """The first sheet that says something, as CSV. Days become 2027-02-28, whole numbers 5.

    Raises :class:`Unreadable`.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(part.file_size for part in packed.infolist()) > MOST_UNPACKED:
                raise Unreadable("This workbook is larger than we read.")
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            if sheet.height * sheet.width > MOST_CELLS:
                raise Unreadable("This workbook has more cells than we read.")
            rows = sheet.to_python(skip_empty_area=False)
            if any(cell not in ("", None) for row in rows for cell in row):
                return "".join(csv_lines([_cell(one) for one in row] for row in rows))
    except (zipfile.BadZipFile, CalamineError, OSError, ValueError) as no:
        raise Unreadable("This is no workbook we can read. Save it as .xlsx or CSV.") from no
    raise Unreadable("There is nothing in it.")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.9f}".rstrip("0").rstrip(".")
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def workbook_of(name: str, header: Sequence[str], rows: Sequence[Sequence[str | float]]) -> bytes:
    """A workbook of one sheet. Text is written as text, whatever it begins with."""
    out = io.BytesIO()
    # In memory row by row; nothing is taken for a formula, a number or a link.
    book = xlsxwriter.Workbook(
        out,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_numbers": False,
            "strings_to_urls": False,
        },
    )
    sheet = book.add_worksheet(_sheet_name(name))
    bold = book.add_format({"bold": True})
    for column, title in enumerate(header):
        sheet.write_string(0, column, title, bold)
    for number, row in enumerate(rows, start=1):
        for column, value in enumerate(row):
            if isinstance(value, str):
                sheet.write_string(number, column, value[:32_767])  # as much as a cell holds
            else:
                sheet.write_number(number, column, value)
    sheet.freeze_panes(1, 0)
    book.close()
    return out.getvalue()


def _sheet_name(name: str) -> str:
    """What Excel takes: at most 31 characters, none of a few, no apostrophe at its ends."""
    return "".join(c for c in name if c not in "[]:*?/\\")[:31].strip("' ") or "Submissions"
