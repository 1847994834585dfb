"""Jobs: long writes done piece by piece, and how they stand."""

import datetime as dt
from enum import StrEnum

#: A worker that shows nothing for so long is taken for dead, and its piece is done by another.
LEASE = dt.timedelta(minutes=2)
#: Tries in a row without a step forward before a job is given up.
MOST_ATTEMPTS = 6
_FIRST_PAUSE = dt.timedelta(seconds=2)


class JobStatus(StrEnum):
    """Queued and running go on by themselves; the others are over."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


#: What a worker may still take up.
ALIVE = (JobStatus.QUEUED, JobStatus.RUNNING)


def pause_after(attempt: int) -> dt.timedelta:
    """How long a job rests after the so-manieth failure in a row: doubling from two seconds."""
    return _FIRST_PAUSE * (1 << (attempt - 1))
