"""Collect: forms, what is submitted through them, and what organisers add or change."""

from unsession.services.collect import forms, on_behalf, reading, submitting

__all__ = ["forms", "on_behalf", "reading", "submitting"]
