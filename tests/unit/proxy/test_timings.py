"""Our histogram reads like Prometheus' own."""

from prometheus_client import CollectorRegistry, Histogram, generate_latest

from proxy.telemetry.timings import Timings

BOUNDS = (0.0005, 0.001, 0.25, 1, 10)
SECONDS = (0.0, 0.0005, 0.00051, 0.2, 0.25, 1.0, 1.1, 10.0, 11.0)


def read(registry: CollectorRegistry) -> list[str]:
    """What is told, but for the time at which the instrument was made."""
    lines = generate_latest(registry).decode().splitlines()
    return [line for line in lines if "_created" not in line]


def test_it_tells_what_the_librarys_histogram_tells() -> None:
    """Values on a bound, between bounds and beyond the last, under several labels."""
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    mine = Timings("a_seconds", "Time.", ["store", "op"], BOUNDS, ours)
    model = Histogram("a_seconds", "Time.", ["store", "op"], buckets=BOUNDS, registry=theirs)
    assert read(ours) == read(theirs)
    for labels in (("m", "list"), ("m", "write")):
        for seconds in SECONDS:
            mine.labels(*labels).observe(seconds)
            model.labels(*labels).observe(seconds)
    assert read(ours) == read(theirs)
    assert mine.labels("m", "list") is mine.labels("m", "list")
