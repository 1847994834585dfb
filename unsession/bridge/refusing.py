"""Why there is no answer, in words: what HTTP said, or that nobody said anything."""

import httpx

from unsession.bridge.messages import read

UNSURE = "Look whether a write was made before you repeat it."
ANSWER = 300.0  #: seconds between two signs of life of an answer


def lost(url: str, failure: httpx.HTTPError) -> str:
    """What became of a request that got no answer."""
    if isinstance(failure, httpx.ConnectError | httpx.ConnectTimeout):
        return f"Nobody answers at {url}. Does the server run, and is UNSESSION_URL right?"
    if isinstance(failure, httpx.TimeoutException):
        return f"{url} said nothing for {ANSWER:.0f} seconds. {UNSURE}"
    return f"The connection to {url} broke before the answer came. {UNSURE}"


def refused(url: str, answer: httpx.Response, body: bytes) -> str:
    """Why the server did not do what was asked, as far as it says."""
    said = _reason(body)
    match answer.status_code:
        case 401:
            return (
                "The server does not know this token (401): UNSESSION_TOKEN is wrong, was revoked "
                "or has expired."
            )
        case 403:
            return f"The server refused this (403). {said}".strip()
        case 429:
            wait = answer.headers.get("retry-after", "")
            again = f"Try again in {wait} seconds." if wait.isdecimal() else "Try again later."
            return f"Too many requests with this token (429). {again}"
        case status if answer.is_redirect:
            return f"{url} moved ({status}): set UNSESSION_URL to where it is now."
        case status:
            return f"{url} answered {status}. {said}".strip()


def _reason(body: bytes) -> str:
    """The server's own sentence, from either form of its refusals."""
    said = read(body)
    error = said.get("error") if isinstance(said, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    return words[:500] if isinstance(words, str) else ""
