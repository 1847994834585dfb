"""Approvals: what agents may not do alone is asked here, and answered by people."""

from unsession.services.approvals import answering, asking, reading

__all__ = ["answering", "asking", "reading"]
