"""Submissions as organisers see them: the list, one of them, their decisions, tables in and out."""

from litestar.handlers import HTTPRouteHandler

from unsession.web.admin.submissions.listed import list_routes
from unsession.web.admin.submissions.one import one_routes
from unsession.web.admin.submissions.porting import porting_routes
from unsession.web.admin.submissions.words import DECISION_WORDS, STATUS_WORDS
from unsession.web.house import House

__all__ = ["DECISION_WORDS", "STATUS_WORDS", "submission_routes"]


def submission_routes(house: House) -> list[HTTPRouteHandler]:
    """The list, one submission, and the acts on both."""
    return [*list_routes(house), *one_routes(house), *porting_routes(house)]
