"""Reported of forms: counts that differ, faults nobody is told, options made from labels."""

import datetime as dt
import secrets
from typing import Any

import pytest
from sqlmodel import col

from tests.web.door import Door, error_of
from tests.web.pages import Page, page_of, read, rows, send
from tests.world import DEVCONF, PYDAY
from unsession.models import Counter, FormVersion, TaxonomyOption

FORM = "/devconf-2027/talks"
PERSON = {"name": "Ana Lima", "address": "ana@example.org"}


async def asks(door: Door, *fields: dict[str, Any]) -> None:
    """Devconf's form asks these besides the core."""
    async with door.house.db.write() as session:
        (await session.get_one(FormVersion, "fvr_devconf")).fields = list(fields)


async def submit(door: Door, **answers: str) -> Any:
    """A submit at the public page."""
    typed = {
        "submit_key": secrets.token_hex(16),
        "title": "Maps without servers",
        "speaker-1-name": PERSON["name"],
        "speaker-1-address": PERSON["address"],
        "do": "submit",
    }
    return await send(door, FORM, typed | {f"f-{name}": said for name, said in answers.items()})


# FRM-08: the text, its words, and how many characters it has with a line break counted once.
TEXTS = [
    ("state-of-the-art tooling", 2, 24),
    ("  leading and trailing  ", 3, 20),  # white space around a text is no part of it
    ("one\r\ntwo\r\n\r\nthree", 3, 14),
    ("a,b,c", 1, 5),
    ("e-mail: me@example.org — now", 4, 28),
    ("", 0, 0),
    ("   \r\n  ", 0, 0),
]


async def verdicts(door: Door, text: str) -> list[str]:
    """What page, REST and MCP say about the text as the answer to ``talk``; "" is yes."""
    given = {"form": "talks", "title": "T", "speakers": [PERSON], "answers": {"talk": text}}
    page = await submit(door, talk=text)
    rest = await door.rest("POST", f"/events/{DEVCONF}/submissions", json=given)
    tool = await door.tool("create_submission", {"event": DEVCONF, **given})
    return [
        "" if page.status_code == 303 else read(page, 422).words,
        "" if rest.status_code == 201 else rest.json()["error"],
        error_of(tool) if tool.get("isError") else "",
    ]


@pytest.mark.parametrize(("text", "words", "length"), TEXTS)
async def test_a_text_has_one_count_at_every_door(
    door: Door, text: str, words: int, length: int
) -> None:
    field = {"id": "talk", "label": "Pitch", "type": "LONG"}

    await asks(door, {**field, "max_words": max(words, 1), "max_length": max(length, 1)})
    assert await verdicts(door, text) == ["", "", ""]

    if words > 1:
        await asks(door, {**field, "max_words": words - 1})
        for verdict in await verdicts(door, text):
            assert f"has {words} words: 1 more than fit ({words} of {words - 1})" in verdict
    if length:
        await asks(door, {**field, "max_length": length - 1})
        for verdict in await verdicts(door, text):
            assert f"has {length} characters: 1 more than fit ({length - 1})" in verdict


async def test_the_limit_itself_is_accepted_and_one_more_is_refused_with_both_numbers(
    door: Door,
) -> None:
    await asks(door, {"id": "talk", "label": "Pitch", "type": "LONG", "max_words": 150})
    assert await verdicts(door, " ".join("w" * 150)) == ["", "", ""]
    for verdict in await verdicts(door, " ".join("w" * 151)):
        assert "151 of 150" in verdict

    await asks(door, {"id": "talk", "label": "Pitch", "type": "LONG", "max_length": 20})
    assert await verdicts(door, "line1\r\nline2\r\nline3ab") == ["", "", ""]


async def test_what_is_not_ticked_or_chosen_is_told_on_top_and_at_its_field(door: Door) -> None:
    """FRM-13."""
    await asks(
        door,
        {"id": "kind", "label": "Kind", "type": "SEL", "required": True,
         "options": [{"id": "a", "label": "Talk"}, {"id": "b", "label": "Workshop"}]},
        {"id": "coc", "label": "Code of conduct", "type": "CHK", "required": True},
    )  # fmt: skip

    page = read(await submit(door), 422)

    assert page.errors == ["f-kind", "f-coc"]
    assert page.title.startswith("Error:")
    for name, message in (
        ("f-kind", "“Kind” needs an answer"),
        ("f-coc", "“Code of conduct” must be ticked"),
    ):
        (control,) = [tag for tag in tags(page, name) if f'id="{name}"' in tag]
        assert 'aria-invalid="true"' in control
        assert f'id="{name}-error"' in page.text
        assert f"{name}-error" in page.described
        assert page.words.count(message) == 2


def tags(page: Page, name: str) -> list[str]:
    """The start tags of the controls of a name."""
    return [tag for tag in page.text.split("<") if f'name="{name}"' in tag]


async def test_a_question_nobody_can_answer_any_more_is_not_asked(door: Door) -> None:
    """FRM-14: with its last format the question goes, and the form can still be submitted."""
    async with door.house.db.write() as session:
        session.add(Counter(event_id=PYDAY, key="submission", value=1))  # SUB-1 is there
    made = await door.rest("POST", "/events/pyday-2027/forms", json={"name": "Posters"})
    assert made.status_code == 201, made.text
    form = f"/events/pyday-2027/forms/{made.json()['data']['id']}"
    assert (await door.rest("PATCH", form, json={"status": "open"})).status_code == 200
    options = "/events/pyday-2027/taxonomies/format/options"
    await door.rest("PUT", options, json={"name": "Poster", "minutes": 10})
    asked = await page_of(door, "/pyday-2027/posters")

    assert (await door.rest("DELETE", f"{options}/Poster")).status_code == 200
    left = await page_of(door, "/pyday-2027/posters")
    typed = left.form("/pyday-2027/posters").values
    typed |= {"title": "T", "abstract": "A", "do": "submit"}
    typed |= {"speaker-1-name": "Ana Lima", "speaker-1-address": "ana@example.org"}
    sent = await send(door, "/pyday-2027/posters", typed)

    assert 'name="format"' in asked.text
    assert 'name="format"' not in left.text
    assert sent.status_code == 303, Page(sent.text).words


async def test_options_that_look_alike_are_kept_apart(door: Door) -> None:
    """FRM-18."""
    options = f"/events/{DEVCONF}/taxonomies/track/options"
    labels = ["C", "C#", "C++", "🎤", "日本語"]
    ids = []
    for label in labels:
        made = await door.rest("PUT", options, json={"name": label})
        assert made.status_code == 200, made.text
        ids.append(made.json()["data"]["id"])
    again = await door.rest("PUT", options, json={"name": "C"})

    assert len(set(ids)) == 5
    assert again.status_code == 422
    assert "C" in again.json()["error"]
    track = col(TaxonomyOption.taxonomy_id) == "tax_devconf_track"
    assert len(await rows(door, TaxonomyOption, track)) == 7
    for label, option in zip(labels, ids, strict=True):
        sent = await door.rest(
            "POST",
            f"/events/{DEVCONF}/submissions",
            json={
                "form": "talks",
                "title": f"About {option}",
                "speakers": [PERSON],
                "answers": {"track": label},
            },
        )
        assert sent.status_code == 201, sent.text
    for label, option in zip(labels, ids, strict=True):
        found = await door.read(f"/events/{DEVCONF}/submissions", params={"track": label})
        assert [row["title"] for row in found["items"]] == [f"About {option}"]


@pytest.mark.parametrize(
    ("closes", "zone", "last", "words"),
    [
        ("2027-06-14", "Europe/Paris", "2027-06-14T21:59:59Z",
         "14 June 2027, 23:59 (Europe/Paris, UTC+2)"),
        ("2027-06-14", "Etc/GMT+12", "2027-06-15T11:59:59Z",
         "14 June 2027, 23:59 (Etc/GMT+12, UTC−12)"),
        ("2027-02-28", "America/Los_Angeles", "2027-03-01T07:59:59Z",
         "28 February 2027, 23:59 (America/Los_Angeles, UTC−8)"),
        ("2027-06-14T12:00+09:00", "Asia/Tokyo", "2027-06-14T03:00:00Z",
         "14 June 2027, 12:00 (Asia/Tokyo, UTC+9)"),
    ],
)  # fmt: skip
async def test_page_and_rest_state_the_instant_the_server_holds_to(
    door: Door, closes: str, zone: str, last: str, words: str
) -> None:
    """FRM-02."""
    await door.rest("PATCH", f"/events/{DEVCONF}", json={"zone": zone})
    path = f"/events/{DEVCONF}/forms/talks"
    assert (await door.rest("PATCH", path, json={"closesAt": closes})).status_code == 200

    shown = await door.read(path)
    page = await page_of(door, FORM)

    assert dt.datetime.fromisoformat(shown["closesAt"]) == dt.datetime.fromisoformat(last)
    assert words in shown["state"]
    assert words in page.words
