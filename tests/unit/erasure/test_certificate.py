"""The certificate's checks: each passes on good evidence and fails on one thing gone wrong."""

from dataclasses import replace

import pytest

from proxy.erasure.certificate import Evidence, checks, counts
from proxy.erasure.view import LayerView

GOOD = Evidence(
    {("direct", "delete", "done"): 2, ("summary", "regenerate", "done"): 1},
    digest_matches=True, started=True, keys=[{"fingerprint": "0" * 16}], keys_expected=1,
    sealed=3, opened=0, probes={"by_id": 3, "searches": 4}, hits={"by_id": 0, "searches": 0},
)  # fmt: skip
CLEAN = LayerView("mem0", "memory", 3, 3, 0, "erased", "by id")


def results(evidence: Evidence, *views: LayerView) -> dict[str, str]:
    """Verdict by check."""
    return {name: each["result"] for name, each in checks(evidence, views or (CLEAN,)).items()}


def test_good_evidence_passes() -> None:
    """All six."""
    assert set(results(GOOD).values()) == {"pass"}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("erasure_crypto", {"opened": 1}),
        ("erasure_completeness", {"tally": {("direct", "delete", "planned"): 1}}),
        ("erasure_proof", {"digest_matches": False}),
        ("erasure_proof", {"started": False}),
        ("erasure_key_destruction", {"keys": []}),
        ("erasure_data_inaccessible", {"hits": {"by_id": 1}}),
        ("erasure_data_inaccessible", {"probes": None}),
    ],
)
def test_one_fault_fails_one_check(name: str, changed: dict) -> None:
    """Each check can fail, and only the one concerned does."""
    found = results(replace(GOOD, **changed))
    assert [each for each, result in found.items() if result == "fail"] == [name]


@pytest.mark.parametrize("status", ["residual", "unreachable"])
def test_an_unclean_layer_fails(status: str) -> None:
    """A layer that holds something, or cannot be asked."""
    view = replace(CLEAN, layer="history", status=status, residual=1)
    assert results(GOOD, CLEAN, view)["erasure_memory_clean"] == "fail"


def test_no_key_is_not_a_success() -> None:
    """Where nothing was encrypted, nothing is claimed of keys."""
    found = results(replace(GOOD, keys=[], keys_expected=0, sealed=0))
    assert found["erasure_crypto"] == found["erasure_key_destruction"] == "not_applicable"


def test_counts_tell_what_happened() -> None:
    """Deleted, cascaded, rewritten, held, kept, remaining: each item once."""
    tally = {
        ("direct", "delete", "done"): 3, ("derived", "delete", "done"): 2,
        ("mixed", "redact", "done"): 1, ("summary", "regenerate", "done"): 1,
        ("direct", "hold", "held"): 1, ("mixed", "keep", "kept"): 4,
        ("direct", "delete", "planned"): 1, ("direct", "delete", "gone"): 2,
    }  # fmt: skip
    assert counts(tally) == {
        "deleted": 3, "cascaded": 2, "redacted": 1, "regenerated": 1, "held": 1, "kept": 4,
        "remaining": 1, "already_gone": 2,
    }  # fmt: skip
