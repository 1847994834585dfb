"""Tags: words of the organisers' own, on one submission or many."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, post
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.text import fold, typed_line
from unsession.errors import Invalid
from unsession.models import Submission, SubmissionTag, Tag
from unsession.services import find
from unsession.services.refs import EventRef, SubmissionRef

MOST_AT_ONCE = 500
MOST_TAGS = 200
_Word = Annotated[str, Meta(min_length=1, max_length=60, description="A tag.")]


class TagSubmissions(Input):
    """Which submissions get which tags, and lose which."""

    event: EventRef
    submissions: Annotated[
        list[SubmissionRef], Meta(min_length=1, max_length=MOST_AT_ONCE, description="Which.")
    ]
    add: (
        Annotated[list[_Word], Meta(max_length=20, description="A new word makes a new tag.")]
        | UnsetType
    ) = UNSET
    remove: (
        Annotated[list[_Word], Meta(max_length=20, description="Tags to take away.")] | UnsetType
    ) = UNSET


class Tagged(msgspec.Struct, frozen=True):
    """How many submissions have other tags now."""

    changed: int


class TagCount(msgspec.Struct, frozen=True):
    """A tag of an event, and how many submissions have it."""

    id: str
    name: str
    folded: str
    submissions: int


_TAGS = Prepared(
    select(
        col(Tag.id),
        col(Tag.name),
        col(Tag.name_folded),
        func.count(col(SubmissionTag.submission_id)),
    )
    .outerjoin(SubmissionTag, col(SubmissionTag.tag_id) == col(Tag.id))
    .where(col(Tag.event_id) == bindparam("event"))
    .group_by(col(Tag.id), col(Tag.name), col(Tag.name_folded))
    .order_by(col(Tag.name_folded)),
    TagCount,
)


async def tags_of(ctx: Context, event_id: str) -> Sequence[TagCount]:
    """The tags of an event, by name; those without a submission are there too."""
    return await ctx.all(_TAGS, event=event_id)


@operation(
    title="Tag submissions",
    rest=post("/events/{event}/submissions/tags"),
    needs=Permission.SUBMISSION_WRITE,
    undo=True,
    idempotent=True,
    subjects=("submissions",),
)
async def tag_submissions(ctx: Context, args: TagSubmissions) -> Tagged:
    """Put tags on submissions of one event, and take tags away, in one go.

    Tags are for organisers alone. Case and accents make no other tag. What is so already stays.

    Refuses with: not_found, forbidden, ambiguous, invalid (unknown tag to take away, too many).
    """
    event = await find.event(ctx, args.event)
    places = [await find.submission(ctx, one, event.id) for one in args.submissions]
    known = {one.folded: one for one in await tags_of(ctx, event.id)}
    add, remove = args.add or [], args.remove or []
    removed = [known.get(fold(word)) for word in remove]
    for word, tag in zip(remove, removed, strict=True):
        if tag is None:
            raise Invalid.at("/remove", f"“{word}” is no tag of this event")
    added = await _made(ctx, event.id, add, known)
    ids = {place.id for place in places}
    found = await ctx.session.execute(
        select(SubmissionTag).where(col(SubmissionTag.submission_id).in_(ids))
    )
    held = {(one.submission_id, one.tag_id): one for one in found.scalars()}
    gone = {tag.id for tag in removed if tag}
    changed = set()
    for (submission_id, tag_id), one in held.items():
        if tag_id in gone and tag_id not in added:
            await ctx.session.delete(one)
            changed.add(submission_id)
    for submission_id in sorted(ids):
        for tag_id in added:
            if (submission_id, tag_id) not in held:
                ctx.session.add(SubmissionTag(submission_id=submission_id, tag_id=tag_id))
                changed.add(submission_id)
    said = [f"+{word}" for word in add] + [f"−{word}" for word in remove]
    first = await ctx.session.get_one(Submission, places[0].id)
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    ctx.writing.about(
        first,
        f"Tags of {first.label()}{more}: {', '.join(said) or 'none'}",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    if changed:
        word = "submission" if len(changed) == 1 else "submissions"
        ctx.writing.tell("changed", first.id, f"{len(changed)} {word}: tags {', '.join(said)}.")
    return Tagged(len(changed))


async def _made(
    ctx: Context, event_id: str, words: Iterable[str], known: dict[str, TagCount]
) -> list[str]:
    """Ids of the tags to add, those that are new made."""
    ids = []
    for word in dict.fromkeys(typed_line(one) for one in words):
        folded = fold(word)
        if not folded:
            raise Invalid.at("/add", "must not be blank")
        if folded not in known:
            if len(known) >= MOST_TAGS:
                raise Invalid.at("/add", f"would make more than {MOST_TAGS} tags")
            tag = Tag(event_id=event_id, name=word, name_folded=folded)
            ctx.session.add(tag)
            await ctx.session.flush()
            known[folded] = TagCount(tag.id, word, folded, 0)
        ids.append(known[folded].id)
    return list(dict.fromkeys(ids))


class _OfSubmission(msgspec.Struct, frozen=True):
    name: str


TAGS_OF_SUBMISSION = Prepared(
    select(col(Tag.name))
    .join(SubmissionTag, col(SubmissionTag.tag_id) == col(Tag.id))
    .where(col(SubmissionTag.submission_id) == bindparam("submission"))
    .order_by(col(Tag.name_folded)),
    _OfSubmission,
)
