"""Profiles: shorter lists of tools for one kind of work, chosen in the address.

Listing is never reach: a tool outside the profile still answers when it is called.
"""

from enum import StrEnum


class Profile(StrEnum):
    """``/api/mcp?profile=…``; without one, the usual."""

    USUAL = "usual"
    CORE = "core"
    REVIEW = "review"
    PROGRAM = "program"
    SPEAKERS = "speakers"
    COLLECT = "collect"
    ALL = "all"


#: Wanted in every kind of work: where one stands, how to begin, how to go back.
_EVERYWHERE = frozenset(
    {
        "how_to",
        "whoami",
        "search",
        "list_events",
        "get_event",
        "list_activity",
        "undo",
        "get_approval",
        "get_job",
        "cancel_job",
    }
)

_CORE = frozenset(
    {
        "how_to",
        "whoami",
        "list_events",
        "get_event",
        "list_forms",
        "list_submissions",
        "get_submission",
        "list_sessions",
        "get_session",
        "list_speakers",
        "get_agenda",
        "list_tasks",
        "create_submission",
        "update_submission",
        "decide_submission",
        "create_session",
        "update_session",
        "schedule_session",
        "update_speaker",
        "assign_task",
        "complete_task",
    }
)

_REVIEW = _EVERYWHERE | frozenset(
    {
        "list_submissions",
        "get_submission",
        "update_submission",
        "list_evaluation_plans",
        "save_evaluation_plan",
        "close_evaluation_plan",
        "assign_reviewers",
        "get_evaluation_scores",
        "my_reviews",
        "submit_review",
        "abstain",
        "decide_submission",
        "queue_decision",
        "remove_from_outbox",
        "get_outbox",
        "send_outbox",
        "confirm_on_behalf",
        "withdraw_submission",
        "restore_submission",
        "list_forms",
        "get_form",
    }
)

_PROGRAM = _EVERYWHERE | frozenset(
    {
        "list_submissions",
        "get_submission",
        "list_sessions",
        "get_session",
        "create_session",
        "update_session",
        "schedule_session",
        "publish_agenda",
        "get_agenda",
        "list_speakers",
        "save_room",
        "delete_room",
        "create_taxonomy",
        "save_taxonomy_option",
        "delete_taxonomy_option",
        "update_event",
    }
)

_SPEAKERS = _EVERYWHERE | frozenset(
    {
        "list_submissions",
        "get_submission",
        "list_sessions",
        "get_session",
        "list_speakers",
        "get_speaker",
        "update_speaker",
        "confirm_on_behalf",
        "list_tasks",
        "list_task_templates",
        "save_task_template",
        "assign_task",
        "complete_task",
        "reopen_task",
        "list_files",
        "get_file",
        "delete_file",
        "list_email_log",
        "get_email",
    }
)

#: Seldom asked for: left out of the usual list, which clients read before anything else and which
#: must stay short; `collect` and `all` have them, and how_to says where they are.
RARE = frozenset(
    {
        "create_late_link",
        "delete_file",
        "delete_form",
        "import_submissions",
        "tag_submissions",
        "list_comments",
        "comment_on_submission",
        "export_submissions",
        "duplicate_form",
        "get_file",
        "list_files",
        "list_form_versions",
        "list_late_links",
        "restore_form_version",
        "revoke_late_link",
        "set_submission_speakers",
        "update_form_schema",
    }
)

_COLLECT = (
    _EVERYWHERE
    | RARE
    | frozenset(
        {
            "list_forms",
            "get_form",
            "create_form",
            "update_form",
            "list_submissions",
            "get_submission",
            "create_submission",
            "update_submission",
            "withdraw_submission",
            "restore_submission",
            "list_email_log",
        }
    )
)

NAMES_OF = {
    Profile.CORE: _CORE,
    Profile.REVIEW: _REVIEW,
    Profile.PROGRAM: _PROGRAM,
    Profile.SPEAKERS: _SPEAKERS,
    Profile.COLLECT: _COLLECT,
}


def shows(profile: Profile, operation: str) -> bool:
    """Whether a profile's list has a tool."""
    if profile is Profile.USUAL:
        return operation not in RARE
    names = NAMES_OF.get(profile)
    return names is None or operation in names
