"""Tables in and out by page: chosen, looked at row by row, brought in, taken out."""

import csv
import io
import re
from typing import Any

import httpx
import pytest
from sqlmodel import col

from tests.web.door import Door
from tests.web.pages import SAME, Page, page_of, read, rows, send, sign_in
from unsession.adapters.workbooks import csv_of_workbook, workbook_of
from unsession.domain.tables import decoded, table_of
from unsession.models import Job, Submission

DESK = "/app/devconf-2027/submissions"
PAGE = f"{DESK}/import"
HEADER = ["Key", "Title", "Abstract", "Track", "Format", "Name", "Email", "Shoe size"]
ROWS = [
    ["a1", "Maps", "How", "Data", "Talk", "Ana", "ana@example.org", "42"],
    ["a2", "Łódź, trains", "Why", "Dta", "Talk", "Tom", "tom@example.org", ""],
]


def table(rows: list[list[str]] | None = None, delimiter: str = ",") -> str:
    """A table as CSV."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows([HEADER, *(ROWS if rows is None else rows)])
    return out.getvalue()


async def sent(door: Door, data: bytes, name: str = "talks.csv", **fields: Any) -> httpx.Response:
    """A file on its way in."""
    return await door.http.post(
        PAGE,
        data={"form": "talks", "do": "look", **fields},
        files={"file": (name, io.BytesIO(data))},
        headers=SAME,
    )


def previewed(page: Page) -> dict[str, Any]:
    """What the preview's form sends: each column with what it means."""
    form = next(one for one in page.forms if "text" in one.values)
    selects = re.findall(r'name="column" value="([^"]*)".*?</select>', page.text, re.DOTALL)
    chosen = re.findall(r'<select [^>]*name="target">(.*?)</select>', page.text, re.DOTALL)
    marked = [re.search(r'value="([^"]*)" selected', one) for one in chosen]
    targets = [found[1] if found else "-" for found in marked]
    return {**form.values, "column": selects, "target": targets}


async def brought(door: Door) -> list[Any]:
    """What came in, by key."""
    found = await rows(door, Submission, col(Submission.import_key).is_not(None))
    return sorted(found, key=lambda row: row.import_key)


async def test_a_table_is_looked_at_corrected_and_brought_in(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = read(await sent(door, table().encode()))

    page.assert_sound()
    assert "1 new · 0 changed · 0 as it is · 1 skipped" in page.words
    assert "did you mean “Data”?" in page.words
    assert await brought(door) == []
    values = previewed(page)
    assert dict(zip(values["column"], values["target"], strict=True))["Shoe size"] == "-"
    corrected = {**values, "text": str(values["text"]).replace("Dta", "Data")}
    again = read(await send(door, PAGE, {**corrected, "do": "look"}))
    assert "2 new" in again.words

    done = await send(door, PAGE, {**corrected, "do": "import"})

    assert done.status_code == 303
    assert [row.title for row in await brought(door)] == ["Maps", "Łódź, trains"]
    toast = await page_of(door, done.headers["location"])
    assert "2 new, 0 changed, 0 skipped" in toast.words
    undo = toast.form("/app/undo")
    await send(door, undo.action, undo.values)
    assert await brought(door) == []


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (table(delimiter=";").encode("utf-16"), "talks.csv"),
        (table(delimiter="\t").encode(), "talks.tsv"),
        (b"\xef\xbb\xbf" + table().encode(), "talks.csv"),
        (workbook_of("Talks", HEADER, ROWS), "talks.xlsx"),
        (workbook_of("Talks", HEADER, ROWS), "called-otherwise.csv"),
    ],
)
async def test_any_spreadsheet_is_read(door: Door, data: bytes, name: str) -> None:
    await sign_in(door, "usr_ravi")
    page = read(await sent(door, data, name))

    assert "1 new" in page.words
    assert "Łódź, trains" in page.words


async def test_a_pasted_table_is_read(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = read(
        await send(door, PAGE, {"form": "talks", "text": table(delimiter="\t"), "do": "look"})
    )

    assert "1 new" in page.words


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "There is nothing in it"),
        (b"\x89PNG\0\0\0", "This is no text"),
        (b"PK\x03\x04 and no more", "This is no workbook we can read"),
        (b"Title\n", "has a header and no row below it"),
    ],
)
async def test_what_is_no_table_is_told_at_the_file(door: Door, data: bytes, said: str) -> None:
    await sign_in(door, "usr_ravi")
    page = read(await sent(door, data), 422)

    assert page.errors == ["file"]
    assert said.lower() in page.words.lower()


async def test_hundreds_of_rows_lead_to_a_page_with_progress(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    many = [[f"k{n}", f"Talk {n}", *ROWS[0][2:]] for n in range(201)]
    page = read(await sent(door, table(many).encode()))
    done = await send(door, PAGE, {**previewed(page), "do": "import"})

    (job,) = await rows(door, Job)
    assert done.headers["location"] == f"/app/jobs/{job.id}"
    assert "Under way: 0 of 201" in (await page_of(door, done.headers["location"])).words


async def test_what_is_exported_is_a_table_of_every_submission(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    answer = await door.http.get(f"{DESK}/export?as=csv&form=talks")

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.content.startswith(b"\xef\xbb\xbf")
    assert ".csv" in answer.headers["content-disposition"]
    found = table_of(decoded(answer.content))
    assert [row.cells[0] for row in found.rows][:3] == ["SUB-1", "SUB-2", "SUB-3"]
    book = await door.http.get(f"{DESK}/export?as=xlsx&form=talks")
    again = table_of(csv_of_workbook(book.content))
    assert [row.cells[:2] for row in again.rows] == [row.cells[:2] for row in found.rows]
    one = await door.http.get(f"{DESK}/export?as=csv&form=talks&status=accepted")
    assert len(table_of(decoded(one.content)).rows) == 1


async def test_only_organisers_bring_in_and_take_out(door: Door) -> None:
    for user, status in (("usr_mei", 403), ("usr_tom", 404), ("usr_eva", 404)):
        await sign_in(door, user)
        assert (await door.http.get(PAGE)).status_code == status
        assert (await door.http.get(f"{DESK}/export")).status_code == status
        assert (await sent(door, table().encode())).status_code == status
