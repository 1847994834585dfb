"""The main job of each kind of user, done by keyboard alone in a real browser."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Demo, Faults, signed_in

#: What there is to say about the focus: what has it, and whether somebody can see that.
_LOOK = """() => {
  const at = document.activeElement;
  const before = window.focusedBefore;
  window.focusedBefore = at;
  if (at === document.body || at === null) return { lost: true };
  const framed = (one) => {
    const style = getComputedStyle(one);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  };
  const shape = at.closest("label") ?? at;
  const box = shape.getBoundingClientRect();
  const points = [0.5, 0.1, 0.9].flatMap((x) => [0.5, 0.1, 0.9].map((y) =>
    document.elementFromPoint(box.x + box.width * x, box.y + box.height * y)));
  const follows = (one) => one.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING;
  return {
    lost: false,
    framed: framed(at) || framed(shape),
    uncovered: points.some((point) => point !== null && shape.contains(point)),
    ordered: !before?.isConnected || before === document.body || follows(before) !== 0,
    leaps: [...document.querySelectorAll("[tabindex]")].some((one) => one.tabIndex > 0),
  };
}"""


class Keyboard:
    """Somebody without a mouse before a page: they press keys, and see where the focus is."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            self.page.keyboard.press(key)

    def write(self, text: str) -> None:
        """Type a text into what has the focus."""
        self.page.keyboard.type(text)

    def follow(self, key: str = "Enter") -> None:
        """Press a key that leads to another page, and wait for that."""
        with self.page.expect_navigation(wait_until="load"):
            self.page.keyboard.press(key)

    def skip_to_the_page(self) -> None:
        """The first Tab of a page meets the link past its navigation."""
        self.tab_to(self.page.get_by_role("link", name="Skip to"), most=1)
        self.press("Enter")

    def tab_to(self, target: Locator, most: int = 40) -> None:
        """Tab until this has the focus; on every step it is seen, and goes down the page."""
        met: list[str] = []
        for _ in range(most):
            self.page.keyboard.press("Tab")
            met.append(self.focused())
            if has_focus(target):
                return
        listed = "\n  ".join(met)
        raise AssertionError(f"{most} times Tab did not lead to {target}; it met\n  {listed}")

    def tab_back_to(self, target: Locator, most: int = 5) -> None:
        """Go up the page with Shift and Tab until this has the focus."""
        for _ in range(most):
            self.page.keyboard.press("Shift+Tab")
            if has_focus(target):
                return
        raise AssertionError(f"{most} times Shift and Tab did not lead to {target}")

    def focused(self) -> str:
        """What has the focus, as a screen reader would name it."""
        look = self.page.evaluate(_LOOK)
        if look["lost"]:
            return "the page itself"
        name = self.page.locator(":focus").aria_snapshot().splitlines()[0].removeprefix("- ")
        where = f"{name} on {self.page.url}"
        assert look["framed"], f"nothing shows that the focus is on {where}"
        assert look["uncovered"], f"something covers {where}"
        assert look["ordered"], f"Tab went up the page to {where}"
        assert not look["leaps"], f"a tabindex changes the order of {self.page.url}"
        return name


def has_focus(target: Locator) -> bool:
    """Whether this, or one of these, is the focused element."""
    return bool(target.evaluate_all("all => all.includes(document.activeElement)"))


Sits = Callable[[str | None, str], Keyboard]


@pytest.fixture
def sits(browser: Browser, demo: Demo, faults: Faults) -> Iterator[Sits]:
    """Somebody of the demo, or a visitor, sits down before the page at an address."""
    with ExitStack() as contexts:

        def sit(who: str | None, path: str) -> Keyboard:
            context = signed_in(browser, demo, who) if who else browser.new_context()
            contexts.callback(context.close)
            page = context.new_page()
            faults.listen(page)
            page.goto(f"{demo.url}{path}")
            return Keyboard(page)

        yield sit


def test_a_visitor_submits_a_proposal_that_first_lacks_its_title(sits: Sits) -> None:
    keyboard = sits(None, "/devconf-2027/call-for-speakers")
    page = keyboard.page
    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_role("link", name="Start a submission"))
    keyboard.follow()

    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_label("Abstract"))
    keyboard.write("What a week without a mouse taught us.")
    keyboard.tab_to(page.get_by_role("radio", name="Talk 30 minutes"))
    keyboard.press("Space", "ArrowDown")
    expect(page.get_by_role("radio", name="Workshop")).to_be_checked()
    keyboard.tab_to(page.get_by_label("Track"))
    keyboard.write("Web")
    keyboard.tab_to(page.get_by_label("In one sentence"))
    keyboard.write("Because everybody's mouse breaks one day.")
    keyboard.tab_to(page.get_by_role("checkbox", name="I have read the code of conduct"))
    keyboard.press("Space")
    keyboard.tab_to(page.get_by_role("textbox", name="Name", exact=True))
    keyboard.write("Tove Lind")
    keyboard.tab_to(page.get_by_role("textbox", name="Mail address"))
    keyboard.write("tove@talks.example")
    keyboard.tab_to(page.get_by_role("button", name="Submit for review"))
    keyboard.follow()

    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    keyboard.focused()
    expect(summary.get_by_role("link")).to_have_count(1)
    keyboard.tab_to(summary.get_by_role("link"), most=1)
    keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Title", exact=True)).to_be_focused()
    keyboard.focused()
    keyboard.write("A week without a mouse")
    keyboard.follow()
    expect(page.get_by_role("main")).to_contain_text("SUB-")
    expect(page.get_by_role("main")).to_contain_text("A week without a mouse")


def test_a_reviewer_scores_with_digits_and_arrives_at_the_next_one(sits: Sits) -> None:
    keyboard = sits("reviewer", "/review/devconf-2027")
    page = keyboard.page
    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_role("link", name="Review the next one"))
    keyboard.follow()
    first = page.url

    keyboard.press("4", "2", "5")
    for criterion, score in (("Relevance", "4"), ("Clarity", "2"), ("Originality", "5")):
        scale = page.get_by_role("group", name=criterion)
        expect(scale.get_by_role("radio", name=score)).to_be_checked()
    expect(page.get_by_role("button", name="Save and next")).to_be_focused()
    keyboard.focused()
    keyboard.follow()
    second = page.url
    assert second != first
    expect(page.get_by_role("status").first).to_be_visible()

    keyboard.tab_to(page.get_by_role("radio"))
    keyboard.press("ArrowRight", "ArrowRight", "5", "1", "1")
    expect(page.get_by_role("group", name="Relevance").get_by_label("5")).to_be_checked()
    keyboard.follow("s")
    assert page.url not in (first, second)


def test_an_organizer_finds_a_submission_accepts_it_and_takes_that_back(sits: Sits) -> None:
    keyboard = sits("organizer", "/app/devconf-2027")
    page = keyboard.page
    decide = page.get_by_role("region", name="Decide", exact=True)

    keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search or jump to")).to_be_focused()
    keyboard.focused()
    keyboard.write("nothing like it")
    keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    keyboard.press("Control+k")
    keyboard.write("that changed hands")
    keyboard.follow()
    expect(page.get_by_role("heading", level=1)).to_have_text("The dependency that changed hands")
    expect(decide).to_contain_text("In review")

    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_role("radio", name="Accept"))
    keyboard.tab_to(page.get_by_role("button", name="Preview"))
    keyboard.follow()
    preview = page.get_by_role("region", name="Preview: nothing has happened yet")
    expect(preview).to_contain_text("The dependency that changed hands")
    expect(preview.get_by_role("heading", level=2)).to_be_focused()
    keyboard.focused()

    keyboard.tab_back_to(page.get_by_role("button", name="Decide now"), most=1)
    keyboard.follow()
    expect(decide).to_contain_text("Accepted")

    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_role("button", name="Undo"))
    keyboard.follow()
    expect(decide).to_contain_text("In review")


@pytest.mark.parametrize(
    ("path", "goes_on"),
    [("/app/devconf-2027/outbox", "Send the selected"), ("/app/devconf-2027/tasks/ask", None)],
)
def test_a_preview_takes_the_focus_from_its_button(
    sits: Sits, path: str, goes_on: str | None
) -> None:
    keyboard = sits("organizer", path)
    page = keyboard.page

    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_role("button", name="Preview", exact=True))
    keyboard.follow()

    preview = page.get_by_role("region", name="Preview: nothing has happened yet")
    expect(preview.get_by_role("heading", level=2)).to_be_focused()
    keyboard.focused()
    if goes_on:
        keyboard.tab_to(page.get_by_role("button", name=goes_on))


def test_an_organizer_places_a_session_and_publishes(sits: Sits) -> None:
    keyboard = sits("organizer", "/app/devconf-2027/agenda")
    page = keyboard.page
    tray = page.get_by_role("region", name="Unscheduled")
    session = tray.get_by_role("link", name="Passkeys in a public library")

    keyboard.skip_to_the_page()
    keyboard.tab_to(session)
    keyboard.follow()
    keyboard.tab_to(page.get_by_label("Move to day"), most=2)
    keyboard.write("Wed")
    keyboard.tab_to(page.get_by_label("Start"), most=1)
    keyboard.write("16:30")
    keyboard.tab_to(page.get_by_label("Room"), most=1)
    keyboard.write("Library")
    keyboard.tab_to(page.get_by_role("button", name="Place"), most=1)
    keyboard.follow()
    expect(session).to_have_count(0)
    expect(page.get_by_role("link", name="16:30, Library: Passkeys")).to_be_visible()

    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_role("link", name="Publish…"))
    keyboard.follow()
    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_label("Changelog"))
    keyboard.write("Passkeys have a room.")
    keyboard.tab_to(page.get_by_role("button", name="Publish release"))
    keyboard.follow()
    latest = page.get_by_role("region", name="Releases so far").get_by_role("listitem").first
    expect(latest).to_contain_text(re.compile(r"Release \d+ Current.*Passkeys have a room"))


def test_a_speaker_ticks_a_task(sits: Sits) -> None:
    keyboard = sits("speaker", "/devconf-2027/portal")
    page = keyboard.page
    expect(page.get_by_text("3 open, 1 done")).to_be_visible()

    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_role("link", name="Open Sign the speaker agreement"))
    keyboard.follow()
    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_role("button", name="It is done"))
    keyboard.follow()

    expect(page.get_by_role("status")).to_have_text("“Sign the speaker agreement” is done")
    expect(page.get_by_text("2 open, 2 done")).to_be_visible()


def test_a_token_is_made_and_its_secret_copied_then_narrowed(sits: Sits) -> None:
    keyboard = sits("organizer", "/app/api")
    page = keyboard.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    keyboard.skip_to_the_page()
    keyboard.tab_to(page.get_by_label("It may"))
    keyboard.press("End")
    keyboard.tab_back_to(page.get_by_label("Name", exact=True))
    keyboard.write("Night build")
    keyboard.follow()

    keyboard.skip_to_the_page()
    secret = page.get_by_role("region", name="Secret")
    keyboard.tab_to(page.get_by_role("button", name="Copy").first, most=3)
    keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret.inner_text().strip()

    keyboard.tab_to(page.get_by_role("link", name="Night build"))
    keyboard.follow()
    keyboard.tab_to(page.get_by_label("Name", exact=True).first, most=1)
    keyboard.tab_to(page.get_by_role("checkbox", name="Only read from now on"))
    keyboard.press("Space")
    keyboard.tab_to(page.get_by_role("button", name="Save"))
    keyboard.follow()
    expect(page.get_by_role("status")).to_have_text(re.compile("Token “Night build” changed"))
    expect(page.get_by_role("row", name="Night build")).to_contain_text("Read")
