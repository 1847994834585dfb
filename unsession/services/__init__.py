"""The verbs: what the product can do, one module per family.

Importing this package registers every operation.
"""

from unsession.services import (
    accounts,
    collect,
    decisions,
    events,
    orientation,
    submissions,
    tokens,
    undo,
)

__all__ = [
    "accounts",
    "collect",
    "decisions",
    "events",
    "orientation",
    "submissions",
    "tokens",
    "undo",
]
