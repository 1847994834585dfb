"""Files at the public form: sent by script or along with the form, kept, submitted, fetched."""

import io
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlmodel import col

from tests.pictures import picture
from tests.web.door import Door
from tests.web.pages import SAME, page_of, read, rows, send, sign_in
from unsession.adapters.pictures import redrawn
from unsession.domain.forms import FormStatus
from unsession.models import File, Form, FormVersion, Submission

CASES = Path(__file__).parents[1] / "cases" / "uploads"
PUBLIC = "/devconf-2027/talks"
KEY = "k" * 32
PDF = b"%PDF-1.7\n% slides\n"
FIELDS: list[dict[str, Any]] = [
    {"id": "title", "type": "TXT", "label": "Title", "role": "title", "required": True},
    {"id": "slides", "type": "FILE", "label": "Slides", "required": True, "most": 2,
     "accepts": ["pdf", "presentation"], "max_mb": 1},
    {"id": "photo", "type": "FILE", "label": "Photo", "accepts": ["image"]},
    {"id": "more", "type": "FILE", "label": "Anything else"},
    {"id": "people", "type": "GRP", "label": "Speakers", "role": "speakers", "required": True},
]  # fmt: skip
TYPED = {
    "submit_key": KEY,
    "title": "Maps without servers",
    "speaker-1-name": "Ana Lima",
    "speaker-1-address": "ana@example.org",
    "address": "tom@example.org",
    "do": "submit",
}


@pytest.fixture(autouse=True)
async def form(door: Door) -> None:
    """The call asks for files."""
    async with door.house.db.write() as session:
        (await session.get_one(FormVersion, "fvr_devconf")).fields = FIELDS


async def upload(
    door: Door,
    data: bytes,
    name: str = "slides.pdf",
    field: str = "slides",
    key: str = KEY,
    late: str = "",
) -> httpx.Response:
    """One file, as the page's script sends it."""
    return await door.http.post(
        f"{PUBLIC}/files",
        data={"submit_key": key, "field": field, "late": late},
        files={"file": (name, io.BytesIO(data))},
        headers=SAME,
    )


async def kept(door: Door, *args: Any, **named: Any) -> str:
    """The id of a file that was kept."""
    answer = await upload(door, *args, **named)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


async def submitted(door: Door, **fields: Any) -> Any:
    """The submission, sent in."""
    done = await send(door, PUBLIC, {**TYPED, **fields})
    assert done.status_code == 303, done.text
    (row,) = await rows(door, Submission, col(Submission.submit_key) == KEY)
    return row


async def test_files_that_were_sent_go_along_with_the_submit(door: Door) -> None:
    first, second = await kept(door, PDF), await kept(door, PDF + b"2", name="more.pdf")
    row = await submitted(door, **{"f-slides": [first, second]})

    assert row.answers == {"slides": [first, second]}
    files = await rows(door, File)
    assert {(one.subject_type, one.subject_id) for one in files} == {("submission", row.id)}
    shown = await door.read(f"/submissions/{row.id}")
    assert [one["value"] for one in shown["answers"]] == [["slides.pdf", "more.pdf"]]
    assert [(one["field"], one["filename"]) for one in shown["files"]] == [
        ("slides", "slides.pdf"), ("slides", "more.pdf"),
    ]  # fmt: skip


async def test_without_a_script_they_come_along_with_the_form_and_stay_on_it(door: Door) -> None:
    wrong = await door.http.post(
        PUBLIC,
        data={**TYPED, "title": ""},
        files=[
            ("up-slides", ("a.pdf", io.BytesIO(PDF))),
            ("up-slides", ("b.pdf", io.BytesIO(PDF))),
        ],
        headers=SAME,
    )
    page = read(wrong, 422)
    assert page.errors == ["title"]
    assert "a.pdf" in page.words and "b.pdf" in page.words  # noqa: PT018  (one thought)
    ids = [one.id for one in await rows(door, File)]
    row = await submitted(door, **{"f-slides": ids})
    assert sorted(row.answers["slides"]) == sorted(ids)


async def test_a_draft_finds_its_files_again(door: Door) -> None:
    file = await kept(door, PDF)
    await send(door, f"{PUBLIC}/draft", {**TYPED, "f-slides": file})
    page = await page_of(door, PUBLIC)

    assert "slides.pdf" in page.words
    form = next(one for one in page.forms if "submit_key" in one.values)
    assert form.values["f-slides"] == [file]


async def test_a_picture_is_made_anew_and_says_nothing_of_its_camera(door: Door) -> None:
    photo = picture("JPEG", (40, 30), exif=True)
    file = await kept(door, photo, name="me.jpg", field="photo")
    slides = await kept(door, PDF)
    row = await submitted(door, **{"f-slides": slides, "f-photo": file})
    await sign_in(door, "usr_ravi")

    sent = await door.http.get(f"/devconf-2027/files/{file}")
    assert sent.content == redrawn(photo, "image/jpeg")
    assert b"Ana Lima" not in sent.content
    assert sent.headers["content-disposition"].startswith('attachment; filename="me.jpg"')
    assert sent.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in sent.headers["content-security-policy"]
    desk = await page_of(door, f"/app/devconf-2027/submissions/SUB-{row.number}")
    assert f"/devconf-2027/files/{file}" in desk.links.values()


async def test_only_who_may_see_the_submission_gets_its_files(door: Door) -> None:
    await sign_in(door, "usr_tom")
    file = await kept(door, PDF)
    path = f"/devconf-2027/files/{file}"
    assert (await door.http.get(path)).status_code == 404  # not submitted: nobody's yet
    await submitted(door, **{"f-slides": file})

    for user, status in (
        ("usr_tom", 200), ("usr_ravi", 200), ("usr_mei", 404), ("usr_eva", 404),
    ):  # fmt: skip
        await sign_in(door, user)
        assert (await door.http.get(path)).status_code == status, user
    door.http.cookies.clear()
    assert (await door.http.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("name", "field", "said"),
    [
        ("badge.svg", "photo", "is something we do not know: a picture"),
        ("headshot.png", "photo", "is something we do not know: a picture"),
        ("slides.html", "slides", "is something we do not know: a PDF or a presentation"),
    ],
)
async def test_what_only_its_name_says_is_refused_by_its_content(
    door: Door, name: str, field: str, said: str
) -> None:
    answer = await upload(door, (CASES / name).read_bytes(), name=name, field=field)

    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert await rows(door, File) == []


@pytest.mark.parametrize("name", ["badge.svg", "headshot.png", "slides.html"])
async def test_where_anything_is_taken_it_is_saved_and_never_shown(door: Door, name: str) -> None:
    file = await kept(door, (CASES / name).read_bytes(), name=name, field="more")
    await submitted(door, **{"f-slides": await kept(door, PDF), "f-more": file})
    await sign_in(door, "usr_ravi")
    sent = await door.http.get(f"/devconf-2027/files/{file}")

    assert sent.headers["content-type"] == "application/octet-stream"
    assert sent.headers["content-disposition"].startswith("attachment;")
    assert sent.headers["x-content-type-options"] == "nosniff"


async def test_a_long_name_keeps_its_ending_and_its_letters(door: Door) -> None:
    file = await kept(door, PDF, name="ä" * 140 + ".pdf")
    await submitted(door, **{"f-slides": file})
    await sign_in(door, "usr_ravi")
    told = (await door.http.get(f"/devconf-2027/files/{file}")).headers["content-disposition"]

    assert told.isascii()
    assert told.endswith(".pdf")
    assert "filename*=UTF-8''%C3%A4" in told


@pytest.mark.parametrize(
    ("data", "field", "said"),
    [
        (b"", "slides", "empty"),
        (PDF + b"x" * 1_100_000, "slides", "1.0 MB: at most 1 MB fit"),
        (PDF, "title", "Asks for no file"),
        (PDF, "nothing", "Asks for no file"),
        (picture(), "slides", "by its content a picture"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "photo", "cannot be read as one"),
    ],
)
async def test_what_a_field_does_not_ask_for_is_refused(
    door: Door, data: bytes, field: str, said: str
) -> None:
    answer = await upload(door, data, field=field)

    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert await rows(door, File) == []
    store = door.house.settings.data_dir / "files"
    assert [one for one in store.rglob("*") if one.is_file()] == []


async def test_too_many_files_are_told_at_their_field(door: Door) -> None:
    ids = [await kept(door, PDF, name=f"{n}.pdf") for n in range(3)]
    refused = await send(door, PUBLIC, {**TYPED, "f-slides": ids})

    assert read(refused, 422).errors == ["f-slides"]
    assert "takes at most 2 files" in refused.text
    missing = await send(door, PUBLIC, TYPED)
    assert "“Slides” needs a file" in read(missing, 422).words


async def test_a_file_of_another_page_or_field_is_nobodys(door: Door) -> None:
    theirs = await kept(door, PDF, key="o" * 32)
    elsewhere = await kept(door, PDF, field="more")

    for file in (theirs, elsewhere, "fil_none"):
        refused = await send(door, PUBLIC, {**TYPED, "f-slides": file})
        assert "names a file that is not here any more" in read(refused, 422).words
    assert {one.subject_type for one in await rows(door, File)} == {"page"}


async def test_organisers_add_without_files_and_can_take_one_away(door: Door) -> None:
    made = await door.tool(
        "create_submission",
        {
            "event": "devconf-2027",
            "form": "talks",
            "title": "Added",
            "speakers": [{"name": "Ana", "address": "ana@example.org"}],
        },
    )
    assert made["isError"] is False, made
    file = await kept(door, PDF)
    row = await submitted(door, **{"f-slides": file})
    wire = {"submission": row.id, "answers": {"slides": ["fil_none"]}}
    assert (await door.tool("update_submission", wire))["isError"] is True
    other = {"submission": made["structuredContent"]["id"], "answers": {"slides": [file]}}
    assert (await door.tool("update_submission", other))["isError"] is True
    same = {"submission": row.id, "answers": {"slides": [file]}}
    assert (await door.tool("update_submission", same))["isError"] is False


async def test_a_late_link_takes_files_too(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    made = await send(door, "/app/devconf-2027/forms/talks/late-links", {"do": "make"})
    secret = made.text.partition("late=")[2][:43]
    door.http.cookies.clear()
    async with door.house.db.write() as session:
        (await session.get_one(Form, "frm_devconf")).status = FormStatus.CLOSED

    refused = await upload(door, PDF)
    taken = await upload(door, PDF, late=secret)

    assert (refused.status_code, taken.status_code) == (409, 200)


async def test_organisers_delete_a_file_at_its_page_and_undo_it(door: Door) -> None:
    file = await kept(door, PDF)
    row = await submitted(door, **{"f-slides": file})
    await sign_in(door, "usr_ravi")
    desk, path = f"/app/devconf-2027/submissions/{row.id}", f"/devconf-2027/files/{file}"
    (form,) = [one for one in (await page_of(door, desk)).forms if file in one.action]

    gone = await send(door, form.action, form.values)
    assert gone.status_code == 303
    assert gone.headers["location"].startswith(desk)
    assert (await door.http.get(path)).status_code == 404
    after = await page_of(door, gone.headers["location"])
    assert "slides.pdf" not in after.links
    undo = next(one for one in after.forms if "undo" in one.action)
    await send(door, undo.action, undo.values)
    assert (await door.http.get(path)).content == PDF
    assert (await send(door, "/app/devconf-2027/files/fil_none/delete")).status_code == 404
    await sign_in(door, "usr_mei")
    assert (await send(door, form.action, form.values)).status_code in {403, 404}
    assert (await rows(door, File))[0].deleted_at is None
