"""Every instrument, declared once. No label carries an owner, a tenant or an id."""

from functools import cache
from typing import Protocol, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from proxy.telemetry.timings import Timing, Timings

REGISTRY = CollectorRegistry()

_FAST = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

REQUESTS = Counter(
    "expunge_requests", "Data-plane requests.", ["upstream", "operation", "decision"],
    registry=REGISTRY,
)  # fmt: skip
REFUSALS = Counter(
    "expunge_refusals", "Requests answered with a problem.", ["slug"], registry=REGISTRY
)
OVERHEAD = Timings(
    "expunge_overhead_duration_seconds", "Time in Expunge without the store's.", ["operation"],
    _FAST, REGISTRY,
)  # fmt: skip
UPSTREAM = Timings(
    "expunge_upstream_duration_seconds", "Time the store took.", ["upstream", "operation"],
    _FAST, REGISTRY,
)  # fmt: skip
DETECTION = Histogram(
    "expunge_detection_duration_seconds", "Time of one detection batch.",
    buckets=_FAST, registry=REGISTRY,
)  # fmt: skip
DETECTION_FAILURES = Counter(
    "expunge_detection_failures", "Batches that were not scanned.", ["reason"], registry=REGISTRY
)
ENTITIES = Counter(
    "expunge_entities", "Detections acted upon.", ["type", "action"], registry=REGISTRY
)
ITEMS_HIDDEN = Counter(
    "expunge_items_hidden", "Items dropped from answers.", ["reason"], registry=REGISTRY
)
RECREATIONS = Counter(
    "expunge_recreations", "Memories deleted because the store wrote an erased subject again.",
    registry=REGISTRY,
)  # fmt: skip
STRANGE_IDS = Counter(
    "expunge_strange_ids", "Ids in answers to writes that the writes did not make.",
    registry=REGISTRY,
)  # fmt: skip
EXTRACTIONS = Counter(
    "expunge_extractions_suspected", "Reads that look like emptying a memory, by what told.",
    ["sign"], registry=REGISTRY,
)  # fmt: skip
PENDING_WRITES = Gauge(
    "expunge_pending_writes", "Writes whose outcome is not known yet.", registry=REGISTRY
)
ERASURES = Gauge(
    "expunge_erasures", "Erasures by state and outcome.", ["state", "outcome"], registry=REGISTRY
)
RESIDUAL_LAYERS = Gauge(
    "expunge_erasure_residual_layers", "Layers that erasures left something in.", registry=REGISTRY
)
POLICY_INFO = Gauge(
    "expunge_policy_info",
    "The active policies; 1 while active.",
    ["name", "digest"],
    registry=REGISTRY,
)
POLICY_ERRORS = Counter(
    "expunge_policy_load_errors", "Policy files that were not accepted.", registry=REGISTRY
)
PROMPTS = Counter(
    "expunge_prompts", "Memories about which their data subjects were asked before their end.",
    registry=REGISTRY,
)  # fmt: skip
OPEN_REVIEWS = Gauge(
    "expunge_open_reviews", "Reviews that wait for a data subject's answer.", registry=REGISTRY
)
SELF_TEST_AGE = Gauge(
    "expunge_self_test_age_seconds",
    "Since the last canary was erased end to end.",
    registry=REGISTRY,
)
LOG_KEYS_DROPPED = Counter(
    "expunge_log_keys_dropped", "Log keys that were not on the allow-list.", registry=REGISTRY
)

_Child = TypeVar("_Child", Counter, Timing, covariant=True)


class _Instrument(Protocol[_Child]):
    def labels(self, *values: str) -> _Child: ...


@cache
def labelled(instrument: _Instrument[_Child], *values: str) -> _Child:
    """The child of an instrument for labels that take few values; looking it up costs little."""
    return instrument.labels(*values)
