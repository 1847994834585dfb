"""The rate limiter, on a clock of our own."""

import pytest

from unsession.web.rates import PER_TOKEN, Limiter, Rate

HOURLY = Rate(60, 3600)


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(clock: Clock) -> Limiter:
    return Limiter(now=clock)


def test_the_whole_window_may_pass_at_once_and_no_more(limiter: Limiter) -> None:
    answers = [limiter.take("ana", HOURLY) for _ in range(61)]

    assert answers[:60] == [None] * 60
    assert answers[60] == 60


def test_then_one_may_pass_each_interval(limiter: Limiter, clock: Clock) -> None:
    for _ in range(60):
        limiter.take("ana", HOURLY)

    answers = []
    for _ in range(5):
        clock.seconds += 30
        answers.append(limiter.take("ana", HOURLY))

    assert answers == [30, None, 30, None, 30]


def test_the_wait_is_right_to_the_second(limiter: Limiter, clock: Clock) -> None:
    for _ in range(60):
        limiter.take("ana", HOURLY)

    clock.seconds += 59.5
    before = limiter.take("ana", HOURLY)
    clock.seconds += 0.5
    at = limiter.take("ana", HOURLY)

    assert (before, at) == (1, None)


def test_who_is_refused_is_not_counted(limiter: Limiter, clock: Clock) -> None:
    for _ in range(60):
        limiter.take("ana", HOURLY)
    for _ in range(1000):
        assert limiter.take("ana", HOURLY) == 60

    clock.seconds += 60

    assert limiter.take("ana", HOURLY) is None


def test_after_a_whole_window_the_burst_is_back(limiter: Limiter, clock: Clock) -> None:
    for _ in range(60):
        limiter.take("ana", HOURLY)

    clock.seconds += 3600
    answers = [limiter.take("ana", HOURLY) for _ in range(61)]

    assert answers == [None] * 60 + [60]


def test_half_a_window_gives_half_a_burst(limiter: Limiter, clock: Clock) -> None:
    for _ in range(60):
        limiter.take("ana", HOURLY)

    clock.seconds += 1800
    answers = [limiter.take("ana", HOURLY) for _ in range(31)]

    assert answers == [None] * 30 + [60]


def test_rest_saves_nothing_up_beyond_the_window(limiter: Limiter, clock: Clock) -> None:
    clock.seconds += 1_000_000

    assert sum(limiter.take("ana", HOURLY) is None for _ in range(1000)) == 60


def test_everybody_is_counted_alone(limiter: Limiter) -> None:
    for _ in range(60):
        limiter.take("ana", HOURLY)

    assert limiter.take("ana", HOURLY) == 60
    assert limiter.take("ben", HOURLY) is None


def test_a_steady_caller_within_the_rate_is_never_refused(limiter: Limiter, clock: Clock) -> None:
    for _ in range(2000):
        assert limiter.take("ana", PER_TOKEN) is None
        clock.seconds += PER_TOKEN.seconds / PER_TOKEN.calls


def test_a_limiter_that_is_off_lets_everything_pass() -> None:
    off = Limiter(enabled=False)

    assert {off.take("ana", Rate(1, 3600)) for _ in range(100)} == {None}


def test_who_is_no_longer_in_debt_is_forgotten(limiter: Limiter, clock: Clock) -> None:
    for number in range(50_001):
        limiter.take(f"visitor {number}", Rate(1, 60))
    clock.seconds += 61
    limiter.take("ana", Rate(1, 60))

    assert len(limiter._due) == 1
    assert limiter.take("ana", Rate(1, 60)) == 60


def test_an_api_token_may_make_600_calls_a_minute() -> None:
    assert Rate(600, 60) == PER_TOKEN
