"""Tags and comments by page: beside a submission, and on a selection of the list."""

from tests.web.door import Door
from tests.web.pages import page_of, read, send, sign_in

LIST = "/app/devconf-2027/submissions"
ONE = f"{LIST}/SUB-1"


async def test_a_comment_is_put_down_and_stays(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await page_of(door, ONE)
    page.assert_sound()
    done = await send(door, f"{ONE}/comment", {"body": "Ask her <b>soon</b>.", "tell": "usr_ines"})

    assert done.status_code == 303
    shown = await page_of(door, done.headers["location"])
    assert "Ask her <b>soon</b>." in shown.words
    empty = read(await send(door, f"{ONE}/comment", {"body": " "}), 422)
    assert empty.errors == ["body"]


async def test_a_tag_is_added_taken_away_and_undone(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    await send(door, f"{ONE}/tags", {"add": "Keynote"})
    assert "Take the tag Keynote away" in (await page_of(door, ONE)).words

    gone = await send(door, f"{ONE}/tags", {"remove": "Keynote"})
    toast = await page_of(door, gone.headers["location"])
    assert "Take the tag Keynote away" not in toast.words
    undo = toast.form("/app/undo")
    await send(door, undo.action, undo.values)
    assert "Take the tag Keynote away" in (await page_of(door, ONE)).words


async def test_a_selection_is_tagged_and_the_list_filtered_by_it(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    chosen = {"submission": ["SUB-1", "SUB-2"], "tag": "Maybe", "do": "tag"}
    done = await send(door, f"{LIST}/tags", {**chosen, "back": f"{LIST}?sort=title"})

    assert done.headers["location"].startswith(f"{LIST}?sort=title&done=")
    page = await page_of(door, f"{LIST}?tag=maybe")
    assert "2 of 2" in page.words
    assert "Maybe (2)" in page.words
    nothing = read(await send(door, f"{LIST}/tags", {"tag": "x", "do": "tag"}), 422)
    assert "Select a submission first" in nothing.words
    wrong = read(await send(door, f"{LIST}/tags", {**chosen, "tag": "", "do": "tag"}), 422)
    assert "Name a tag first" in wrong.words
