"""Files at the public form: sent one by one by its script, or along with the whole form."""

from collections.abc import Sequence
from typing import Any

from litestar import Response, post
from litestar.datastructures import UploadFile
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Actor, ActorKind
from unsession.domain.forms import Field, FieldType
from unsession.errors import Conflict, Refusal, TooMany
from unsession.services.sent_files import FormFile
from unsession.web.collect.drafting import TRAP, json_answer
from unsession.web.collect.typed import Typed, field_name, size_of
from unsession.web.house import House
from unsession.web.pages import AnyRequest, FormFault, act, actor_of
from unsession.web.posted import Posted, posted
from unsession.web.rates import UPLOADS
from unsession.web.uploads import MAX_REQUEST, put_away
from unsession.web.wire import visit_of

#: What a whole form with its files may hold, where no script sends them one by one.
MAX_FORM = 4 * MAX_REQUEST


def picker_name(field: Field) -> str:
    """What the control is called that takes new files of a field."""
    return f"up-{field.id}"


async def take_files(
    house: House, request: AnyRequest, actor: Actor, where: tuple[str, str], sent: Posted,
    fields: Sequence[Field], typed: Typed,
) -> tuple[Typed, tuple[FormFault, ...]]:  # fmt: skip
    """Keep the files that came along with a form; what was typed, with them, and what was wrong."""
    faults: list[FormFault] = []
    for field in fields:
        if field.type is not FieldType.FILE:
            continue
        for upload in sent.files.get(picker_name(field), ()):
            try:
                kept = await _keep(house, request, actor, where, sent, field.id, upload)
            except Refusal as refusal:
                faults.append(FormFault(field_name(field), _sentence(refusal)))
            else:
                typed = typed.with_choice(field_name(field), kept.id)
    return typed, tuple(faults)


async def _keep(
    house: House, request: AnyRequest, actor: Actor, where: tuple[str, str], sent: Posted,
    field_id: str, upload: UploadFile,
) -> FormFile:  # fmt: skip
    who = actor.id if actor.kind is ActorKind.PERSON else visit_of(request.scope).address
    house.limiter.require(f"upload:{who}", UPLOADS)
    async with put_away(house, upload) as stored:
        wire = {
            **stored,
            "event": where[0],
            "form": where[1],
            "submitKey": sent.get("submit_key"),
            "field": field_id,
            "draft": sent.get("draft"),
            "late": sent.get("late"),
        }
        kept: FormFile = (await act(house, request, actor, "add_form_file", wire)).result
    return kept


def _sentence(refusal: Refusal) -> str:
    """What is wrong, without the place it is at: the page shows it there."""
    problems: Any = refusal.facts.get("problems")
    message = str(problems[0]["message"]) if problems else refusal.message
    return message[0].upper() + message[1:]


async def kept_by_script(
    house: House, request: AnyRequest, actor: Actor, where: tuple[str, str]
) -> Response[bytes]:
    """One file that a page's script sent, kept for the page; what the script is told."""
    sent = await posted(request)
    upload = sent.file("file")
    try:
        if upload is None or sent.get(TRAP):
            raise Conflict("No file came.")
        kept = await _keep(house, request, actor, where, sent, sent.get("field"), upload)
    except Refusal as refusal:
        answer = json_answer({"error": _sentence(refusal)}, refusal.http_status)
        if isinstance(refusal, TooMany):
            answer.headers["retry-after"] = str(refusal.retry_after)
        return answer
    return json_answer({"id": kept.id, "filename": kept.filename, "size": size_of(kept.size)})


def sending_routes(house: House) -> list[HTTPRouteHandler]:
    """One file of a form, sent by its script."""

    @post("/{event:str}/{form:str}/files", request_max_body_size=MAX_REQUEST)
    async def send(
        request: AnyRequest, event: FromPath[str], form: FromPath[str]
    ) -> Response[bytes]:
        actor = await actor_of(house, request)
        return await kept_by_script(house, request, actor, (event, form))

    return [send]
