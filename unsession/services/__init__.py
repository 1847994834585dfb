"""The verbs: what the product can do, one module per family.

Importing this package registers every operation.
"""

from unsession.services import (
    accounts,
    agenda,
    approvals,
    collect,
    decisions,
    evaluation,
    events,
    guide,
    history,
    jobs,
    mail_log,
    oauth,
    onboarding,
    orientation,
    porting,
    search,
    sessions,
    setup,
    submissions,
    team,
    tokens,
    undo,
)

__all__ = [
    "accounts",
    "agenda",
    "approvals",
    "collect",
    "decisions",
    "evaluation",
    "events",
    "guide",
    "history",
    "jobs",
    "mail_log",
    "oauth",
    "onboarding",
    "orientation",
    "porting",
    "search",
    "sessions",
    "setup",
    "submissions",
    "team",
    "tokens",
    "undo",
]
