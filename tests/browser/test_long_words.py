"""Names without a blank, as long as they may be: no page grows wider than its window by one."""

from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.conftest import Demo, Faults, signed_in
from tests.browser.test_every_page import walk
from unsession.demo.content.cast import ORGANIZER, SPEAKER

EVENT = "long-words"
_WIDTHS = (1440, 768, 390)

#: Controls and headings that something cuts off, though nothing there scrolls or ends in dots.
_CUT_OFF = """() => {
  const cut = [];
  const width = document.documentElement.clientWidth;
  const what = "main :is(.button, .input, summary, h1, h2, h3, label, legend)";
  for (const one of document.querySelectorAll(what)) {
    const box = one.getBoundingClientRect();
    if (!one.checkVisibility() || box.width <= 1) continue;
    let frame = one.parentElement;
    while (frame && getComputedStyle(frame).overflowX === "visible") frame = frame.parentElement;
    const edge = frame && frame !== document.body ? frame.getBoundingClientRect().right : width;
    const scrolls = frame && /auto|scroll/.test(getComputedStyle(frame).overflowX);
    if (!scrolls && (box.right > edge + 1 || box.left < 0)) cut.push(one.outerHTML.slice(0, 90));
  }
  return cut;
}"""


def word(text: str, length: int) -> str:
    """A text repeated up to this length, in which no line can break."""
    return (text * length)[:length]


class Wire:
    """REST as the demo's organiser."""

    def __init__(self, context: BrowserContext, demo: Demo) -> None:
        self.context = context
        self.base = f"{demo.url}/api/v1"
        self.headers = {"authorization": f"Bearer {demo.line['tokens']['write']}"}

    def send(self, method: str, path: str, **wire: Any) -> Any:
        """The data of an answer; a refusal fails the test."""
        answer = self.context.request.fetch(
            self.base + path, method=method, headers=self.headers, data=wire or None
        )
        assert answer.ok, answer.text()
        return answer.json().get("data")


def fill(wire: Wire, reviewer: str, speaker: str) -> None:
    """An event in which every name is one long word, published, with reviews and tasks."""
    at = f"/events/{EVENT}"
    wire.send(
        "POST",
        "/events",
        name=word("Donaudampfschifffahrt", 120),
        slug=EVENT,
        startsOn="2027-06-14",
        endsOn="2027-06-15",
        zone="Europe/Vienna",
        venue=word("Kongresszentrum", 190),
        description=word("Gesellschaft", 190),
    )
    rooms = [word(f"Saal{number}Kapitän", 80) for number in (1, 2, 3)]
    for room in rooms:
        wire.send("PUT", f"{at}/rooms", name=room, capacity=120)
    track, kind = word("Schienenverkehr", 80), word("Werkstattgespräch", 80)
    wire.send("PUT", f"{at}/taxonomies/track/options", name=track, color="#1d4ed8")
    wire.send("PUT", f"{at}/taxonomies/format/options", name=kind, minutes=30)
    wire.send("POST", f"{at}/taxonomies", key="crowd", name=word("Zielgruppe", 80))
    form = wire.send("POST", f"{at}/forms", name=word("Einreichung", 120), slug="call")
    wire.send("PATCH", f"{at}/forms/{form['id']}", status="open", intro=word("Vorwort", 190))
    sent = []
    for number in range(4):
        title = word(f"Schiffsschraube{number}", 190)
        who = {"name": word(f"Kapitänin{number}", 190), "address": f"k{number}@long.example"}
        who |= {"bio": word("Lebenslauf", 190), "company": word("Reederei", 190)}
        if number == 0:
            who["address"] = speaker
        answers = {"Track": track, "Format": kind}
        abstract = word("Zusammenfassung", 190)
        sent.append(
            wire.send(
                "POST",
                f"{at}/submissions",
                form=form["id"],
                title=title,
                abstract=abstract,
                speakers=[who],
                answers=answers,
            )
        )
    wire.send(
        "POST",
        f"{at}/plans",
        name=word("Gutachten", 120),
        instructions=word("Anleitung", 190),
        reviewsPerSubmission=1,
        criteria=[{"name": word("Verständlichkeit", 80), "hint": word("Hinweis", 190)}],
        reviewers=[{"address": reviewer}],
    )
    wire.send("POST", f"{at}/plans/{word('Gutachten', 120)}/assignments", balance=True)
    for one in sent[:3]:
        wire.send("POST", f"/submissions/{one['id']}/decision", decision="accept", sendEmail=False)
    wire.send("POST", f"/submissions/{sent[3]['id']}/queued-decision", decision="accept")
    sessions = wire.send("GET", f"{at}/sessions")["items"]
    for room, one in zip(rooms, sessions, strict=False):
        wire.send("POST", f"/sessions/{one['id']}/confirmation", comes=True)
        slot = {"day": "2027-06-14", "start": "10:00", "room": room}
        wire.send("PUT", f"/sessions/{one['id']}/slot", **slot)
    pause = {"kind": "service", "title": word("Mittagspause", 190), "minutes": 60}
    wire.send("POST", f"{at}/sessions", **pause, day="2027-06-14", start="12:00", allRooms=True)
    wire.send("POST", f"{at}/sessions", kind="talk", title=word("Ersatzvortrag", 190), minutes=30)
    asked = {"name": word("Reisekosten", 120), "kind": "checkbox", "dueOn": "2027-05-01"}
    people = [one["id"] for one in wire.send("GET", f"{at}/speakers")["items"]]
    wire.send("POST", f"{at}/task-templates", **asked, description=word("Beleg", 190))
    wire.send("POST", f"{at}/tasks", template=asked["name"], speakers=people, sendEmail=False)
    wire.send("POST", f"{at}/agenda/release", changelog=word("Änderung", 190), sendEmail=True)


@pytest.fixture(scope="module")
def long_words(browser: Browser, demo: Demo) -> Demo:
    """The demo with one more event, full of long words."""
    context = browser.new_context()
    fill(Wire(context, demo), ORGANIZER, SPEAKER)
    context.close()
    return demo


@pytest.mark.parametrize(
    ("who", "starts"),
    [
        ("organizer", (f"/app/{EVENT}", f"/review/{EVENT}", "/app/events", "/app/members")),
        ("speaker", (f"/{EVENT}/portal",)),
        (None, (f"/{EVENT}", f"/{EVENT}/agenda", f"/{EVENT}/call")),
    ],
)
def test_a_word_as_long_as_may_be_widens_no_page(
    browser: Browser, long_words: Demo, faults: Faults, who: str | None, starts: tuple[str, ...]
) -> None:
    context = signed_in(browser, long_words, who) if who else browser.new_context()
    page = context.new_page()
    faults.listen(page)
    wrong: list[str] = []

    def look(path: str) -> None:
        page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")
        for width in _WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            if wide > 0:
                wrong.append(f"{path} at {width}: {wide} px wider than the window")
            wrong.extend(f"{path} at {width} cuts off {one}" for one in page.evaluate(_CUT_OFF))

    pages = walk(page, long_words.url, starts, within=EVENT, look=look)

    context.close()
    assert wrong == []
    assert len(pages) > len(starts)
