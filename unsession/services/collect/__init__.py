"""Collect: forms, what is submitted through them, and what organisers add or change."""

from unsession.services.collect import (
    copies,
    forms,
    late_links,
    on_behalf,
    reading,
    schema,
    speakers,
    submitting,
    versions,
)

__all__ = [
    "copies",
    "forms",
    "late_links",
    "on_behalf",
    "reading",
    "schema",
    "speakers",
    "submitting",
    "versions",
]
