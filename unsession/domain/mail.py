"""Mail: where a message stands, and the built-in texts of decisions."""

from dataclasses import dataclass
from enum import StrEnum

from unsession.domain.submissions import Decision


class MailStatus(StrEnum):
    """Held waits for a person, queued for the worker; kept has nobody to send it."""

    HELD = "held"
    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    KEPT = "kept"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Text:
    """Subject and plain body of a message."""

    subject: str
    body: str


#: Where delivery writes the live link into a body. Private-use characters, which no inserted
#: value keeps (see :func:`one_line` and :func:`lines`), so nobody can place a link by typing.
LINK_MARK = "\ue000link\ue000"

_DECISIONS = {
    Decision.ACCEPT: Text(
        "“{title}” is accepted for {event}",
        "Hello {name},\n\n"
        "we would like to have your session “{title}” at {event}.\n\n"
        "The organisers will write to you about the next steps.\n\n"
        "{event}\n",
    ),
    Decision.DECLINE: Text(
        "About your submission “{title}” to {event}",
        "Hello {name},\n\n"
        "thank you for sending “{title}” to {event}. We had more good submissions than room, "
        "and could not take yours this time.\n\n"
        "{event}\n",
    ),
    Decision.WAITLIST: Text(
        "“{title}” is on the waitlist of {event}",
        "Hello {name},\n\n"
        "we like “{title}” and keep it in reserve for {event}: if a place opens, "
        "we will write to you.\n\n"
        "{event}\n",
    ),
}


def one_line(text: str) -> str:
    """Text fit for a mail header: every line break and control character becomes a space."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def lines(text: str) -> str:
    """Text of several lines fit for a body: control and private-use characters are left out."""
    return "".join(c for c in text if c == "\n" or c.isprintable())


def decision_text(decision: Decision, *, title: str, event: str, name: str) -> Text:
    """The built-in decision mail. The values are inserted as they are, never as templates."""
    text = _DECISIONS[decision]
    values = {"title": one_line(title), "event": one_line(event), "name": one_line(name)}
    return Text(text.subject.format(**values), text.body.format(**values))
