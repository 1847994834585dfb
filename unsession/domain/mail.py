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
        "{ask}{feedback}{event}\n",
    ),
    Decision.DECLINE: Text(
        "About your submission “{title}” to {event}",
        "Hello {name},\n\n"
        "thank you for sending “{title}” to {event}. We had more good submissions than room, "
        "and could not take yours this time.\n\n"
        "{feedback}{event}\n",
    ),
    Decision.WAITLIST: Text(
        "“{title}” is on the waitlist of {event}",
        "Hello {name},\n\n"
        "we like “{title}” and keep it in reserve for {event}: if a place opens, "
        "we will write to you.\n\n"
        "{feedback}{event}\n",
    ),
}


def one_line(text: str) -> str:
    """Text fit for a mail header: every line break and control character becomes a space."""
    return " ".join("".join(c if _is_text(c) else " " for c in text).split())


def lines(text: str) -> str:
    """Text of several lines fit for a body: control and private-use characters are left out."""
    return "".join(c for c in text if c == "\n" or _is_text(c))


def _is_text(char: str) -> bool:
    """Whether a character belongs to text: printable, or one of the two joiners that Persian,
    Indic scripts and emoji are written with."""
    return char.isprintable() or char in "\u200c\u200d"


_ASK = (
    "Will you come? Answer here; it takes a moment, and you can change your answer later:\n"
    f"{LINK_MARK}\n\n"
)
_NO_ASK = "The organisers will write to you about the next steps.\n\n"


def decision_text(
    decision: Decision,
    *,
    title: str,
    event: str,
    name: str,
    feedback: str | None = None,
    asks: bool = False,
) -> Text:
    """The built-in decision mail. The values are inserted as they are, never as templates.

    ``asks``: an acceptance asks for a confirmation by link. ``feedback`` is the organisers' word.
    """
    text = _DECISIONS[decision]
    values = {"title": one_line(title), "event": one_line(event), "name": one_line(name)}
    said = f"From the organisers:\n\n{lines(feedback).strip()}\n\n" if feedback else ""
    body = text.body.format(**values, feedback=said, ask=_ASK if asks else _NO_ASK)
    return Text(text.subject.format(**values), body)


def received_text(number: str, *, event: str, signin: str, title: str | None = None) -> Text:
    """To a submitter, that it came in. ``title`` only where the address is known to be theirs.

    Without it nothing of this text was typed by whoever submitted: anybody can type an address.
    """
    name = one_line(event)
    about = f"“{one_line(title)}” is {number}" if title else f"its number is {number}"
    text = (
        "Hello,\n\n"
        f"a submission to {name} came in with this address; {about}.\n\n"
        f"To see it, sign in with this address:\n{signin}\n\n"
    )
    if title is None:
        text += "If it was not you, do nothing: without a sign-in nobody acts in your name.\n\n"
    return Text(f"{number} for {name} came in", f"{text}{name}\n")


def named_text(number: str, *, event: str, signin: str) -> Text:
    """To a speaker somebody else named in a submission; nothing of it was typed by anybody."""
    name = one_line(event)
    return Text(
        f"You are named as a speaker in a submission to {name}",
        "Hello,\n\n"
        f"somebody submitted a session to {name} and named this address as a speaker's. Its "
        f"number is {number}.\n\n"
        "To see it, and to complete what it says about you, sign in with this address:\n"
        f"{signin}\n\n"
        "If you do not know what this is about, do nothing: without a sign-in nobody acts in "
        f"your name.\n\n{name}\n",
    )


def came_in_text(number: str, *, event: str, form: str, url: str) -> Text:
    """To a member of the team, that something came in; nothing of it was typed by a submitter."""
    return Text(
        f"{number} came in: {one_line(event)}",
        "Hello,\n\n"
        f"{number} came in through “{one_line(form)}”. Read it here:\n{url}\n\n"
        f"{one_line(event)}\n",
    )


def added_text(number: str, *, event: str, name: str, title: str) -> Text:
    """To a speaker of a submission that the organisers added themselves."""
    return Text(
        f"{number} for {one_line(event)}: “{one_line(title)}”",
        f"Hello {one_line(name)},\n\n"
        f"the organisers of {one_line(event)} added “{one_line(title)}” with you as a speaker; "
        f"its number is {number}. They decide about it as about every other.\n\n"
        f"{one_line(event)}\n",
    )
