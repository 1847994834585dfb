"""Every page of the demo, as each kind of user: accessible, within its width, without a fault."""

from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Demo, Faults, signed_in

#: Where each kind of user starts; every page a link of it leads to is looked at as well.
STARTS = {
    "organizer": ("/app/devconf-2027", "/app/events", "/app/api", "/app/members", "/app/new"),
    "reviewer": ("/review/devconf-2027",),
    "speaker": ("/devconf-2027/portal",),
    None: (
        *("/", "/signin", "/signup", "/devconf-2027", "/devconf-2027/agenda"),
        *("/docs/mcp", "/docs/api"),
    ),
}
#: No pages, and the two longest ones, which are the same for everybody: a visitor starts there.
_NOT_FOLLOWED = ("/api/", "/static/", "/signout", "/docs")
#: How many pages of one kind (same path but for its last part) are enough.
_OF_A_KIND = 1
_MOST = 60


#: Words of one or two that a narrow neighbour makes stand letter below letter.
_SQUEEZED = """() => [...document.querySelectorAll(".count, .status, .tag")]
  .filter((one) => one.offsetHeight > 40).map((one) => one.textContent)"""


def kind_of(path: str) -> str:
    """Pages that differ only in which thing they show are of one kind."""
    parts = path.strip("/").split("/")
    known = {"submissions", "sessions", "speakers", "plans", "forms", "mail", "tasks"}
    if parts[0] == "review":
        known |= set(parts[1:2])  # the reviews of an event
    if len(parts) > 2:
        known |= {"app"}  # the pages of any event
    own = {"new", "ask", "templates", "api", "approvals"}
    return "/".join(
        "*" if at and parts[at - 1] in known and part not in own else part
        for at, part in enumerate(parts)
    )


def links_of(page: Page, url: str) -> Iterable[str]:
    """The pages of ours that a page links to."""
    for link in page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.href)"):
        target = urlsplit(str(link))
        path = target.path
        own = f"{target.scheme}://{target.netloc}" == url
        if own and not path.startswith(_NOT_FOLLOWED) and "." not in path:
            yield path


def walk(
    page: Page,
    url: str,
    starts: Iterable[str],
    within: str = "",
    look: Callable[[str], None] | None = None,
) -> list[str]:
    """Every page that can be reached, one of each kind; ``within``: whose path has this in it."""
    waiting, seen, kinds = list(starts), [], {}
    while waiting and len(seen) < _MOST:
        path = waiting.pop(0)
        kind = kind_of(path)
        if path in seen or kinds.get(kind, 0) >= _OF_A_KIND:
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
        answer = page.goto(f"{url}{path}")
        assert answer is not None
        assert answer.status == 200, f"{path} answers {answer.status}"
        if "text/html" not in answer.headers.get("content-type", ""):
            continue
        seen.append(path)
        waiting += [link for link in links_of(page, url) if within in link]
        if look:
            look(path)
    return seen


@pytest.mark.parametrize("who", [None, "organizer", "reviewer", "speaker"])
def test_every_page_is_accessible_and_within_its_width(
    browser: Browser, demo: Demo, faults: Faults, who: str | None
) -> None:
    context = signed_in(browser, demo, who) if who else browser.new_context()
    page = context.new_page()
    faults.listen(page)
    axe = Axe()
    wrong: list[str] = []

    def look(path: str) -> None:
        for width, scheme in ((1440, "light"), (768, "light"), (390, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            beyond = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            if squeezed := page.evaluate(_SQUEEZED):
                wrong.append(f"{path} at {width}: squeezed onto several lines: {squeezed}")
            if beyond > 0:
                wrong.append(f"{path} at {width}: {beyond} px wider than the window")
            if width == 768 or (width == 390 and path.startswith("/docs")):
                continue  # nothing that the widths on both sides, or other pages, would not show
            found = axe.run(page).response["violations"]
            wrong.extend(
                f"{path} at {width}: {one['id']}, {one['help']}: {one['nodes'][0]['html'][:160]}"
                for one in found
            )

    pages = walk(page, demo.url, STARTS[who], look=look)
    context.close()
    assert wrong == []
    assert len(pages) >= len(STARTS[who])


@pytest.mark.parametrize("of", ["submissions", "sessions", "mail", "outbox", "plans", "activity"])
def test_a_list_keeps_room_for_its_titles(browser: Browser, demo: Demo, of: str) -> None:
    context = signed_in(browser, demo, "organizer")
    page = context.new_page()
    page.goto(f"{demo.url}/app/devconf-2027/{of}")
    narrow = {}

    for width in (320, 700, 900, 940, 1024, 1150, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        title = page.locator("tbody td.title").first.bounding_box()
        assert title is not None
        if title["width"] < 150:
            narrow[width] = round(title["width"])

    context.close()
    assert narrow == {}
