"""The public form and the organisers' pages of forms, as people meet them."""

import asyncio
import datetime as dt
import html
import re
import secrets
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.web.door import Door, opened
from tests.world import DATA, DEVCONF
from unsession.db.types import utc_now
from unsession.domain.forms import FormStatus
from unsession.models import (
    Form,
    FormVersion,
    Mail,
    SigninSession,
    Submission,
    SubmissionSpeaker,
)
from unsession.services.principals import secret_hash
from unsession.settings import Settings

SAME = {"sec-fetch-site": "same-origin"}
PUBLIC = "/devconf-2027/talks"
DESK = "/app/devconf-2027/forms"


class Fields(HTMLParser):
    """What a browser would send: every named control with its value; and all ids and links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self.ids: list[str] = []
        self.anchors: list[str] = []
        self.labels: list[str] = []
        self._area: str | None = None
        self._select: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "label" and "for" in given:
            self.labels.append(given["for"])
        if tag == "a" and given.get("href", "").startswith("#"):
            self.anchors.append(given["href"][1:])
        if tag == "input" and "name" in given:
            kind = given.get("type", "text")
            if kind not in ("radio", "checkbox") or "checked" in given:
                self.values[given["name"]] = given.get("value", "on")
        if tag == "textarea":
            self._area = given["name"]
            self.values[self._area] = ""
        if tag == "select":
            self._select = given["name"]
            self.values[self._select] = ""
        if tag == "option" and self._select and "selected" in given:
            self.values[self._select] = given["value"]

    def handle_data(self, data: str) -> None:
        if self._area:
            self.values[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = None
        if tag == "select":
            self._select = None


async def page_of(door: Door, path: str = PUBLIC) -> Fields:
    answer = await door.http.get(path)
    assert answer.status_code == 200, answer.text
    return Fields(answer.text)


def filled(key: str = "k" * 32, **changes: str) -> dict[str, str]:
    return {
        "submit_key": key,
        "title": "Maps without servers",
        "abstract": "How a map can be one file.",
        "track": DATA,
        "format": "opt_talk",
        "speaker-1-name": "Ana Lima",
        "speaker-1-address": "ana@example.org",
        "do": "submit",
        **changes,
    }


async def post(door: Door, fields: dict[str, str], path: str = PUBLIC) -> httpx.Response:
    return await door.http.post(path, data=fields, headers=SAME)


async def rows(door: Door, model: Any, *conditions: Any) -> list[Any]:
    return list(await door.house.db.rows(select(*model.__table__.columns).where(*conditions)))


async def numbered(door: Door, number: int) -> Any:
    """The submission of devconf with that number."""
    here = col(Submission.event_id) == DEVCONF
    (row,) = await rows(door, Submission, here, col(Submission.number) == number)
    return row


async def change_form(door: Door, **columns: Any) -> None:
    async with door.house.db.write() as session:
        form = await session.get_one(Form, "frm_devconf")
        for name, value in columns.items():
            setattr(form, name, value)


async def sign_in(door: Door, user: str) -> None:
    secret = secrets.token_urlsafe(32)
    async with door.house.db.write() as session:
        session.add(
            SigninSession(
                user_id=user,
                secret_hash=secret_hash(secret),
                expires_at=utc_now() + dt.timedelta(days=1),
                last_used_at=utc_now(),
            )
        )
    door.http.cookies.set("__Host-unsession", secret)


# The form


async def test_a_visitor_fills_the_page_as_it_comes_and_submits(door: Door) -> None:
    page = await page_of(door)
    answer = await post(door, {**page.values, **filled(page.values["submit_key"])})

    assert answer.status_code == 303
    thanks = await door.http.get(answer.headers["location"])
    assert thanks.status_code == 200
    assert "SUB-7" in thanks.text
    assert "Maps without servers" in thanks.text
    assert "We write to ana@example.org." in thanks.text
    assert thanks.headers["cache-control"] == "no-store"
    row = await numbered(door, 7)
    assert row.submit_key == page.values["submit_key"]


async def test_every_control_has_a_label_and_every_id_is_one(door: Door) -> None:
    await post(door, filled(do="add"))
    text = (await post(door, filled(title="", do="submit"))).text
    page = Fields(text)

    assert len(page.ids) == len(set(page.ids))
    assert set(page.labels) <= set(page.ids)
    assert {"title", "abstract", "speaker-1-name", "speaker-1-address"} <= set(page.labels)
    assert "<style" not in text
    assert not re.search(r"\son\w+=|\sstyle=", text)


async def test_errors_link_to_their_fields_and_keep_what_was_typed(door: Door) -> None:
    sent = filled(
        title="",
        abstract="x" * 5001,
        track="opt_none",
        **{"speaker-1-address": "tomas@example", "speaker-1-bio": "Bio <b>", "address": "nobody"},
    )
    answer = await post(door, sent)
    page = Fields(answer.text)

    assert answer.status_code == 422
    assert "<title>Error: Call for talks" in answer.text
    assert 'id="errors" autofocus' in answer.text
    wanted = ["title", "abstract", "track", "speaker-1-address"]
    assert [name for name in page.anchors if name in page.labels or name in wanted][:4] == wanted
    assert set(wanted) <= set(page.ids)
    kept = {name: page.values[name] for name in sent if name not in ("do", "track")}
    assert kept == {name: value for name, value in sent.items() if name not in ("do", "track")}
    assert "“tomas@example” is not a complete mail address" in answer.text
    assert await rows(door, Mail) == []


async def test_the_wrong_address_of_the_submitter_is_told_at_its_field(door: Door) -> None:
    answer = await post(door, filled(address="nobody"))

    assert answer.status_code == 422
    assert '<a href="#address">' in answer.text


async def test_speakers_are_added_and_removed_without_a_script(door: Door) -> None:
    two = Fields((await post(door, filled(do="add"))).text)
    assert two.values["speaker-2-name"] == ""
    assert two.values["title"] == "Maps without servers"

    named = {**two.values, "speaker-2-name": "Kofi", "speaker-2-address": "kofi@example.org"}
    three = Fields((await post(door, {**named, "do": "add"})).text)
    filled_in = {**three.values, "speaker-3-name": "Li", "speaker-3-address": "li@example.org"}
    fewer = Fields((await post(door, {**filled_in, "do": "remove-2"})).text)
    assert fewer.values["speaker-2-name"] == "Li"
    assert "speaker-3-name" not in fewer.values

    answer = await post(door, {**fewer.values, "do": "submit"})
    assert answer.status_code == 303
    speakers = await rows(
        door, SubmissionSpeaker, col(SubmissionSpeaker.address).in_(["li@example.org"])
    )
    assert [speaker.position for speaker in speakers] == [1]


async def test_five_speakers_fit_and_no_more(door: Door) -> None:
    fields = filled()
    for _ in range(6):
        answer = await post(door, {**fields, "do": "add"})
        fields = Fields(answer.text).values

    assert "speaker-5-name" in fields
    assert "speaker-6-name" not in fields
    assert 'value="add"' not in answer.text


async def test_two_identical_submits_are_one_with_the_same_thanks(door: Door) -> None:
    answers = await asyncio.gather(*(post(door, filled()) for _ in range(4)))

    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert len(await rows(door, Submission, col(Submission.submit_key) == "k" * 32)) == 1
    assert len(await rows(door, Mail)) == 1


async def test_back_edit_and_submit_says_that_it_came_in_before(door: Door) -> None:
    await post(door, filled())
    answer = await post(door, filled(title="A better title"))
    thanks = await door.http.get(answer.headers["location"])

    assert "You had submitted this already." in thanks.text
    assert "Maps without servers" in thanks.text
    assert "A better title" not in thanks.text


async def test_a_receipt_is_shown_only_for_its_own_form_and_key(door: Door) -> None:
    await post(door, filled())

    for path in (f"{PUBLIC}?receipt={'x' * 32}", f"/pyday-2027/talks?receipt={'k' * 32}"):
        assert "Maps without servers" not in (await door.http.get(path)).text


EVIL = "\"><script>alert(1)</script><b onmouseover=x>{{ 7*7 }}'"


async def test_markup_in_every_field_comes_back_as_text(door: Door) -> None:
    fields = {
        name: EVIL for name in filled() if name not in ("submit_key", "do", "track", "format")
    }
    fields |= {f"speaker-1-{line}": EVIL for line in ("bio", "jobTitle", "company", "role")}
    fields |= {"address": EVIL, "track": EVIL, "format": EVIL, "f-fld_notes": EVIL}
    shown_again = await post(door, {**filled(), **fields, "submit_key": "k" * 32})
    good = filled(title=EVIL, **{"speaker-1-name": EVIL, "f-fld_notes": EVIL})
    done = await post(door, good)
    thanks = await door.http.get(done.headers["location"])

    assert shown_again.status_code == 422
    for answer in (shown_again, thanks):
        assert "<script>" not in answer.text
        assert "<b onmouseover" not in answer.text
        assert html.escape(EVIL, quote=False).split("{{", maxsplit=1)[0][
            :20
        ] in answer.text.replace("&#34;", '"').replace("&#39;", "'")
        assert "{{ 7*7 }}" in answer.text


NAMES = [
    "Łukasz Żak", "张伟", "محمد علي", "Παναγιώτης", "Patrick O'Connor", 'José "Pepe" Núñez',
    "Zoë Faßbinder-Åström", "Ng", "Jean-Luc de la Tour, PhD", "🦀", "A & B <Collective>",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
async def test_names_are_kept_and_shown_exactly(door: Door, name: str) -> None:
    answer = await post(door, filled(**{"speaker-1-name": name}))
    thanks = await door.http.get(answer.headers["location"])

    (row,) = await rows(
        door,
        SubmissionSpeaker,
        col(SubmissionSpeaker.address) == "ana@example.org",
        col(SubmissionSpeaker.name) == name,
    )
    assert row.name == name
    shown = re.findall(r"<bdi>(.*?)</bdi>", thanks.text)
    assert name in [html.unescape(one) for one in shown]


async def test_right_to_left_text_keeps_its_direction(door: Door) -> None:
    answer = await post(door, filled(title="الخرائط بدون خوادم"))
    thanks = await door.http.get(answer.headers["location"])

    assert '<h2 dir="auto">الخرائط بدون خوادم</h2>' in thanks.text


# Keeping others out


async def test_a_robot_that_fills_the_hidden_field_is_told_and_nothing_is_kept(door: Door) -> None:
    answer = await post(door, filled(website="https://spam.example"))
    page = Fields(answer.text)

    assert answer.status_code == 422
    assert page.values["website"] == ""
    assert page.values["title"] == "Maps without servers"
    assert await rows(door, Submission, col(Submission.submit_key) == "k" * 32) == []


async def test_thirty_writes_a_minute_then_a_page_that_keeps_what_was_typed(
    settings: Settings, world: Any
) -> None:
    async with opened(settings) as door:
        for number in range(30):
            answer = await post(door, filled(f"{number:032}"))
            assert answer.status_code == 303
        answer = await post(door, filled("z" * 32, title="The one too many"))

    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    assert Fields(answer.text).values["title"] == "The one too many"


async def test_a_stranger_is_not_flooded_with_receipts(settings: Settings, world: Any) -> None:
    async with opened(settings) as door:
        for number in range(8):
            await post(door, filled(f"{number:032}", address="Victim@example.org"))

        to = [mail.to_address for mail in await rows(door, Mail)]
        assert sorted(set(to)) == ["Victim@example.org", "ana@example.org"]
        assert [to.count(address) for address in sorted(set(to))] == [5, 5]
        assert len(await rows(door, Submission, col(Submission.submit_key).is_not(None))) == 8


async def test_a_form_of_another_site_cannot_submit(door: Door) -> None:
    answer = await door.http.post(PUBLIC, data=filled(), headers={"sec-fetch-site": "cross-site"})

    assert answer.status_code == 403


async def test_an_old_page_is_asked_to_send_again(door: Door) -> None:
    answer = await post(door, filled("guess"))

    assert answer.status_code == 409
    assert len(Fields(answer.text).values["submit_key"]) >= 20


# Open, closed, hidden


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"status": FormStatus.CLOSED}, "It takes no submissions any more."),
        ({"closes_at": dt.datetime(2026, 10, 1, 22, 59, 59, tzinfo=dt.UTC)},
         "This form closed on 1 October 2026, 23:59 (Europe/Lisbon, UTC+1)."),
        ({"opens_at": dt.datetime(2399, 1, 1, tzinfo=dt.UTC)},
         "This form opens on 1 January 2399, 00:00 (Europe/Lisbon, UTC+0)."),
    ],
)  # fmt: skip
async def test_a_form_that_takes_nothing_says_when_and_why(
    door: Door, columns: dict[str, Any], sentence: str
) -> None:
    await change_form(door, **columns)
    answer = await door.http.get(PUBLIC)

    assert answer.status_code == 200
    assert sentence in answer.text
    assert "<form" not in answer.text


async def test_a_submit_that_comes_too_late_loses_no_word(door: Door) -> None:
    await change_form(door, status=FormStatus.CLOSED)
    answer = await post(door, filled())
    page = Fields(answer.text)

    assert answer.status_code == 409
    assert "This form is closed. Nothing was submitted." in answer.text
    assert page.values["title"] == "Maps without servers"
    assert page.values["abstract"] == "How a map can be one file."
    assert 'value="submit"' not in answer.text


async def test_a_draft_is_seen_by_its_organisers_alone(door: Door) -> None:
    await change_form(door, status=FormStatus.DRAFT)
    hidden = await door.http.get(PUBLIC)
    nothing = await door.http.get("/devconf-2027/nothing")
    await sign_in(door, "usr_ravi")
    seen = await door.http.get(PUBLIC)

    assert (hidden.status_code, nothing.status_code) == (404, 404)
    shown = [re.sub(r"[0-9a-f]{16}", "…", answer.text) for answer in (hidden, nothing)]
    assert shown[0] == shown[1]
    assert seen.status_code == 200
    assert "only organisers see this page" in seen.text


async def test_an_introduction_comes_first_and_nothing_in_it_acts(door: Door) -> None:
    await change_form(door, intro="# How we choose\n\n<script>x</script>\n\n**Three** people.")
    welcome = await door.http.get(PUBLIC)

    assert "<h2>How we choose</h2>" in welcome.text
    assert "<script>x" not in welcome.text
    assert "<strong>Three</strong>" in welcome.text
    assert "title" in (await page_of(door, f"{PUBLIC}?start=1")).values


async def test_an_introduction_says_what_to_prepare_and_until_when(door: Door) -> None:
    last = utc_now() + dt.timedelta(days=3)
    await change_form(door, intro="Come.", closes_at=last, max_per_person=2)
    text = (await door.http.get(PUBLIC)).text

    for words in ("Workshop", "90 minutes", "Data", "Notes for the committee", "3 days left"):
        assert words in text
    assert "This form is open until" in text
    assert "At most 2 submissions per person." in text
    assert f'href="/signin?next={PUBLIC}"' in text


async def test_an_introduction_is_passed_over_by_a_draft_and_found_again(door: Door) -> None:
    await change_form(door, intro="Come.")
    form = await page_of(door, f"{PUBLIC}?start=1")
    await post(door, {**form.values, "title": "Maps", "do": "save"})

    assert (await page_of(door)).values["title"] == "Maps"
    front = (await door.http.get(f"{PUBLIC}?welcome=1")).text
    assert "Come." in front
    found = re.search(r'href="([^"]+)">Go on with your draft', front)
    assert found
    assert (await page_of(door, html.unescape(found[1]))).values["title"] == "Maps"


async def test_a_closed_form_says_which_draft_it_kept_and_to_nobody_else(door: Door) -> None:
    form = await page_of(door)
    await post(door, {**form.values, "title": "Maps of mine", "do": "save"})
    await change_form(door, status=FormStatus.CLOSED)

    assert "Maps of mine" in (await door.http.get(PUBLIC)).text
    door.http.cookies.clear()
    assert "Maps of mine" not in (await door.http.get(PUBLIC)).text


async def test_the_forms_own_thanks_are_shown(door: Door) -> None:
    await change_form(door, thanks="See *you* in May.")
    answer = await post(door, filled())

    assert "See <em>you</em> in May." in (await door.http.get(answer.headers["location"])).text


async def test_a_signed_in_person_does_not_type_themselves_again(door: Door) -> None:
    await sign_in(door, "usr_tom")
    page = await page_of(door)

    assert page.values["speaker-1-name"] == "Tom Idle"
    assert page.values["speaker-1-address"] == "Tom@example.org"
    assert "address" not in page.values
    who = {name: page.values[name] for name in ("speaker-1-name", "speaker-1-address")}
    answer = await post(door, {**filled(), **who, "speaker-1-bio": "About Tom."})
    assert answer.status_code == 303
    assert (await page_of(door)).values["speaker-1-bio"] == "About Tom."


async def test_a_conditional_field_appears_when_it_is_asked(door: Door) -> None:
    fields: list[dict[str, Any]] = [
        {"id": "title", "type": "TXT", "label": "Title", "role": "title", "required": True},
        {"id": "fmt", "type": "SEL", "label": "Kind", "required": True,
         "options": [{"id": "o1", "label": "Talk"}, {"id": "o2", "label": "Workshop"}]},
        {"id": "kit", "type": "LONG", "label": "Equipment", "required": True,
         "when": {"tests": [{"field": "fmt", "value": "o2"}]}},
        {"id": "coc", "type": "CHK", "label": "Code of conduct", "required": True},
        {"id": "h", "type": "HDR", "label": "Practical"},
        {"id": "wish", "type": "MULTI", "label": "Wishes",
         "options": [{"id": "w1", "label": "Sound"}, {"id": "w2", "label": "Table"}]},
        {"id": "day", "type": "DATE", "label": "Day"},
        {"id": "n", "type": "NUM", "label": "Places"},
        {"id": "people", "type": "GRP", "label": "Speakers", "role": "speakers", "required": True},
    ]  # fmt: skip
    async with door.house.db.write() as session:
        (await session.get_one(FormVersion, "fvr_devconf")).fields = fields
    base = {k: v for k, v in filled().items() if k not in ("track", "format", "abstract")}
    asked = await post(door, {**base, "f-fmt": "o2", "f-wish": "w2", "f-n": "12"})
    page = Fields(asked.text)

    assert 'data-field="f-kit" hidden>' in (await door.http.get(PUBLIC)).text
    assert 'data-field="f-kit">' in asked.text
    assert asked.status_code == 422
    assert "“Equipment” needs an answer" in asked.text
    assert "“Code of conduct” must be ticked" in asked.text
    assert page.values["f-wish"] == "w2"
    done = await post(
        door, {**base, **page.values, "f-kit": "Tables", "f-coc": "on", "do": "submit"}
    )
    assert done.status_code == 303
    (row,) = await rows(door, Submission, col(Submission.submit_key) == "k" * 32)
    assert row.answers == {"fmt": "o2", "kit": "Tables", "coc": True, "wish": ["w2"], "n": 12}


# The desk


async def test_the_desk_is_for_organisers(door: Door) -> None:
    paths = (DESK, f"{DESK}/new", f"{DESK}/talks", "/app/devconf-2027/submissions/new")
    for path in paths:
        answer = await door.http.get(path)
        assert answer.headers["location"].startswith("/signin?next=")
    await sign_in(door, "usr_mei")
    assert {(await door.http.get(path)).status_code for path in paths} == {403}
    await sign_in(door, "usr_eva")
    assert {(await door.http.get(path)).status_code for path in paths} == {404}


async def test_forms_are_listed_closed_and_opened(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    listed = await door.http.get(DESK)
    closed = await post(door, {"do": "close", "form": "talks"}, DESK)
    after = await door.http.get(closed.headers["location"])

    assert "Call for talks" in listed.text
    assert "/devconf-2027/talks<" in listed.text
    assert ">Closed</span>" in after.text
    assert 'class="toast"' in after.text
    assert ">Undo</button>" in after.text
    await post(door, {"do": "open", "form": "talks"}, DESK)
    assert ">Open</span>" in (await door.http.get(DESK)).text


async def test_a_form_is_created_edited_and_opened(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    new = await page_of(door, f"{DESK}/new")
    fields = {**new.values, "name": "Lightning talks", "closes_on": "2399-02-28"}
    made = await post(door, fields, f"{DESK}/new")
    assert made.status_code == 303
    path = made.headers["location"].partition("?")[0]
    assert path == f"{DESK}/lightning-talks"

    edit = await page_of(door, path)
    assert edit.values["closes_on"] == "2399-02-28"
    assert edit.values["closes_time"] == ""
    saved = await post(door, {**edit.values, "closes_time": "18:00", "do": "save"}, path)
    assert saved.status_code == 303
    again = await page_of(door, path)
    assert (again.values["closes_on"], again.values["closes_time"]) == ("2399-02-28", "18:00")
    await post(door, {"do": "open", "version": again.values["version"]}, path)
    public = await door.http.get("/devconf-2027/lightning-talks")
    assert "This form is open until 28 February 2399, 18:00 (Europe/Lisbon, UTC+0)." in public.text


async def test_a_last_day_anywhere_on_earth_is_the_same_day_on_every_page(door: Door) -> None:
    """FRM-02."""
    await sign_in(door, "usr_ravi")
    page = await page_of(door, f"{DESK}/talks")
    ticked = {**page.values, "closes_on": "2399-06-14", "closes_anywhere": "on", "do": "save"}
    assert (await post(door, ticked, f"{DESK}/talks")).status_code == 303

    again = await page_of(door, f"{DESK}/talks")
    assert (again.values["closes_on"], again.values["closes_time"]) == ("2399-06-14", "")
    words = "14 June 2399, 23:59 (anywhere on earth, UTC−12)"
    assert words in (await door.http.get(f"{DESK}/talks")).text
    assert words in (await door.http.get(PUBLIC)).text
    event = (await door.http.get("/devconf-2027")).text
    assert "14 Jun 2399, 23:59</time></strong>" in event
    assert "(anywhere on earth)" in event
    assert "14 Jun 2399, 23:59</time> anywhere on earth" in (await door.http.get(DESK)).text


async def test_a_form_that_counts_per_person_says_so_and_keeps_what_was_typed(door: Door) -> None:
    await change_form(door, max_per_person=1)
    assert "One submission per person." in (await door.http.get(PUBLIC)).text
    anonymous = await post(door, filled())
    assert anonymous.status_code == 409
    assert "has to know who you are" in anonymous.text
    assert Fields(anonymous.text).values["title"] == "Maps without servers"

    await sign_in(door, "usr_tom")
    assert (await post(door, filled("a" * 32))).status_code == 303
    second = await post(door, filled("b" * 32, title="One more"))
    assert second.status_code == 409
    assert "and you gave 1" in second.text
    assert Fields(second.text).values["title"] == "One more"


async def test_saving_a_form_without_a_change_changes_nothing(door: Door) -> None:
    await change_form(door, closes_at=dt.datetime(2027, 6, 14, 22, 59, 59, tzinfo=dt.UTC))
    await sign_in(door, "usr_ravi")
    (before,) = await rows(door, Form, col(Form.id) == "frm_devconf")
    page = await page_of(door, f"{DESK}/talks")
    await post(door, {**page.values, "do": "save"}, f"{DESK}/talks")

    (after,) = await rows(door, Form, col(Form.id) == "frm_devconf")
    assert after == before


async def test_a_form_that_somebody_else_changed_is_not_overwritten(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await page_of(door, f"{DESK}/talks")
    await post(door, {**page.values, "name": "First"}, f"{DESK}/talks")
    answer = await post(door, {**page.values, "name": "Second"}, f"{DESK}/talks")

    assert answer.status_code == 412
    assert "Somebody changed “First”" in answer.text
    assert Fields(answer.text).values["name"] == "Second"


async def test_wrong_dates_are_told_at_their_field(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    fields = {"name": "X", "opens_on": "2027-02-01", "closes_on": "2027-01-01"}
    answer = await post(door, fields, f"{DESK}/new")

    assert answer.status_code == 422
    assert "<title>Error:" in answer.text
    assert '<a href="#closes_on">Must be after it opens</a>' in answer.text


async def test_organisers_add_a_submission_with_the_same_rules(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    path = "/app/devconf-2027/submissions/new"
    page = await page_of(door, path)
    wrong = await post(door, {**page.values, "do": "save"}, path)
    fields = {k: v for k, v in filled(do="save", notify="on").items() if k != "submit_key"}
    more = Fields((await post(door, {**page.values, **fields, "do": "add"}, path)).text)
    made = await post(door, {**more.values, "do": "save"}, path)

    assert wrong.status_code == 422
    assert '<a href="#title">' in wrong.text
    assert more.values["notify"] == "on"
    assert made.status_code == 303
    assert made.headers["location"].startswith("/app/devconf-2027/submissions/SUB-7?done=")
    row = await numbered(door, 7)
    assert row.submit_key is None
    assert [mail.kind for mail in await rows(door, Mail)] == ["added"]
