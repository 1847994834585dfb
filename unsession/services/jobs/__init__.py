"""Jobs: long writes begun in one transaction and done by the worker piece by piece."""

from unsession.services.jobs import claiming, reading
from unsession.services.jobs.doing import advance, begin, current

__all__ = ["advance", "begin", "claiming", "current", "reading"]
