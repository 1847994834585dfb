"""Who sends what and what became of it: decided by the seed alone, before any row is made."""

import datetime as dt
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from unsession.demo.content.people import (
    COMPANIES,
    CULTURES,
    DOMAINS,
    JOBS,
    ON_THE_SIDE,
    TOPICS,
    WORKS_ON,
)
from unsession.demo.content.phrases import (
    AFTER_A_COMMA,
    ENDINGS,
    HEADS,
    MIDDLES,
    OPENINGS,
    TAILS,
    THEMES,
)
from unsession.demo.content.reviewing import CRITERIA
from unsession.demo.content.shapes import EventText, Fixed, Person, Talk
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold, slugify

_S = SubmissionStatus

#: How large a part of the submissions stands where; the rest is in review.
_SHARES = {
    _S.ACCEPTED: 0.45,
    _S.DECLINED: 0.10,
    _S.DRAFT: 0.06,
    _S.WAITLISTED: 0.05,
    _S.WITHDRAWN: 0.04,
}
#: A conference has so many rooms and no more, however much is sent in.
_MOST_ACCEPTED = 190
_TAKEN_FOR = dt.timedelta(days=40)
#: When the committee met, and how long a submission must have been there before.
_MEETINGS = (dt.timedelta(days=24), dt.timedelta(days=14), dt.timedelta(days=2))
_MEETING_WEIGHTS = (5, 4, 1)
_READ_FOR = dt.timedelta(days=2)
_JUST_DECIDED = 0.25  # of what is decided came too late for all meetings but the last, at most
_ONE_DECISION = dt.timedelta(seconds=25)
#: What reviewers think, on average, of what ended where; and how many of three have said so.
_QUALITY = {
    _S.ACCEPTED: 4.1,
    _S.WAITLISTED: 3.5,
    _S.DECLINED: 2.4,
    _S.IN_REVIEW: 3.3,
    _S.WITHDRAWN: 3.2,
}
_SAID_SO = {True: (1, 4, 20, 75), False: (30, 25, 25, 20)}
#: Reviewing began so long ago; whatever is withdrawn was in it.
_REVIEWED_FOR = dt.timedelta(days=28)
#: People of one name, where other families' names would not be written in the same letters.
_NAMESAKES = 4
_DECIDED = frozenset({_S.ACCEPTED, _S.WAITLISTED, _S.DECLINED})


#: One review: a score from 1 to 5 for each criterion.
Marks = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """A submission as it will stand in the database."""

    talk: Talk
    status: SubmissionStatus
    people: tuple[Person, ...]
    begun_at: dt.datetime
    submitted_at: dt.datetime | None
    moved_at: dt.datetime | None  #: when it was decided or withdrawn
    marks: tuple[Marks, ...]  #: of the reviews there are so far
    double_booked: bool
    unanswered: bool

    @property
    def decided(self) -> bool:
        """Whether the organisers have decided about it."""
        return self.status in _DECIDED


def cast_submissions(event: EventText, count: int, rng: Random, now: dt.datetime) -> list[Cast]:
    """The submissions of an event: drafts first, then in the order they were given."""
    parts = _parts(event, count, rng)
    casts = [_in_time(part, rng, now) for part in parts]
    drafts = [cast for cast in casts if cast.submitted_at is None]
    given = sorted(
        (cast for cast in casts if cast.submitted_at is not None),
        key=lambda cast: cast.submitted_at or now,
    )
    return [*drafts, *_decided_in_turn(given)]


def _parts(event: EventText, count: int, rng: Random) -> list[Fixed]:
    """What is always there, then what was written by hand, then what is made up of parts."""
    parts = list(event.fixed[:count])
    statuses = _statuses(count)
    for part in parts:
        if part.status in statuses:
            statuses.remove(part.status)
    rng.shuffle(statuses)
    by_hand = list(event.talks)
    rng.shuffle(by_hand)
    crowd = _crowd(rng)
    titles = {fold(talk.title) for talk in (*(part.talk for part in parts), *by_hand)}
    met: list[Person] = []
    for number in range(count - len(parts)):
        talk = by_hand[number] if number < len(by_hand) else _invent(titles, rng)
        people = _line_up(talk, crowd, met, rng)
        parts.append(Fixed(talk, statuses[number], people))
    return parts


def _statuses(count: int) -> list[SubmissionStatus]:
    dealt: list[SubmissionStatus] = []
    for status, share in _SHARES.items():
        dealt += [status] * max(1, int(share * count))
        if status is _S.ACCEPTED:
            del dealt[_MOST_ACCEPTED:]
    dealt += [_S.IN_REVIEW] * max(0, count - len(dealt))
    return dealt


def _line_up(
    talk: Talk, crowd: Iterator[Person], met: list[Person], rng: Random
) -> tuple[Person, ...]:
    """One to three people; now and then somebody who has sent something before."""
    size = {"panel": 3, "lightning": 1}.get(talk.format) or rng.choices((1, 2, 3), (68, 25, 7))[0]
    people: list[Person] = []
    if met and rng.random() < 0.08:
        people.append(rng.choice(met))
    while len(people) < size:
        people.append(next(crowd))
    met += people
    return tuple(people)


def _invent(taken: set[str], rng: Random) -> Talk:
    """A talk made of parts, with a title nobody has sent yet."""
    track = rng.choice(tuple(THEMES))
    while True:
        theme = rng.choice(THEMES[track])
        capital = theme[0].upper() + theme[1:]
        title = rng.choice(HEADS).format(theme=theme, Theme=capital)
        if rng.random() < 0.6 or fold(title) in taken:
            title = _joined(title, rng.choice(TAILS))
        if fold(title) not in taken:
            break
    taken.add(fold(title))
    sentences = [rng.choice(OPENINGS).format(theme=theme, Theme=capital), rng.choice(MIDDLES)]
    if rng.random() < 0.7:
        sentences.append(rng.choice(ENDINGS))
    return Talk(
        title,
        " ".join(sentences),
        track,
        rng.choices(("talk", "workshop", "panel", "lightning"), (72, 10, 6, 12))[0],
        rng.choices(("beginner", "intermediate", "advanced"), (35, 45, 20))[0],
    )


def _joined(head: str, tail: str) -> str:
    if ":" in head or "," in head or head.endswith("?"):
        return f"{head} – {tail}"
    return f"{head}, {tail}" if tail.startswith(AFTER_A_COMMA) else f"{head}: {tail}"


def _crowd(rng: Random) -> Iterator[Person]:
    """People without end: all cultures in turn, no two with one address."""
    plain = [
        culture
        for culture in CULTURES
        if culture.order == "{given} {family}" and all(a == b for a, b in culture.family)
    ]
    bearers: dict[str, int] = {}
    boxes: dict[str, int] = {}
    while True:
        turn = list(CULTURES)
        rng.shuffle(turn)
        for culture in turn:
            given, family = rng.choice(culture.given), rng.choice(culture.family)
            name = culture.order.format(given=given[0], family=family[0])
            most = 1 if culture in plain else _NAMESAKES
            if bearers.get(name, 0) >= most:  # then the child of two families
                given = rng.choice(rng.choice(plain).given)
                one, two = (rng.choice(home.family)[0] for home in rng.sample(plain, 2))
                family = (f"{one}-{two}", one)
                name = f"{given[0]} {family[0]}"
            bearers[name] = bearers.get(name, 0) + 1
            yield _person(unicodedata.normalize("NFC", name), f"{given[1]} {family[1]}", boxes, rng)


def _person(name: str, latin: str, boxes: dict[str, int], rng: Random) -> Person:
    box = slugify(latin, "speaker").replace("-", ".")
    boxes[box] = boxes.get(box, 0) + 1
    if boxes[box] > 1:
        box = f"{box}{boxes[box]}"
    employed = rng.random() < 0.7
    company, domain = rng.choice(COMPANIES) if employed else (None, rng.choice(DOMAINS))
    place = f"at {company}" if company else "as a freelancer"
    works_on = rng.choice(WORKS_ON).format(topic=rng.choice(TOPICS), place=place)
    return Person(
        name,
        f"{box}@{domain}",
        f"{works_on} {rng.choice(ON_THE_SIDE)}",
        rng.choice(JOBS) if employed else None,
        company,
    )


def _in_time(part: Fixed, rng: Random, now: dt.datetime) -> Cast:
    """When it was begun and given, and what the reviewers have said so far."""
    decided = part.status in _DECIDED
    in_time = rng.random() >= _JUST_DECIDED or part.unanswered  # they had the time to answer
    meetings = _MEETINGS[:-1] if in_time else _MEETINGS
    latest = meetings[-1] + _READ_FOR if decided else dt.timedelta(hours=1)
    given_at = now - latest - rng.random() * (_TAKEN_FOR - latest)
    begun_at = given_at - rng.random() * dt.timedelta(hours=6)
    submitted_at = None if part.status is _S.DRAFT else given_at
    moved_at = None
    if decided:
        moved_at = _meeting(meetings, given_at, rng, now)
    elif part.status is _S.WITHDRAWN:
        in_review_at = max(given_at, now - _REVIEWED_FOR)
        moved_at = in_review_at + rng.random() * (now - in_review_at)
    marks: tuple[Marks, ...] = ()
    if submitted_at is not None:
        weights = _SAID_SO[decided]
        reviews = rng.choices(range(len(weights)), weights)[0]
        quality = rng.gauss(_QUALITY[part.status], 0.4)
        marks = tuple(_marks(rng.gauss(quality, 0.5), rng) for _ in range(reviews))
    return Cast(
        part.talk,
        part.status,
        part.people,
        begun_at,
        submitted_at,
        moved_at,
        marks,
        part.double_booked,
        part.unanswered,
    )


def _marks(opinion: float, rng: Random) -> Marks:
    """What one reviewer gives for each criterion, around what they think of the whole."""
    return tuple(min(5, max(1, round(rng.gauss(opinion, 0.6)))) for _ in CRITERIA)


def _meeting(
    meetings: Sequence[dt.timedelta], given_at: dt.datetime, rng: Random, now: dt.datetime
) -> dt.datetime:
    """One that came after the submission was read; most were decided in the early ones."""
    possible = [
        (now - ago, weight)
        for ago, weight in zip(meetings, _MEETING_WEIGHTS, strict=False)
        if now - ago >= given_at + _READ_FOR
    ]
    (moment, _), *_ = rng.choices(possible, [weight for _, weight in possible])
    return moment


def _decided_in_turn(casts: Sequence[Cast]) -> list[Cast]:
    """The same, with the decisions of one meeting one after the other."""
    turns: dict[dt.datetime, int] = {}
    spread = []
    for cast in casts:
        meeting = cast.moved_at
        if not cast.decided or meeting is None:
            spread.append(cast)
            continue
        turn = turns.get(meeting, 0)
        turns[meeting] = turn + 1
        spread.append(replace(cast, moved_at=meeting + turn * _ONE_DECISION))
    return spread
