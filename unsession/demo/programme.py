"""The programme in the making: speakers and sessions of what was accepted, and first places."""

import datetime as dt
from collections.abc import Mapping, Sequence
from math import ceil
from random import Random

from unsession.demo.casting import Cast
from unsession.demo.grid import Grid, Piece, Slot
from unsession.demo.rows import Rows
from unsession.demo.stage import Stage
from unsession.demo.submissions import Given
from unsession.domain.sessions import DEFAULT_MINUTES, SessionKind, SessionStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold, fold_address, slugify
from unsession.ids import new_id
from unsession.models import Counter, Placement, Session, SessionOption, SessionSpeaker, Speaker

_PLACED = 0.78
#: So many of the first accepted talks get their places before the sponsors do.
_BEFORE_SPONSORS = 5
#: Rooms are opened one by one: this many minutes of talks go into one on each day.
_ROOM_DAY = 420


def accepted_in_turn(casts: Sequence[Cast]) -> list[Cast]:
    """What was accepted, in the order of the decisions."""
    accepted = [cast for cast in casts if cast.status is SubmissionStatus.ACCEPTED]
    return sorted(accepted, key=lambda cast: cast.moved_at or cast.begun_at)


def add_speakers(
    rows: Rows, stage: Stage, casts: Sequence[Cast], accounts: Mapping[str, str]
) -> dict[str, str]:
    """One speaker per person whose submission was accepted; their ids by folded address."""
    speakers: dict[str, str] = {}
    slugs: set[str] = set()
    for cast in accepted_in_turn(casts):
        for person in cast.people:
            folded = fold_address(person.address)
            if folded in speakers:
                continue
            number = len(speakers) + 1
            slug = slugify(person.name, f"speaker-{number}")
            if slug in slugs:
                slug = f"{slug}-{number}"
            slugs.add(slug)
            speakers[folded] = rows.add(
                Speaker,
                cast.moved_at,
                event_id=stage.event_id,
                user_id=accounts.get(folded),
                address=person.address,
                address_folded=folded,
                name=person.name,
                name_folded=fold(person.name),
                bio=person.bio,
                job_title=person.job_title,
                company=person.company,
                slug=slug,
                number=number,
            )
    rows.add(Counter, event_id=stage.event_id, key="speaker", value=len(speakers))
    return speakers


def add_programme(
    rows: Rows,
    stage: Stage,
    given: Sequence[Given],
    speakers: Mapping[str, str],
    rng: Random,
    now: dt.datetime,
) -> None:
    """Sessions for everything accepted and for what the organisers added; most of them placed."""
    at = now - dt.timedelta(days=20)
    pieces = _add_items(rows, stage, at)
    number = len(stage.text.items)
    accepted = [one for one in given if one.cast.status is SubmissionStatus.ACCEPTED]
    talks: list[Piece] = []
    for one in sorted(accepted, key=lambda one: one.cast.moved_at or now):
        number += 1
        talks.append(_add_talk(rows, stage, one, number, speakers, rng, now))
    rows.add(Counter, event_id=stage.event_id, key="session", value=number)
    most = len(pieces) + round(_PLACED * len(talks))
    minutes = sum(talk.minutes for talk in talks)
    rooms = min(len(stage.rooms), 2 + ceil(minutes / _ROOM_DAY / len(stage.dates)))
    grid = Grid(stage.text.days, rooms)
    in_turn = [*talks[:_BEFORE_SPONSORS], *pieces, *talks[_BEFORE_SPONSORS:]]
    for piece, slot in grid.place(in_turn, most):
        _add_placement(rows, stage, piece.session_id, slot, now - dt.timedelta(days=1))


def _add_items(rows: Rows, stage: Stage, at: dt.datetime) -> list[Piece]:
    """Registration, lunch, sponsors: born confirmed. Those without a place of their own return."""
    to_place: list[Piece] = []
    names = [name for name, _ in stage.text.rooms]
    for number, item in enumerate(stage.text.items, start=1):
        session_id = rows.add(
            Session,
            at,
            event_id=stage.event_id,
            kind=item.kind,
            number=number,
            title=item.title,
            title_folded=fold(item.title),
            abstract=item.abstract,
            sponsor_name=item.sponsor,
            minutes=item.minutes,
            status=SessionStatus.CONFIRMED,
        )
        if item.day is None or item.start is None:
            to_place.append(Piece(session_id, item.minutes, frozenset()))
            continue
        rows.add(
            Placement,
            at,
            schedule_id=stage.schedule_id,
            session_id=session_id,
            date=stage.dates[item.day],
            start_minute=item.start,
            minutes=item.minutes,
            room_id=stage.rooms[names.index(item.room)] if item.room else None,
            all_rooms=item.room is None,
        )
    return to_place


def _add_talk(
    rows: Rows,
    stage: Stage,
    given: Given,
    number: int,
    speakers: Mapping[str, str],
    rng: Random,
    now: dt.datetime,
) -> Piece:
    cast = given.cast
    at = cast.moved_at or now
    confirmed_at = [None if cast.unanswered else _answer(at, rng, now) for _ in cast.people]
    formats = {option.key: option.minutes for option in stage.text.formats}
    minutes = formats[cast.talk.format] or DEFAULT_MINUTES
    answers = [answer for answer in confirmed_at if answer is not None]
    session_id = rows.add(
        Session,
        at,
        updated_at=min(answers, default=at),
        id=new_id("ses"),
        event_id=stage.event_id,
        kind=SessionKind.TALK,
        submission_id=given.id,
        number=number,
        title=cast.talk.title,
        title_folded=fold(cast.talk.title),
        abstract=cast.talk.abstract,
        minutes=minutes,
        status=SessionStatus.CONFIRMED if answers else SessionStatus.PENDING,
    )
    for option_id in given.options:
        rows.add(SessionOption, session_id=session_id, option_id=option_id)
    line_up = [speakers[fold_address(person.address)] for person in cast.people]
    for position, (speaker_id, answer) in enumerate(zip(line_up, confirmed_at, strict=True)):
        rows.add(
            SessionSpeaker,
            at,
            updated_at=answer or at,
            session_id=session_id,
            speaker_id=speaker_id,
            position=position,
            confirmed_at=answer,
        )
    return Piece(session_id, minutes, frozenset(line_up), cast.double_booked)


def _answer(asked_at: dt.datetime, rng: Random, now: dt.datetime) -> dt.datetime | None:
    """When somebody said yes: about half have after a few days, some never answer."""
    answered_at = asked_at + rng.expovariate(1 / 5) * dt.timedelta(days=1)
    return answered_at if answered_at < now else None


def _add_placement(rows: Rows, stage: Stage, session_id: str, slot: Slot, at: dt.datetime) -> None:
    rows.add(
        Placement,
        at,
        schedule_id=stage.schedule_id,
        session_id=session_id,
        date=stage.dates[slot.day],
        start_minute=slot.start,
        minutes=slot.minutes,
        room_id=stage.rooms[slot.room],
        all_rooms=False,
    )
