"""Scoring: one formula from the scores of criteria to the mean and spread of a submission.

A score on a scale from 1 to n counts as its place between 1 and 5. A review's mean is the mean of
its criteria, weighted; a submission's mean is the mean of its submitted reviews, its spread their
population standard deviation. A review without a score (a comment alone) counts in neither.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LOWEST, HIGHEST = 1.0, 5.0


@dataclass(frozen=True, slots=True)
class Scored:
    """One criterion's score, with the scale it stands on and what it weighs."""

    value: int
    scale: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Tally:
    """What the submitted reviews of one submission say together."""

    reviews: int
    mean: float | None = None
    spread: float | None = None


def rescaled(value: float, scale: int) -> float:
    """A place on a scale from 1 to ``scale``, as the same place between 1 and 5."""
    return LOWEST + (value - 1) * (HIGHEST - LOWEST) / (scale - 1)


def review_mean(scores: Iterable[Scored]) -> float | None:
    """The weighted mean of one review's criteria; None without a single score."""
    given = list(scores)
    weight = math.fsum(score.weight for score in given)
    if not weight:
        return None
    return math.fsum(rescaled(s.value, s.scale) * s.weight for s in given) / weight


def tally(reviews: Iterable[Sequence[Scored]]) -> Tally:
    """Mean and spread over the submitted reviews. Without a scored one there is no mean."""
    means = [mean for scores in reviews if (mean := review_mean(scores)) is not None]
    if not means:
        return Tally(0)
    mean = math.fsum(means) / len(means)
    variance = math.fsum((one - mean) ** 2 for one in means) / len(means)
    return Tally(len(means), mean, math.sqrt(variance))
