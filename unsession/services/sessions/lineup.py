"""Line-ups that organisers write: speakers of the event by reference, or new ones."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from unsession.context import Context
from unsession.domain.text import fold_address
from unsession.errors import Invalid, NotFound, Problem
from unsession.models import Session, SessionSpeaker
from unsession.services import find, lifecycle
from unsession.services.refs import SpeakerRef

MAX_SPEAKERS = 20


class InvitedSpeaker(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Somebody for a line-up: a speaker the event has, or a new one by name."""

    speaker: SpeakerRef | UnsetType = UNSET
    name: (
        Annotated[str, Meta(min_length=1, max_length=200, description="A new speaker's name.")]
        | UnsetType
    ) = UNSET
    address: (
        Annotated[
            str,
            Meta(
                max_length=254,
                pattern=r"^[^@\s]+@[^@\s]+$",
                description="A new speaker's mail address; one the event knows is that speaker.",
            ),
        ]
        | UnsetType
    ) = UNSET
    bio: (
        Annotated[str, Meta(max_length=5000, description="A new speaker's biography.")] | UnsetType
    ) = UNSET


async def add_line_up(ctx: Context, session: Session, invited: Sequence[InvitedSpeaker]) -> None:
    """Put people into the line-up of a new session, in order, each once; nobody is asked.

    Refuses with Invalid when an entry names nobody or two ways at once, and as the find door does.
    """
    problems = [
        Problem(f"/speakers/{position}", "takes either speaker or name")
        for position, one in enumerate(invited)
        if (one.speaker is UNSET) == (one.name is UNSET)
    ]
    if problems:
        raise Invalid(problems)
    ids: dict[str, None] = {}
    for one in invited:
        ids.setdefault(await _speaker_id(ctx, session.event_id, one))
    ctx.session.add_all(
        SessionSpeaker(
            session_id=session.id, speaker_id=speaker_id, position=position, confirmed_at=ctx.now
        )
        for position, speaker_id in enumerate(ids)
    )
    await ctx.session.flush()


async def _speaker_id(ctx: Context, event_id: str, one: InvitedSpeaker) -> str:
    if one.speaker is not UNSET:
        return (await find.speaker(ctx, one.speaker, event_id)).id
    if one.address is not UNSET:
        try:
            return (await find.speaker(ctx, fold_address(one.address), event_id)).id
        except NotFound:
            pass
    made = await lifecycle.new_speaker(
        ctx,
        event_id,
        name=one.name or "",
        address=one.address or None,
        bio=one.bio or "",
    )
    return made.id
