"""The speakers of a submission, changed by organisers."""

from tests.web.door import Door
from tests.web.pages import page_of, read, send, sign_in

PAGE = "/app/devconf-2027/submissions/SUB-1/speakers"


async def values(door: Door) -> dict[str, str]:
    """What the page is filled in with."""
    page = await page_of(door, PAGE)
    found = next(one for one in page.forms if "speaker-1-name" in one.values)
    return {name: str(value) for name, value in found.values.items()}


async def named(door: Door) -> list[str]:
    """Its speakers with their roles."""
    listed = await door.read("/submissions/SUB-1", params={"event": "devconf-2027"})
    return [f"{speaker['name']} ({speaker['role']})" for speaker in listed["speakers"]]


async def test_a_speaker_is_added_and_given_a_role(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    before = await named(door)
    more = read(await send(door, PAGE, {**await values(door), "do": "add"}))
    form = next(one for one in more.forms if "speaker-1-name" in one.values)
    number = len(before) + 1
    new = {
        f"speaker-{number}-name": "Zoë",
        f"speaker-{number}-address": "zoe@example.org",
        f"speaker-{number}-role": "panelist",
    }
    done = await send(door, PAGE, {**form.values, **new, "do": "save"})

    assert done.status_code == 303
    assert await named(door) == [*before, "Zoë (panelist)"]
    assert "panelist" in (await page_of(door, "/app/devconf-2027/submissions/SUB-1")).words


async def test_what_is_wrong_is_told_at_its_field_and_stays(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    before = await named(door)
    wrong = {**await values(door), "speaker-1-address": "no address", "do": "save"}
    page = read(await send(door, PAGE, wrong), 422)

    assert page.title.startswith("Error:")
    assert 'href="#speaker-1-address"' in page.text
    assert 'value="no address"' in page.text
    assert await named(door) == before


async def test_an_older_page_overwrites_nothing(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    old = await values(door)
    assert (await send(door, PAGE, {**old, "speaker-1-bio": "One."})).status_code == 303
    assert (await send(door, PAGE, {**old, "speaker-1-bio": "Two."})).status_code == 412


async def test_only_organisers_see_the_page(door: Door) -> None:
    await sign_in(door, "usr_tom")
    assert (await door.http.get(PAGE)).status_code == 404
