"""Every legal move of a submission, and no other."""

import itertools

import pytest

from unsession.domain.submissions import MOVES, Decision, SubmissionStatus, may_move

S = SubmissionStatus

#: As the specification draws them.
LEGAL = {
    (S.DRAFT, S.IN_REVIEW),
    (S.IN_REVIEW, S.ACCEPTED),
    (S.IN_REVIEW, S.WAITLISTED),
    (S.IN_REVIEW, S.DECLINED),
    (S.IN_REVIEW, S.WITHDRAWN),
    (S.WAITLISTED, S.ACCEPTED),
    (S.WAITLISTED, S.DECLINED),
    (S.WAITLISTED, S.IN_REVIEW),
    (S.WAITLISTED, S.WITHDRAWN),
    (S.ACCEPTED, S.WAITLISTED),
    (S.ACCEPTED, S.DECLINED),
    (S.ACCEPTED, S.IN_REVIEW),
    (S.ACCEPTED, S.WITHDRAWN),
    (S.DECLINED, S.IN_REVIEW),
    (S.DECLINED, S.ACCEPTED),
    (S.DECLINED, S.WAITLISTED),
    (S.WITHDRAWN, S.IN_REVIEW),
}
EVERY = list(itertools.product(S, S))


@pytest.mark.parametrize(("was", "to"), EVERY, ids=str)
def test_a_move_is_legal_exactly_when_it_is_drawn(was: S, to: S) -> None:
    assert may_move(was, to) is ((was, to) in LEGAL)


def test_every_status_has_a_row() -> None:
    assert set(MOVES) == set(S)


def test_no_status_moves_to_itself() -> None:
    assert not [status for status in S if may_move(status, status)]


def test_nothing_becomes_a_draft_again() -> None:
    assert not [status for status in S if may_move(status, S.DRAFT)]


def test_a_draft_is_not_decided() -> None:
    assert not [decision for decision in Decision if may_move(S.DRAFT, decision.outcome)]


def test_what_was_withdrawn_is_decided_only_after_it_came_back() -> None:
    assert not [decision for decision in Decision if may_move(S.WITHDRAWN, decision.outcome)]
    assert may_move(S.WITHDRAWN, S.IN_REVIEW)


@pytest.mark.parametrize("decision", Decision)
def test_every_decision_can_be_taken_in_review_and_taken_back(decision: Decision) -> None:
    assert may_move(S.IN_REVIEW, decision.outcome)
    assert may_move(decision.outcome, S.IN_REVIEW)


@pytest.mark.parametrize(
    ("decision", "outcome"),
    [
        (Decision.ACCEPT, S.ACCEPTED),
        (Decision.DECLINE, S.DECLINED),
        (Decision.WAITLIST, S.WAITLISTED),
    ],
)
def test_a_decision_leads_to_its_status(decision: Decision, outcome: S) -> None:
    assert decision.outcome is outcome


def test_a_status_reads_as_words() -> None:
    assert S.IN_REVIEW.words == "in review"
