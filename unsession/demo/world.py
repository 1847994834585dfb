"""The whole demo: two workspaces with three events, in the middle of their preparations."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from unsession.db.engine import Database
from unsession.demo.casting import cast_submissions
from unsession.demo.content import cast, events
from unsession.demo.content.shapes import EventText
from unsession.demo.decisions import add_decisions, add_queue
from unsession.demo.history import By, History
from unsession.demo.links import add_signin_links
from unsession.demo.programme import add_programme, add_speakers
from unsession.demo.publishing import Publishing
from unsession.demo.reviewing import add_reviews
from unsession.demo.rows import Rows
from unsession.demo.stage import add_stage
from unsession.demo.submissions import add_submissions
from unsession.demo.tasks import add_tasks
from unsession.demo.team import (
    add_member,
    add_northlight,
    add_reviewers,
    add_token,
    add_user,
    add_workspace,
)
from unsession.domain.people import TokenScope, WorkspaceRole

MOST_SUBMISSIONS = 10_000


@dataclass(frozen=True, slots=True)
class DemoWorld:
    """Where to look, and the secrets of the tokens, which stand nowhere else."""

    event: str
    other_event: str
    tokens: dict[str, str]  #: read, write, eventRead, eventWrite, otherWorkspace -> secret
    signin: dict[str, str]  #: organizer, reviewer, speaker -> secret of a link that signs in


async def build(
    db: Database,
    *,
    submissions: int = 60,
    seed: int = 1,
    now: dt.datetime,
    secret_key: bytes = b"",
) -> DemoWorld:
    """Fill an empty, migrated database in one transaction.

    ``submissions`` scales the main event, up to 10,000; from 20 on every status and every
    peculiar submission is there. The same seed and number give the same titles, names, statuses
    and scores, dated relative to ``now``; ids and secrets are new each time. With the
    installation's ``secret_key`` there are links that sign in, any number of times.
    """
    if not 1 <= submissions <= MOST_SUBMISSIONS:
        raise ValueError(f"a demo has 1 to {MOST_SUBMISSIONS:,} submissions, not {submissions:,}")
    rows = Rows()
    begun_at = now - dt.timedelta(days=60)
    home = add_northlight(rows, begun_at)
    noor = add_user(rows, cast.NOOR.name, cast.SPEAKER, begun_at, "Asia/Amman")
    accounts = {cast.SPEAKER: str(noor.user_id)}
    history = History(home.workspace_id)
    people = _People(home.owner, home.organizer, accounts)
    released_at = now - dt.timedelta(days=10)
    publishing = _add_event(
        rows, history, events.DEVCONF, submissions, people, seed, now, released_at
    )
    devconf = publishing.stage
    _add_event(rows, history, events.PYDAY, len(events.PYDAY.talks), people, seed, now)
    tokens = {
        key: add_token(rows, history, home.owner, name, scope, event_id, now)
        for key, name, scope, event_id in (
            ("read", "Demo read", TokenScope.READ, None),
            ("write", "Demo write", TokenScope.WRITE, None),
            ("eventRead", "Demo event read", TokenScope.READ, devconf.event_id),
            ("eventWrite", "Demo event write", TokenScope.WRITE, devconf.event_id),
        )
    }
    tokens["otherWorkspace"] = _add_harbour(rows, accounts, seed, now)
    async with db.write() as session:
        await rows.write(session)
        await publishing.carry_out(session, db, history, home.organizer)
        record = Rows()
        history.add_chain(record)
        await record.write(session)
        signin = await add_signin_links(session, secret_key, now) if secret_key else {}
    return DemoWorld(events.DEVCONF.slug, events.PYDAY.slug, tokens, signin)


@dataclass(frozen=True, slots=True)
class _People:
    owner: By
    organizer: By
    accounts: Mapping[str, str]  #: folded address -> user


def _add_event(
    rows: Rows,
    history: History,
    text: EventText,
    count: int,
    people: _People,
    seed: int,
    now: dt.datetime,
    released_at: dt.datetime | None = None,
) -> Publishing:
    """One event from its set-up to its programme: a draft, or to be released and then changed."""
    rng = Random(f"{seed}:{text.slug}")
    casts = cast_submissions(text, count, rng, now)
    stage = add_stage(rows, history, text, people.owner, now)
    speakers = add_speakers(rows, stage, casts, people.accounts)
    given = add_submissions(rows, history, stage, casts, people.accounts, speakers, rng)
    add_decisions(rows, history, stage, given, people.organizer)
    later = add_programme(rows, stage, given, speakers, rng, now, released_at)
    reviewers = add_reviewers(rows, stage.event_id, text.reviewers, now - dt.timedelta(days=30))
    organizer, chance = people.organizer, Random(f"{seed}:{text.slug}:afterwards")
    add_reviews(rows, history, stage, given, reviewers, organizer, chance, now)
    add_tasks(rows, history, stage, casts, speakers, people.accounts, organizer, chance, now)
    if released_at is not None:
        add_queue(rows, history, stage, given, organizer, now)
    return Publishing(stage, released_at or now, later)


def _add_harbour(rows: Rows, accounts: Mapping[str, str], seed: int, now: dt.datetime) -> str:
    """The other workspace; gives back the secret of its token."""
    begun_at = now - dt.timedelta(days=60)
    history = History(add_workspace(rows, "Harbour Meetups", "harbour", begun_at))
    owner = add_user(
        rows, cast.HARBOUR_OWNER_NAME, cast.HARBOUR_OWNER, begun_at, "Pacific/Auckland"
    )
    add_member(rows, history.workspace_id, owner, WorkspaceRole.OWNER, begun_at)
    people = _People(owner, owner, accounts)
    _add_event(rows, history, events.HARBOUR, len(events.HARBOUR.talks), people, seed, now)
    secret = add_token(rows, history, owner, "Demo other workspace", TokenScope.WRITE, None, now)
    history.add_chain(rows)
    return secret
