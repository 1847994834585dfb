"""/{event}/{form}: what everybody meets who wants to submit something."""

import dataclasses
from collections.abc import Sequence

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Actor, ActorKind, Permission
from unsession.domain.forms import Reason, for_submitters
from unsession.domain.text import fold_address
from unsession.errors import Refusal, TooMany
from unsession.services.collect import asking, submitting
from unsession.services.collect.entry import entry
from unsession.services.collect.submitting import Profile
from unsession.web.admin.shell import reading
from unsession.web.collect import drafting
from unsession.web.collect.drafting import TRAP, DraftNote, Mine
from unsession.web.collect.fronts import (
    Visit,
    closed_page,
    done_page,
    form_page,
    key_of,
    said_at,
)
from unsession.web.collect.sending import MAX_FORM, take_files
from unsession.web.collect.typed import (
    Typed,
    answers_of,
    faults_from,
)
from unsession.web.collect.welcome import welcome
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    actor_of,
    go,
    show,
)
from unsession.web.posted import Posted, posted
from unsession.web.rates import ASKED_MAIL, FORM_HOUR, FORM_MINUTE, RECEIPTS
from unsession.web.wire import visit_of


def public_form_routes(house: House) -> list[HTTPRouteHandler]:
    """The public form: GET shows, POST submits."""

    @get("/{event:str}/{form:str}")
    async def shown_form(
        request: AnyRequest, event: FromPath[str], form: FromPath[str]
    ) -> PageResponse:
        visit = await _visit(house, request, event, form, request.query_params.get("late", ""))
        if key := request.query_params.get("receipt"):
            receipt = await submitting.receipt_of(visit.ctx, visit.form, key)
            if receipt is not None:
                return show(done_page(visit, receipt, again="again" in request.query_params))
        drafts = await drafting.mine(visit.ctx, request, visit.form.id)
        chosen = _chosen(drafts, request)
        if chosen and not visit.state.accepts:  # it may have been begun by a late link
            visit = await _met(visit, chosen.key, chosen.row.id)
        state = visit.state
        if not state.accepts and state.reason is not Reason.DRAFT:
            return show(await closed_page(visit, drafts))
        others = [one for one in drafts if one is not chosen]
        if visit.form.intro and "welcome" in request.query_params:
            return show(welcome(visit, drafts))
        if chosen:
            note = _note(visit, chosen)
            return show(
                await form_page(visit, Typed.of(chosen.posted()), draft=note, others=others)
            )
        if visit.form.intro and not {"start", "new"} & set(request.query_params):
            return show(welcome(visit))
        return show(await form_page(visit, _prefilled(visit.profile), others=others))

    @post("/{event:str}/{form:str}", request_max_body_size=MAX_FORM)
    async def submit(
        request: AnyRequest, event: FromPath[str], form: FromPath[str]
    ) -> PageResponse:
        sent = await posted(request)
        visit = await _visit(house, request, event, form, sent.get("late"))
        if not visit.state.accepts:
            visit = await _met(visit, sent.get("submit_key"), sent.get("draft"))
        typed, do, draft = Typed.of(sent), sent.get("do"), _known(sent)
        if do == "add":
            more = typed.with_block()
            return show(
                await form_page(visit, more, focus=f"speaker-{more.blocks}-name", draft=draft)
            )
        if do == "look":
            return show(await form_page(visit, typed, draft=draft))
        if do.startswith("remove-") and do.removeprefix("remove-").isdecimal():
            fewer = typed.without_block(int(do.removeprefix("remove-")))
            return show(await form_page(visit, fewer, draft=draft))
        if sent.get(TRAP):
            message = "A field that nobody sees was filled in, as robots do. Send it once more"
            return show(await form_page(visit, typed, (FormFault("", message),), draft=draft), 422)
        if refused := _too_many(house, request, visit.actor):
            wait = (FormFault("", refused.message),)
            answer = show(await form_page(visit, typed, wait, draft=draft), 429)
            answer.headers["retry-after"] = str(refused.retry_after)
            return answer
        if not drafting.KEY.fullmatch(key_of(typed)):
            message = "This page had become too old. Send it once more"
            return show(await form_page(visit, typed, (FormFault("", message),), draft=draft), 409)
        typed, wrong = await take_files(
            house, request, visit.actor, (event, form), sent, visit.fields, typed
        )
        if wrong:
            return show(await form_page(visit, typed, wrong, draft=draft), 422)
        if do in ("save", "mail"):
            return await _save(house, request, visit, sent, typed)
        try:
            done = await act(house, request, visit.actor, "submit", _wire(house, visit, typed))
        except Refusal as refusal:
            faults = faults_from(refusal, visit.fields)
            return show(await form_page(visit, typed, faults, draft=draft), refusal.http_status)
        again = "" if done.result.same else "&again=1"
        return go(f"/{event}/{form}?receipt={key_of(typed)}{again}")

    return [shown_form, submit]


async def _visit(house: House, request: AnyRequest, event: str, form: str, late: str) -> Visit:
    actor = await actor_of(house, request)
    ctx = reading(house, request, actor, Permission.SUBMISSION_SUBMIT)
    row = await asking.public_form(ctx, event, form)
    fields = for_submitters(await asking.fields_asked(ctx, row))
    met = await entry(ctx, row, late)
    return Visit(actor, ctx, row, fields, await submitting.profile_of(ctx), met.state, late)


async def _met(visit: Visit, key: str, draft: str) -> Visit:
    """The visit of somebody who goes on with a draft."""
    met = await entry(visit.ctx, visit.form, visit.late, key, draft)
    return dataclasses.replace(visit, state=met.state)


def _too_many(house: House, request: AnyRequest, actor: Actor) -> TooMany | None:
    who = actor.id if actor.kind is ActorKind.PERSON else visit_of(request.scope).address
    for rate, name in ((FORM_MINUTE, "minute"), (FORM_HOUR, "hour")):
        wait = house.limiter.take(f"form:{name}:{who}", rate)
        if wait is not None:
            sentence = (
                "Too much was sent from here within a short time. Send it again in "
                f"{wait} seconds; what you typed is kept on this page"
            )
            return TooMany(sentence, retry_after=wait)
    return None


def _wire(house: House, visit: Visit, typed: Typed) -> dict[str, object]:
    speakers = typed.speakers()
    if visit.profile is None:
        address = typed.values.get("address", "") or speakers[0]["address"]
        receipt = house.limiter.take(f"receipt:{fold_address(address)}", RECEIPTS) is None
    else:
        address, receipt = "", True
    return {
        "event": visit.form.event_slug,
        "form": visit.form.slug,
        "submitKey": key_of(typed),
        "title": typed.values.get("title", ""),
        "abstract": typed.values.get("abstract", ""),
        "answers": answers_of(visit.fields, typed),
        "speakers": speakers,
        "draft": typed.values.get("draft", ""),
        "late": visit.late,
        "address": address,
        "invite": [
            one["address"]
            for one in speakers
            if fold_address(one["address"]) != fold_address(address)
            and house.limiter.take(f"receipt:{fold_address(one['address'])}", RECEIPTS) is None
        ],
        "receipt": receipt,
    }


def _prefilled(profile: Profile | None) -> Typed:
    if profile is None:
        return Typed.of_nobody()
    return Typed.of_nobody(
        {
            "speaker-1-name": profile.name,
            "speaker-1-address": profile.address,
            "speaker-1-bio": profile.bio,
            "speaker-1-jobTitle": profile.job_title or "",
            "speaker-1-company": profile.company or "",
        }
    )


async def _save(
    house: House, request: AnyRequest, visit: Visit, sent: Posted, typed: Typed
) -> PageResponse:
    """A draft saved by a button, and mailed a link of where that was asked."""
    form, note = visit.form, _known(sent)
    try:
        drafting.hold_back(house, request, visit.actor, sent)
        wire = drafting.wire_of(form.event_slug, form.slug, Posted({**sent.fields, **typed.chosen}))
        done = (await act(house, request, visit.actor, "save_draft", wire)).result
        note = DraftNote(done.id, done.version, said_at(visit, done.at), done.bound)
        if sent.get("do") == "mail":
            place = visit_of(request.scope).address
            for key in (place, fold_address(sent.get("draft_address"))):
                house.limiter.require(f"draft-link:{key}", ASKED_MAIL)
            link = {name: wire[name] for name in ("event", "form", "submitKey")}
            link["address"] = sent.get("draft_address")
            await act(house, request, visit.actor, "mail_draft_link", link)
            note = dataclasses.replace(note, mailed=sent.get("draft_address"))
    except Refusal as refusal:
        faults = faults_from(refusal, visit.fields)
        faults = tuple(
            dataclasses.replace(one, field="draft_address") if one.field == "address" else one
            for one in faults
        )
        return show(await form_page(visit, typed, faults, draft=note), refusal.http_status)
    answer = show(await form_page(visit, typed, draft=note))
    drafting.remember(house, request, answer, sent.get("submit_key"))
    return answer


def _chosen(drafts: Sequence[Mine], request: AnyRequest) -> Mine | None:
    """The draft to go on with: the one named, else the newest unless a new one is wanted."""
    named = request.query_params.get("draft")
    if named:
        return next((one for one in drafts if one.row.id == named), None)
    return drafts[0] if drafts and "new" not in request.query_params else None


def _note(visit: Visit, one: Mine) -> DraftNote:
    row = one.row
    return DraftNote(row.id, row.version, said_at(visit, row.touched_at), row.user_id is not None)


def _known(sent: Posted) -> DraftNote:
    """What a page that was sent knew of its draft."""
    version = sent.get("draft_version")
    return DraftNote(sent.get("draft"), int(version) if version.isdecimal() else 0)
