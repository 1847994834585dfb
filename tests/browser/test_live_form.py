"""The form in a browser: the same conditions and the same counts as on the server."""

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Demo
from tests.domain.test_conditions import CASES, shown
from unsession.domain.forms import ALONE, OPERATORS, FieldType
from unsession.domain.text import signs, typed_text

_SHOWN = """async (cases) => {
  const { shownFields } = await import("/static/conditions.js");
  return cases.map(({ fields, answers }) => shownFields(fields, answers));
}"""
_COUNTED = """async (texts) => {
  const { signs, words } = await import("/static/counting.js");
  return texts.map((text) => [signs(text), words(text)]);
}"""
_KINDS = tuple(OPERATORS)
_WORD = st.sampled_from(
    ["", "a", "b", " A ", "5", "5.0", "-3", "12.25", "2027-02-28", "2027-03-01", "caf\u00e9",
     "CAFE\u0301", "\ufeffx", "x\u00a0",
     "\u0130stanbul", "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "東京", "true"]
) | st.text(max_size=6)  # fmt: skip


def _answer(kind: FieldType) -> st.SearchStrategy[Any]:
    if kind is FieldType.CHECK:
        return st.booleans() | st.none()
    if kind in (FieldType.MULTI, FieldType.FILE):
        return st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True)
    if kind is FieldType.SELECT:
        return st.sampled_from(["", "a", "b"])
    return _WORD | st.none()


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Fields with conditions on earlier ones, some nonsense among them, and answers."""
    fields: list[dict[str, Any]] = []
    answers: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 7))):
        kind = draw(st.sampled_from([*_KINDS, FieldType.HEADING]))
        field: dict[str, Any] = {"id": f"f{number}", "type": kind.value}
        if kind in (FieldType.SELECT, FieldType.MULTI):
            field["options"] = [{"id": "a", "label": "One"}, {"id": "b", "label": "Two"}]
        if fields and draw(st.booleans()):
            field["when"] = {"any": draw(st.booleans()), "tests": []}
            for _ in range(draw(st.integers(1, 3))):
                source = draw(st.sampled_from(fields))
                known = OPERATORS.get(FieldType(source["type"]), tuple(ALONE))
                op = draw(st.sampled_from(known))
                test = {"field": source["id"], "op": op.value, "value": draw(_WORD)}
                field["when"]["tests"].append(test)
        fields.append(field)
        answers[field["id"]] = draw(_answer(kind)) if kind in OPERATORS else None
    return {"fields": fields, "answers": answers}


@st.composite
def many(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Enough of them for one call of the browser."""
    return draw(st.lists(schemas(), min_size=20, max_size=40))


def _page(browser: Browser, demo: Demo) -> Page:
    page = browser.new_page()
    page.goto(f"{demo.url}/docs/mcp")
    return page


def test_the_browser_asks_what_the_server_asks_case_by_case(browser: Browser, demo: Demo) -> None:
    page = _page(browser, demo)
    for case, found in zip(CASES, page.evaluate(_SHOWN, CASES), strict=True):
        assert found == case["shown"], case["name"]
    page.close()


def test_the_browser_asks_what_the_server_asks_whatever_the_form(
    browser: Browser, demo: Demo
) -> None:
    page = _page(browser, demo)

    @settings(
        max_examples=40,
        deadline=None,
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(many())
    def agree(cases: list[dict[str, Any]]) -> None:
        found = page.evaluate(_SHOWN, json.loads(json.dumps(cases)))
        for case, ids in zip(cases, found, strict=True):
            assert ids == shown(case), case

    agree()
    page.close()


def test_a_text_has_one_count_in_the_browser_and_on_the_server(
    browser: Browser, demo: Demo
) -> None:
    page = _page(browser, demo)
    known = {
        "e\u0301": (1, 1),
        "\U0001f469\u200d\U0001f4bb Dev": (5, 2),
        "\U0001f1f5\U0001f1f9": (1, 1),
        "state-of-the-art tooling": (24, 2),
        "one\r\ntwo\r\n\r\nthree": (14, 3),
        "नमस्ते दुनिया": (7, 2),
        "": (0, 0),
        " a\u00a0b ": (3, 2),
    }
    found = page.evaluate(_COUNTED, list(known))
    for (text, right), counted in zip(known.items(), found, strict=True):
        kept = typed_text(text)
        assert tuple(counted) == right, text
        assert (signs(kept), len(kept.split())) == right, text
    page.close()


def _asked(demo: Demo) -> str:
    """The demo's open form, past its introduction."""
    return f"{demo.url}/devconf-2027/call-for-speakers?start=1"


def _saved(page: Page) -> None:
    expect(page.locator("#saved")).to_contain_text("Draft saved at")


def test_what_is_typed_is_saved_and_there_again(browser: Browser, demo: Demo) -> None:
    phone: BrowserContext = browser.new_context(viewport={"width": 390, "height": 844})
    page = phone.new_page()
    page.goto(_asked(demo))
    page.get_by_label("Title", exact=True).fill("Maps without servers")
    expect(page.locator("#saved")).to_have_text("Not saved yet")
    _saved(page)
    page.get_by_label("Abstract").fill("How a map can be one file.")
    _saved(page)
    page.get_by_role("button", name="Add another speaker").click()
    page.locator("#speaker-2-name").fill("Ng")
    _saved(page)
    page.close()

    again = phone.new_page()
    again.goto(_asked(demo))
    expect(again.get_by_label("Title", exact=True)).to_have_value("Maps without servers")
    expect(again.locator("#speaker-2-name")).to_have_value("Ng")
    again.get_by_text("Go on later or on another device").click()
    again.get_by_role("button", name="Give this draft up for good").click()
    expect(again.get_by_label("Title", exact=True)).to_have_value("")
    phone.close()


def test_the_indicator_says_when_nothing_could_be_saved(browser: Browser, demo: Demo) -> None:
    context: BrowserContext = browser.new_context()
    first, second = context.new_page(), context.new_page()
    first.goto(_asked(demo))
    first.get_by_label("Title", exact=True).fill("One")
    _saved(first)
    second.goto(_asked(demo))
    second.get_by_label("Title", exact=True).fill("Two")
    _saved(second)

    first.get_by_label("Title", exact=True).fill("Three")
    expect(first.locator("#saved")).to_contain_text("Another window saved this draft meanwhile")
    expect(first.get_by_label("Title", exact=True)).to_have_value("Three")
    context.set_offline(True)
    second.get_by_label("Title", exact=True).fill("Four")
    expect(second.locator("#saved")).to_contain_text("no connection")
    context.set_offline(False)
    expect(second.locator("#saved")).to_contain_text("Draft saved at", timeout=20_000)
    context.close()


def test_files_are_sent_with_progress_and_stay(
    browser: Browser, demo: Demo, tmp_path: Path
) -> None:
    """The demo's form gets a field for files, made by the organiser's own page."""
    slides = tmp_path / "slides.pdf"
    slides.write_bytes(b"%PDF-1.7\n% slides of Lukasz\n" + b"x" * 200_000)
    organiser = browser.new_context()
    desk = organiser.new_page()
    desk.goto(demo.line["signin"]["organizer"])
    desk.get_by_role("button").first.click()
    desk.goto(f"{demo.url}/app/devconf-2027/forms/call-for-speakers/fields?add=FILE")
    desk.get_by_label("Label").fill("Your slides")
    desk.get_by_label("a PDF").check()
    desk.get_by_role("button", name="Save the field").click()
    expect(desk.get_by_role("status").first).to_contain_text("1 added")

    phone = browser.new_context(viewport={"width": 390, "height": 844})
    page = phone.new_page()
    page.goto(_asked(demo))
    page.get_by_label("Title", exact=True).fill("With slides")
    picker = page.get_by_label("Add files: Your slides")
    picker.set_input_files([slides])
    expect(page.get_by_role("checkbox", name="slides.pdf")).to_be_checked()
    wrong = tmp_path / "notes.pdf"
    wrong.write_text("only its name says so")
    picker.set_input_files([wrong])
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("by its content plain text: a PDF is asked for")
    _saved(page)
    page.reload()
    expect(page.get_by_role("checkbox", name="slides.pdf")).to_be_checked()

    desk.go_back()
    desk.goto(f"{demo.url}/app/devconf-2027/forms/call-for-speakers/fields")
    desk.get_by_role("link", name="Your slides").click()
    desk.get_by_role("button", name="Remove the field").click()
    expect(desk.get_by_role("status").first).to_contain_text("1 removed")
    organiser.close()
    phone.close()


def test_a_form_of_several_pages_is_turned_and_faults_lead_to_theirs(
    browser: Browser, demo: Demo
) -> None:
    organiser = browser.new_context()
    desk = organiser.new_page()
    desk.goto(demo.line["signin"]["organizer"])
    desk.get_by_role("button").first.click()
    desk.goto(f"{demo.url}/app/devconf-2027/forms/call-for-speakers/fields")
    desk.get_by_role("link", name="Practical things").click()
    desk.get_by_label("Begins a page of its own").check()
    desk.get_by_role("button", name="Save the field").click()
    expect(desk.get_by_role("status").first).to_contain_text("1 changed")

    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(_asked(demo))
    code = page.get_by_label("I have read the code of conduct")
    submit = page.get_by_role("button", name="Submit for review").last
    expect(page.get_by_text("Page 1 of 2")).to_be_visible()
    expect(code).to_be_hidden()
    expect(submit).to_be_hidden()
    page.get_by_label("Title", exact=True).fill("Two pages")
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_role("heading", name="Practical things")).to_be_focused()
    expect(page.get_by_label("Title", exact=True)).to_be_hidden()
    code.check()
    submit.click()
    expect(page.get_by_text("This is not submitted yet")).to_be_visible()
    expect(page.get_by_text("Page 1 of 2")).to_be_visible()  # the abstract is missing
    expect(page.get_by_label("Title", exact=True)).to_have_value("Two pages")
    page.get_by_role("link", name="at least one speaker").or_(
        page.get_by_role("link", name="speaker 1 needs a name")
    ).first.click()
    expect(page.get_by_text("Page 2 of 2")).to_be_visible()
    expect(page.locator("#speaker-1-name")).to_be_visible()
    expect(code).to_be_checked()

    desk.get_by_role("link", name="Practical things").click()
    desk.get_by_label("Begins a page of its own").uncheck()
    desk.get_by_role("button", name="Save the field").click()
    expect(desk.get_by_role("status").first).to_contain_text("1 changed")
    organiser.close()
    context.close()


def test_fields_are_moved_by_dragging(browser: Browser, demo: Demo) -> None:
    organiser = browser.new_context(viewport={"width": 1440, "height": 1200})
    desk = organiser.new_page()
    desk.goto(demo.line["signin"]["organizer"])
    desk.get_by_role("button").first.click()
    desk.goto(f"{demo.url}/app/devconf-2027/forms/call-for-speakers/fields")
    lines = desk.locator("[data-order] > li")
    first, second = lines.nth(0).inner_text(), lines.nth(1).inner_text()
    lines.nth(1).drag_to(lines.nth(0), target_position={"x": 20, "y": 4})
    expect(desk.get_by_role("status").first).to_contain_text("order changed")
    assert lines.nth(0).inner_text().split("\n")[0] == second.split("\n")[0]
    desk.get_by_role("button", name="Undo").click()
    expect(lines.nth(0)).to_contain_text(first.split("\n")[0].rstrip(" *"))
    organiser.close()
