"""How to reach a goal with the operations: recipes an agent can follow and check."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from unsession.access import Permission
from unsession.catalogue import OPERATIONS, Input, get, operation
from unsession.context import Context
from unsession.domain.text import fold

_WORD = re.compile(r"\w{4,}")  # shorter ones tell nothing apart


@dataclass(frozen=True, slots=True)
class Recipe:
    """A goal, the operations in order, an example call, what goes wrong, how to check."""

    key: str
    goal: str
    operations: tuple[str, ...]
    example_of: str  #: the one of the operations that the example calls
    example: str
    pitfalls: str
    check: str
    words: str  #: how else people say it


RECIPES = (
    Recipe(
        "undecided-best",
        "Show the highest-scoring submissions nobody has decided on",
        ("list_events", "list_submissions"),
        "list_submissions",
        '{"event": "devconf-2027", "undecided": true, "sort": "score", "limit": 5}',
        "A mean of one review says little: look at score.reviews and score.spread too.",
        "Every row is in_review and has no queuedDecision.",
        "best top undecided open scored score",
    ),
    Recipe(
        "thin-tracks",
        "Find the thinnest tracks",
        ("get_event",),
        "get_event",
        '{"event": "devconf-2027"}',
        "counts.tracks leaves drafts and withdrawn submissions out.",
        "The numbers add up to those submissions that chose a track.",
        "thin few fewest topics balance counts",
    ),
    Recipe(
        "decide-and-tell-later",
        "Decide many submissions and tell the speakers together",
        ("list_submissions", "queue_decision", "get_outbox", "send_outbox"),
        "queue_decision",
        '{"submission": "SUB-12", "event": "devconf-2027", "decision": "accept"}',
        "send_outbox mails: preview it with dryRun and let a person read the effects first.",
        "get_outbox is empty afterwards; each submission has its new status.",
        "accept decline reject waitlist notify outbox batch bulk",
    ),
    Recipe(
        "speakers-owing",
        "Chase accepted speakers who have not done a task",
        ("list_speakers", "list_tasks", "assign_task"),
        "list_tasks",
        '{"event": "devconf-2027", "overdue": true}',
        "assign_task mails one digest a speaker unless sendEmail is false.",
        "list_tasks with overdue: true gets shorter.",
        "remind reminder overdue late missing owe",
    ),
    Recipe(
        "without-slides",
        "Find speakers who have not handed in their slides or another task",
        ("list_task_templates", "list_speakers"),
        "list_speakers",
        '{"event": "devconf-2027", "task": "Slides", "state": "open"}',
        "Name the task as list_task_templates spells it. open includes overdue; overdue alone is a "
        "state too.",
        "Nobody listed has that task under tasks.done; total is the count.",
        "slides missing without upload files agreement",
    ),
    Recipe(
        "sponsor-slot",
        "Add a sponsor session on a day, in a room",
        ("get_event", "create_session"),
        "create_session",
        '{"event": "devconf-2027", "kind": "sponsor", "title": "Acme: what we learnt", '
        '"sponsorName": "Acme", "minutes": 30, "day": 2, "start": "14:00", "room": "Studio B"}',
        "A clash is a warning, not a refusal: read warnings before you go on.",
        "get_session shows the slot; its clashes are empty.",
        "sponsor keynote break service create",
    ),
    Recipe(
        "move-a-session",
        "Move a session and say whom it affects",
        ("list_sessions", "schedule_session", "get_session"),
        "schedule_session",
        '{"session": "Async Python after the honeymoon", "event": "devconf-2027", "day": 1, '
        '"start": "11:00", "dryRun": true}',
        "A move shows in public only with the next publish_agenda.",
        "The answer names the clashes and, in affected, the people to tell.",
        "reschedule swap another room time slot affects clash",
    ),
    Recipe(
        "publish",
        "Publish the agenda",
        ("list_sessions", "publish_agenda", "get_agenda"),
        "publish_agenda",
        '{"event": "devconf-2027", "changelog": "Two new talks", "dryRun": true}',
        "Pending sessions are left out; the warning says how many. Mail goes out unless "
        "sendEmail is false.",
        "get_agenda shows the new release number.",
        "release announce public live schedule",
    ),
    Recipe(
        "compare-with-a-text",
        "Compare the agenda with a text, a spreadsheet or a web page somebody sent",
        ("get_agenda", "list_sessions", "schedule_session"),
        "get_agenda",
        '{"event": "devconf-2027"}',
        "get_agenda is what the public sees; list_sessions is the working schedule, which may be "
        "ahead of it. Compare title, date, start, end, room and speakers; a missing line is a "
        "difference too. Change nothing before a person has chosen which side is right.",
        "Every session of one side stands in the other or in your list of differences.",
        "diff compare differences check spreadsheet website",
    ),
    Recipe(
        "change-a-form",
        "Change what a form asks, or ask again what it asked before",
        ("list_form_versions", "update_form_schema", "restore_form_version"),
        "list_form_versions",
        '{"event": "devconf-2027", "form": "call-for-speakers", "number": 1}',
        "These tools are listed by ?profile=collect and ?profile=all, and answer in every profile. "
        "update_form_schema takes the whole list of fields: keep each id, or its answers are lost "
        "from sight.",
        "get_form shows the new fields; submissions keep the version they were given on.",
        "form field question builder version ask",
    ),
    Recipe(
        "let-in-late",
        "Let one person submit although the form is closed",
        ("list_late_links", "create_late_link", "revoke_late_link"),
        "create_late_link",
        '{"event": "devconf-2027", "form": "call-for-speakers", "note": "Ana", "maxUses": 1}',
        "These tools are listed by ?profile=collect and ?profile=all, and answer in every profile. "
        "The link stands in secret and is shown this once: give it to the person who asked.",
        "list_late_links shows it with works: true; after the submission, with uses: 1.",
        "late deadline closed missed extension exception link",
    ),
    Recipe(
        "files",
        "Find the files people sent, or take one away",
        ("list_files", "get_file", "delete_file", "undo"),
        "list_files",
        '{"event": "devconf-2027"}',
        "These tools are listed by ?profile=collect, ?profile=speakers and ?profile=all, and "
        "answer in every profile. A url opens only for whoever is signed in there.",
        "list_files has the file no more; undo brings it back.",
        "file upload attachment slides document photo download delete remove",
    ),
    Recipe(
        "bring-submissions-in",
        "Bring submissions in from a spreadsheet or another system, or take them out",
        ("get_form", "import_submissions", "export_submissions", "get_job"),
        "export_submissions",
        '{"event": "devconf-2027", "form": "call-for-speakers"}',
        "These tools are listed by ?profile=collect and ?profile=all, and answer in every profile. "
        "Preview with dryRun and read the skipped rows first; a key column makes a second import "
        "update instead of doubling.",
        "The same table again says unchanged for every row.",
        "import export csv spreadsheet excel migrate sessionize pretalx",
    ),
    Recipe(
        "change-the-speakers",
        "Add, take away or reorder the speakers of a submission",
        ("get_submission", "set_submission_speakers"),
        "set_submission_speakers",
        '{"submission": "SUB-12", "event": "devconf-2027", "speakers": [{"name": "Ana Lima", '
        '"address": "ana@example.org"}]}',
        "This tool is listed by ?profile=collect and ?profile=all, and answers in every profile. "
        "It takes all of them in order: whoever is not named is taken away.",
        "get_submission shows them in that order; an accepted one's session keeps its line-up.",
        "speaker speakers cospeaker replace remove order role",
    ),
    Recipe(
        "take-back",
        "Take a change back",
        ("list_activity", "undo"),
        "undo",
        '{"activity": "act_…"}',
        "Mail that has left is not undone. Something changed since is named and refused.",
        "list_activity shows the undo with undoes.",
        "undo revert restore mistake wrong back",
    ),
)


class HowTo(Input):
    """A goal in words, or a recipe's key."""

    goal: (
        Annotated[
            str, Meta(min_length=1, max_length=200, description="What you want, or a recipe's key.")
        ]
        | UnsetType
    ) = UNSET


class RecipeShown(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A recipe; the steps only when it was asked for. ``example`` is a call of ``example_of``."""

    key: str
    goal: str
    operations: Sequence[str] | UnsetType = UNSET
    example_of: str | UnsetType = UNSET
    example: str | UnsetType = UNSET
    pitfalls: str | UnsetType = UNSET
    check: str | UnsetType = UNSET


class Recipes(msgspec.Struct, frozen=True):
    """Recipes, the best match first."""

    recipes: Sequence[RecipeShown]


@operation(title="How to do something", rest=get("/how-to"), needs=Permission.SELF_READ)
async def how_to(ctx: Context, args: HowTo) -> Recipes:
    """Say which operations reach a goal, in order, with an example, pitfalls and a check.

    Without a goal: the list of recipes. With one: the best three in full.
    """
    known = [r for r in RECIPES if all(name in OPERATIONS for name in r.operations)]
    if args.goal is UNSET:
        return Recipes([RecipeShown(recipe.key, recipe.goal) for recipe in known])
    best = sorted(known, key=lambda recipe: -_fit(recipe, args.goal or ""))[:3]
    return Recipes(
        [
            RecipeShown(r.key, r.goal, r.operations, r.example_of, r.example, r.pitfalls, r.check)
            for r in best
        ]
    )


def _fit(recipe: Recipe, goal: str) -> float:
    """How well a recipe fits words: those it shares first, likeness of the letters second."""
    wanted, offered = fold(goal), fold(f"{recipe.key} {recipe.goal}")
    asked = set(_WORD.findall(wanted))
    shared = asked & set(_WORD.findall(offered))
    telling = asked & set(recipe.words.split())
    likeness = SequenceMatcher(None, wanted, offered).ratio()
    return len(shared) + 2 * len(telling) + likeness + (wanted == recipe.key) * 9
