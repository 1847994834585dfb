"""A small world with known right values: the same rows, ids and instants in every test."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from unsession.access import EVERYTHING, READ_ONLY, Actor, ActorKind, Role
from unsession.db.engine import Database
from unsession.domain.evaluation import PlanStatus
from unsession.domain.forms import FormStatus
from unsession.domain.people import EventRole, TokenScope, WorkspaceRole
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold, fold_address
from unsession.models import (
    Counter,
    EvaluationPlan,
    Event,
    EventDay,
    EventMember,
    Form,
    FormVersion,
    Membership,
    Model,
    Placement,
    Release,
    Room,
    Schedule,
    Session,
    SessionSpeaker,
    Speaker,
    Submission,
    SubmissionOption,
    SubmissionScore,
    SubmissionSpeaker,
    Taxonomy,
    TaxonomyOption,
    Token,
    User,
    UserAddress,
    Workspace,
)
from unsession.services.principals import secret_hash

NORTH, OTHER = "wsp_north", "wsp_other"
DEVCONF, PYDAY, RIVAL = "evt_devconf", "evt_pyday", "evt_rival"

#: In the order they came in, a minute apart; the draft has come in never.
IN_REVIEW = "sub_review"  #: SUB-1 in_review, speaker Ana, of whom the event has a speaker row
TRIO = "sub_trio"  #: SUB-2 in_review, three typed speakers, two of them one address
ACCEPTED = "sub_accepted"  #: SUB-3 accepted, session SESSION, placed
WAITLISTED = "sub_waitlisted"  #: SUB-4 waitlisted, its title has accents
DECLINED = "sub_declined"  #: SUB-5 declined
WITHDRAWN = "sub_withdrawn"  #: SUB-6 withdrawn
DRAFT = "sub_draft"  #: no number
IN_PYDAY = "sub_pyday"  #: SUB-1 of the other event, with the title of IN_REVIEW
IN_RIVAL = "sub_rival"  #: SUB-1 in the other workspace, with the title of IN_REVIEW

SESSION = "ses_async"
PLACEMENT = "plc_async"
RELEASE = "rel_pyday"  #: the only one of pyday, with nothing in it
ANA, SAM = "spk_ana", "spk_sam"
WEB, DATA = "opt_web", "opt_data"
FIRST_ROUND, FINAL_ROUND = "epl_first", "epl_final"

#: When SUB-1 came in.
OPENED = dt.datetime(2026, 9, 1, 8, 0, tzinfo=dt.UTC)


def secret_of(token: str) -> str:
    """The secret of one of the world's tokens, by the token's id."""
    return "uns_" + token.removeprefix("tok_").replace("_", "x").ljust(40, "0")


@dataclass(frozen=True, slots=True)
class World:
    """The actors. Everything else is a constant of this module."""

    owner: Actor  #: Ines, of the workspace north
    organizer: Actor  #: Ravi, of the workspace north
    reviewer: Actor  #: Mei, of devconf alone
    nobody: Actor  #: Tom, who has no role anywhere
    stranger: Actor  #: Eva, owner of the other workspace
    reader: Actor  #: Ravi's read-only token
    writer: Actor  #: Ravi's read & write token
    event_reader: Actor  #: the same, restricted to devconf
    event_writer: Actor


def _person(user: str, name: str, role: Role | None, workspace: str = NORTH) -> Actor:
    roles = {workspace: frozenset({role})} if role else {}
    return Actor(
        ActorKind.PERSON,
        user,
        name,
        user_id=user,
        workspace_roles=roles,
        standing=frozenset({Role.PERSON}),
    )


def _token(name: str, *, writes: bool, event: str | None = None) -> Actor:
    return Actor(
        ActorKind.TOKEN,
        f"tok_{name.replace('-', '_')}",
        f"api:{name}",
        user_id="usr_ravi",
        workspace_roles={NORTH: frozenset({Role.ORGANIZER})},
        ceiling=EVERYTHING if writes else READ_ONLY,
        only_event=event,
    )


ACTORS = World(
    owner=_person("usr_ines", "Ines Duarte", Role.OWNER),
    organizer=_person("usr_ravi", "Ravi Menon", Role.ORGANIZER),
    reviewer=Actor(
        ActorKind.PERSON,
        "usr_mei",
        "Mei Tanaka",
        user_id="usr_mei",
        event_roles={DEVCONF: frozenset({Role.REVIEWER})},
        event_homes={DEVCONF: NORTH},
        standing=frozenset({Role.PERSON}),
    ),
    nobody=_person("usr_tom", "Tom Idle", None),
    stranger=_person("usr_eva", "Eva Stern", Role.OWNER, OTHER),
    reader=_token("reader", writes=False),
    writer=_token("writer", writes=True),
    event_reader=_token("event-reader", writes=False, event=DEVCONF),
    event_writer=_token("event-writer", writes=True, event=DEVCONF),
)


async def build(db: Database) -> None:
    """Put the world into a migrated, empty database, what is referred to first."""
    async with db.write() as session:
        for rows in (
            _people(),
            _places(),
            _setup(),
            _options(),
            _submissions(),
            _details(),
            _slots(),
        ):
            session.add_all(rows)
            await session.flush()


def _people() -> Iterable[Model]:
    for user, name in (
        ("usr_ines", "Ines Duarte"),
        ("usr_ravi", "Ravi Menon"),
        ("usr_mei", "Mei Tanaka"),
        ("usr_tom", "Tom Idle"),
        ("usr_eva", "Eva Stern"),
    ):
        yield User(id=user, name=name)
    yield Workspace(id=NORTH, name="North Conferences", slug="north")
    yield Workspace(id=OTHER, name="Other Meetings", slug="other")


def _places() -> Iterable[Model]:
    for user in ("ines", "ravi", "mei", "tom", "eva"):
        address = f"{user.capitalize()}@example.org"
        yield UserAddress(
            id=f"adr_{user}",
            user_id=f"usr_{user}",
            address=address,
            folded=fold_address(address),
            primary=True,
            verified_at=OPENED,
        )
    for user, workspace, role in (
        ("ines", NORTH, WorkspaceRole.OWNER),
        ("ravi", NORTH, WorkspaceRole.ORGANIZER),
        ("eva", OTHER, WorkspaceRole.OWNER),
    ):
        yield Membership(id=f"mem_{user}", workspace_id=workspace, user_id=f"usr_{user}", role=role)
    yield _event(DEVCONF, NORTH, "DevConf 2027", dt.date(2027, 5, 20), dt.date(2027, 5, 21))
    yield _event(PYDAY, NORTH, "PyDay 2027", dt.date(2027, 9, 11), dt.date(2027, 9, 11))
    yield _event(RIVAL, OTHER, "Rival 2027", dt.date(2027, 6, 1), dt.date(2027, 6, 2))


def _event(event: str, workspace: str, name: str, starts: dt.date, ends: dt.date) -> Event:
    return Event(
        id=event,
        workspace_id=workspace,
        name=name,
        name_folded=fold(name),
        slug=name.lower().replace(" ", "-"),
        starts_on=starts,
        ends_on=ends,
        zone="Europe/Lisbon",
        venue="Pavilhão do Rio" if event == DEVCONF else None,
        description="Two days of Python." if event == DEVCONF else None,
        current_release_id=RELEASE if event == PYDAY else None,
    )


def _setup() -> Iterable[Model]:
    yield EventMember(id="evm_mei", event_id=DEVCONF, user_id="usr_mei", role=EventRole.REVIEWER)
    yield EventDay(
        id="day_1",
        event_id=DEVCONF,
        date=dt.date(2027, 5, 20),
        opens_minute=540,
        closes_minute=1080,
    )
    yield EventDay(
        id="day_2",
        event_id=DEVCONF,
        date=dt.date(2027, 5, 21),
        opens_minute=570,
        closes_minute=1530,
    )
    yield Room(
        id="rom_hall",
        event_id=DEVCONF,
        name="Main hall",
        name_folded="main hall",
        capacity=300,
        position=0,
    )
    yield Room(
        id="rom_lab", event_id=DEVCONF, name="Lab", name_folded="lab", capacity=None, position=1
    )
    for event in (DEVCONF, PYDAY, RIVAL):
        short = event.removeprefix("evt_")
        for position, key in enumerate(("track", "format", "level")):
            yield Taxonomy(
                id=f"tax_{short}_{key}",
                event_id=event,
                key=key,
                name=key.capitalize(),
                position=position,
            )
        yield Form(
            id=f"frm_{short}",
            event_id=event,
            name="Call for talks",
            name_folded="call for talks",
            slug="talks",
            status=FormStatus.OPEN,
            opens_at=OPENED,
        )
        yield Schedule(id=f"sch_{short}", event_id=event, name="Working", is_working=True)
    yield EvaluationPlan(
        id=FIRST_ROUND,
        event_id=DEVCONF,
        name="First round",
        name_folded="first round",
        status=PlanStatus.CLOSED,
        phase=1,
    )
    yield EvaluationPlan(
        id=FINAL_ROUND, event_id=DEVCONF, name="Final round", name_folded="final round", phase=2
    )
    for key, value in (("submission", 6), ("session", 1), ("speaker", 2)):
        yield Counter(event_id=DEVCONF, key=key, value=value)
    for name, scope, event_id in (
        ("reader", TokenScope.READ, None),
        ("writer", TokenScope.WRITE, None),
        ("event-reader", TokenScope.READ, DEVCONF),
        ("event-writer", TokenScope.WRITE, DEVCONF),
    ):
        token = f"tok_{name.replace('-', '_')}"
        yield Token(
            id=token,
            workspace_id=NORTH,
            user_id="usr_ravi",
            name=name,
            secret_hash=secret_hash(secret_of(token)),
            scope=scope,
            event_id=event_id,
        )


def _options() -> Iterable[Model]:
    for option, taxonomy, name, minutes in (
        (WEB, "track", "Web", None),
        (DATA, "track", "Data", None),
        ("opt_talk", "format", "Talk", 30),
        ("opt_workshop", "format", "Workshop", 90),
        ("opt_beginner", "level", "Beginner", None),
    ):
        yield TaxonomyOption(
            id=option,
            taxonomy_id=f"tax_devconf_{taxonomy}",
            name=name,
            name_folded=name.lower(),
            minutes=minutes,
            color="#0b7285" if option == WEB else None,
            position=0 if option in (WEB, "opt_talk") else 1,
        )
    for short in ("devconf", "pyday", "rival"):
        yield FormVersion(
            id=f"fvr_{short}",
            form_id=f"frm_{short}",
            number=1,
            fields=[
                {"id": "fld_notes", "label": "Notes for the committee", "kind": "text"},
                {"id": "fld_first", "label": "First talk?", "kind": "yes_no"},
            ],
        )
    yield Speaker(
        id=ANA,
        event_id=DEVCONF,
        address="ana@example.org",
        address_folded="ana@example.org",
        name="Ana Lima",
        name_folded="ana lima",
        bio="The bio she wrote herself.",
        slug="ana-lima",
        code="ANALIM",
        number=1,
    )
    yield Speaker(
        id=SAM,
        event_id=DEVCONF,
        address="sam@example.org",
        address_folded="sam@example.org",
        name="Sam Oduya",
        name_folded="sam oduya",
        slug="sam-oduya",
        code="SAMODU",
        number=2,
    )


def _submissions() -> Iterable[Model]:
    s = SubmissionStatus
    yield _submission(IN_REVIEW, 1, "RVWAAA", s.IN_REVIEW, "Typing the untyped")
    yield _submission(TRIO, 2, "TRQAAA", s.IN_REVIEW, "Three voices, one stage")
    yield _submission(ACCEPTED, 3, "ACCAAA", s.ACCEPTED, "Async without tears")
    yield _submission(WAITLISTED, 4, "WTLAAA", s.WAITLISTED, "Naïve Bayes à la carte")
    yield _submission(DECLINED, 5, "DECAAA", s.DECLINED, "Yet another ORM")
    yield _submission(WITHDRAWN, 6, "WTDAAA", s.WITHDRAWN, "Never mind")
    yield _submission(DRAFT, None, "DRFAAA", s.DRAFT, "Half an idea")
    yield _submission(IN_PYDAY, 1, "PYDAAA", s.IN_REVIEW, "Typing the untyped", "pyday")
    yield _submission(IN_RIVAL, 1, "RVLAAA", s.IN_REVIEW, "Typing the untyped", "rival")


def _details() -> Iterable[Model]:
    yield _typed(IN_REVIEW, 1, "Ana Lima", "Ana@Example.org", bio="As typed into the form.")
    # Stored out of order on purpose: what counts is the position.
    yield _typed(TRIO, 3, "K. Mensah", "KOFI@Example.org")
    yield _typed(TRIO, 1, "Kofi Mensah", "kofi@example.org", company="Tema Labs")
    yield _typed(TRIO, 2, "Lena Fischer", "lena@example.org")
    yield _typed(ACCEPTED, 1, "Sam Oduya", "sam@example.org", speaker_id=SAM)
    yield _typed(WAITLISTED, 1, "Zoé Brûlé", "zoe@example.org")
    yield _typed(DECLINED, 1, "Li Na", None)
    yield _typed(WITHDRAWN, 1, "Pia Holm", "pia@example.org")
    yield _typed(DRAFT, 1, "Ana Lima", "ana@example.org")
    yield _typed(IN_PYDAY, 1, "Ana Lima", "ana@example.org")
    yield _typed(IN_RIVAL, 1, "Olu Ade", "olu@example.org")
    for submission, options in (
        (IN_REVIEW, (WEB, "opt_workshop", "opt_beginner")),
        (TRIO, (DATA, "opt_talk")),
        (ACCEPTED, (WEB, "opt_talk")),
        (WAITLISTED, (DATA,)),
        (WITHDRAWN, (WEB,)),
    ):
        for option in options:
            yield SubmissionOption(submission_id=submission, option_id=option)
    for plan, submission, mean, spread, reviews, leading in (
        (FIRST_ROUND, IN_REVIEW, 2.0, 1.0, 3, False),
        (FINAL_ROUND, IN_REVIEW, 4.25, 0.5, 2, True),
        (FINAL_ROUND, TRIO, 3.5, 1.5, 2, True),
        (FIRST_ROUND, ACCEPTED, 4.75, 0.25, 3, True),
        (FINAL_ROUND, WAITLISTED, None, None, 0, True),
    ):
        yield SubmissionScore(
            plan_id=plan,
            submission_id=submission,
            mean=mean,
            spread=spread,
            reviews=reviews,
            expected=3,
            is_leading=leading,
        )
    yield Session(
        id=SESSION,
        event_id=DEVCONF,
        kind=SessionKind.TALK,
        submission_id=ACCEPTED,
        code="SESAAA",
        number=1,
        title="Async without tears",
        title_folded="async without tears",
        minutes=30,
        status=SessionStatus.CONFIRMED,
    )


def _slots() -> Iterable[Model]:
    yield SessionSpeaker(
        id="lin_sam", session_id=SESSION, speaker_id=SAM, position=0, confirmed_at=OPENED
    )
    yield Placement(
        id=PLACEMENT,
        schedule_id="sch_devconf",
        session_id=SESSION,
        date=dt.date(2027, 5, 20),
        start_minute=600,
        minutes=30,
        room_id="rom_hall",
    )
    yield Counter(event_id=PYDAY, key="release", value=1)
    yield Release(
        id=RELEASE,
        event_id=PYDAY,
        number=1,
        snapshot=msgspec.json.encode(
            {
                "event": {
                    "id": PYDAY,
                    "name": "PyDay 2027",
                    "slug": "pyday-2027",
                    "startsOn": "2027-09-11",
                    "endsOn": "2027-09-11",
                    "zone": "Europe/Lisbon",
                },
                "release": {"number": 1, "publishedAt": OPENED},
                **{part: [] for part in ("days", "rooms", "tracks", "sessions", "speakers")},
            }
        ).decode(),
        digest="as it was",
        published_at=OPENED,
        published_by="Ines Duarte",
    )


def _submission(
    submission: str,
    number: int | None,
    code: str,
    status: SubmissionStatus,
    title: str,
    event: str = "devconf",
) -> Submission:
    return Submission(
        id=submission,
        event_id=f"evt_{event}",
        form_id=f"frm_{event}",
        form_version_id=f"fvr_{event}",
        number=number,
        code=code,
        status=status,
        title=title,
        title_folded=fold(title),
        abstract=f"About “{title}”.",
        answers={"fld_notes": "Morning, please.", "fld_gone": "not in the form any more"},
        created_at=OPENED,
        submitted_at=OPENED + dt.timedelta(minutes=number - 1) if number else None,
    )


def _typed(
    submission: str,
    position: int,
    name: str,
    address: str | None,
    *,
    bio: str = "",
    company: str | None = None,
    speaker_id: str | None = None,
) -> SubmissionSpeaker:
    return SubmissionSpeaker(
        id=f"ssp_{submission.removeprefix('sub_')}_{position}",
        submission_id=submission,
        position=position,
        name=name,
        name_folded=fold(name),
        address=address,
        bio=bio,
        company=company,
        speaker_id=speaker_id,
    )
