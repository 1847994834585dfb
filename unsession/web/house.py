"""What every door needs of the running process."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unsession.adapters.files import FileStore
from unsession.adapters.stores import open_files
from unsession.db.engine import Database
from unsession.services.principals import Principals
from unsession.settings import Settings
from unsession.web.metrics import Metrics
from unsession.web.rates import Limiter


@dataclass(slots=True)
class House:
    """One process: its settings, its database, who it remembers, what it counts."""

    settings: Settings
    db: Database
    principals: Principals
    limiter: Limiter
    files: FileStore
    released: dict[str, Any] = field(default_factory=dict)  #: public pages by event
    metrics: Metrics = field(default_factory=Metrics)
    worker_lag: Callable[[], float] | None = None  #: seconds since the worker here was last alive


def build_house(settings: Settings, db: Database) -> House:
    """A house on a database that is opened and closed by whoever calls this."""
    return House(
        settings,
        db,
        Principals(db),
        Limiter(enabled=settings.rate_limits),
        open_files(settings.data_dir / "files", settings.files_url),
    )
