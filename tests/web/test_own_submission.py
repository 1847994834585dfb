"""A submission of one's own: read for ever, changed while its form accepts."""

from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from tests.services.conftest import content_of
from tests.web.door import Door
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.world import DATA, WEB
from unsession.domain.forms import FormStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.models import (
    Activity,
    Form,
    FormVersion,
    Session,
    Submission,
    SubmissionOption,
    SubmissionSpeaker,
)

KEY = "k" * 32
PUBLIC = "/devconf-2027/talks"


@pytest.fixture
async def mine(door: Door) -> str:
    """A submission that Tom sent in, signed in."""
    await sign_in(door, "usr_tom")
    page = await page_of(door, f"{PUBLIC}?start=1")
    form = next(one for one in page.forms if "submit_key" in one.values)
    talk = page.text.split('name="format" value="')[1].split('"')[0]
    done = await send(
        door,
        PUBLIC,
        {
            **form.values,
            "submit_key": KEY,
            "title": "Maps without servers",
            "abstract": "How a map can be one file.",
            "track": DATA,
            "format": talk,
            "do": "submit",
        },
    )
    assert done.status_code == 303, done.text
    (row,) = await rows(door, Submission, col(Submission.submit_key) == KEY)
    return str(row.id)


def address(submission: str) -> str:
    return f"/devconf-2027/portal/submissions/{submission}"


async def values(door: Door, submission: str) -> dict[str, Any]:
    """What the page is filled in with."""
    page = await page_of(door, address(submission))
    return dict(next(one for one in page.forms if "submit_key" in one.values).values)


async def row_of(door: Door, submission: str) -> Any:
    (row,) = await rows(door, Submission, col(Submission.id) == submission)
    return row


async def test_it_is_changed_as_it_was_given_and_organisers_see_before_and_after(
    door: Door, mine: str
) -> None:
    before = await row_of(door, mine)
    portal = await page_of(door, "/devconf-2027/portal")
    assert f'href="{address(mine)}"' in portal.text
    filled = await values(door, mine)
    assert filled["title"] == "Maps without servers"
    assert filled["track"] == DATA
    assert filled["speaker-1-name"] == "Tom Idle"

    done = await send(
        door,
        address(mine),
        {
            **filled,
            "title": "Maps in one file",
            "track": WEB,
            "speaker-2-name": "Ana",
            "speaker-2-address": "ana@example.org",
            "do": "save",
        },
    )

    assert done.status_code == 303, done.text
    after = await row_of(door, mine)
    assert (after.title, after.number, after.status) == (
        "Maps in one file", before.number, before.status,
    )  # fmt: skip
    assert after.version > before.version
    options = await rows(door, SubmissionOption, col(SubmissionOption.submission_id) == mine)
    assert WEB in {one.option_id for one in options}
    people = await rows(door, SubmissionSpeaker, col(SubmissionSpeaker.submission_id) == mine)
    assert {one.name for one in people} == {"Tom Idle", "Ana"}
    entry = (await rows(door, Activity, col(Activity.operation) == "update_own_submission"))[-1]
    told = content_of(entry)
    assert told["summary"].endswith("“Maps in one file” changed by its submitter")
    fields = next(one["fields"] for one in told["changes"] if one["table"] == "submission")
    assert fields["title"] == ["Maps without servers", "Maps in one file"]


async def test_the_same_again_changes_nothing(door: Door, mine: str) -> None:
    before = await row_of(door, mine)
    done = await send(door, address(mine), {**await values(door, mine), "do": "save"})

    assert done.status_code == 303
    assert (await row_of(door, mine)).version == before.version


async def test_what_is_wrong_is_told_at_its_field_and_kept(door: Door, mine: str) -> None:
    filled = {**await values(door, mine), "title": "", "abstract": "Other words", "do": "save"}
    page = read(await send(door, address(mine), filled), 422)

    assert page.errors == ["title"]
    assert "Other words" in page.text
    assert (await row_of(door, mine)).abstract == "How a map can be one file."


async def test_who_changed_it_in_another_window_is_not_overwritten(door: Door, mine: str) -> None:
    old = await values(door, mine)
    await send(door, address(mine), {**old, "title": "First", "do": "save"})
    late = await send(door, address(mine), {**old, "title": "Second", "do": "save"})

    assert late.status_code == 412
    assert "Second" in late.text
    assert (await row_of(door, mine)).title == "First"


async def test_it_is_judged_by_the_fields_it_was_given_through(door: Door, mine: str) -> None:
    async with door.house.db.write() as session:
        version = FormVersion(
            id="fvr_next",
            form_id="frm_devconf",
            number=2,
            fields=[
                {"id": "title", "type": "TXT", "label": "T", "role": "title", "max_length": 3},
                {"id": "people", "type": "GRP", "label": "S", "role": "speakers"},
            ],
        )
        session.add(version)
        await session.flush()
        await session.execute(
            update(Form).where(col(Form.id) == "frm_devconf").values(current_version_id="fvr_next")
        )
    done = await send(
        door, address(mine), {**await values(door, mine), "title": "Longer", "do": "save"}
    )

    assert done.status_code == 303, done.text
    row = await row_of(door, mine)
    assert (row.title, row.form_version_id) == ("Longer", "fvr_devconf")


async def test_an_accepted_one_changes_and_its_session_keeps_its_copy(
    door: Door, mine: str
) -> None:
    await door.tool("decide_submission", {"submission": mine, "decision": "accept"})
    filled = await values(door, mine)
    await send(door, address(mine), {**filled, "title": "After all", "do": "save"})

    assert (await row_of(door, mine)).title == "After all"
    (session,) = await rows(door, Session, col(Session.submission_id) == mine)
    assert session.title == "Maps without servers"


@pytest.mark.parametrize("how", ["closed", "declined", "withdrawn"])
async def test_afterwards_it_is_read_and_not_changed(door: Door, mine: str, how: str) -> None:
    filled = await values(door, mine)
    async with door.house.db.write() as session:
        if how == "closed":
            await session.execute(
                update(Form).where(col(Form.id) == "frm_devconf").values(status=FormStatus.CLOSED)
            )
        else:
            await session.execute(
                update(Submission)
                .where(col(Submission.id) == mine)
                .values(status=SubmissionStatus(how))
            )
    page = await page_of(door, address(mine))
    late = await send(door, address(mine), {**filled, "title": "Too late", "do": "save"})

    assert "How a map can be one file." in page.words
    assert not [one for one in page.forms if "submit_key" in one.values]
    assert late.status_code == 409
    assert (await row_of(door, mine)).title == "Maps without servers"


async def test_nobody_else_reads_or_changes_it(door: Door, mine: str) -> None:
    filled = await values(door, mine)
    for user in ("usr_ravi", "usr_mei", "usr_eva"):
        await sign_in(door, user)
        assert (await door.http.get(address(mine))).status_code == 404
        sent = await send(door, address(mine), {**filled, "title": "Mine now", "do": "save"})
        assert sent.status_code == 404
    assert (await row_of(door, mine)).title == "Maps without servers"
