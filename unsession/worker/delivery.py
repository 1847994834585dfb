"""Delivery of mail: claim under a lease, commit, send, mark."""

import asyncio
import datetime as dt
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import structlog

from unsession.adapters.mail import Never, NotNow, Transport, Unreachable, transport_of
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.message import Letter, Unsendable, ascii_domain, compose, sender_of
from unsession.services import delivery
from unsession.services.delivery import Claimed
from unsession.settings import Settings

log = structlog.get_logger(__name__)

#: How often an idle worker looks whether something is due.
POLL = 1.0
_FIRST_RETRY = dt.timedelta(seconds=30)
_LONGEST_RETRY = dt.timedelta(hours=1)
#: Two days of trying: six steps up to an hour, then hourly.
MOST_ATTEMPTS = 54


def pause_after(attempt: int) -> dt.timedelta:
    """How long to wait after the so-manieth attempt: doubling, up to an hour."""
    doubled = _FIRST_RETRY.total_seconds() * 2.0 ** min(attempt - 1, 16)
    return min(dt.timedelta(seconds=doubled), _LONGEST_RETRY)


@dataclass(slots=True)
class Delivery:
    """One worker's loop over the queue of mail.

    ``batch`` messages are claimed at once and must be sent within ``lease``; what is left of a
    batch when the server cannot be reached, or the worker is told to stop, is given back.
    """

    db: Database
    settings: Settings
    transport: Transport | None
    lease: dt.timedelta = dt.timedelta(minutes=10)
    batch: int = 10
    poll: float = POLL
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _failures: int = 0  #: in a row, of reaching the server
    _round_at: float = field(default_factory=time.monotonic)

    def stop(self) -> None:
        """End after the message that is being sent."""
        self._stopping.set()

    def lag(self) -> float:
        """Seconds since the loop last showed that it is alive."""
        return time.monotonic() - self._round_at

    async def run(self) -> None:
        """Deliver until :meth:`stop`. A fault of ours is logged and the loop goes on."""
        try:
            while not self._stopping.is_set():
                try:
                    sent = await self.round()
                except Exception:
                    log.exception("delivery_failed")
                    sent = 0
                self._round_at = time.monotonic()
                if not sent:
                    await self._rest()
        finally:
            if self.transport is not None:
                await self.transport.close()

    async def round(self) -> int:
        """Claim one batch and deal with it; says how many. Without a transport, keep all of it."""
        if not await delivery.anything_due(self.db, utc_now()):
            return 0
        if self.transport is None:
            return await delivery.keep_due(self.db, utc_now())
        taken = await delivery.claim(self.db, utc_now(), self.lease, self.batch)
        for position, one in enumerate(taken):
            if self._stopping.is_set():
                await delivery.give_back(self.db, taken[position:], utc_now())
                break
            try:
                await self._deliver(one)
            except Unreachable as down:
                await self._wait_for_server(taken[position:], str(down))
                return 0
            self._failures = 0
            self._round_at = time.monotonic()
        return len(taken)

    async def _deliver(self, one: Claimed) -> None:
        """Send one message and mark it. Raises Unreachable, and then nothing is marked."""
        assert self.transport is not None, "without one, mail is kept and not claimed"
        sender = sender_of(_sender(self.settings))
        try:
            link = await delivery.live_url(self.db, self.settings, one, utc_now())
            letter = Letter(
                one.to_address,
                one.to_name,
                one.subject,
                one.body,
                one.message_id,
                link,
                one.reply_to,
            )
            message = compose(letter, sender, utc_now())
            await self.transport.send(message, sender.addr_spec, ascii_domain(one.to_address))
        except (Unsendable, Never) as never:
            await delivery.mark_failed(self.db, one, utc_now(), str(never))
        except NotNow as later:
            await self._retry(one, str(later))
        else:
            await delivery.mark_sent(self.db, one, utc_now())

    async def _retry(self, one: Claimed, why: str) -> None:
        now = utc_now()
        if one.attempt >= MOST_ATTEMPTS:
            await delivery.mark_failed(self.db, one, now, f"given up: {why}")
        else:
            await delivery.retry_later(self.db, one, now, now + pause_after(one.attempt), why)

    async def _wait_for_server(self, left: list[Claimed], why: str) -> None:
        """The server is the fault, not the messages: they wait unchanged, the worker pauses."""
        await delivery.give_back(self.db, left, utc_now())
        self._failures += 1
        log.warning("mail_server_unreachable", why=why, waiting=len(left))
        await self._rest(min(2.0**self._failures, 60.0))

    async def _rest(self, seconds: float | None = None) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds or self.poll)
        except TimeoutError:
            self._round_at = time.monotonic()


def _sender(settings: Settings) -> str:
    """Who mail is from: only files may do without the setting."""
    host = urlsplit(settings.public_url).hostname or ""
    return settings.mail_from or f"unsession@{host if host and ':' not in host else 'localhost'}"


def build_delivery(settings: Settings, db: Database) -> Delivery:
    """The delivery of an installation, by its settings."""
    return Delivery(db, settings, transport_of(settings))
