"""How often somebody may knock: GCRA, in memory, one counter per key.

The generic cell rate algorithm (ITU-T I.371) with a burst of the whole window: 60 an hour is
sixty at once, then one a minute.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from unsession.errors import TooMany

_PRUNE_ABOVE = 50_000


class Rate(NamedTuple):
    """So many in so many seconds."""

    calls: int
    seconds: float


#: REST and MCP together, by token.
PER_TOKEN = Rate(600, 60)
#: OAuth, by a client's address: registrations, and exchanges of codes and tokens.
REGISTRATIONS = Rate(60, 3600)
TOKEN_REQUESTS = Rate(120, 60)
#: Writes through public forms, by who submits: a person, or a client's address.
FORM_MINUTE = Rate(30, 60)
FORM_HOUR = Rate(200, 3600)
#: Drafts saved while typing: by place, where many may sit, and by page; and how many are begun.
DRAFTS_SAVED = Rate(600, 60)
DRAFT_SAVES = Rate(60, 60)
DRAFTS_BEGUN = Rate(60, 3600)
#: Files at public forms, by place.
UPLOADS = Rate(100, 3600)
#: Receipts to one address that nobody verified: it may be a stranger's.
RECEIPTS = Rate(5, 3600)
#: Attempts to sign in: by the account that is tried, and by where they come from.
SIGNIN_PER_ACCOUNT = Rate(5, 60)
SIGNIN_PER_ADDRESS = Rate(20, 60)
#: Mail that anybody can cause: each kind by where it is asked from, and by where it would go.
ASKED_MAIL = Rate(5, 3600)


class Limiter:
    """Counts by key; forgets what no longer matters."""

    def __init__(self, *, enabled: bool = True, now: Callable[[], float] = time.monotonic) -> None:
        self.enabled = enabled
        self._now = now
        self._due: dict[str, float] = {}

    def take(self, key: str, rate: Rate) -> int | None:
        """Count one. None: it may pass; else the whole seconds until one may."""
        if not self.enabled:
            return None
        now = self._now()
        interval = rate.seconds / rate.calls
        due = max(self._due.get(key, now), now)
        wait = due - now - (rate.seconds - interval)
        if wait > 1e-9:
            return math.ceil(wait)
        if len(self._due) > _PRUNE_ABOVE:
            self._due = {other: at for other, at in self._due.items() if at > now}
        self._due[key] = due + interval
        return None

    def require(self, key: str, rate: Rate) -> None:
        """Count one. Refuses with TooMany when the rate is used up."""
        wait = self.take(key, rate)
        if wait is not None:
            when = f"{wait} seconds" if wait < 120 else f"{math.ceil(wait / 60)} minutes"
            raise TooMany(f"Too many attempts. Try again in {when}.", retry_after=wait)
