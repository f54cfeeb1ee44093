"""A histogram for what happens some ten thousand times a second, told by one thread."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector


class Timing:
    """Seconds by how many there were up to each bound; the child of ``Timings`` for its labels."""

    __slots__ = ("_bounds", "_counts", "_total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds, self._counts, self._total = bounds, [0] * (len(bounds) + 1), 0.0

    def observe(self, seconds: float) -> None:
        """Count one; only the event loop's thread does."""
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._total += seconds

    def plain(self) -> tuple[list[tuple[str, float]], float]:
        """How many there were up to each bound, as Prometheus reads it, and their sum."""
        found, below = [], 0
        names = [*(str(float(bound)) for bound in self._bounds), "+Inf"]
        for name, count in zip(names, self._counts, strict=True):
            below += count
            found.append((name, float(below)))
        return found, self._total


class Timings(Collector):
    """As ``prometheus_client.Histogram``, whose locks and checks cost more than what is measured.

    Args:
        bounds: in seconds, rising.
    """

    def __init__(
        self, name: str, says: str, labels: Sequence[str], bounds: Sequence[float],
        registry: CollectorRegistry,
    ) -> None:  # fmt: skip
        self._name, self._says, self._labels, self._bounds = name, says, labels, tuple(bounds)
        self._children: dict[tuple[str, ...], Timing] = {}
        registry.register(self)

    def labels(self, *values: str) -> Timing:
        """The instrument for these values."""
        return self._children.setdefault(values, Timing(self._bounds))

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """What Prometheus reads."""
        family = HistogramMetricFamily(self._name, self._says, labels=self._labels)
        for values, child in list(self._children.items()):
            buckets, total = child.plain()
            family.add_metric(values, buckets, total)
        yield family
