"""Evaluation: plans, who reviews what, reviews, and what they add up to."""

from unsession.services.evaluation import assignment, masking, plans, queue, results, reviews

__all__ = ["assignment", "masking", "plans", "queue", "results", "reviews"]
