"""From an empty installation to a public agenda, by every kind of user, through real doors."""

import asyncio
import email
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx
import httpx2
import icalendar
import pytest
from aiosmtpd.controller import Controller
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.conftest import Faults, served

PASSWORD = "a long sentence of mine"


@dataclass(slots=True)
class Post:
    """Everything a real SMTP server received."""

    port: int
    messages: list[EmailMessage] = field(default_factory=list)

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        """Take a message. The name is the SMTP library's."""
        message = email.message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.messages.append(message)
        return "250 taken"

    def wait_for(self, address: str, subject: str, seconds: float = 20) -> str:
        """The text of the newest mail to an address whose subject contains some words."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for message in reversed(self.messages):
                if address in str(message["To"]) and subject in str(message["Subject"]):
                    body = message.get_body(("plain",))
                    assert body is not None
                    return str(body.get_content())
            time.sleep(0.1)
        sent = [(str(m["To"]), str(m["Subject"])) for m in self.messages]
        raise AssertionError(f"no mail to {address} about {subject}; there were {sent}")


def link_in(text: str) -> str:
    """The one link of a mail."""
    found = re.findall(r"http://\S+", text)
    assert found, text
    return str(found[0])


@pytest.fixture
def post() -> Iterator[Post]:
    """A mail server on a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    handler = Post(port)
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    yield handler
    controller.stop()


@dataclass(frozen=True, slots=True)
class Installation:
    """A served, empty installation: where, and the link that makes its owner."""

    url: str
    owner_link: str


@pytest.fixture
def installation(tmp_path: Path, post: Any) -> Iterator[Installation]:
    """`unsession serve` in an empty folder, with mail going to the test's server."""
    log_path = tmp_path / "log"
    environment = {
        **os.environ,
        "UNSESSION_DATA_DIR": str(tmp_path / "data"),
        "UNSESSION_SMTP_URL": f"smtp://127.0.0.1:{post.port}",
        "UNSESSION_MAIL_FROM": "North Conferences <programme@north.example>",
    }
    command = [sys.executable, "-m", "unsession", "serve", "--port", "0"]
    with log_path.open("wb") as log, served(command, environment, log):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            text = log_path.read_text()
            link = re.search(r"(http://\S+)/owner/\S+", text)
            if link:
                wait_until_ready(link[1])
                yield Installation(link[1], link[0])
                return
            time.sleep(0.1)
        raise AssertionError(log_path.read_text())


def wait_until_ready(url: str) -> None:
    """Ask /readyz until it answers 200."""
    for _ in range(200):
        try:
            if httpx.get(f"{url}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError("not ready")


def fill(page: Page, fields: dict[str, str]) -> None:
    """Fill the main part's fields by their labels."""
    for label, value in fields.items():
        page.get_by_role("main").get_by_label(label, exact=False).first.fill(value)


def press(page: Page, name: str) -> None:
    """Press a button of the main part and wait for what follows."""
    page.get_by_role("main").get_by_role("button", name=name).first.click()
    page.wait_for_load_state()


def make_owner(context: BrowserContext, faults: Faults, installation: Installation) -> Page:
    """The owner's link makes the first account, its workspace and its event."""
    page = context.new_page()
    faults.listen(page)
    page.goto(installation.owner_link)
    fill(page, {"Your name": "Ines Duarte", "Mail address": "ines@north.example"})
    page.get_by_label("Password").fill(PASSWORD)
    fill(page, {"Name of the workspace": "North Conferences"})
    press(page, "Make the workspace")
    page.goto(f"{installation.url}/app/new")
    fill(page, {"Name of the event": "Small Conf", "First day": "2027-06-14"})
    fill(page, {"Last day": "2027-06-15"})
    page.get_by_label("Time zone").select_option("Europe/Lisbon")
    press(page, "Create the event")
    assert page.url.split("?")[0].endswith("/app/small-conf/settings")
    return page


def set_up(page: Page, url: str) -> None:
    """A room, a track, an open form, and a plan with a reviewer invited into it."""
    page.get_by_label("New room").fill("Studio B")
    press(page, "Add the room")
    page.locator("#option_name-new-track").fill("Systems")
    page.locator("form:has(#option_name-new-track) button").click()
    page.wait_for_load_state()
    page.goto(f"{url}/app/small-conf/forms/new")
    fill(page, {"Name": "Call for speakers"})
    press(page, "Create the form")
    page.goto(f"{url}/app/small-conf/forms")
    press(page, "Open")
    page.goto(f"{url}/app/small-conf/plans/new")
    page.get_by_label("Name", exact=True).fill("First round")
    page.get_by_label("Reviews for each submission").fill("1")
    page.get_by_label("Name of criterion 1").fill("Relevance")
    page.get_by_label("Invite by address").fill("mei@reviews.example")
    press(page, "Save the plan")


def accept_invitation(context: BrowserContext, faults: Faults, post: Post) -> Page:
    """The reviewer follows the invitation's link and makes an account."""
    page = context.new_page()
    faults.listen(page)
    page.goto(link_in(post.wait_for("mei@reviews.example", "")))
    fill(page, {"Name": "Mei Tanaka"})
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Accept the invitation")
    return page


def submit(context: BrowserContext, faults: Faults, url: str) -> None:
    """A speaker submits through the public form, with a second speaker."""
    page = context.new_page()
    faults.listen(page)
    page.goto(f"{url}/small-conf")
    page.goto(f"{url}/small-conf/call-for-speakers")
    if page.get_by_label("Title").count() == 0:  # a welcome page stands before the form
        page.get_by_role("main").get_by_role("link").first.click()
    fill(page, {"Title": "Small WASM, big wins", "Abstract": "What we cut, and what it bought."})
    for group in ("Format", "Track", "Level"):
        choose(page, group)
    page.locator("#speaker-1-name").fill("Zoë Ñandú")
    page.locator("#speaker-1-address").fill("zoe@talks.example")
    press(page, "Add another speaker")
    page.locator("#speaker-2-name").fill("田中 恵")
    page.locator("#speaker-2-address").fill("kei@talks.example")
    press(page, "Submit for review")
    assert "SUB-1" in page.inner_text("main")


def choose(page: Page, label: str) -> None:
    """The first option of a choice, whether it is a list or a set of buttons."""
    group = page.get_by_role("group", name=label)
    if group.count():
        group.get_by_role("radio").first.check()
    elif page.get_by_label(label).count():
        page.get_by_label(label).first.select_option(index=1)


def review(organizer: Page, reviewer: Page, url: str) -> None:
    """The organiser assigns; the reviewer scores, and nowhere sees who wrote it."""
    organizer.goto(f"{url}/app/small-conf/plans")
    organizer.get_by_role("main").get_by_role("link", name="First round").first.click()
    organizer.wait_for_load_state()
    plan = organizer.url.split("?")[0]
    organizer.goto(f"{plan}/assign")
    organizer.locator("main button.primary").last.click()
    organizer.wait_for_load_state()
    reviewer.goto(f"{url}/review/small-conf/1")
    text = reviewer.inner_text("body")
    assert "Small WASM, big wins" in text
    assert "Zoë" not in text
    assert "田中" not in text
    reviewer.get_by_role("group", name="Relevance").get_by_role("radio").nth(3).check()
    press(reviewer, "Save and next")


def make_token(page: Page, url: str) -> str:
    """A read and write token, copied from the page that shows it once."""
    page.goto(f"{url}/app/api")
    page.get_by_label("Name").fill("Program bot")
    page.get_by_label("It may").select_option("write")
    press(page, "Make the token")
    secret = page.get_by_label("Secret").inner_text().strip()
    assert re.fullmatch(r"uns_[A-Za-z0-9]{40}", secret)
    return secret


async def decide(url: str, token: str) -> dict[str, Any]:
    """`decide_submission` through the official client."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(f"{url}/api/mcp", http_client=http), mode="legacy") as agent,
    ):
        assert "decide_submission" in [tool.name for tool in (await agent.list_tools()).tools]
        arguments = {"submission": "SUB-1", "event": "small-conf", "decision": "accept"}
        result = await agent.call_tool("decide_submission", arguments)
    assert not result.is_error, result
    assert result.structured_content is not None
    return dict(result.structured_content)


def confirm(context: BrowserContext, faults: Faults, post: Post) -> None:
    """The speaker says yes on the page of the link in the decision mail."""
    text = post.wait_for("zoe@talks.example", "accepted")
    page = context.new_page()
    faults.listen(page)
    page.goto(link_in(text))
    page.get_by_label("Yes, I will come").check()
    press(page, "Send my answer")
    assert "you are coming" in page.inner_text("main")


def rest(url: str, token: str, method: str, path: str, body: dict[str, Any]) -> None:
    """A write over REST that must succeed."""
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.request(method, f"{url}/api/v1{path}", json=body, headers=headers)
    assert answer.is_success, answer.text


def test_a_small_conference_from_nothing_to_its_public_agenda(
    browser: Browser, faults: Faults, installation: Installation, post: Post
) -> None:
    url = installation.url
    organizer = make_owner(browser.new_context(), faults, installation)
    set_up(organizer, url)
    reviewer = accept_invitation(browser.new_context(), faults, post)
    submit(browser.new_context(), faults, url)
    review(organizer, reviewer, url)
    token = make_token(organizer, url)

    with ThreadPoolExecutor(1) as thread:  # this one has the browser's event loop
        decided = thread.submit(asyncio.run, decide(url, token)).result()
    confirm(browser.new_context(), faults, post)

    slot = f"/sessions/{decided['sessionId']}/slot"
    first = {"event": "small-conf", "day": 1, "start": "10:30", "room": "Studio B"}
    rest(url, token, "PUT", slot, first)
    assert "Small WASM" not in httpx.get(f"{url}/small-conf/agenda.json").text
    rest(url, token, "POST", "/events/small-conf/agenda/release", {"changelog": "First"})

    visitor = browser.new_context().new_page()
    faults.listen(visitor)
    visitor.goto(f"{url}/small-conf/agenda")
    assert "Small WASM, big wins" in visitor.inner_text("main")
    agenda = httpx.get(f"{url}/small-conf/agenda.json").json()
    assert [session["title"] for session in agenda["sessions"]] == ["Small WASM, big wins"]
    calendar = icalendar.Calendar.from_ical(httpx.get(f"{url}/small-conf/agenda.ics").text)
    (item,) = calendar.walk("VEVENT")
    assert item["SUMMARY"] == "Small WASM, big wins"
    assert (
        item["DTSTART"].dt.astimezone(None).timestamp() == 1_812_965_400.0
    )  # 14 June 2027, 09:30 UTC
    rest(url, token, "PUT", slot, {**first, "day": 2, "start": "15:00"})
    assert httpx.get(f"{url}/small-conf/agenda.json").json() == agenda
