"""A call for speakers as its submitter meets it: on a phone, then elsewhere, then changed."""

import email
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from email import policy
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Demo, Faults, served, signed_in

FORM = "/devconf-2027/call-for-speakers"
FIELDS = "/app/devconf-2027/forms/call-for-speakers/fields"


@pytest.fixture
def mailbox(tmp_path: Path) -> Path:
    """Where mail goes, a file each."""
    folder = tmp_path / "mail"
    folder.mkdir()
    return folder


@pytest.fixture
def mailing(tmp_path: Path, mailbox: Path) -> Iterator[Demo]:
    """The demo, with mail that is delivered."""
    command = [sys.executable, "-m", "unsession", "demo", "--json", "--port", "0"]
    command += ["--data-dir", str(tmp_path / "data")]
    environment = {
        **os.environ,
        "UNSESSION_RATE_LIMITS": "off",
        "UNSESSION_SMTP_URL": f"file://{mailbox}",
        "UNSESSION_MAIL_FROM": "Dev Conf <talks@conf.example>",
    }
    with (tmp_path / "log").open("wb") as log, served(command, environment, log) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (tmp_path / "log").read_text()
        yield Demo(json.loads(line))


def link_to(mailbox: Path, address: str) -> str:
    """The one link in the mail to an address."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for path in mailbox.glob("*.eml"):
            message = email.message_from_bytes(path.read_bytes(), policy=policy.default)
            body = message.get_body(("plain",))  # type: ignore[attr-defined]  # an EmailMessage
            if address in str(message["To"]) and body is not None:
                found = re.search(r"http://\S+/draft/\S+", body.get_content())
                if found:
                    return found[0]
        time.sleep(0.2)
    raise AssertionError(f"no mail to {address}")


def fill(page: Page, label: str, text: str) -> None:
    """A field of the main part by its exact name."""
    page.get_by_role("main").get_by_label(label, exact=True).first.fill(text)


def add_field(page: Page, kind: str, label: str) -> None:
    """A new field's settings, opened and named."""
    page.get_by_text("Add a field").click()
    page.get_by_role("link", name=kind, exact=True).click()
    fill(page, "Label", label)


def ask_more(desk: Page, url: str) -> None:
    """The organiser: a question that hangs on another, and one for a file."""
    desk.goto(f"{url}{FIELDS}")
    add_field(desk, "Short text", "Where was it?")
    desk.get_by_label("Line 1: field").select_option(label="Have you given this session before?")
    desk.get_by_label("Line 1: value").fill("Once or twice")
    desk.get_by_label("Required").check()
    desk.get_by_role("button", name="Save the field").click()
    expect(desk.get_by_text("asked if Have you given this session before? is")).to_be_visible()
    add_field(desk, "Files", "Your slides")
    desk.get_by_label("a PDF").check()
    desk.get_by_role("button", name="Save the field").click()
    expect(desk.get_by_role("link", name="Your slides")).to_be_visible()


def begin(page: Page, url: str, slides: Path) -> None:
    """The phone: a question appears, a file goes up, two speakers, everything saved."""
    page.goto(f"{url}{FORM}?start=1")
    fill(page, "Title", "Maps without servers")
    fill(page, "Abstract", "How a map can be one file.")
    page.get_by_label("Talk", exact=False).first.check()
    page.get_by_role("main").get_by_label("Track").select_option(index=1)
    page.get_by_label("In one sentence, why should people come?").fill("It is small.")
    where = page.get_by_label("Where was it?")
    expect(where).to_be_hidden()
    page.get_by_label("Have you given this session before?").select_option(label="Once or twice")
    where.fill("In Łódź")
    page.get_by_label("I have read the code of conduct").check()
    page.get_by_label("Add files: Your slides").set_input_files([slides])
    expect(page.get_by_role("checkbox", name="slides.pdf")).to_be_checked()
    page.locator("#speaker-1-name").fill("Ana Lima")
    page.locator("#speaker-1-address").fill("ana.lima@example.org")
    page.get_by_role("button", name="Add another speaker").click()
    page.locator("#speaker-2-name").fill("Ng")
    page.locator("#speaker-2-address").fill("ng@example.org")
    expect(page.locator("#saved")).to_contain_text("Draft saved at")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_text("Go on later or on another device").click()
    page.get_by_label("Mail address for the link").fill("ana.lima@example.org")
    page.get_by_role("button", name="Mail me a link").click()
    expect(page.get_by_text("A link to this draft is on its way")).to_be_visible()


def finish(there: Page, link: str) -> None:
    """Another browser, where she is signed in: by the mailed link, and submitted."""
    there.goto(link)
    there.get_by_role("button", name="Go on here").click()
    expect(there.get_by_label("Title", exact=True)).to_have_value("Maps without servers")
    expect(there.get_by_label("Where was it?")).to_have_value("In Łódź")
    expect(there.get_by_role("checkbox", name="slides.pdf")).to_be_checked()
    expect(there.locator("#speaker-2-name")).to_have_value("Ng")
    there.get_by_role("button", name="Submit for review").last.click()
    expect(there.get_by_text("SUB-").first).to_be_visible()


def change(there: Page, url: str) -> None:
    """The portal: changed, then withdrawn, then only read."""
    there.goto(f"{url}/devconf-2027/portal")
    there.get_by_role("link", name="Maps without servers", exact=True).click()
    there.get_by_label("Title", exact=True).fill("Maps in one file")
    there.get_by_role("button", name="Save the changes").click()
    there.get_by_role("link", name="Withdraw Maps in one file").click()
    there.get_by_label("Why?").fill("A clash.")
    there.get_by_role("button", name="Withdraw the submission").click()
    expect(there.get_by_text("Maps in one file").first).to_be_visible()
    there.get_by_role("link", name="Maps in one file", exact=True).click()
    expect(there.get_by_text("it is not considered any more")).to_be_visible()
    expect(there.get_by_role("button", name="Save the changes")).to_have_count(0)


def test_a_proposal_is_begun_on_a_phone_finished_elsewhere_changed_and_withdrawn(
    browser: Browser, mailing: Demo, mailbox: Path, faults: Faults, tmp_path: Path
) -> None:
    desk = signed_in(browser, mailing, "organizer").new_page()
    faults.listen(desk)
    ask_more(desk, mailing.url)
    slides = tmp_path / "slides.pdf"
    slides.write_bytes(b"%PDF-1.7\n% slides\n")
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = phone.new_page()
    faults.listen(page)
    begin(page, mailing.url, slides)
    laptop = signed_in(browser, mailing, "speaker")
    there = laptop.new_page()
    faults.listen(there)
    finish(there, link_to(mailbox, "ana.lima@example.org"))

    # The phone's page was left behind: it says so, and keeps the words.
    page.get_by_label("Title", exact=True).fill("Maps, from the phone")
    expect(page.locator("#saved")).to_contain_text("submitted from another window")
    expect(page.get_by_label("Title", exact=True)).to_have_value("Maps, from the phone")
    change(there, mailing.url)

    # The organiser reads both: what it says, and what became of it.
    desk.goto(f"{mailing.url}/app/devconf-2027/submissions?q=maps+in+one")
    desk.get_by_role("link", name="Maps in one file").click()
    expect(desk.get_by_role("link", name="slides.pdf")).to_be_visible()
    expect(desk.get_by_text("changed by its submitter")).to_be_visible()
    expect(desk.get_by_text("In Łódź")).to_be_visible()
    phone.close()
    laptop.close()
    desk.context.close()
