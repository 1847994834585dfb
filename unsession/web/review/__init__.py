"""The reviewers' pages at /review: their events, their list, one review."""

from unsession.web.review.pages import review_routes

__all__ = ["review_routes"]
