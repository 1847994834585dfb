"""Rules of OAuth that need no storage: where one may be sent back to, what may be asked for.

RFC 6749, 7591, 7636, 8252 and 8707, as OAuth 2.1 narrows them.
"""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from urllib.parse import urlsplit

from unsession.domain.mail import Text, one_line

MOST_REDIRECTS = 10
LONGEST_URI = 500
CODE_LIVES = dt.timedelta(minutes=2)
ACCESS_LIVES = dt.timedelta(hours=1)
REFRESH_LIVES = dt.timedelta(days=90)
#: Clients refresh in parallel: for so long a refresh token that was just replaced works again.
GRACE = dt.timedelta(seconds=90)
#: A registration that nobody ever consented to is forgotten after this.
UNUSED_AFTER = dt.timedelta(days=90)

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
#: The one address of an editor that registers it together with others.
_NATIVE = frozenset({"cursor://anysphere.cursor-mcp/oauth/callback"})
#: Schemes that belong to one editor each, on the machine it runs on.
_EDITORS = frozenset({"vscode", "vscode-insiders"})
#: As a host stands in an address: nothing that could end a header's value.
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:]+")
_CHALLENGE = re.compile(r"[A-Za-z0-9._~-]{43,128}")


class ClientKind(StrEnum):
    """How a client became known."""

    REGISTERED = "registered"
    DOCUMENT = "document"


class Resource(StrEnum):
    """What a token opens: one door, and no other."""

    MCP = "/api/mcp"
    REST = "/api/v1"


def redirect_problem(uri: object) -> str | None:
    """Why a client may not be sent back there; None when it may.

    https anywhere; http on loopback; the addresses of editors that are exactly known.
    """
    if not isinstance(uri, str) or not uri or len(uri) > LONGEST_URI:
        return f"must be text of 1 to {LONGEST_URI} characters"
    if any(ord(sign) <= 32 or ord(sign) == 127 for sign in uri):
        return "must not hold blanks or control characters"
    return None if uri in _NATIVE else _address_problem(uri)


def _address_problem(uri: str) -> str | None:
    try:
        parts = urlsplit(uri)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return "is no address"
    if not _HOST.fullmatch(host):
        return "must name a host, in plain letters"
    if parts.fragment or "#" in uri:
        return "must not have a fragment"
    if parts.username is not None or parts.password is not None:
        return "must not hold a name or password"
    if parts.scheme == "https":
        return None
    if parts.scheme == "http" and host in _LOOPBACK:
        return None
    if parts.scheme in _EDITORS:
        return None
    return "must be https, or http on this machine (localhost)"


def is_loopback(uri: str) -> bool:
    """Whether an address stays on the machine of whoever opens it."""
    parts = urlsplit(uri)
    return parts.scheme == "http" and parts.hostname in _LOOPBACK


def is_redirect_of(registered: Iterable[str], asked: str) -> bool:
    """Whether an address is one of a client's: exactly, on loopback with any port (RFC 8252)."""
    for one in registered:
        if one == asked:
            return True
        if is_loopback(one) and is_loopback(asked):
            a, b = urlsplit(one), urlsplit(asked)
            if (a.hostname, a.path, a.query) == (b.hostname, b.path, b.query):
                return redirect_problem(asked) is None
    return False


def is_challenge(challenge: str) -> bool:
    """Whether this can be an S256 challenge (RFC 7636 §4.2)."""
    return _CHALLENGE.fullmatch(challenge) is not None


def resource_of(asked: Sequence[str], public_url: str) -> Resource | None:
    """The door that RFC 8707's ``resource`` names; None for a foreign one or several.

    None asked for is the agents' door. A slash at the end, a query (profiles) and the bare origin
    are tolerated: clients differ in what they take for the address they were given.
    """
    if not asked:
        return Resource.MCP
    named = {_door(one, public_url) for one in asked}
    return named.pop() if len(named) == 1 else None


def _door(asked: str, public_url: str) -> Resource | None:
    address = asked.partition("?")[0].rstrip("/")
    known = {
        public_url: Resource.MCP,
        f"{public_url}{Resource.MCP}": Resource.MCP,
        f"{public_url}/mcp": Resource.MCP,
        f"{public_url}{Resource.REST}": Resource.REST,
    }
    return known.get(address)


def scopes_in(asked: str | None) -> tuple[str, ...]:
    """Of the scopes asked for those there are; unknown ones are dropped, as clients expect."""
    given = (asked or "").split()
    return tuple(scope for scope in ("read", "write") if scope in given)


def connected_text(client: str, where: str, may: str, page: str) -> Text:
    """The mail that tells a person what they have let in, and where to end it."""
    name = one_line(client)
    return Text(
        f"“{name}” may now work with your events",
        f"“{name}” may {may} what you may in {one_line(where)}, until you end it.\n\n"
        f"If this was not you, end it here and change your password:\n{page}\n",
    )
