"""Who reviews what: balanced, deterministic, moving as little as possible.

Reviews that are in stay where they are. Open ones stay too, unless they are barred, more than
asked for, or have to move so that nobody carries two more than somebody who could take one.
"""

import hashlib
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

Pair = tuple[str, str]  #: (submission, reviewer)


@dataclass(frozen=True, slots=True)
class Ask:
    """What is wanted, and what there is already.

    ``fixed`` pairs count as they stand (reviews that are in, and what a person pinned); ``open``
    ones may move; ``barred`` ones must not be: one's own submission, an abstention, what a person
    took away.
    """

    submissions: Sequence[str]
    reviewers: Sequence[str]
    each: int
    fixed: Collection[Pair] = ()
    open: Collection[Pair] = ()
    barred: Collection[Pair] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The pairs that are open afterwards, and how many reviewers each submission lacks."""

    open: frozenset[Pair]
    short: Mapping[str, int]


@dataclass(slots=True)
class _Board:
    """The state of the work: who has what, how much, and what may not be."""

    load: dict[str, int]
    barred: frozenset[Pair]
    taken: dict[str, set[str]] = field(default_factory=dict)  #: submission -> reviewers
    movable: dict[str, dict[str, None]] = field(default_factory=dict)  #: reviewer -> submissions

    def free(self, submission: str, reviewer: str) -> bool:
        return reviewer not in self.taken[submission] and (submission, reviewer) not in self.barred

    def give(self, submission: str, reviewer: str) -> None:
        self.taken[submission].add(reviewer)
        self.movable[reviewer][submission] = None
        self.load[reviewer] += 1

    def take(self, submission: str, reviewer: str) -> None:
        self.taken[submission].discard(reviewer)
        del self.movable[reviewer][submission]
        self.load[reviewer] -= 1


def assign(ask: Ask) -> Plan:
    """A plan in which every submission has ``each`` reviewers and loads differ by one at most.

    Where bars or too few reviewers make that impossible, it is as near as can be: no chain of
    moves would level the loads further. The same question has the same answer.
    """
    board = _board(ask)
    short = {}
    for submission in ask.submissions:
        _trim(board, ask, submission)
        while len(board.taken[submission]) < ask.each:
            able = [one for one in ask.reviewers if board.free(submission, one)]
            if not able:
                short[submission] = ask.each - len(board.taken[submission])
                break
            board.give(submission, _least(board, submission, able))
    while _level(board, ask.reviewers):
        pass
    kept = {(s, reviewer) for reviewer, mine in board.movable.items() for s in mine}
    return Plan(frozenset(kept), short)


def _board(ask: Ask) -> _Board:
    reviewers, submissions = set(ask.reviewers), set(ask.submissions)
    board = _Board(dict.fromkeys(ask.reviewers, 0), frozenset(ask.barred))
    board.taken = {submission: set() for submission in ask.submissions}
    board.movable = {reviewer: {} for reviewer in ask.reviewers}
    for submission, reviewer in sorted(ask.fixed):
        if submission in submissions:
            board.taken[submission].add(reviewer)
        if reviewer in reviewers:
            board.load[reviewer] += 1
    for submission, reviewer in sorted(ask.open):
        if submission in submissions and reviewer in reviewers and board.free(submission, reviewer):
            board.give(submission, reviewer)
    return board


def _least(board: _Board, submission: str, able: Sequence[str]) -> str:
    """Who of those carries least."""
    load = min(board.load[one] for one in able)
    return min(
        (one for one in able if board.load[one] == load), key=lambda one: _mix(submission, one)
    )


def _trim(board: _Board, ask: Ask, submission: str) -> None:
    """Take open pairs beyond what is asked for from whoever carries most."""
    while len(board.taken[submission]) > ask.each:
        movable = [one for one in ask.reviewers if submission in board.movable[one]]
        if not movable:
            return
        most = max(movable, key=lambda one: (board.load[one], _mix(submission, one)))
        board.take(submission, most)


def _level(board: _Board, reviewers: Sequence[str]) -> bool:
    """One step towards even loads: the shortest chain of moves from a full to a spare reviewer."""
    spare = min(board.load.values(), default=0)
    for full in sorted(reviewers, key=lambda one: -board.load[one]):
        if board.load[full] < spare + 2:
            return False
        came: dict[str, Pair | None] = {full: None}
        waiting = deque([full])
        while waiting:
            giver = waiting.popleft()
            for taker in reviewers:
                if taker in came:
                    continue
                move = next((s for s in board.movable[giver] if board.free(s, taker)), None)
                if move is None:
                    continue
                came[taker] = (move, giver)
                if board.load[taker] <= board.load[full] - 2:
                    _shift(board, came, taker)
                    return True
                waiting.append(taker)
    return False


def _shift(board: _Board, came: Mapping[str, Pair | None], last: str) -> None:
    """Hand one submission on along the chain that ends at ``last``."""
    taker = last
    while (step := came[taker]) is not None:
        submission, giver = step
        board.take(submission, giver)
        board.give(submission, taker)
        taker = giver


def _mix(submission: str, reviewer: str) -> bytes:
    """An order that looks like none, so that the same people do not meet on every submission."""
    return hashlib.blake2b(f"{submission}\x1f{reviewer}".encode(), digest_size=8).digest()
