"""Comments: what the team says among itself about a submission."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import OUTSIDERS, Input, get, operation, post
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.letters import mention_letter
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import typed_text
from unsession.errors import Invalid
from unsession.models import Comment, Submission
from unsession.services import find
from unsession.services.evaluation.masking import masked_for
from unsession.services.letters import add_letter
from unsession.services.readers import reader
from unsession.services.refs import EventOf, SubmissionRef


class CommentOnSubmission(Input):
    """What is said, and who is told."""

    submission: SubmissionRef
    body: Annotated[str, Meta(min_length=1, max_length=5000, description="Plain text.")]
    event: EventOf | UnsetType = UNSET
    tell: (
        Annotated[
            list[Annotated[str, Meta(min_length=1, max_length=200, description="A teammate.")]],
            Meta(max_length=20, description="Teammates to tell: id, address or exact name."),
        ]
        | UnsetType
    ) = UNSET


class CommentShown(msgspec.Struct, frozen=True, rename="camel"):
    """A comment."""

    id: str
    author: str
    body: Annotated[str, Meta(description=OUTSIDERS)]
    at: dt.datetime


class ListComments(Input):
    """Of which submission."""

    submission: SubmissionRef
    event: EventOf | UnsetType = UNSET


class Comments(msgspec.Struct, frozen=True):
    """The comments, the first one first."""

    items: Sequence[CommentShown]


_COMMENTS = Prepared(
    select(col(Comment.id), col(Comment.author_name), col(Comment.body), col(Comment.created_at))
    .where(col(Comment.submission_id) == bindparam("submission"))
    .order_by(col(Comment.created_at), col(Comment.id)),
    CommentShown,
)


class _Standing(msgspec.Struct, frozen=True):
    status: SubmissionStatus


_STATUS = Prepared(
    select(col(Submission.status)).where(col(Submission.id) == bindparam("submission")), _Standing
)


async def comments_on(ctx: Context, submission_id: str, event_id: str) -> Sequence[CommentShown]:
    """The comments on a submission that was found; none for whoever still reviews it blind."""
    mask = await masked_for(ctx, event_id)
    here = {"submission": submission_id}
    standing, comments = await ctx.together((_STATUS, here), (_COMMENTS, here))
    return [] if mask.hides(standing[0].status).names else comments


@operation(
    title="List comments on a submission",
    rest=get("/submissions/{submission}/comments"),
    needs=Permission.SUBMISSION_READ,
)
async def list_comments(ctx: Context, args: ListComments) -> Comments:
    """List what the team says about a submission among itself; submitters never read it.

    While you review in a blind plan, what is said about what is in review is left out for you.

    Refuses with: not_found, forbidden, ambiguous.
    """
    place = await find.submission(ctx, args.submission, args.event or None)
    return Comments(await comments_on(ctx, place.id, place.event_id))


@operation(
    title="Comment on a submission",
    rest=post("/submissions/{submission}/comments"),
    needs=Permission.SUBMISSION_WRITE,
    mails="a note to each teammate named in tell",
    destructive=False,
    creates="list_comments",
)
async def comment_on_submission(ctx: Context, args: CommentOnSubmission) -> CommentShown:
    """Say something about a submission to the other organisers; submitters never read it.

    ``tell`` mails those of the team who may read it, each once.

    Refuses with: not_found, forbidden, ambiguous, invalid.
    """
    place = await find.submission(ctx, args.submission, args.event or None)
    body = typed_text(args.body)
    if not body:
        raise Invalid.at("/body", "must not be blank")
    told = {}
    for name in args.tell or []:
        person = await reader(ctx, place.workspace_id, place.event_id, name, "/tell")
        told[person.user_id] = person
    comment = Comment(
        submission_id=place.id,
        author_user_id=ctx.actor.user_id,
        author_name=ctx.actor.name,
        body=body,
    )
    ctx.session.add(comment)
    await ctx.session.flush()
    submission = await ctx.session.get_one(Submission, place.id)
    ctx.writing.about(
        submission,
        f"Comment on {submission.label()}",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    url = f"{ctx.settings.public_url}/app/{place.event_slug}/submissions/{place.id}#comments"
    for user_id, person in told.items():
        if user_id == ctx.actor.user_id:
            continue
        add_letter(
            ctx,
            "mention",
            mention_letter(
                by=ctx.actor.name, about=submission.label(), event=place.event_slug, url=url
            ),
            subject_id=comment.id,
            to_address=person.address,
            to_name=person.name,
            to_user_id=user_id,
            workspace_id=place.workspace_id,
            event_id=place.event_id,
        )
    await ctx.session.flush()
    return CommentShown(comment.id, comment.author_name, comment.body, comment.created_at)
