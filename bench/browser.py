"""A browser's part of the load: signed in by a link, asking for pages and sending forms."""

import http.client
import itertools
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlencode, urlsplit

_COOKIE = re.compile(r"^([^=;]+=[^;]*)")


class _Form(HTMLParser):
    """The names of a page's controls, with the value each has or its first choice."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._select: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("input", "textarea") and "name" in given:
            owed = "A measured answer." if "required" in given else ""
            self.values.setdefault(given["name"], given.get("value") or owed)
        elif tag == "select":
            self._select = given.get("name")
        elif tag == "option" and self._select and given.get("value"):
            self.values.setdefault(self._select, given["value"])


def cookie_of(url: str, link: str) -> str:
    """Sign in by a link, wherever it was printed for: what a browser sends from then on."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    connection.request("POST", urlsplit(link).path, headers={"Sec-Fetch-Site": "same-origin"})
    answer = connection.getresponse()
    assert answer.status == 303, f"signing in answered {answer.status}"
    matched = _COOKIE.match(answer.getheader("Set-Cookie", ""))
    assert matched is not None, "signing in set no cookie"
    return matched[1]


def page(url: str, path: str, cookie: str = "", **headers: str) -> bytes:
    """A GET as a browser sends it, as bytes."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}"]
    lines += [f"Cookie: {cookie}"] if cookie else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def read(url: str, path: str, cookie: str = "") -> tuple[http.client.HTTPResponse, str]:
    """One page, whole."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    return answer, answer.read().decode()


def submissions(url: str, path: str) -> Iterator[bytes]:
    """Proposals to a public form, each another one."""
    fields = _Form(read(url, f"{path}?start=1")[1]).values
    for number in itertools.count(1):
        sent = fields | {
            "submit_key": f"bench-{number:032}",
            "title": f"Measured talk {number}",
            "abstract": "What was measured, and how.",
            "speaker-1-name": f"Speaker {number}",
            "speaker-1-address": f"speaker{number}@bench.example",
            "do": "submit",
        }
        sent.pop("website", None)  # the trap for robots
        yield _posted(url, path, sent)


def drafts(url: str, path: str) -> Iterator[bytes]:
    """Thirty-two people who type: each save of a draft another text."""
    fields = _Form(read(url, f"{path}?start=1")[1]).values
    for number in itertools.count(1):
        sent = fields | {
            "submit_key": f"bench-draft-{number % 32:026}",
            "title": f"Measured draft {number}",
            "abstract": "What is typed while it is measured. " * 20,
        }
        sent.pop("website", None)
        yield _posted(url, f"{path}/draft", sent)


def _posted(url: str, path: str, sent: dict[str, str]) -> bytes:
    """A form as a page of ours sends it."""
    body = urlencode(sent).encode()
    lines = [f"POST {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}"]
    lines += ["Sec-Fetch-Site: same-origin"]
    lines += ["Content-Type: application/x-www-form-urlencoded"]
    lines += [f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
