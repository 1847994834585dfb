"""What the tests of pages share: signing in, sending forms as a browser would, reading a page."""

import datetime as dt
import re
import secrets
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import httpx
from sqlalchemy import select

from tests.web.door import Door
from unsession.db.types import utc_now
from unsession.models import SigninSession
from unsession.services.principals import secret_hash

SAME = {"sec-fetch-site": "same-origin"}
COOKIE = "__Host-unsession"
#: Elements without an end tag.
_VOID = frozenset({"input", "link", "meta", "br", "hr", "img", "wbr"})


async def sign_in(door: Door, user: str) -> None:
    """From now on the client is that person; whoever it was before is forgotten."""
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
    door.http.cookies.clear()
    door.http.cookies.set(COOKIE, secret, domain="conference.test")


async def send(door: Door, path: str, fields: dict[str, Any] | None = None) -> httpx.Response:
    """A form of one of our own pages."""
    return await door.http.post(path, data=fields or {}, headers=SAME)


async def rows(door: Door, model: Any, *conditions: Any) -> list[Any]:
    """Rows of a table."""
    table = model.__table__
    ordered = select(*table.columns).where(*conditions).order_by(*table.primary_key.columns)
    return list(await door.house.db.rows(ordered))


@dataclass
class Form:
    """A form of a page with what a browser would send, and its buttons."""

    method: str
    action: str
    values: dict[str, Any] = field(default_factory=dict)
    buttons: list[dict[str, str]] = field(default_factory=list)


class Page(HTMLParser):
    """A page as the tests look at it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.forms: list[Form] = []
        self.ids: list[str] = []
        self.labels: list[str] = []
        self.described: list[str] = []
        self.links: dict[str, str] = {}  #: words -> where they lead
        self.controls: list[tuple[str, bool]] = []  #: id of a control, and whether a label holds it
        self._open: list[str] = []
        self._select = self._area = self._href = ""
        self.feed(text)

    @property
    def title(self) -> str:
        found = re.search(r"<title>(.*?)</title>", self.text, re.DOTALL)
        assert found is not None
        return found[1]

    @property
    def words(self) -> str:
        """The page's text, white space single."""
        bare = re.sub(r"<(script|style|template).*?</\1>", " ", self.text, flags=re.DOTALL)
        import html

        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare)).split())

    @property
    def errors(self) -> list[str]:
        """Where the error summary leads, in order."""
        summary = re.search(r'<div class="error-summary.*?</div>', self.text, re.DOTALL)
        return re.findall(r'href="#([^"]*)"', summary[0]) if summary else []

    def form(self, action: str, **holding: str) -> Form:
        """The form with that action, and with these values."""
        found = [
            form
            for form in self.forms
            if form.action == action and holding.items() <= form.values.items()
        ]
        assert found, f"no form {action} with {holding} among {self.forms}"
        return found[0]

    def assert_sound(self) -> None:
        """What every page keeps: labels, unique ids, one first heading, nothing inline."""
        assert len(self.ids) == len(set(self.ids)), "an id stands twice"
        assert set(self.labels) <= set(self.ids)
        assert set(self.described) <= set(self.ids)
        assert self.text.count("<h1") == 1
        assert self.text.count("<main") == 1
        assert '<html lang="' in self.text
        assert "<style" not in self.text
        assert not re.search(r"<[^>]*\s(style|on\w+)=", self.text)
        assert not re.search(r"<script(?![^>]*\ssrc=)", self.text)
        unnamed = [one for one, held in self.controls if not held and one not in self.labels]
        assert unnamed == [], f"controls without a label: {unnamed}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in _VOID:
            self._open.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "label" and "for" in given:
            self.labels.append(given["for"])
        self.described += given.get("aria-describedby", "").split()
        if tag == "a" and "href" in given:
            self._href = given["href"]
            self.links[given.get("aria-label", "")] = given["href"]
        if tag in ("input", "select", "textarea") and given.get("type") != "hidden":
            self.controls.append((given.get("id", ""), "label" in self._open))
        if tag == "form":
            self.forms.append(Form(given.get("method", "get"), given.get("action", "")))
        if self.forms and "form" in self._open:
            self._control(tag, given)

    def _control(self, tag: str, given: dict[str, str]) -> None:
        values = self.forms[-1].values
        name = given.get("name", "")
        if tag == "input" and name:
            kind = given.get("type", "text")
            if kind == "checkbox":
                values.setdefault(name, [])
                if "checked" in given:
                    values[name].append(given.get("value", "on"))
            elif kind != "radio" or "checked" in given:
                values[name] = given.get("value", "on")
        elif tag == "textarea":
            self._area = name
            values[name] = ""
        elif tag == "select":
            self._select = name
            values[name] = ""
        elif tag == "option" and self._select and "selected" in given:
            values[self._select] = given.get("value", "")
        elif tag == "button":
            self.forms[-1].buttons.append(given)

    def handle_data(self, data: str) -> None:
        if self._area and self.forms:
            self.forms[-1].values[self._area] += data
        if self._href and data.strip():
            self.links[" ".join(data.split())] = self._href

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""
        if tag == "select":
            self._select = ""
        if tag == "a":
            self._href = ""
        if tag in self._open:
            while self._open.pop() != tag:
                pass


async def page_of(door: Door, path: str, status: int = 200) -> Page:
    """The page at a path, sound and with that status."""
    answer = await door.http.get(path)
    return read(answer, status)


def read(answer: httpx.Response, status: int = 200) -> Page:
    """An answer as a sound page of that status."""
    assert answer.status_code == status, answer.text[:2000]
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    page = Page(answer.text)
    page.assert_sound()
    return page
