"""Accounts: how people come in, what a mailed link lets them do, and what they keep."""

from unsession.services.accounts import asking, entering, keeping, ownership

__all__ = ["asking", "entering", "keeping", "ownership"]
