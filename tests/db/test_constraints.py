"""What the tables themselves refuse, whoever writes."""

import datetime as dt
from collections.abc import Callable

import pytest
from sqlalchemy.exc import IntegrityError, StatementError

from tests.world import ACCEPTED, DEVCONF, NORTH, OPENED, SESSION, World
from unsession.db.engine import Database
from unsession.domain.people import EventRole, WorkspaceRole
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.models import (
    Event,
    EventDay,
    EventMember,
    Mail,
    Membership,
    Model,
    Placement,
    Room,
    Schedule,
    Session,
    SessionSpeaker,
    Speaker,
    Submission,
    SubmissionScore,
    TaxonomyOption,
    UserAddress,
)

DAY = dt.date(2027, 5, 20)


def _submission(
    status: SubmissionStatus, number: int | None, at: dt.datetime | None, form: str = "frm_devconf"
) -> Submission:
    return Submission(
        event_id=DEVCONF,
        form_id=form,
        form_version_id="fvr_devconf",
        number=number,
        status=status,
        title="Any",
        title_folded="any",
        submitted_at=at,
    )


def _address(address: str, verified: dt.datetime | None) -> UserAddress:
    folded = address.lower()
    return UserAddress(user_id="usr_tom", address=address, folded=folded, verified_at=verified)


def _talk(submission: str | None, kind: SessionKind, minutes: int = 30) -> Session:
    return Session(
        event_id=DEVCONF,
        kind=kind,
        submission_id=submission,
        number=77,
        title="Any",
        title_folded="any",
        minutes=minutes,
        status=SessionStatus.PENDING,
    )


def _slot(schedule: str, start: int, room: str | None, *, everywhere: bool = False) -> Placement:
    return Placement(
        schedule_id=schedule,
        session_id=SESSION,
        date=DAY,
        start_minute=start,
        minutes=30,
        room_id=room,
        all_rooms=everywhere,
    )


def _mail(cause: str) -> Mail:
    return Mail(
        workspace_id=NORTH,
        kind="any",
        subject_id=ACCEPTED,
        to_address="sam@example.org",
        to_name="Sam",
        subject="Any",
        body="Any",
        cause_key=cause,
        message_id="<any@conference.test>",
    )


_S = SubmissionStatus
REFUSED: dict[str, Callable[[], list[Model]]] = {
    "a draft with a number": lambda: [_submission(_S.DRAFT, 50, None)],
    "a draft with an instant": lambda: [_submission(_S.DRAFT, None, OPENED)],
    "a submission without a number": lambda: [_submission(_S.IN_REVIEW, None, OPENED)],
    "a submission without an instant": lambda: [_submission(_S.IN_REVIEW, 50, None)],
    "a number twice in one event": lambda: [_submission(_S.IN_REVIEW, 1, OPENED)],
    "a form that is not there": lambda: [_submission(_S.IN_REVIEW, 50, OPENED, "frm_none")],
    "a second working schedule": lambda: [
        Schedule(event_id=DEVCONF, name="Another", is_working=True)
    ],
    "an address verified twice": lambda: [_address("INES@example.org", OPENED)],
    "an event that ends before it starts": lambda: [
        Event(
            workspace_id=NORTH,
            name="Any",
            name_folded="any",
            slug="any",
            starts_on=DAY,
            ends_on=DAY - dt.timedelta(days=1),
            zone="UTC",
        )
    ],
    "an event's slug twice in the installation": lambda: [
        Event(
            workspace_id="wsp_other",
            name="Any",
            name_folded="any",
            slug="devconf-2027",
            starts_on=DAY,
            ends_on=DAY,
            zone="UTC",
        )
    ],
    "a day that closes before it opens": lambda: [
        EventDay(event_id=DEVCONF, date=dt.date(2027, 5, 25), opens_minute=600, closes_minute=600)
    ],
    "a day twice": lambda: [
        EventDay(event_id=DEVCONF, date=DAY, opens_minute=600, closes_minute=700)
    ],
    "two rooms of one folded name": lambda: [
        Room(event_id=DEVCONF, name="MAIN HALL", name_folded="main hall", position=9)
    ],
    "a room for nobody": lambda: [
        Room(event_id=DEVCONF, name="Nook", name_folded="nook", capacity=0, position=9)
    ],
    "two live options of one name": lambda: [
        TaxonomyOption(taxonomy_id="tax_devconf_track", name="WEB", name_folded="web", position=9)
    ],
    "two memberships of one person": lambda: [
        Membership(workspace_id=NORTH, user_id="usr_ravi", role=WorkspaceRole.ADMIN)
    ],
    "one event role twice": lambda: [
        EventMember(event_id=DEVCONF, user_id="usr_mei", role=EventRole.REVIEWER)
    ],
    "a second session of a submission": lambda: [_talk(ACCEPTED, SessionKind.TALK)],
    "a sponsor's session with a submission": lambda: [_talk("sub_trio", SessionKind.SPONSOR)],
    "a session of no length": lambda: [_talk(None, SessionKind.TALK, minutes=0)],
    "a speaker twice in a line-up": lambda: [
        SessionSpeaker(session_id=SESSION, speaker_id="spk_sam", position=3)
    ],
    "a speaker who said yes and no": lambda: [
        SessionSpeaker(
            session_id=SESSION,
            speaker_id="spk_ana",
            position=3,
            confirmed_at=OPENED,
            declined_at=OPENED,
        )
    ],
    "a second speaker of one address": lambda: [
        Speaker(
            event_id=DEVCONF,
            address="ANA@example.org",
            address_folded="ana@example.org",
            name="Any",
            name_folded="any",
            slug="any",
            number=77,
        )
    ],
    "a session twice on one schedule": lambda: [_slot("sch_devconf", 700, "rom_lab")],
    "a slot before the day begins": lambda: [_slot("sch_pyday", -1, "rom_lab")],
    "a slot in one room and in all": lambda: [_slot("sch_pyday", 700, "rom_lab", everywhere=True)],
    "two leading scores of one submission": lambda: [
        SubmissionScore(submission_id=ACCEPTED, plan_id="epl_final", is_leading=True)
    ],
    "two mails for one cause": lambda: [_mail("cause:1"), _mail("cause:1")],
}
ALLOWED: dict[str, Callable[[], list[Model]]] = {
    "a draft without number and instant": lambda: [_submission(_S.DRAFT, None, None)],
    "a what-if schedule": lambda: [Schedule(event_id=DEVCONF, name="Another")],
    "somebody else's address, unverified": lambda: [_address("ines@example.org", None)],
    "a second role in one event": lambda: [
        EventMember(event_id=DEVCONF, user_id="usr_mei", role=EventRole.ORGANIZER)
    ],
    "a slot in all rooms": lambda: [_slot("sch_pyday", 700, None, everywhere=True)],
    "two speakers without address": lambda: [
        Speaker(
            event_id=DEVCONF,
            name="Li Na",
            name_folded="li na",
            slug=f"li-na-{number}",
            number=number,
        )
        for number in (77, 78)
    ],
}


async def test_the_tables_refuse_what_cannot_be(db: Database, world: World) -> None:
    let_in = [name for name, rows in REFUSED.items() if await _takes(db, rows())]

    assert let_in == []


async def test_the_tables_take_what_only_looks_alike(db: Database, world: World) -> None:
    turned_away = [name for name, rows in ALLOWED.items() if not await _takes(db, rows())]

    assert turned_away == []


@pytest.mark.parametrize("table", ["submission", "session"])
async def test_a_word_that_is_no_status_is_refused(db: Database, world: World, table: str) -> None:
    async with db.writer.connect() as connection:
        with pytest.raises(IntegrityError, match=f"ck_{table}_{table}status"):
            await connection.exec_driver_sql(f"UPDATE {table} SET status = 'submitted'")  # noqa: S608


async def _takes(db: Database, rows: list[Model]) -> bool:
    try:
        async with db.write(keep=False) as session:
            session.add_all(rows)
            await session.flush()
    except (IntegrityError, StatementError):
        return False
    return True
