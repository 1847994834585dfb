"""Balanced assignment: laws that hold for every question, and the cases people reported."""

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings, strategies as st

from unsession.domain.assignment import Ask, Pair, Plan, assign

FORTY = [f"sub_{number:02}" for number in range(40)]
FIVE = [f"usr_{letter}" for letter in "abcde"]


def loads(ask: Ask, plan: Plan) -> dict[str, int]:
    counted = Counter(reviewer for _, reviewer in [*plan.open, *ask.fixed])
    return {reviewer: counted[reviewer] for reviewer in ask.reviewers}


def uneven(ask: Ask, plan: Plan) -> int:
    found = loads(ask, plan).values()
    return max(found) - min(found)


def test_forty_submissions_and_five_reviewers_are_twenty_four_each() -> None:
    plan = assign(Ask(FORTY, FIVE, 3))

    assert loads(Ask(FORTY, FIVE, 3), plan) == dict.fromkeys(FIVE, 24)
    assert Counter(submission for submission, _ in plan.open) == dict.fromkeys(FORTY, 3)
    assert plan.short == {}


def test_a_sixth_reviewer_takes_only_what_levels_the_loads() -> None:
    first = assign(Ask(FORTY, FIVE, 3)).open
    done = frozenset(sorted(first)[:30])
    ask = Ask(FORTY, [*FIVE, "usr_f"], 3, fixed=done, open=first - done)

    plan = assign(ask)

    assert loads(ask, plan) == dict.fromkeys(ask.reviewers, 20)
    assert Counter(s for s, _ in [*plan.open, *done]) == dict.fromkeys(FORTY, 3)
    assert len(plan.open - set(ask.open)) == 20, "nothing moved that did not have to"


def test_nobody_gets_what_is_barred_even_if_loads_differ() -> None:
    ask = Ask(
        ["sub_1", "sub_2"], ["usr_a", "usr_b"], 1, barred={("sub_1", "usr_b"), ("sub_2", "usr_b")}
    )

    plan = assign(ask)

    assert plan.open == {("sub_1", "usr_a"), ("sub_2", "usr_a")}


def test_what_cannot_be_filled_is_said() -> None:
    plan = assign(Ask(["sub_1"], ["usr_a", "usr_b"], 3, barred={("sub_1", "usr_b")}))

    assert plan == Plan(frozenset({("sub_1", "usr_a")}), {"sub_1": 2})


def test_without_reviewers_everything_is_short() -> None:
    assert assign(Ask(["sub_1"], [], 2)) == Plan(frozenset(), {"sub_1": 2})


def test_loads_level_through_somebody_in_between() -> None:
    # A can give only s1 and s2, which C may not have; B can take them and give s3 to C.
    ask = Ask(
        ["s1", "s2", "s3"],
        ["a", "b", "c"],
        1,
        open={("s1", "a"), ("s2", "a"), ("s3", "b")},
        barred={("s1", "c"), ("s2", "c")},
    )

    assert loads(ask, assign(ask)) == {"a": 1, "b": 1, "c": 1}


def test_fewer_each_takes_open_ones_away_and_never_fixed_ones() -> None:
    first = assign(Ask(FORTY, FIVE, 3)).open
    done = frozenset(pair for pair in first if pair[0] == "sub_00")

    plan = assign(Ask(FORTY, FIVE, 1, fixed=done, open=first - done))

    assert Counter(s for s, _ in [*plan.open, *done]) == {
        s: 3 if s == "sub_00" else 1 for s in FORTY
    }
    assert plan.open <= first


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    submissions = [f"s{n}" for n in range(draw(st.integers(0, 12)))]
    reviewers = [f"r{n}" for n in range(draw(st.integers(1, 6)))]
    pairs: list[Pair] = [(s, r) for s in submissions for r in reviewers]
    some = st.sets(st.sampled_from(pairs)) if pairs else st.just(set())
    fixed = draw(some)
    return Ask(
        submissions,
        reviewers,
        draw(st.integers(0, 4)),
        fixed=frozenset(fixed),
        open=frozenset(draw(some) - fixed),
        barred=frozenset(draw(some) - fixed),
    )


@given(asks())
@settings(max_examples=200, deadline=None)
def test_the_laws_hold_for_every_question(ask: Ask) -> None:
    plan = assign(ask)

    assert assign(ask) == plan, "the same question has the same answer"
    assert not plan.open & set(ask.barred)
    assert not plan.open & set(ask.fixed)
    for submission in ask.submissions:
        fixed = sum(s == submission for s, _ in ask.fixed)
        have = fixed + sum(s == submission for s, _ in plan.open)
        assert have + plan.short.get(submission, 0) == max(ask.each, fixed)
    assert assign(replace(ask, open=plan.open)).open == plan.open, "a second time nothing moves"
    if not ask.fixed and not ask.barred:
        assert uneven(ask, plan) <= 1
