"""Submissions in and out as tables: what each column means, what becomes of each row."""

from unsession.services.porting import exporting, importing

__all__ = ["exporting", "importing"]
