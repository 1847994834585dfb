"""What every verb is given: who asks, the open transaction, and the record of what it changes."""

from unsession.context.context import Context, Report
from unsession.context.work import Change, Effect, Subject, UnitOfWork, Warning

__all__ = ["Change", "Context", "Effect", "Report", "Subject", "UnitOfWork", "Warning"]
