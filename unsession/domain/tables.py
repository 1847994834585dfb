"""Tables as people exchange them: CSV whatever its origin, and cells that run nowhere."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

DELIMITERS = ",;\t|"
MOST_COLUMNS = 300
_SAMPLE = 30  # rows that decide which delimiter it is
#: What makes a spreadsheet compute, at the beginning of a cell (OWASP, CSV injection).
_RUNS = frozenset("=+-@\t\r")
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


class Unreadable(Exception):
    """No table, and why."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the line of the file it begins on, and its cells."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The header, and the rows below it; rows without a single word are left out."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]


def decoded(data: bytes) -> str:
    """The text of a file: by its mark, as UTF-8, as UTF-16 without a mark, else Windows-1252.

    Raises :class:`Unreadable` for what is no text.
    """
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"),
                       (b"\xfe\xff", "utf-16-be")):  # fmt: skip
        if data.startswith(mark):
            return _text(data[len(mark) :], name)
    if data[1:2] == b"\0" or data[:1] == b"\0":
        return _text(data, "utf-16-le" if data[1:2] == b"\0" else "utf-16-be")
    try:
        return _text(data, "utf-8")
    except Unreadable:
        return _text(data, "cp1252")


def _text(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as no:
        raise Unreadable("This is no text we can read. Save it as CSV in UTF-8.") from no
    if "\0" in text:
        raise Unreadable("This is no text: a CSV file or an .xlsx workbook is needed.")
    return text


def table_of(text: str) -> Table:
    """A CSV text as a table; its delimiter is the one that cuts the first rows most evenly.

    The apostrophes of :func:`guarded` are taken away.

    Raises :class:`Unreadable` without a header, with two columns of one name, or too many.
    """
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[Row] = []
    line = 1
    try:
        for cells in reader:
            rows.append(Row(line, tuple(unguarded(cell) for cell in cells)))
            line = reader.line_num + 1
    except csv.Error as no:
        raise Unreadable(f"Line {line} cannot be read: {no}.") from no
    return table_from(rows)


def table_from(rows: Iterable[Row]) -> Table:
    """Rows as a table: the first that says something is the header, cells without white space."""
    said = [Row(row.line, tuple(cell.strip(" \u00a0\ufeff") for cell in row.cells)) for row in rows]
    said = [row for row in said if any(row.cells)]
    if not said:
        raise Unreadable("There is nothing in it.")
    header = said[0].cells
    if len(header) > MOST_COLUMNS:
        raise Unreadable(f"It has more than {MOST_COLUMNS} columns.")
    names = [name.casefold() for name in header if name]
    doubled = next((name for name in header if name and names.count(name.casefold()) > 1), None)
    if doubled:
        raise Unreadable(f"Two columns are called “{doubled}”.")
    return Table(header, tuple(said[1:]))


def _delimiter(text: str) -> str:
    def evenness(delimiter: str) -> tuple[int, int]:
        reader = csv.reader(io.StringIO(text[:100_000], newline=""), delimiter=delimiter)
        widths = []
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    widths.append(len(cells))
                if len(widths) >= _SAMPLE:
                    break
        except csv.Error:
            return (0, 0)
        if not widths or widths[0] < 2:
            return (0, 0)
        return (sum(width == widths[0] for width in widths), widths[0])

    best = max(DELIMITERS, key=evenness)
    return best if evenness(best) > (0, 0) else ","


def guarded(cell: str) -> str:
    """A cell that no spreadsheet computes: an apostrophe before what would run.

    Plain numbers stay as they are. What already begins with apostrophes before something that
    would run gets one more, so that :func:`unguarded` gives back exactly what was there.
    """
    bare = cell.lstrip("'")
    if bare[:1] in _RUNS and bare and not (bare == cell and _PLAIN_NUMBER.fullmatch(cell)):
        return f"'{cell}"
    return cell


def unguarded(cell: str) -> str:
    """What :func:`guarded` was given."""
    bare = cell.lstrip("'")
    return cell[1:] if cell.startswith("'") and bare[:1] in _RUNS and bare else cell


def csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows as CSV (RFC 4180), guarded; the first begins with the mark spreadsheets look for."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    out.write("\ufeff")
    for row in rows:
        writer.writerow([guarded(cell) for cell in row])
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def joined(words: Iterable[str]) -> str:
    """Several words in one cell: a semicolon between them, a backslash before their own."""
    return "; ".join(re.sub(r"([;\\])", r"\\\1", word) for word in words)


def parted(cell: str) -> list[str]:
    """The words of :func:`joined`, and of what people type with semicolons."""
    words: list[str] = []
    word, escaped = "", False
    for char in cell:
        if escaped or char not in ";\\":
            word, escaped = word + char, False
        elif char == "\\":
            escaped = True
        else:
            words, word = [*words, word], ""
    return [one.strip() for one in (*words, word) if one.strip()]
