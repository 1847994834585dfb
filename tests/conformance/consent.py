"""A person at a browser: signs in, reads the consent page, allows, and goes where it leads."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import httpx

_SAME = {"sec-fetch-site": "same-origin"}
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


class Person:
    """Somebody the demo lets in by a link."""

    def __init__(self, signin: str) -> None:
        self._browser = httpx.Client()
        entered = self._browser.post(signin, headers=_SAME)
        assert entered.status_code in (200, 302, 303), entered.status_code

    def allow(self, authorize: str, scope: str = "write") -> str:
        """Allow what the page asks; where the browser is sent then."""
        page = self._browser.get(authorize)
        assert page.status_code == 200, page.text[:300]
        fields = {name: unescape(value) for name, value in _HIDDEN.findall(page.text)}
        fields |= {"where": "all", "scope": scope, "approval": "never", "answer": "allow"}
        if "workspace" not in fields:
            fields["workspace"] = re.findall(r'<option value="(wsp_\w+)"', page.text)[0]
        answer = self._browser.post(
            urlsplit(authorize)._replace(query="").geturl(), data=fields, headers=_SAME
        )
        assert answer.status_code == 302, answer.text[:300]
        return answer.headers["location"]

    def follow(self, authorize: str) -> None:
        """Allow, and let the browser go on to the program that waits on this machine."""
        target = self.allow(authorize)
        for _ in range(100):  # some programs print the address before they listen
            try:
                httpx.get(target)
            except httpx.ConnectError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("the program does not listen where it wanted its answer")


@contextmanager
def answering(person: Person) -> Iterator[str]:
    """An address where programs in other languages ask what the person's browser would do."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            scope = query.get("scope", ["write"])[0]
            body = person.allow(query["url"][0], scope).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quietly."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
