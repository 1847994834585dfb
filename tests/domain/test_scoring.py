"""The one formula, by hand and by the reported cases."""

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from unsession.domain.scoring import Scored, Tally, rescaled, review_mean, tally

#: Reported elsewhere: what went wrong, and what is right on the scale as given.
CASES: list[dict[str, Any]] = [
    {
        "name": "the lowest score is a score",
        "scale": (0, 5),
        "reviews": [[0, 0], [4, 4]],
        "mean": 2.0,
        "n": 2,
    },
    {
        "name": "an abstention is no score",  # it never reaches the formula
        "scale": (1, 5),
        "reviews": [[5, 3], [3, 3]],
        "mean": 3.5,
        "n": 2,
    },
    {
        "name": "a comment alone is no score",
        "scale": (1, 5),
        "reviews": [[], [2, 4]],
        "mean": 3.0,
        "n": 1,
    },
]

reviews = st.lists(
    st.lists(
        st.builds(
            lambda scale, share, weight: Scored(1 + round(share * (scale - 1)), scale, weight),
            st.integers(2, 10),
            st.floats(0, 1),
            st.floats(0.1, 10),
        ),
        max_size=5,
    ),
    max_size=8,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "_"))
def test_reported_cases_come_out_right(case: dict[str, Any]) -> None:
    low, high = case["scale"]
    steps = high - low + 1
    given_reviews = [[Scored(s - low + 1, steps) for s in scores] for scores in case["reviews"]]

    found = tally(given_reviews)

    assert found.reviews == case["n"]
    assert found.mean == pytest.approx(rescaled(case["mean"] - low + 1, steps))


def test_both_ends_of_every_scale_are_one_and_five() -> None:
    assert [rescaled(1, scale) for scale in range(2, 11)] == [1.0] * 9
    assert [rescaled(scale, scale) for scale in range(2, 11)] == [5.0] * 9
    assert rescaled(3, 5) == 3.0


def test_a_criterion_that_counts_double_counts_double() -> None:
    assert review_mean([Scored(5, 5, 2.0), Scored(2, 5, 1.0)]) == 4.0


def test_mean_and_spread_are_those_of_the_reviews() -> None:
    found = tally([[Scored(5, 5)], [Scored(3, 5)], [Scored(1, 5)]])

    assert found == Tally(3, 3.0, pytest.approx(math.sqrt(8 / 3)))


def test_without_a_review_there_is_no_mean() -> None:
    assert tally([]) == Tally(0, None, None)
    assert tally([[], []]) == Tally(0, None, None)


@given(reviews)
def test_a_mean_lies_on_the_scale_and_order_does_not_matter(given_reviews: Any) -> None:
    found = tally(given_reviews)

    assert found.reviews == sum(bool(scores) for scores in given_reviews)
    if found.mean is not None and found.spread is not None:
        assert 1 - 1e-9 <= found.mean <= 5 + 1e-9
        assert 0 <= found.spread <= 2 + 1e-9
        backwards = tally([scores[::-1] for scores in given_reviews[::-1]])
        assert backwards.mean == pytest.approx(found.mean)
        assert backwards.spread == pytest.approx(found.spread, abs=1e-6)
