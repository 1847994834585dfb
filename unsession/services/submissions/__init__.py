"""Submissions: the list, and one with everything that belongs to it."""

from unsession.services.submissions import commenting, tagging
from unsession.services.submissions.full import (
    Answer,
    Entry,
    GetSubmission,
    SubmissionFull,
    TypedSpeaker,
    full_submission,
    get_submission,
)
from unsession.services.submissions.listed import (
    ListSubmissions,
    Option,
    Score,
    Sort,
    SubmissionRow,
    list_submissions,
)

__all__ = [
    "Answer",
    "Entry",
    "GetSubmission",
    "ListSubmissions",
    "Option",
    "Score",
    "Sort",
    "SubmissionFull",
    "SubmissionRow",
    "TypedSpeaker",
    "commenting",
    "full_submission",
    "get_submission",
    "list_submissions",
    "tagging",
]
