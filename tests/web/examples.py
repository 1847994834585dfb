"""At least one call that works for every operation with a route, on the world of tests/world.py.

The tests that go through the whole catalogue take their calls from here; an operation without an
example fails them by name.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from tests.web.door import Door
from tests.world import NORTH
from unsession.access import ActorKind
from unsession.catalogue import OPERATIONS, Operation
from unsession.db.types import utc_now
from unsession.models import Approval, File, Job


class Example(NamedTuple):
    """One call: wire arguments as MCP takes them, whose token, and what is done before it.

    An argument such as ``{0.items.-1.id}`` is taken from the answers of what is done ``first``.
    """

    arguments: Mapping[str, Any]
    token: str = "writer"
    first: "Sequence[tuple[str, Example]]" = ()


DEVCONF = {"event": "devconf-2027"}
TRIO = {"submission": "sub_trio"}
ASYNC = {"session": "ses_async"}


def _a(arguments: Mapping[str, Any], **more: Any) -> Example:
    return Example(arguments, **more)


QUEUED = ("queue_decision", _a({**TRIO, "decision": "accept"}))
ONLY_TRIO = _a({**DEVCONF, "submissions": ["sub_trio"]})
#: A plan of two criteria with Mei on its panel, who is to review SUB-2.
PLAN = (
    "save_evaluation_plan",
    _a(
        {
            **DEVCONF,
            "name": "Third round",
            "phase": 3,
            "criteria": [{"name": "Clarity"}, {"name": "Depth", "weight": 2}],
            "reviewers": [{"address": "mei@example.org"}],
        }
    ),
)
ASSIGNED = (
    PLAN,
    (
        "assign_reviewers",
        _a(
            {
                **DEVCONF,
                "plan": "Third round",
                "assign": [{"submission": "sub_trio", "reviewer": "mei@example.org"}],
            }
        ),
    ),
)
IMPORT = (
    "Title,Abstract,Track,Format,Name,Email\n"
    "Brought in,From elsewhere,Web,Talk,Ana,ana@example.org\n"
)
INVITED = (
    "invite_teammate",
    _a({"address": "new@example.org", "role": "organizer"}, token="owner"),
)
TASK = (
    "assign_task",
    _a({**DEVCONF, "oneOff": {"name": "Bring a pen", "kind": "checkbox"}, "speakers": ["spk_ana"]}),
)
PEN = {"task": "Bring a pen", **DEVCONF}
TEMPLATE = (
    "save_task_template",
    _a({**DEVCONF, "name": "Photo", "kind": "checkbox", "target": "speaker"}),
)
DECIDED = ("decide_submission", _a({"submission": "sub_review", "decision": "accept"}))

EXAMPLES: dict[str, tuple[Example, ...]] = {
    "whoami": (_a({}), _a({}, token="event-reader"), _a({}, token="mei")),
    "how_to": (_a({}), _a({"goal": "publish"})),
    "search": (_a({"q": "async"}), _a({"q": "ana", **DEVCONF})),
    "undo": (
        _a({}, first=[DECIDED]),
        _a({"activity": "{0.activityId}"}, first=[DECIDED]),
    ),
    "tag_submissions": (_a({**DEVCONF, "submissions": ["SUB-1", "SUB-2"], "add": ["keynote"]}),),
    "list_comments": (_a({"submission": "SUB-1", **DEVCONF}),),
    "comment_on_submission": (
        _a({"submission": "SUB-1", **DEVCONF, "body": "Let us ask her.", "tell": ["Ines Duarte"]}),
    ),
    "import_submissions": (_a({**DEVCONF, "form": "talks", "text": IMPORT}),),
    "export_submissions": (_a({**DEVCONF, "form": "talks"}),),
    "get_job": (_a({"job": "job_waiting"}),),
    "cancel_job": (_a({"job": "job_waiting"}),),
    "get_approval": (_a({"approval": "apr_waiting"}),),
    # Events and their set-up.
    "list_events": (_a({}), _a({"limit": 1})),
    "get_event": (_a(DEVCONF), _a({"event": "evt_pyday"})),
    "create_event": (
        _a(
            {
                "name": "PyNight",
                "slug": "pynight",
                "startsOn": "2027-10-01",
                "endsOn": "2027-10-02",
                "zone": "Europe/Lisbon",
            },
            token="owner",
        ),
    ),
    "update_event": (
        _a({**DEVCONF, "name": "DevConf 27", "clear": ["venue"]}),
        _a({**DEVCONF, "confirmedBy": "all", "version": 1}),
    ),
    "save_room": (
        _a({**DEVCONF, "name": "Attic", "capacity": 20}),
        _a({**DEVCONF, "room": "Lab", "name": "Laboratory", "version": 1}),
    ),
    "delete_room": (_a({**DEVCONF, "room": "Lab"}),),
    "create_taxonomy": (_a({**DEVCONF, "key": "audience", "name": "Audience"}),),
    "save_taxonomy_option": (
        _a({**DEVCONF, "taxonomy": "format", "name": "Panel", "minutes": 45}),
        _a({**DEVCONF, "taxonomy": "track", "option": "Web", "name": "The web", "version": 1}),
    ),
    "delete_taxonomy_option": (
        _a(
            {**DEVCONF, "taxonomy": "level", "option": "Expert"},
            first=[
                ("save_taxonomy_option", _a({**DEVCONF, "taxonomy": "level", "name": "Expert"}))
            ],
        ),
    ),
    "list_activity": (_a(DEVCONF), _a({**DEVCONF, "limit": 1}, first=[DECIDED])),
    # Forms and submissions.
    "list_forms": (_a(DEVCONF),),
    "get_form": (_a({**DEVCONF, "form": "talks"}),),
    "create_form": (_a({**DEVCONF, "name": "Lightning talks"}),),
    "update_form": (
        _a({**DEVCONF, "form": "talks", "status": "closed", "intro": "Thank you."}),
        _a({**DEVCONF, "form": "talks", "clear": ["opensAt"], "version": 1}),
    ),
    "list_form_versions": (
        _a({**DEVCONF, "form": "talks"}),
        _a({**DEVCONF, "form": "talks", "number": 1}),
    ),
    "update_form_schema": (
        _a(
            {
                **DEVCONF,
                "form": "talks",
                "fields": [
                    {"type": "TXT", "label": "Title", "role": "title", "required": True},
                    {
                        "type": "SEL",
                        "label": "First time?",
                        "id": "first",
                        "options": [{"label": "Yes", "id": "yes"}, {"label": "No", "id": "no"}],
                    },
                    {
                        "type": "LONG",
                        "label": "Tell us",
                        "id": "tell",
                        "when": {"tests": [{"field": "first", "value": "yes"}]},
                    },
                    {"type": "GRP", "label": "Speakers", "role": "speakers", "required": True},
                ],
            }
        ),
    ),
    "restore_form_version": (_a({**DEVCONF, "form": "talks", "number": 1}),),
    "duplicate_form": (_a({**DEVCONF, "form": "talks"}),),
    "delete_form": (
        _a(
            {**DEVCONF, "form": "{0.id}"},
            first=[("create_form", _a({**DEVCONF, "name": "Unused"}))],
        ),
    ),
    "set_submission_speakers": (
        _a(
            {
                "submission": "sub_review",
                "speakers": [
                    {"name": "Ana Lima", "address": "ana@example.org"},
                    {"name": "Kofi", "address": "kofi@example.org", "role": "moderator"},
                ],
            }
        ),
    ),
    "create_late_link": (
        _a({**DEVCONF, "form": "talks", "note": "Ana, whose train stood"}),
        _a({**DEVCONF, "form": "talks", "maxUses": 1, "expiresAt": "2099-03-02"}),
    ),
    "list_late_links": (
        _a(
            {**DEVCONF, "form": "talks"},
            first=[("create_late_link", _a({**DEVCONF, "form": "talks", "note": "Ana"}))],
        ),
    ),
    "revoke_late_link": (
        _a(
            {**DEVCONF, "form": "talks", "link": "{0.id}"},
            first=[("create_late_link", _a({**DEVCONF, "form": "talks", "note": "Ana"}))],
        ),
    ),
    "list_files": (_a(DEVCONF), _a({**DEVCONF, "subject": "sub_trio", "limit": 1})),
    "get_file": (_a({"file": "fil_slides"}),),
    "delete_file": (_a({"file": "fil_slides"}), _a({"file": "fil_slides", "version": 1})),
    "list_submissions": (
        _a(DEVCONF),
        _a({**DEVCONF, "limit": 2, "sort": "score"}),
        _a({**DEVCONF, "status": "draft"}),
        _a({**DEVCONF, "status": "in_review", "track": "Web", "q": "ana", "undecided": True}),
        _a({**DEVCONF, "form": "talks", "plan": "First round", "minScore": 2.5}),
        _a({**DEVCONF, "q": "nothing has this title"}),
    ),
    "get_submission": (
        _a({"submission": "SUB-2", **DEVCONF}),
        _a({"submission": "sub_accepted"}),
        _a({"submission": "sub_draft"}),
        _a({"submission": "devconf-2027/SUB-5"}),
        _a({"submission": "Naïve Bayes à la carte"}),
    ),
    "create_submission": (
        _a(
            {
                **DEVCONF,
                "form": "talks",
                "title": "On behalf",
                "status": "draft",
                "speakers": [{"name": "Ada", "address": "ada@example.org"}],
            }
        ),
        _a(
            {
                **DEVCONF,
                "form": "talks",
                "title": "On behalf, and told",
                "abstract": "Told.",
                "speakers": [{"name": "Ada", "address": "ada@example.org"}],
                "notify": True,
            }
        ),
    ),
    "update_submission": (_a({**TRIO, "title": "Three voices", "clear": ["track"]}),),
    # Decisions and what follows them.
    "decide_submission": (
        _a({"submission": "sub_review", "decision": "accept"}),
        _a({**TRIO, "decision": "accept", "sendEmail": False}),
        _a({"submission": "SUB-3", "decision": "decline", **DEVCONF}),
        _a({"submission": "WTLAAA", "decision": "accept", "version": 1}),
        _a({"submission": "sub_declined", "decision": "decline"}),
        _a({**TRIO, "decision": "waitlist"}, first=[QUEUED]),
    ),
    "withdraw_submission": (
        _a({"submission": "sub_accepted", "reason": "Ill."}),
        _a({**TRIO, "version": 1}),
    ),
    "restore_submission": (_a({"submission": "sub_withdrawn"}),),
    "queue_decision": (_a({**TRIO, "decision": "decline", "feedback": "Next year."}),),
    "remove_from_outbox": (_a(TRIO, first=[QUEUED]),),
    "get_outbox": (_a(DEVCONF), _a(DEVCONF, first=[QUEUED])),
    "send_outbox": (ONLY_TRIO._replace(first=[QUEUED]), _a(DEVCONF, first=[QUEUED])),
    "confirm_on_behalf": (
        _a({"session": "Typing the untyped", **DEVCONF}, first=[DECIDED]),
        _a({"session": "Typing the untyped", "comes": False, "reason": "No."}, first=[DECIDED]),
    ),
    "list_email_log": (_a(DEVCONF), _a({**DEVCONF, "status": "queued"}, first=[DECIDED])),
    "get_email": (_a({"email": "{0.effects.-1.subject}"}, first=[DECIDED]),),
    # Reviews.
    "list_evaluation_plans": (_a(DEVCONF),),
    "save_evaluation_plan": (
        PLAN[1],
        _a({**DEVCONF, "plan": "Final round", "name": "Last round", "reviewsPerSubmission": 2}),
    ),
    "close_evaluation_plan": (_a({**DEVCONF, "plan": "Final round"}),),
    "assign_reviewers": (
        ASSIGNED[1][1]._replace(first=[PLAN]),
        _a(
            {
                **DEVCONF,
                "plan": "Third round",
                "assign": [
                    {"submission": one, "reviewer": "mei@example.org"}
                    for one in ("sub_trio", "sub_review")
                ],
            },
            first=[PLAN],
        ),
    ),
    "get_evaluation_scores": (
        _a(DEVCONF),
        _a({**DEVCONF, "plan": "First round", "sort": "spread", "limit": 1}),
    ),
    "my_reviews": (_a({}, token="mei"), _a({"state": "open"}, token="mei", first=ASSIGNED)),
    "submit_review": (
        _a(
            {
                **TRIO,
                "scores": [
                    {"criterion": "Clarity", "value": 4},
                    {"criterion": "Depth", "value": 2},
                ],
                "note": "Good.",
            },
            token="mei",
            first=ASSIGNED,
        ),
    ),
    "abstain": (_a({**TRIO, "reason": "We work together."}, token="mei", first=ASSIGNED),),
    # The programme.
    "list_sessions": (
        _a(DEVCONF),
        _a({**DEVCONF, "kind": "talk", "placed": True, "confirmed": True, "q": "tears"}),
    ),
    "get_session": (_a(ASYNC), _a({"session": "SESAAA", **DEVCONF})),
    "create_session": (
        _a({**DEVCONF, "kind": "service", "title": "Lunch", "minutes": 60}),
        _a(
            {
                **DEVCONF,
                "kind": "talk",
                "title": "Keynote",
                "day": 1,
                "start": "10:15",
                "room": "Main hall",
                "speakers": [{"speaker": "spk_ana"}],
            }
        ),
    ),
    "update_session": (
        _a({**ASYNC, "title": "Async with joy", "minutes": 45, "version": 1}),
        _a({**ASYNC, "clear": ["slot"]}),
    ),
    "schedule_session": (
        _a({**ASYNC, "day": "2027-05-21", "start": "09:30", "room": "Lab"}),
        _a({**ASYNC, "unschedule": True}),
    ),
    "get_agenda": (_a({"event": "pyday-2027"}), _a({"event": "pyday-2027", "release": 1})),
    "publish_agenda": (
        _a(DEVCONF),
        _a({**DEVCONF, "changelog": "First.", "sendEmail": False}),
    ),
    # Speakers and their tasks.
    "list_speakers": (_a(DEVCONF), _a({**DEVCONF, "q": "ana", "limit": 1})),
    "get_speaker": (_a({"speaker": "spk_ana"}), _a({"speaker": "Sam Oduya", **DEVCONF})),
    "update_speaker": (
        _a({"speaker": "spk_ana", "company": "Tema Labs", "version": 1}),
        _a({"speaker": "spk_ana", "clear": ["bio"]}),
    ),
    "list_task_templates": (_a(DEVCONF), _a(DEVCONF, first=[TEMPLATE])),
    "save_task_template": (TEMPLATE[1],),
    "assign_task": (
        TASK[1],
        _a({**DEVCONF, "template": "Photo", "speakers": ["spk_ana"]}, first=[TEMPLATE]),
    ),
    "list_tasks": (_a(DEVCONF), _a({**DEVCONF, "status": "open"}, first=[TASK])),
    "complete_task": (_a({**PEN, "note": "A blue one."}, first=[TASK]),),
    "reopen_task": (_a(PEN, first=[TASK, ("complete_task", _a(PEN))]),),
    # The team.
    "list_team": (_a({}), _a({"workspace": "north"}), _a(DEVCONF)),
    "invite_teammate": (
        INVITED[1],
        _a({"address": "r@example.org", "role": "reviewer", **DEVCONF}, token="owner"),
    ),
    "revoke_invite": (_a({"invitation": "new@example.org"}, token="owner", first=[INVITED]),),
    "change_role": (_a({"person": "Ravi Menon", "role": "admin"}, token="owner"),),
    "remove_member": (
        _a({"person": "ravi@example.org"}, token="owner"),
        _a({"person": "Mei Tanaka", **DEVCONF}, token="owner"),
    ),
}


#: Tokens that examples are called with besides the world's, and whose they are.
PEOPLE = {"owner": "usr_ines", "mei": "usr_mei"}


async def admit_people(door: Door) -> None:
    """Let in whoever gives an example, let one thing wait for a person, and have one file."""
    for token, user in PEOPLE.items():
        await door.add_token(token, user=user)
    waiting = Approval(
        id="apr_waiting",
        token_id="tok_writer",
        workspace_id=NORTH,
        operation="send_outbox",
        arguments='{"event":"devconf-2027"}',
        digest="of another call",
        plan_text="Send the outbox: Outbox sent: 0 decisions",
        plan_digest="of another plan",
        expires_at=utc_now() + dt.timedelta(days=7),
    )
    job = Job(
        id="job_waiting",
        workspace_id=NORTH,
        event_id="evt_devconf",
        operation="update_submission",
        title="Submissions brought in",
        actor_kind=ActorKind.TOKEN,
        actor_id="tok_writer",
        actor_name="api:writer",
        batch_id="act_waiting",
        total=3,
        due_at=utc_now(),
    )
    file = File(
        id="fil_slides",
        event_id="evt_devconf",
        subject_type="submission",
        subject_id="sub_trio",
        slot="slides/fil_slides",
        number=1,
        sha256="ab" * 32,
        filename="slides.pdf",
        media_type="application/pdf",
        size=3,
        uploaded_by="Ana Lima",
    )
    async with door.house.db.write() as session:
        session.add_all([waiting, job, file])


def offered() -> list[Operation]:
    """The operations that agents and scripts can call."""
    return [operation for operation in OPERATIONS.values() if operation.route is not None]


def examples_of(operation: Operation) -> tuple[Example, ...]:
    """The example calls of an operation; a test without any fails here."""
    found = EXAMPLES.get(operation.name, ())
    if not found:
        pytest.fail(f"{operation.name} has no example call: add one to tests/web/examples.py.")
    return found


async def prepared(door: Door, example: Example) -> dict[str, Any]:
    """The arguments of an example, after all that is done before it."""
    answers = []
    for name, earlier in example.first:
        result = await door.tool(name, earlier.arguments, token=earlier.token)
        assert result["isError"] is False, (name, result)
        answers.append(result["structuredContent"])
    return {name: _filled(value, answers) for name, value in example.arguments.items()}


def _filled(value: Any, answers: Sequence[Any]) -> Any:
    if not isinstance(value, str) or not value.startswith("{"):
        return value
    found: Any = answers
    for part in value.strip("{}").split("."):
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found
