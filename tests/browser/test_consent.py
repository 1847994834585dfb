"""A program asks in a real browser: the page, the keyboard, and a redirect under its policy."""

import base64
import hashlib
import secrets
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Demo, Faults, signed_in
from tests.browser.test_by_keyboard import Keyboard


class Program:
    """A program on this machine: it registers, listens for its answer, and exchanges the code."""

    def __init__(self, demo: Demo, name: str) -> None:
        self.url = demo.url
        self.heard: list[dict[str, str]] = []
        program = self

        class Listening(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = urlsplit(self.path)
                if asked.path == "/callback":  # a browser also asks for an icon
                    query = parse_qs(asked.query)
                    program.heard.append({key: values[0] for key, values in query.items()})
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>Back</title><h1>Connected</h1>")

            def log_message(self, *_: object) -> None:
                """Quietly."""

        self.server = HTTPServer(("127.0.0.1", 0), Listening)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.redirect = f"http://127.0.0.1:{self.server.server_address[1]}/callback"
        metadata = {
            "client_name": name,
            "redirect_uris": [self.redirect],
            "token_endpoint_auth_method": "none",
        }
        made = httpx.post(f"{demo.url}/oauth/register", json=metadata).json()
        self.client_id = made["client_id"]
        self.verifier = secrets.token_urlsafe(48)

    def address(self) -> str:
        """Where it sends the browser."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "scope": "read write",
            "state": "from-the-browser",
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "resource": f"{self.url}/api/mcp",
        }
        return f"{self.url}/oauth/authorize?{urlencode(asked)}"

    def close(self) -> None:
        """It listens no more."""
        self.server.shutdown()
        self.server.server_close()

    def tokens(self) -> dict[str, Any]:
        """What the code it heard is worth."""
        answer = httpx.post(
            f"{self.url}/oauth/token",
            data={
                "grant_type": "authorization_code",
                "client_id": self.client_id,
                "code": self.heard[-1]["code"],
                "redirect_uri": self.redirect,
                "code_verifier": self.verifier,
            },
        )
        assert answer.status_code == 200, answer.text
        got: dict[str, Any] = answer.json()
        return got


@pytest.fixture
def program(demo: Demo) -> Iterator[Program]:
    """A program that has registered itself."""
    made = Program(demo, "Programme assistant")
    yield made
    made.close()


@pytest.fixture
def page(browser: Browser, demo: Demo, faults: Faults) -> Iterator[Page]:
    """An organiser's browser."""
    with signed_in(browser, demo, "organizer") as context:
        opened = context.new_page()
        faults.listen(opened)
        yield opened


def test_by_keyboard_alone_an_agent_is_let_in_and_shown_out(
    page: Page, demo: Demo, program: Program
) -> None:
    keys = Keyboard(page)
    page.goto(program.address())
    expect(page.get_by_role("heading", level=1)).to_contain_text("Programme assistant")
    keys.tab_to(page.get_by_role("button", name="Connect", exact=True))
    keys.follow()

    expect(page.get_by_role("heading", name="Connected")).to_be_visible()
    assert program.heard[-1]["state"] == "from-the-browser"
    assert program.heard[-1]["iss"] == demo.url
    bearer = {"authorization": f"Bearer {program.tokens()['access_token']}"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert httpx.post(f"{demo.url}/api/mcp", json=ping, headers=bearer).status_code == 200

    page.goto(f"{demo.url}/app/api")
    end = page.get_by_role("button", name="End Programme assistant")
    keys.tab_to(end)
    keys.follow()
    expect(end).to_have_count(0)
    assert httpx.post(f"{demo.url}/api/mcp", json=ping, headers=bearer).status_code == 401


def test_no_leads_back_with_a_no(page: Page, program: Program) -> None:
    page.goto(program.address())
    page.get_by_role("button", name="Do not connect").click()

    expect(page.get_by_role("heading", name="Connected")).to_be_visible()
    assert program.heard[-1]["error"] == "access_denied"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 768, 390])
def test_the_page_fits_and_is_accessible(page: Page, demo: Demo, width: int, scheme: str) -> None:
    program = Program(demo, "W" * 80)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(program.address())

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert Axe().run(page).response["violations"] == []
    program.close()


def test_nobody_can_frame_it(page: Page, demo: Demo, program: Program) -> None:
    answer = page.request.get(program.address())

    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert (
        f"form-action 'self' {program.redirect.removesuffix('/callback')};"
        in (answer.headers["content-security-policy"])
    )
