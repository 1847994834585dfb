"""Drafts: what is typed is kept before it is submitted, and found again."""

from unsession.services.collect.drafts import finding, reminding, resuming, saving, sweeping

__all__ = ["finding", "reminding", "resuming", "saving", "sweeping"]
