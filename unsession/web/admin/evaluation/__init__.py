"""The organisers' pages of evaluation: plans, their reviewers, and what the reviews say."""

from unsession.web.admin.evaluation.plans import plan_routes
from unsession.web.admin.evaluation.results import result_routes

__all__ = ["plan_routes", "result_routes"]
