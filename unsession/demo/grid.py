"""Where a draft of the programme puts its sessions: nobody and no room twice, save on purpose."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from unsession.demo.content.events import LUNCH, LUNCH_MINUTES
from unsession.demo.content.shapes import DayText

#: Minutes between two sessions of one room.
PAUSE = 10


@dataclass(frozen=True, slots=True)
class Piece:
    """A session to place, with the ids of the speakers it needs."""

    session_id: str
    minutes: int
    speakers: frozenset[str]
    double_booked: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A place on the grid: day and room by position, minutes after midnight."""

    day: int
    room: int
    start: int
    minutes: int


@dataclass(slots=True)
class _Lane:
    """A room from one break to the next, filled from the front."""

    day: int
    room: int
    opens: int
    closes: int
    free_from: int

    @property
    def filled(self) -> tuple[int, int, int, int]:
        return (self.free_from - self.opens, self.day, self.opens, self.room)

    def take(self, minutes: int) -> Slot:
        slot = Slot(self.day, self.room, self.free_from, minutes)
        self.free_from += minutes + PAUSE
        return slot


class Grid:
    """Days and rooms, filled evenly."""

    def __init__(self, days: Sequence[DayText], rooms: int) -> None:
        self._lanes = [
            _Lane(number, room, opens, closes, opens)
            for number, day in enumerate(days)
            for room in range(rooms)
            for opens, closes in _halves(day)
        ]
        self._busy: dict[tuple[str, int], list[tuple[int, int]]] = {}

    def reserve(self, piece: Piece) -> Slot | None:
        """The best place for a piece now; the same one again gets another time."""
        lane = self._lane_for(piece)
        return self._keep(piece, lane) if lane is not None else None

    def place(self, pieces: Iterable[Piece], most: int) -> Iterator[tuple[Piece, Slot]]:
        """Places for as many pieces as there is room for, the first ones first."""
        waiting = list(pieces)
        placed = 0
        double = [piece for piece in waiting if piece.double_booked]
        for first, second in pairwise(double[:2]):
            for piece, slot in self._collide(first, second):
                placed += 1
                yield piece, slot
        for piece in waiting:
            if placed >= most:
                return
            if piece.double_booked and len(double) > 1:
                continue
            found = self.reserve(piece)
            if found is not None:
                placed += 1
                yield piece, found

    def _collide(self, one: Piece, other: Piece) -> Iterator[tuple[Piece, Slot]]:
        """Two sessions of one speaker at the same time, in the first two rooms of a late half."""
        last = max(lane.day for lane in self._lanes) // 2
        opens = max(lane.opens for lane in self._lanes if lane.day == last)
        lanes = [lane for lane in self._lanes if (lane.day, lane.opens) == (last, opens)]
        for piece, lane in zip((one, other), lanes, strict=False):
            yield piece, self._keep(piece, lane)

    def _lane_for(self, piece: Piece) -> _Lane | None:
        for lane in sorted(self._lanes, key=lambda lane: lane.filled):
            if lane.free_from + piece.minutes <= lane.closes and self._all_free(piece, lane):
                return lane
        return None

    def _all_free(self, piece: Piece, lane: _Lane) -> bool:
        start, end = lane.free_from, lane.free_from + piece.minutes
        return not any(
            start < busy_end and busy_start < end
            for speaker in piece.speakers
            for busy_start, busy_end in self._busy.get((speaker, lane.day), [])
        )

    def _keep(self, piece: Piece, lane: _Lane) -> Slot:
        slot = lane.take(piece.minutes)
        for speaker in piece.speakers:
            self._busy.setdefault((speaker, slot.day), []).append(
                (slot.start, slot.start + slot.minutes)
            )
        return slot


def _halves(day: DayText) -> Iterator[tuple[int, int]]:
    yield day.talks_from, LUNCH
    yield LUNCH + LUNCH_MINUTES, day.talks_until
