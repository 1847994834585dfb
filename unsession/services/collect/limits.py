"""How many submissions one person gives through a form: counted where it is known who they are."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import and_, func, or_, select
from sqlmodel import col

from unsession.access import ActorKind
from unsession.context import Context
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold_address
from unsession.errors import Conflict
from unsession.models import Draft, Submission, UserAddress
from unsession.services.collect.asking import FormRow

UNKNOWN, USED_UP = "unknown_person", "used_up"


@dataclass(frozen=True, slots=True)
class Known:
    """Somebody whose address is proved: by their account, or by the mailed link of a draft."""

    user_id: str | None
    address: str
    addresses: Collection[str]  #: all that are known to be theirs, folded


async def known(ctx: Context, draft: Draft | None) -> Known | None:
    """Who submits, if that is proved."""
    if ctx.actor.kind is ActorKind.PERSON and ctx.actor.user_id:
        rows = await ctx.session.execute(
            select(col(UserAddress.address), col(UserAddress.folded))
            .where(
                col(UserAddress.user_id) == ctx.actor.user_id,
                col(UserAddress.verified_at).is_not(None),
            )
            .order_by(col(UserAddress.primary).desc(), col(UserAddress.id))
        )
        own = rows.all()
        return Known(ctx.actor.user_id, own[0][0], {one[1] for one in own}) if own else None
    if draft is None or draft.verified_at is None or not draft.address:
        return None
    folded = fold_address(draft.address)
    theirs = select(col(UserAddress.user_id)).where(
        col(UserAddress.folded) == folded, col(UserAddress.verified_at).is_not(None)
    )
    rows = await ctx.session.execute(
        select(col(UserAddress.user_id), col(UserAddress.folded)).where(
            col(UserAddress.user_id).in_(theirs), col(UserAddress.verified_at).is_not(None)
        )
    )
    own = rows.all()
    return Known(own[0][0] if own else None, draft.address, {folded, *(one[1] for one in own)})


async def hold_to(ctx: Context, form: FormRow, person: Known | None) -> None:
    """Hold a submit to the form's number per person, under the lock on the form.

    Refuses with conflict: who it is, is not known; they gave as many as they may. What was only
    typed is never counted, so nobody uses up what is another person's.
    """
    most = form.max_per_person
    if most is None:
        return
    some = said(most)
    if person is None:
        raise Conflict(
            f"This form takes {some}, so it has to know who you are. Sign in, or have a link "
            "mailed to you further down and go on from there. Nothing was submitted.",
            reason=UNKNOWN,
        )
    theirs = and_(
        col(Submission.owner_proved), col(Submission.owner_address_folded).in_(person.addresses)
    )
    if person.user_id is not None:
        theirs = or_(col(Submission.owner_user_id) == person.user_id, theirs)
    found = await ctx.session.execute(
        select(func.count())
        .select_from(Submission)
        .where(
            col(Submission.form_id) == form.id,
            col(Submission.status).not_in((SubmissionStatus.DRAFT, SubmissionStatus.WITHDRAWN)),
            theirs,
        )
    )
    given = found.scalar_one()
    if given >= most:
        raise Conflict(
            f"This form takes {some}, and you gave {given}. Withdraw one first if this one "
            "shall count instead. Nothing was submitted.",
            reason=USED_UP,
        )


def said(most: int) -> str:
    """``at most two submissions per person``, in figures."""
    return f"at most {most} submission{'' if most == 1 else 's'} per person"
