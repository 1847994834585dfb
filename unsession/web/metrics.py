"""What this process counts of its doors, for `GET /metrics`.

Counted in plain numbers, because every request pays for it; Prometheus' library writes the text
when somebody asks. Labels come from closed lists: no argument, no name that a caller made up.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from unsession.catalogue import OPERATIONS
from unsession.web.wire import Visit

if TYPE_CHECKING:
    from prometheus_client.core import Metric

#: Upper bounds in seconds; the last bucket has none.
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
OTHER = "other"

METHODS = frozenset(
    {
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
        "initialize",
        "ping",
        "server/discover",
    }
)
#: What the door turns away before or instead of reading the message.
_REFUSED = frozenset({401, 403, 405, 413, 415, 429})


class Asked(NamedTuple):
    """The labels of a request at the MCP door; empty ones were not known when it was answered."""

    method: str
    tool: str
    result: str
    revision: str
    quirk: str


class Called(NamedTuple):
    """The labels of a request at the REST door."""

    operation: str
    status: str


class Durations:
    """A histogram: how many took up to each bound, and how long all took."""

    __slots__ = ("buckets", "seconds")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def cumulated(self) -> list[tuple[str, float]]:
        """As Prometheus has them: each bound with all that are below it."""
        total = 0
        shown: list[tuple[str, float]] = []
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), self.buckets, strict=True):
            total += count
            shown.append((bound, total))
        return shown


class Metrics:
    """Counters of one process, from its start."""

    def __init__(self) -> None:
        self._asked: defaultdict[Asked, int] = defaultdict(int)
        self._called: defaultdict[Called, int] = defaultdict(int)
        self._mcp: defaultdict[tuple[str, str], Durations] = defaultdict(Durations)
        self._rest: defaultdict[str, Durations] = defaultdict(Durations)

    def asked(self, status: int, seconds: float, visit: Visit) -> None:
        """Count an answer of the MCP door."""
        asked = _asked(status, visit)
        self._asked[asked] += 1
        self._mcp[asked.method, asked.tool].add(seconds)

    def called(self, status: int, seconds: float, visit: Visit) -> None:
        """Count an answer of the REST door."""
        called = Called(_known(visit.operation), str(status))
        self._called[called] += 1
        self._rest[called.operation].add(seconds)

    def text(self, mail: Mapping[str, int], worker_lag: float | None) -> tuple[bytes, str]:
        """Everything in Prometheus' format, and its content type."""
        import prometheus_client as prometheus  # noqa: PLC0415  (most processes are never asked)

        metrics = [*self._counters(), *_gauges(mail, worker_lag)]
        registry = prometheus.CollectorRegistry(auto_describe=False)
        prometheus.ProcessCollector(registry=registry)
        registry.register(_Ready(metrics))
        return prometheus.generate_latest(registry), prometheus.CONTENT_TYPE_LATEST

    def _counters(self) -> Iterator["Metric"]:
        from prometheus_client.core import (  # noqa: PLC0415  (as above)
            CounterMetricFamily,
            HistogramMetricFamily,
        )

        counted = CounterMetricFamily(
            "unsession_mcp_requests", "Requests at the MCP door.", labels=Asked._fields
        )
        for asked, count in self._asked.items():
            counted.add_metric(asked, count)
        yield counted
        took = HistogramMetricFamily(
            "unsession_mcp_request_duration_seconds",
            "How long requests at the MCP door took.",
            labels=("method", "tool"),
        )
        for key, durations in self._mcp.items():
            took.add_metric(key, durations.cumulated(), durations.seconds)
        yield took
        counted = CounterMetricFamily(
            "unsession_rest_requests", "Requests at the REST door.", labels=Called._fields
        )
        for called, count in self._called.items():
            counted.add_metric(called, count)
        yield counted
        took = HistogramMetricFamily(
            "unsession_rest_request_duration_seconds",
            "How long requests at the REST door took.",
            labels=("operation",),
        )
        for operation, durations in self._rest.items():
            took.add_metric((operation,), durations.cumulated(), durations.seconds)
        yield took


class _Ready:
    """Metrics as a collector."""

    def __init__(self, metrics: list["Metric"]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator["Metric"]:
        yield from self._metrics


def _gauges(mail: Mapping[str, int], worker_lag: float | None) -> Iterator["Metric"]:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415  (as above)

    messages = GaugeMetricFamily(
        "unsession_mails", "Mails of the installation by status.", labels=("status",)
    )
    for status, count in mail.items():
        messages.add_metric((status,), count)
    yield messages
    if worker_lag is not None:
        yield GaugeMetricFamily(
            "unsession_worker_lag_seconds",
            "Since the worker in this process was last alive.",
            value=worker_lag,
        )


def _asked(status: int, visit: Visit) -> Asked:
    told = visit.told
    method = told.get("mcp_method", "")
    if method and method not in METHODS:
        method = OTHER
    tool = ""
    if method == "tools/call":
        tool = _known(visit.operation) or OTHER
    quirk = told.get("mcp_quirk", "")
    result = told.get("mcp_result") or _result(status)
    return Asked(method, tool, result, told.get("mcp_revision", ""), quirk)


def _result(status: int) -> str:
    if status < 400:
        return "ok"
    if status in _REFUSED:
        return "refused"
    return "fault" if status < 500 else "failed"


def _known(operation: str | None) -> str:
    if operation is None:
        return ""
    return operation if operation in OPERATIONS else OTHER
