"""The programme in the making: speakers and sessions of what was accepted, and first places."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Move:
    """A placed session that goes elsewhere."""

    at: dt.datetime
    session_id: str
    title: str
    placement_id: str
    slot: Slot


@dataclass(frozen=True, slots=True)
class Yes:
    """A placed session whose speaker says yes."""

    at: dt.datetime
    session_id: str
    title: str
    entry_id: str
    speaker: str


@dataclass(frozen=True, slots=True)
class Later:
    """What changes on the schedule after it was released."""

    move: Move | None = None
    yes: Yes | None = None


@dataclass(frozen=True, slots=True)
class _Talk:
    """A session of an accepted submission, with its rows while they can still be changed."""

    piece: Piece
    cast: Cast
    session: dict[str, Any]
    line_up: Sequence[dict[str, Any]]

    @property
    def answered_at(self) -> dt.datetime | None:
        """When the first of its speakers said yes."""
        answers = [entry["confirmed_at"] for entry in self.line_up if entry["confirmed_at"]]
        return min(answers, default=None)

    @property
    def peculiar(self) -> bool:
        """Whether it is there to show something else."""
        return self.cast.double_booked or self.cast.unanswered

    def wait(self) -> None:
        """Nobody has answered yet."""
        for row in self.line_up:
            row["confirmed_at"], row["updated_at"] = None, row["created_at"]
        self.session["status"] = SessionStatus.PENDING
        self.session["updated_at"] = self.session["created_at"]


def add_programme(
    rows: Rows,
    stage: Stage,
    given: Sequence[Given],
    speakers: Mapping[str, str],
    rng: Random,
    now: dt.datetime,
    released_at: dt.datetime | None = None,
) -> Later:
    """Sessions for everything accepted and for what the organisers added; most of them placed.

    What is placed stands as it was when the schedule was released, if it was: gives back what
    changed since, one session moved and another one confirmed.
    """
    pieces = _add_items(rows, stage, now - dt.timedelta(days=20))
    number = len(stage.text.items)
    accepted = [one for one in given if one.cast.status is SubmissionStatus.ACCEPTED]
    talks: list[_Talk] = []
    for one in sorted(accepted, key=lambda one: one.cast.moved_at or now):
        number += 1
        talks.append(_add_talk(rows, stage, one, number, speakers, rng, now))
    rows.add(Counter, event_id=stage.event_id, key="session", value=number)
    most = len(pieces) + round(_PLACED * len(talks))
    minutes = sum(talk.piece.minutes for talk in talks)
    rooms = min(len(stage.rooms), 2 + ceil(minutes / _ROOM_DAY / len(stage.dates)))
    grid = Grid(stage.text.days, rooms)
    board = _Board(rows, stage, now, released_at)
    moving = board.moving(talks)
    move = board.place_twice(moving, grid) if moving else None
    of_talks = [talk.piece for talk in talks if move is None or talk is not moving]
    in_turn = [*of_talks[:_BEFORE_SPONSORS], *pieces, *of_talks[_BEFORE_SPONSORS:]]
    decided_at = {talk.piece.session_id: talk.session["created_at"] for talk in talks}
    placed = set()
    for piece, slot in grid.place(in_turn, most - (move is not None)):
        board.put(piece.session_id, slot, decided_at.get(piece.session_id))
        placed.add(piece.session_id)
    on_grid = [talk for talk in talks if talk.piece.session_id in placed]
    return Later(move, board.hold_back(on_grid))


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
) -> _Talk:
    cast = given.cast
    at = cast.moved_at or now
    confirmed_at = [None if cast.unanswered else _answer(at, rng, now) for _ in cast.people]
    formats = {option.key: option.minutes for option in stage.text.formats}
    minutes = formats[cast.talk.format] or DEFAULT_MINUTES
    answers = [answer for answer in confirmed_at if answer is not None]
    session = rows.put(
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
    session_id = str(session["id"])
    for option_id in given.options:
        rows.add(SessionOption, session_id=session_id, option_id=option_id)
    line_up = [speakers[fold_address(person.address)] for person in cast.people]
    entries = [
        rows.put(
            SessionSpeaker,
            at,
            updated_at=answer or at,
            session_id=session_id,
            speaker_id=speaker_id,
            position=position,
            confirmed_at=answer,
        )
        for position, (speaker_id, answer) in enumerate(zip(line_up, confirmed_at, strict=True))
    ]
    piece = Piece(session_id, minutes, frozenset(line_up), cast.double_booked)
    return _Talk(piece, cast, session, entries)


def _answer(asked_at: dt.datetime, rng: Random, now: dt.datetime) -> dt.datetime | None:
    """When somebody said yes: most do within a few days, some have not answered yet."""
    answered_at = asked_at + rng.expovariate(1 / 4) * dt.timedelta(days=1)
    return answered_at if answered_at < now else None


@dataclass(frozen=True, slots=True)
class _Board:
    """Puts sessions on the working schedule, before the release and after it."""

    rows: Rows
    stage: Stage
    now: dt.datetime
    released_at: dt.datetime | None

    def put(self, session_id: str, slot: Slot, decided_at: dt.datetime | None = None) -> str:
        """A placement: from before the release, if the session was there by then."""
        at = self.now - dt.timedelta(days=1)
        if self.released_at and (decided_at is None or decided_at < self.released_at):
            at = self.released_at - dt.timedelta(hours=20)
        return self.rows.add(
            Placement,
            at,
            schedule_id=self.stage.schedule_id,
            session_id=session_id,
            date=self.stage.dates[slot.day],
            start_minute=slot.start,
            minutes=slot.minutes,
            room_id=self.stage.rooms[slot.room],
            all_rooms=False,
        )

    def moving(self, talks: Sequence[_Talk]) -> _Talk | None:
        """The first ordinary talk that was confirmed when the schedule was released."""
        if self.released_at is None:
            return None
        for talk in talks:
            answered_at = talk.answered_at
            short = talk.piece.minutes <= DEFAULT_MINUTES
            if short and not talk.peculiar and answered_at and answered_at < self.released_at:
                return talk
        return None

    def place_twice(self, talk: _Talk, grid: Grid) -> Move | None:
        """Its place in the release, and the one it has gone to since; nobody else gets either."""
        was, now = grid.reserve(talk.piece), grid.reserve(talk.piece)
        if was is None or now is None:
            return None
        placement_id = self.put(talk.piece.session_id, was, talk.session["created_at"])
        at = self.now - dt.timedelta(days=3, hours=4)
        return Move(at, talk.piece.session_id, talk.cast.talk.title, placement_id, now)

    def hold_back(self, placed: Sequence[_Talk]) -> Yes | None:
        """What was not confirmed at the release waits, but for one that was confirmed since."""
        if self.released_at is None:
            return None
        for talk in placed:
            if talk.answered_at is not None and talk.answered_at >= self.released_at:
                talk.wait()
        ordinary = [talk for talk in placed if not talk.peculiar]
        if not ordinary:
            return None
        waiting = [talk for talk in ordinary if talk.answered_at is None]
        chosen = waiting[0] if waiting else ordinary[-1]
        chosen.wait()
        return Yes(
            self.now - dt.timedelta(days=1, hours=3),
            chosen.piece.session_id,
            chosen.cast.talk.title,
            str(chosen.line_up[0]["id"]),
            chosen.cast.people[0].name,
        )
