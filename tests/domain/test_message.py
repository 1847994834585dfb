"""A message of a row: nothing a person typed becomes a header, a tag or a link."""

import datetime as dt
import email
import email.policy
import re
from email.headerregistry import Address

import pytest
from hypothesis import given, strategies as st

from unsession.domain.mail import LINK_MARK, decision_text, one_line
from unsession.domain.message import Letter, Unsendable, ascii_domain, compose, sender_of
from unsession.domain.submissions import Decision

NOW = dt.datetime(2027, 3, 1, 12, 0, tzinfo=dt.UTC)
SENDER = sender_of("Dev Conf <talks@conf.example>")


def sent(**parts: str | None) -> email.message.EmailMessage:
    """What a server receives, parsed again from its bytes."""
    wanted = {
        "to_address": "ana@example.org",
        "to_name": "Ana Lima",
        "subject": "Hello",
        "body": "Hello Ana,\n\nsee you.\n",
        "message_id": "<mai_1@conf.example>",
        "link": None,
        **parts,
    }
    raw = bytes(compose(Letter(**wanted), SENDER, NOW))  # type: ignore[arg-type]
    return email.message_from_bytes(raw, policy=email.policy.SMTP)  # type: ignore[return-value]


def text_of(message: email.message.EmailMessage, kind: str = "plain") -> str:
    part = message.get_body((kind,))
    assert part is not None
    content: str = part.get_content()
    return content.replace("\r\n", "\n")


def test_a_message_says_what_every_mail_should() -> None:
    message = sent()

    assert message["From"] == "Dev Conf <talks@conf.example>"
    assert message["To"] == "Ana Lima <ana@example.org>"
    assert message["Message-ID"] == "<mai_1@conf.example>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"].datetime == NOW
    assert text_of(message) == "Hello Ana,\n\nsee you.\n"


@pytest.mark.parametrize("field", ["subject", "to_name"])
def test_a_line_break_in_a_value_makes_no_header(field: str) -> None:
    evil = "Talk\r\nBcc: all@evil.example\r\n\r\nHello"

    message = sent(**{field: evil})

    assert message["Bcc"] is None
    assert len(message.get_all("Subject") or []) == 1
    assert text_of(message).startswith("Hello Ana,")
    assert "Talk Bcc: all@evil.example Hello" in str(message["Subject"]) + str(message["To"])


@given(st.text(), st.text())
def test_nothing_typed_makes_a_header(subject: str, name: str) -> None:
    message = sent(subject=subject, to_name=name)

    assert set(message.keys()) == set(sent().keys())
    assert [one.addr_spec for one in message["To"].addresses] == ["ana@example.org"]


def test_a_long_subject_in_another_script_arrives_whole() -> None:
    subject = "é" * 140 + "🎤"
    raw = bytes(
        compose(Letter("ana@example.org", "Ana", subject, "x", "<mai_1@conf.example>"), SENDER, NOW)
    )
    header = raw.split(b"\r\nDate")[0].split(b"Subject:")[1]

    words = re.findall(rb"=\?utf-8\?[bq]\?[^?]*\?=", header)

    assert words
    assert all(len(word) <= 75 for word in words)
    for word in words:  # none cut inside a character
        email.header.decode_header(word.decode())[0][0].decode("utf-8")
    assert sent(subject=subject)["Subject"] == subject


def test_markup_in_a_value_is_escaped_once_and_only_in_html() -> None:
    event = "R&D's <Day> 2027"
    text = decision_text(Decision.ACCEPT, title="x", event=event, name="Ana")

    message = sent(subject=text.subject, body=text.body)

    assert event in message["Subject"]
    assert event in text_of(message)
    assert "R&amp;D's &lt;Day&gt; 2027" in text_of(message, "html")


def test_placeholders_in_values_are_shown_as_they_are() -> None:
    title = "100% of {name} & {{confirmUrl}}"
    text = decision_text(Decision.ACCEPT, title=title, event="DevConf", name="Ana")

    message = sent(subject=text.subject, body=text.body)

    assert title in message["Subject"]
    assert title in text_of(message)


def test_the_link_is_written_where_the_mark_is() -> None:
    url = "https://conf.example/confirm/abc-_123"

    message = sent(body=f"Go:\n\n{LINK_MARK}\n", link=url)

    assert text_of(message) == f"Go:\n\n{url}\n"
    assert f'<a href="{url}">{url}</a>' in text_of(message, "html")


def test_without_a_live_link_the_mark_keeps_the_message_back() -> None:
    with pytest.raises(Unsendable, match="link"):
        sent(body=f"Go: {LINK_MARK}")


def test_a_mark_that_nothing_resolves_keeps_the_message_back() -> None:
    with pytest.raises(Unsendable):
        sent(body="Hello \ue000name\ue000", link="https://conf.example/x")


def test_nobody_types_a_mark() -> None:
    assert LINK_MARK not in one_line(f"x {LINK_MARK} y")


@pytest.mark.parametrize(
    "address", ["", "ana", "ana@", "a b@example.org", "ana@example.org\nBcc: x@y.z"]
)
def test_what_is_no_address_is_not_sent_to(address: str) -> None:
    with pytest.raises(Unsendable):
        sent(to_address=address)


def test_a_domain_in_another_script_is_written_as_servers_know_it() -> None:
    assert ascii_domain("ana@exämple.org") == "ana@xn--exmple-cua.org"
    assert sent(to_address="ana@exämple.org")["To"].addresses[0].domain == "xn--exmple-cua.org"


def test_lines_of_any_length_fit_every_server() -> None:
    raw = bytes(
        compose(
            Letter("ana@example.org", "Ana", "s", "x" * 5000, "<mai_1@conf.example>"), SENDER, NOW
        )
    )
    assert max(map(len, raw.split(b"\r\n"))) <= 998


def test_a_name_with_quotes_and_commas_stays_one_mailbox() -> None:
    message = sent(to_name='Lima, "Ana" <x@y.example>')
    assert [one.addr_spec for one in message["To"].addresses] == ["ana@example.org"]
    assert isinstance(message["To"].addresses[0], Address)
