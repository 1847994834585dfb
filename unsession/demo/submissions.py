"""The rows of a submission: as typed, with options, answers and activity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from unsession.demo.casting import Cast
from unsession.demo.content.phrases import NOTES, PITCHES, REASONS
from unsession.demo.history import By, History
from unsession.demo.rows import Rows
from unsession.demo.stage import FormIds, Stage
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold, fold_address
from unsession.models import Counter, Submission, SubmissionOption, SubmissionSpeaker

_TAXONOMIES = ("track", "format", "level")


@dataclass(frozen=True, slots=True)
class Given:
    """A submission that has its id and number (0: a draft)."""

    id: str
    number: int
    cast: Cast
    options: tuple[str, ...]

    @property
    def label(self) -> str:
        """How the activity log names it."""
        return f"SUB-{self.number} “{self.cast.talk.title}”"


def add_submissions(
    rows: Rows,
    history: History,
    stage: Stage,
    casts: Sequence[Cast],
    accounts: Mapping[str, str],
    speakers: Mapping[str, str],
    rng: Random,
) -> list[Given]:
    """Everything that was sent in, numbered in the order given.

    ``accounts`` and ``speakers`` lead from a folded address to the user and to the event's
    speaker, where there is one.
    """
    given: list[Given] = []
    number = 0
    for cast in casts:
        if cast.submitted_at is not None:
            number += 1
        given.append(_add(rows, stage, cast, number, accounts, speakers, rng))
        _note(history, stage, given[-1], accounts)
    rows.add(Counter, event_id=stage.event_id, key="submission", value=number)
    return given


def _add(
    rows: Rows,
    stage: Stage,
    cast: Cast,
    number: int,
    accounts: Mapping[str, str],
    speakers: Mapping[str, str],
    rng: Random,
) -> Given:
    owner = cast.people[0]
    withdrawn = cast.status is SubmissionStatus.WITHDRAWN
    submission_id = rows.add(
        Submission,
        cast.begun_at,
        updated_at=cast.moved_at or cast.submitted_at or cast.begun_at,
        event_id=stage.event_id,
        form_id=stage.form.id,
        form_version_id=stage.form.version_id,
        number=None if cast.submitted_at is None else number,
        status=cast.status,
        title=cast.talk.title,
        title_folded=fold(cast.talk.title),
        abstract=cast.talk.abstract,
        answers=_answers(stage.form, cast, rng),
        submitted_at=cast.submitted_at,
        owner_user_id=accounts.get(fold_address(owner.address)),
        owner_address=owner.address,
        owner_address_folded=fold_address(owner.address),
        withdrawn_reason=rng.choice(REASONS) if withdrawn else None,
    )
    accepted = cast.status is SubmissionStatus.ACCEPTED
    for position, person in enumerate(cast.people):
        rows.add(
            SubmissionSpeaker,
            cast.begun_at,
            submission_id=submission_id,
            position=position,
            name=person.name,
            name_folded=fold(person.name),
            address=person.address,
            bio=person.bio,
            job_title=person.job_title,
            company=person.company,
            speaker_id=speakers[fold_address(person.address)] if accepted else None,
        )
    if cast.submitted_at is None:
        return Given(submission_id, 0, cast, ())
    keys = (cast.talk.track, cast.talk.format, cast.talk.level)
    options = tuple(stage.options[pair] for pair in zip(_TAXONOMIES, keys, strict=True))
    for option_id in options:
        rows.add(SubmissionOption, submission_id=submission_id, option_id=option_id)
    return Given(submission_id, number, cast, options)


def _answers(form: FormIds, cast: Cast, rng: Random) -> dict[str, Any]:
    """What was said to the form's fields; a draft has said little yet."""
    answers: dict[str, Any] = {}
    if cast.submitted_at is None:
        return answers
    answers[form.pitch] = rng.choice(PITCHES)
    answers[form.given_before] = rng.choice(form.choices)
    if rng.random() < 0.4:
        answers[form.recording] = f"https://video.example/watch/{rng.randrange(16**8):08x}"
    if rng.random() < 0.3:
        answers[form.needs] = sorted(rng.sample(form.wishes, rng.choice((1, 1, 2))))
    if rng.random() < 0.25:
        answers[form.notes] = rng.choice(NOTES)
    answers[form.consent] = True
    return answers


def _note(history: History, stage: Stage, given: Given, accounts: Mapping[str, str]) -> None:
    """What its speaker did: gave it, and perhaps took it back."""
    cast = given.cast
    if cast.submitted_at is None:
        return
    first = cast.people[0]
    speaker = By(first.name, accounts.get(fold_address(first.address)))
    subject = ("submission", given.id)
    history.note(
        cast.submitted_at,
        speaker,
        "submit",
        subject,
        f"{given.label} submitted",
        event_id=stage.event_id,
    )
    if cast.status is SubmissionStatus.WITHDRAWN and cast.moved_at is not None:
        history.note(
            cast.moved_at,
            speaker,
            "withdraw_submission",
            subject,
            f"{given.label}: {SubmissionStatus.IN_REVIEW.words} → {cast.status.words}",
            event_id=stage.event_id,
        )
