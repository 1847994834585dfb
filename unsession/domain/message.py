"""A mail row as a message: headers nobody can inject into, a text part, a plain HTML part."""

import contextlib
import datetime as dt
import html
import re
from dataclasses import dataclass
from email import policy
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr

from unsession.domain.accounts import address_fault
from unsession.domain.mail import LINK_MARK, lines, one_line

#: Lines so short that an encoded word has 75 characters at most (RFC 2047).
_POLICY = policy.SMTP.clone(max_line_length=76)
_MARK = LINK_MARK[0]  #: the private-use character around every mark
_URL = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)\]]")


class Unsendable(Exception):
    """The row cannot become a message; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Letter:
    """What of a mail row goes into the message."""

    to_address: str
    to_name: str
    subject: str
    body: str
    message_id: str
    link: str | None = None  #: the live link's address, for the mark in the body
    reply_to: str | None = None  #: the organisers' address; the sender is always the product's


def with_link(body: str, link: str | None) -> str:
    """The body with its link written in. Raises Unsendable while any mark is unresolved."""
    if LINK_MARK in body:
        if link is None:
            raise Unsendable("its link was used, ran out or was replaced")
        body = body.replace(LINK_MARK, link)
    if _MARK in body:
        raise Unsendable("it holds a mark that nothing resolves")
    return body


def compose(letter: Letter, sender: Address, now: dt.datetime) -> EmailMessage:
    """The whole message. Raises Unsendable.

    Line breaks and control characters in a value become spaces in a header; the body is sent as
    quoted-printable UTF-8, so that no line is too long for any server.
    """
    body = lines(with_link(letter.body, letter.link))
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender
    message["To"] = _mailbox(letter.to_name, letter.to_address)
    if letter.reply_to:
        with contextlib.suppress(Unsendable):  # a wrong one keeps no mail back
            message["Reply-To"] = _mailbox("", letter.reply_to)
    message["Subject"] = one_line(letter.subject)
    message["Date"] = format_datetime(now)
    message["Message-ID"] = letter.message_id
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(body, cte="quoted-printable")
    message.add_alternative(as_html(body), subtype="html", cte="quoted-printable")
    return message


def sender_of(sender: str) -> Address:
    """The sender's mailbox of a setting such as ``Dev Conf <talks@conf.example>``."""
    return _mailbox(*parseaddr(sender))


def ascii_domain(address: str) -> str:
    """An address with its domain as mail servers know it; the part before it stays."""
    local, _, domain = address.rpartition("@")
    try:
        return f"{local}@{domain.encode('idna').decode()}"
    except UnicodeError:
        raise Unsendable(f"{domain} cannot be a mail domain") from None


def _mailbox(name: str, address: str) -> Address:
    if address_fault(address):
        raise Unsendable("its address cannot be used")
    try:
        return Address(display_name=one_line(name), addr_spec=ascii_domain(address))
    except (ValueError, IndexError, MessageError):  # as its parser says that it is no address
        raise Unsendable("its address cannot be used") from None


def as_html(body: str) -> str:
    """The body as simple HTML: paragraphs, line breaks, and links that can be pressed."""
    paragraphs = [
        "<p>" + _linked(part).replace("\n", "<br>\n") + "</p>"
        for part in re.split(r"\n{2,}", body.strip())
    ]
    return (
        '<!doctype html>\n<html><head><meta charset="utf-8"></head>\n'
        '<body style="font: 16px/1.5 sans-serif; max-width: 38em">\n'
        + "\n".join(paragraphs)
        + "\n</body></html>\n"
    )


def _linked(text: str) -> str:
    """Escaped once, addresses of pages made links."""
    parts = []
    end = 0
    for found in _URL.finditer(text):
        shown = html.escape(found[0])
        parts.append(html.escape(text[end : found.start()], quote=False))
        parts.append(f'<a href="{shown}">{shown}</a>')
        end = found.end()
    parts.append(html.escape(text[end:], quote=False))
    return "".join(parts)
