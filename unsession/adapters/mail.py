"""Transports of mail: one SMTP connection that is kept, or a folder of files."""

import contextlib
import os
import re
import ssl
from email.message import EmailMessage
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

import aiosmtplib

from unsession.settings import Settings
from unsession.writing import assert_not_writing

#: What a server may take to answer one command.
TIMEOUT = 30.0
_PERMANENT = 500
_CLOSING = 421


class NotNow(Exception):
    """This message may be taken later."""


class Never(Exception):
    """This message will not be taken."""


class Unreachable(Exception):
    """Nothing can be sent at the moment, whatever the message."""


class Transport(Protocol):
    """Where messages go."""

    async def send(self, message: EmailMessage, sender: str, recipient: str, /) -> None:
        """Hand one message over. Raises NotNow, Never or Unreachable."""

    async def close(self) -> None:
        """Let go of whatever is open."""


class SmtpTransport:
    """Delivers to one server over one connection, opened when needed and used again."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        tls: bool = False,
        username: str | None = None,
        password: str | None = None,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._server = f"{host}:{port}"
        self._client = aiosmtplib.SMTP(
            hostname=host,
            port=port,
            use_tls=tls,
            start_tls=None if not tls else False,
            username=username,
            password=password,
            timeout=TIMEOUT,
            tls_context=trusted,
        )

    async def send(self, message: EmailMessage, sender: str, recipient: str, /) -> None:
        """Hand one message over; a connection that the server closed is opened again."""
        assert_not_writing("sending mail")
        await self._connect()
        try:
            await self._client.send_message(message, sender=sender, recipients=[recipient])
        except aiosmtplib.SMTPRecipientsRefused as refused:
            await self._after(refused.recipients[0].code, refused.recipients[0].message)
        except aiosmtplib.SMTPResponseException as refused:
            await self._after(refused.code, refused.message)
        except aiosmtplib.SMTPNotSupported as refused:
            raise Never(f"{self._server} cannot take this address: {refused}") from None
        except (aiosmtplib.SMTPException, OSError) as broken:
            self._drop()
            raise NotNow(f"the connection to {self._server} broke: {broken}") from None

    async def close(self) -> None:
        """Say goodbye, if the server still listens."""
        if self._client.is_connected:
            with contextlib.suppress(aiosmtplib.SMTPException, OSError):
                await self._client.quit(timeout=2)
        self._drop()

    async def _connect(self) -> None:
        if self._client.is_connected:
            return
        try:
            await self._client.connect()
        except aiosmtplib.SMTPAuthenticationError as refused:
            self._drop()
            raise Unreachable(
                f"{self._server} does not accept the user and password: {refused.code}"
            ) from None
        except (aiosmtplib.SMTPException, OSError) as broken:
            self._drop()
            raise Unreachable(f"{self._server} cannot be reached: {broken}") from None

    async def _after(self, code: int, said: str) -> None:
        """What a refusal means; afterwards the connection is fit for the next message."""
        sentence = f"{code} {' '.join(said.split())[:300]}"
        if code == _CLOSING:
            self._drop()
        else:
            with contextlib.suppress(aiosmtplib.SMTPException, OSError):
                await self._client.rset()
        raise (Never if code >= _PERMANENT else NotNow)(sentence) from None

    def _drop(self) -> None:
        self._client.close()


class FileTransport:
    """Writes each message as an ``.eml`` file that only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def send(self, message: EmailMessage, _sender: str, _recipient: str, /) -> None:
        """Write the file; the same message again replaces it."""
        assert_not_writing("sending mail")
        name = re.sub(r"[^\w.-]", "_", str(message["Message-ID"]).strip("<>"))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            half = self._folder / f".{name}.part"
            half.unlink(missing_ok=True)
            with os.fdopen(
                os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as file:
                file.write(bytes(message))
            half.rename(self._folder / f"{name}.eml")
        except OSError as failed:
            raise Unreachable(f"{self._folder} cannot be written: {failed.strerror}") from None

    async def close(self) -> None:
        """Nothing is kept open."""


def transport_of(settings: Settings) -> Transport | None:
    """The transport that is set, or None: mail is kept, not sent."""
    if not settings.smtp_url:
        return None
    parts = urlsplit(settings.smtp_url)
    if parts.scheme == "file":
        return FileTransport(Path(unquote(parts.path)))
    tls = parts.scheme == "smtps"
    return SmtpTransport(
        parts.hostname or "",
        parts.port or (465 if tls else 587),
        tls=tls,
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
    )
