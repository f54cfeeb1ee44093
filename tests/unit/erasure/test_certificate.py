"""The certificate's checks: each passes on good evidence and fails on one thing gone wrong."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.erasure.proof.certificate import Evidence, _key_part, checks, counts, in_all
from proxy.erasure.view import LayerView

GOOD = Evidence(
    {("direct", "delete", "done"): 2, ("summary", "regenerate", "done"): 1},
    digest_matches=True, started=True, keys=[{"fingerprint": "0" * 16}], keys_expected=1,
    sealed=3, opened=0, probes={"by_id": 3, "searches": 4}, hits={"by_id": 0, "searches": 0},
)  # fmt: skip
CLEAN = LayerView("mem0", "memory", 3, 3, 0, "erased", "by id")
GONE = {"fingerprint": "1" * 16, "key_epoch_destroyed_at": "2026-01-05T09:30:00Z",
        "assurance": "local-kek"}  # fmt: skip


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
        ("erasure_data_inaccessible", {"unverified": 1}),
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


@pytest.mark.parametrize(
    ("changed", "state", "said"),
    [
        ({"keys": [], "keys_expected": 1}, "not_destroyed", "not destroyed yet"),
        ({"keys": [], "keys_expected": 0}, None, "no ciphertext of ours"),
        ({}, "row_deleted", "logically deleted"),
        ({"keys": [GONE]}, "key_epoch_destroyed", "ciphertext held by Expunge is crypto-erased"),
        ({"keys": [GONE, GOOD.keys[0]], "keys_expected": 2}, "row_deleted", "logically deleted"),
        (
            {"keys": [GONE | {"assurance": "external-kek-pending"}]},
            "key_epoch_destroyed",
            "opens no more; until its waiting period ends",
        ),
    ],
)
def test_keys_that_still_exist_are_not_passed_over(
    changed: dict, state: str | None, said: str
) -> None:
    """Only where no key was concerned it is said that none was."""
    part = _key_part(replace(GOOD, **changed))
    assert part["state"] == state
    assert part["wording"].startswith(said)


ITEMS = st.tuples(
    st.sampled_from(["direct", "mixed", "shared", "derived", "summary", "near_duplicate"]),
    st.sampled_from(["delete", "redact", "regenerate", "hold", "keep"]),
    st.sampled_from(["planned", "rewriting", "done", "verified", "gone", "kept", "changed"]),
).map(lambda each: (*each[:2], "kept") if each[1] == "keep" else each)
ENDS = ("deleted", "cascaded", "regenerated", "redacted", "already_gone", "held", "remaining",
        "stayed")  # fmt: skip


@given(st.lists(ITEMS), st.lists(st.lists(ITEMS), max_size=3))
def test_the_numbers_add_up_whatever_joins_later(planned: list, looks: list) -> None:
    """All that was found has one end and one relation, and what was not planned is told."""
    told, items = in_all({"kept": 0}, Counter(planned)), list(planned)
    told = {**told, "found_later": 0}  # so far it is the plan
    first = told["found"]
    for joining in looks:
        items += joining
        told = in_all(told, Counter(items))
    assert told["found"] == sum(told[name] for name in ENDS)
    assert told["found"] == sum(told[name] for name in ("direct", "indirect", "shared", "mixed"))
    assert told["found"] == sum(n for name, n in told.items() if name.startswith("to_"))
    assert told["found_later"] == told["found"] - first
    assert told["kept"] - told["stayed"] == sum(action == "keep" for _, action, _ in items)
