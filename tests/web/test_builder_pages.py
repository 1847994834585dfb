"""The page of a form's fields: looked at, added to, changed, moved, taken from, put back."""

import re
from typing import Any

from sqlmodel import col

from tests.web.door import Door
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.web.tables import snapshot
from unsession.models import FormVersion

PAGE = "/app/devconf-2027/forms/talks/fields"


async def labels(door: Door, number: int) -> list[str]:
    """What a version asks, in order."""
    (version,) = await rows(
        door,
        FormVersion,
        col(FormVersion.form_id) == "frm_devconf",
        col(FormVersion.number) == number,
    )
    return [field["label"] for field in version.fields]


async def saved(door: Door, **fields: Any) -> Any:
    """The open field saved, as the page's form does."""
    address = f"{PAGE}?field={fields['id']}" if fields.get("id") else f"{PAGE}?add={fields['type']}"
    page = await page_of(door, address)
    form = next(one for one in page.forms if "label" in one.values)
    return await send(door, PAGE, {**form.values, "do": "save", **fields})


async def test_the_fields_stand_in_order_with_what_each_is(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await page_of(door, PAGE)

    page.assert_sound()
    assert "Version 1, 6 submissions came in through it." in page.words
    assert "?field=title#set" in page.links.values()
    assert "Title , required" in page.words
    assert "Notes for the committee" in page.words
    assert "Choose a field to change it, or add one." in page.words


async def test_a_question_is_added_and_hangs_on_another(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    first = await saved(
        door, type="SEL", label="Given before?", option=["Yes", " ", "No"], option_id=["", "", ""]
    )
    assert first.status_code == 303, first.text
    done = await page_of(door, first.headers["location"])
    assert "1 added" in done.words
    adding = await page_of(door, f"{PAGE}?add=TXT")
    (source,) = re.findall(r'<option value="([^"]+)">Given before\?<', adding.text)
    hangs = {"when_field": [source, ""], "when_op": ["is", "is"], "when_value": ["yes", ""]}
    await saved(door, type="TXT", label="Where?", maxLength="80", **hangs)

    (version,) = await rows(
        door, FormVersion, col(FormVersion.form_id) == "frm_devconf", col(FormVersion.number) == 2
    )
    *_, before, where = version.fields
    assert [one["label"] for one in before["options"]] == ["Yes", "No"]
    yes = before["options"][0]["id"]
    assert where["when"]["tests"] == [{"field": before["id"], "op": "is", "value": yes}]
    assert where["max_length"] == 80
    assert "asked if Given before? is Yes" in (await page_of(door, PAGE)).words
    assert len(await rows(door, FormVersion, col(FormVersion.form_id) == "frm_devconf")) == 2


async def test_files_are_asked_for_by_kind_and_size(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    done = await saved(
        door, type="FILE", label="Slides", accepts=["pdf", "presentation"], maxMb="10", most="3"
    )
    assert done.status_code == 303, done.text
    (version,) = await rows(
        door, FormVersion, col(FormVersion.form_id) == "frm_devconf", col(FormVersion.number) == 2
    )
    slides = version.fields[-1]
    kept = {name: slides[name] for name in ("type", "accepts", "max_mb", "most")}
    assert kept == {"type": "FILE", "accepts": ["pdf", "presentation"], "max_mb": 10, "most": 3}
    wrong = read(await saved(door, type="FILE", label="More", maxMb="26"), 422)
    assert wrong.errors == ["maxMb"]


async def test_a_field_moves_changes_and_goes_and_an_undo_brings_it_back(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    version = (await page_of(door, PAGE)).forms[-1].values["version"]
    moved = {"id": "abstract", "version": version}
    await send(door, PAGE, {**moved, "do": "up"})
    assert (await labels(door, 2))[:2] == ["Abstract", "Title"]

    version = (await page_of(door, PAGE)).forms[-1].values["version"]
    placed = {"id": "speakers", "version": version, "do": "place", "at": "1"}
    await send(door, PAGE, placed)
    assert (await labels(door, 2))[:3] == ["Abstract", "Speakers", "Title"]

    await saved(door, id="fld_notes", label="For the committee")
    assert "For the committee" in await labels(door, 2)

    page = await page_of(door, PAGE)
    gone = await send(
        door, PAGE, {"id": "fld_notes", "version": page.forms[-1].values["version"], "do": "remove"}
    )
    assert "For the committee" not in await labels(door, 2)
    toast = await page_of(door, gone.headers["location"])
    undo = toast.form("/app/undo")
    await send(door, undo.action, undo.values)
    assert "For the committee" in await labels(door, 2)


async def test_what_is_wrong_is_told_at_its_setting_and_kept_as_typed(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    before = await snapshot(door.house.db)

    empty = read(await saved(door, type="SEL", label="Size", option=[""], option_id=[""]), 422)
    words = read(await saved(door, type="LONG", label="More", maxWords="many"), 422)
    wrong = read(await saved(door, type="TXT", label="X", minLength="9", maxLength="3"), 422)
    title = read(await send(door, PAGE, {"id": "title", "do": "remove"}), 422)

    assert empty.errors == ["option-0"]
    assert words.errors == ["maxWords"]
    assert next(f for f in words.forms if "label" in f.values).values["maxWords"] == "many"
    assert wrong.errors == ["maxLength"]
    assert "need one with the role title" in title.words.lower()
    assert await snapshot(door.house.db) == before


async def test_who_read_an_older_form_is_told_so(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    old = (await page_of(door, PAGE)).forms[-1].values["version"]
    await saved(door, type="TXT", label="Mine")

    stale = await send(
        door, PAGE, {"type": "TXT", "label": "Yours", "do": "save", "version": old, "id": ""}
    )

    assert stale.status_code == 412
    assert next(f for f in read(stale, 412).forms if "label" in f.values).values["label"] == "Yours"
    assert "Yours" not in await labels(door, 2)


async def test_an_earlier_version_is_asked_again(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    await saved(door, type="TXT", label="Mine")
    page = await page_of(door, PAGE)
    form = next(one for one in page.forms if one.values.get("number") == "1")

    answer = await send(door, PAGE, {**form.values, "do": "restore"})

    assert answer.status_code == 303
    assert "Mine" not in await labels(door, 2)
    assert "put back from version 1" in (await page_of(door, answer.headers["location"])).words


async def test_a_form_is_copied_and_the_copy_deleted_and_brought_back(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    made = await send(door, "/app/devconf-2027/forms/talks/copy")
    copy = await page_of(door, made.headers["location"])
    assert "Form “Copy of Call for talks” made from “Call for talks”" in copy.words

    form = copy.form("/app/devconf-2027/forms/copy-of-call-for-talks/delete")
    gone = await page_of(door, (await send(door, form.action)).headers["location"])
    assert "Form “Copy of Call for talks” deleted" in gone.words
    undo = gone.form("/app/undo")
    await send(door, undo.action, undo.values)
    await page_of(door, "/app/devconf-2027/forms/copy-of-call-for-talks/fields")

    used = read(await send(door, "/app/devconf-2027/forms/talks/delete"), 409)
    assert "7 submissions came in through “Call for talks”" in used.words
    assert "Delete the form" not in used.words


async def test_the_page_is_for_who_sets_up_the_event(door: Door) -> None:
    await sign_in(door, "usr_mei")
    reviewer = await door.http.get(PAGE)
    await sign_in(door, "usr_ravi")
    kind = await door.http.get(f"{PAGE}?add=GRP")
    field = await door.http.get(f"{PAGE}?field=nothing")

    assert reviewer.status_code in (403, 404)
    assert (kind.status_code, field.status_code) == (404, 404)
