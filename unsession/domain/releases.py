"""What differs between two releases, and what their speakers are told."""

from collections.abc import Mapping
from dataclasses import dataclass

from unsession.domain.mail import Text, one_line


@dataclass(frozen=True, slots=True)
class Item:
    """A session of a release as two releases are compared by it."""

    session_id: str
    title: str
    speakers: tuple[str, ...]  #: names
    where: str  #: day, time and room in words
    place: tuple[object, ...]  #: day, time, length and room as values
    words: tuple[object, ...]  #: everything else that people read


@dataclass(frozen=True, slots=True)
class Moved:
    """A session that stands elsewhere."""

    was: Item
    now: Item


@dataclass(frozen=True, slots=True)
class Difference:
    """What a release changes against the one before."""

    new: tuple[Item, ...] = ()
    moved: tuple[Moved, ...] = ()
    gone: tuple[Item, ...] = ()
    reworded: tuple[Moved, ...] = ()

    @property
    def count(self) -> int:
        """How many sessions differ."""
        return len(self.new) + len(self.moved) + len(self.gone) + len(self.reworded)

    @property
    def sentence(self) -> str:
        """The difference in numbers: ``6 new, 5 moved, 1 taken off``."""
        parts = [
            f"{len(items)} {word}"
            for items, word in (
                (self.new, "new"),
                (self.moved, "moved"),
                (self.gone, "taken off"),
                (self.reworded, "reworded"),
            )
            if items
        ]
        return ", ".join(parts) or "nothing changes"


def difference(was: Mapping[str, Item], now: Mapping[str, Item]) -> Difference:
    """What is new, moved, gone or reworded, each in the order of the release it is read in."""
    both = [(was[key], item) for key, item in now.items() if key in was]
    return Difference(
        new=tuple(item for key, item in now.items() if key not in was),
        moved=tuple(Moved(old, new) for old, new in both if old.place != new.place),
        gone=tuple(item for key, item in was.items() if key not in now),
        reworded=tuple(
            Moved(old, new)
            for old, new in both
            if old.place == new.place and old.words != new.words
        ),
    )


def notice_text(
    *, name: str, event: str, new: list[Item], moved: list[Moved], zone: str, url: str
) -> Text:
    """The one mail that tells a speaker where their sessions stand now."""
    lines = [f"“{one_line(item.title)}”\n  {one_line(item.where)}" for item in new]
    lines += [
        f"“{one_line(move.now.title)}”\n  {one_line(move.now.where)}\n"
        f"  (was {one_line(move.was.where)})"
        for move in moved
    ]
    count = len(lines)
    subject = (
        f"When and where you speak at {one_line(event)}"
        if not moved
        else f"The agenda of {one_line(event)} has changed for you"
    )
    body = "\n\n".join(lines)
    return Text(
        subject,
        f"Hello {one_line(name)},\n\n"
        f"the agenda of {one_line(event)} is published. "
        f"{'Your session' if count == 1 else 'Your sessions'}:\n\n"
        f"{body}\n\n"
        f"Times are {zone} time. The whole agenda: {url}\n\n"
        f"{one_line(event)}\n",
    )
