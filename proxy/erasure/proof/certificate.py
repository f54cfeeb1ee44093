"""The certificate: what was erased, how that was checked, what is left; no content and no ids."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from importlib.metadata import version
from typing import Any, Literal

from detectors.words.language import MEANT
from proxy.erasure.plans.plan import (
    BARE_NAMES,
    DESCRIBED,
    DOUBTFUL,
    DRAWN_BESIDE,
    IDENTIFIERS,
    INDEPENDENT,
    INDIRECT,
    KEPT,
    OF_NAMESAKES,
    UNREAD_LANGUAGES,
)
from proxy.erasure.plans.plan import Tally as PlanTally
from proxy.erasure.proof import keys
from proxy.erasure.requests.requester import requester
from proxy.erasure.search import layers
from proxy.erasure.search.resolve import EXACT
from proxy.erasure.view import LayerView
from proxy.ledger.erasures import Erasure

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:expunge:predicate:erasure:v1"
CLAIM = timedelta(days=90)
NOT_COVERED = ("model_weights", "backups_of_the_store", "logs_of_the_store", "copies_by_clients")
ALIKE = "owner_ids_that_hold_more_than_the_name"
OTHER_WORDS = "memories_that_may_say_the_same_in_other_words"
SHORT_NAMES = "mentions_by_a_short_name_that_a_namesake_bears_too"
BARE = "mentions_by_a_bare_name_under_owners_who_do_not_know_the_whole_one"
OTHERS = "others_of_the_same_name_who_were_not_chosen"
ON_REQUEST = "what_the_requester_wanted_kept"
PASSING = "memories_that_mention_it_and_are_mainly_about_something_else"
MISSED: Mapping[str, tuple[str, ...]] = {
    "category": (
        "memories_of_the_category_that_statistical_detection_missed",
        f"more_of_those_in_{'_'.join(MEANT[1:])}_than_in_{MEANT[0]}_and_most_in_other_languages",
    ),
    "attribute": ("memories_that_state_it_in_words_that_detection_does_not_know",),
    "tag": ("memories_in_which_detection_missed_it",),
}
UNREAD = "memories_in_languages_in_which_it_is_not_recognised"
OF_ANOTHER = "memories_made_from_it_that_open_with_the_name_of_another_person"
DRAWN = "memories_that_a_model_drew_from_a_chat_in_which_it_is_mentioned"
RELATIVES = "memories_that_speak_of_somebodys_relative_as_which_it_is_known"
BESIDE = "identifiers_in_metadata_beside_several_names_that_may_be_theirs"
NAMESAKES = "mentions_by_the_name_under_owners_who_were_not_chosen"

Verdict = Literal["pass", "fail", "not_applicable"]
Tally = Mapping[tuple[str, str, str], int]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the checks rest on.

    Args:
        tally: items by (relation, action, state).
        digest_matches: whether the recorded plan still has the digest that was confirmed.
        started: whether the log held the erasure before anything was deleted.
        keys: fingerprint and dates of destroyed keys.
        keys_expected: how many keys had to be destroyed.
        keys_needed: how many more would have to be, if nothing that stays needed them.
        mentions_ended: names and values that only erased memories mentioned; their keys ended with
            those, the first of them are among ``keys``.
        opened: sealed values that still opened after their key was destroyed.
        sealed: sealed values that were tried.
        probes: tries by route.
        hits: what the routes still showed.
        unverified: stores that could not be asked, so that nothing is known of them.
        halted: it was given up before all was done that could be.
    """

    tally: Tally
    digest_matches: bool
    started: bool
    keys: Sequence[Mapping[str, Any]] = ()
    keys_expected: int = 0
    keys_needed: int = 0
    mentions_ended: int = 0
    opened: int = 0
    sealed: int = 0
    probes: Mapping[str, int] | None = None
    hits: Mapping[str, int] | None = None
    unverified: int = 0
    halted: bool = False


def checks(evidence: Evidence, views: Sequence[LayerView]) -> dict[str, dict[str, Any]]:
    """The six named checks, each with the counts it rests on."""
    return {
        "erasure_crypto": _crypto(evidence),
        "erasure_completeness": _completeness(evidence),
        "erasure_proof": _check(
            evidence.digest_matches and evidence.started,
            plan_digest_matches=int(evidence.digest_matches),
            logged_before=int(evidence.started),
        ),
        "erasure_key_destruction": _keys(evidence),
        "erasure_data_inaccessible": _inaccessible(evidence, views),
        "erasure_memory_clean": _clean(views),
    }


def passed(evidence: Evidence, views: Sequence[LayerView]) -> bool:
    """Whether it came to its end, no check fails, and every layer was shown to be clean."""
    verdicts = checks(evidence, views).values()
    failed = any(verdict["result"] == "fail" for verdict in verdicts)
    return not (failed or evidence.halted) and layers.all_clean(views)


def lacks_connectors(evidence: Evidence, views: Sequence[LayerView]) -> bool:
    """Whether all passes but for layers into which the configuration gives nobody a way."""
    rest = [view for view in views if not layers.out_of_reach(view)]
    hits = {**(evidence.hits or {}), "histories": 0}  # such a layer, or one of the rest says so
    return len(rest) < len(views) and passed(replace(evidence, hits=hits), rest)


def counts(tally: Tally) -> dict[str, int]:
    """The numbers of a result: what happened to how many."""
    found: Counter[str] = Counter()
    for (relation, action, state), number in tally.items():
        done = state in {"done", "verified"}
        match action:
            case _ if state == "gone":
                found["already_gone"] += number
            case _ if state == "kept":
                found["kept"] += number
            case "delete" if done:
                found["cascaded" if relation in INDIRECT else "deleted"] += number
            case "redact" | "regenerate" if done:
                found["redacted" if action == "redact" else "regenerated"] += number
            case "hold":
                found["held"] += number
            case "keep":
                found["kept"] += number
            case _:
                found["remaining"] += number
    names = ("deleted", "cascaded", "regenerated", "redacted", "already_gone", "held", "kept",
             "remaining")  # fmt: skip
    return {name: found[name] for name in names}


def in_all(planned: Mapping[str, int], tally: Tally) -> dict[str, int]:
    """The numbers of an erasure that runs or ended, what was found after its plan among them.

    What was ``found`` has an end: it was deleted, cascaded, regenerated, redacted, gone already, is
    held or remaining, or ``stayed``, for its text of today does not concern whom this forgets.

    Args:
        planned: the numbers as they were recorded last.
        tally: items by (relation, action, state), as they are now.
    """
    groups, stayed = PlanTally(), 0
    for (relation, action, state), number in tally.items():
        if action != "keep":
            groups.count(relation, action, number)
            stayed += number if state == "kept" else 0
    known = {name: value for name, value in planned.items() if not name.startswith("to_")}
    shown = known.get("found", 0) - known.get("found_later", 0)
    later = max(0, groups.counts["found"] - shown)
    return {**known, **groups.counts, "found_later": later, "stayed": stayed, **counts(tally)}


@cache
def _software() -> str:
    """Our version: it cannot change while we run, and looking it up parses a file."""
    return version("expunge")


def statement(
    erasure: Erasure,
    evidence: Evidence,
    views: Sequence[LayerView],
    *,
    state: str,
    now: datetime,
    holds: Mapping[str, int],
    notices: int,
    let_go: Mapping[str, int],
    blocklisted: bool,
) -> dict[str, Any]:
    """The in-toto statement of one erasure (facts only: nothing is claimed that was not looked at).

    Args:
        erasure: the request as recorded.
        evidence: what the checks rest on.
        views: outcome of every layer.
        state: complete, incomplete or held.
        now: when it is signed; the absence claim expires ``CLAIM`` later.
        holds: held items by exception code.
        notices: notices owed to others.
        let_go: notices and reviews that ended with whom they were for.
        blocklisted: whether re-creation is blocked.
    """
    digest = (erasure.plan_digest or "sha256:").removeprefix("sha256:")
    return {
        "_type": STATEMENT,
        "subject": [{"name": f"erasure/{erasure.reference}", "digest": {"sha256": digest}}],
        "predicateType": PREDICATE,
        "predicate": {
            **_request(erasure),
            "state": state,
            "outcome": erasure.outcome,
            "times": _times(erasure, state, now),
            "counts": _counts(erasure, evidence),
            "relations": _relations(evidence.tally),
            "roles": _roles(erasure),
            "partial": _partial(erasure, evidence),
            "layers": [view.body() for view in views],
            "worst_layer_residue": layers.worst(views),
            "checks": checks(evidence, views),
            "verification": {
                "tries": dict(evidence.probes or {}),
                "hits": dict(evidence.hits or {}),
            },
            "keys": _key_part(evidence),
            "residuals": _residuals(views),
            "exceptions": [{"code": code, "items": n} for code, n in sorted(holds.items())],
            "notifications": {"owed": notices, **let_go},
            "blocklist": "on" if blocklisted else "off",
            "doubtful_mentions": erasure.counts.get(DOUBTFUL, 0),
            "claim": _claim(erasure, views, now),
            "software": {"name": "expunge", "version": _software()},
        },
    }


def _request(erasure: Erasure) -> dict[str, Any]:
    details = erasure.details
    return {
        "reference": erasure.reference,
        "erasure": erasure.id,
        "regime": details.get("regime"),
        "ground": erasure.reason or details.get("ground"),
        "origin": erasure.origin,
        "requester": {"role": details.get("role"), **requester(erasure)},
        "subject": erasure.target_ref.hex() if erasure.target_ref else None,
        "target_kind": erasure.target_kind,
        "scope": erasure.scope,
        "scope_path": erasure.details.get("scope_path"),
        "policy_digest": erasure.policy_digest,
        "plan_digest": erasure.plan_digest,
    }


def _times(erasure: Erasure, state: str, now: datetime) -> dict[str, str | None]:
    return {
        "received": rfc3339(erasure.received_at),
        "confirmed": rfc3339(erasure.confirmed_at),
        "completed": rfc3339(now) if state in {"complete", "held"} else None,
        "due": rfc3339(erasure.due_at),
        "signed": rfc3339(now),
    }


def rfc3339(moment: datetime | None) -> str | None:
    """UTC with milliseconds."""
    if moment is None:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _counts(erasure: Erasure, evidence: Evidence) -> dict[str, int]:
    found = in_all(erasure.counts, evidence.tally)
    told = ("found", "found_later", "stayed", *counts(evidence.tally))
    return {name: found[name] for name in told}


def _relations(tally: Tally) -> dict[str, int]:
    found: Counter[str] = Counter()
    for (relation, _, _), number in tally.items():
        found[relation] += number
    return dict(sorted(found.items()))


def _roles(erasure: Erasure) -> dict[str, int]:
    """Affected items by the part the data subject plays in them; derived ones have none."""
    counted = erasure.details.get("roles") or {}
    return {role: int(counted.get(role, 0)) for role in ("about", "author", "mentioned")}


def _partial(erasure: Erasure, evidence: Evidence) -> dict[str, Any] | None:
    """What the requester wanted kept, by names of attributes and categories; None: nothing."""
    kept = erasure.details.get("keep")
    if kept is None:
        return None
    done = counts(evidence.tally)
    return {
        "kept": kept,
        "memories_kept": erasure.counts.get(KEPT, 0),
        "memories_rewritten": done["regenerated"] + done["redacted"],
    }


def _key_part(evidence: Evidence) -> dict[str, Any]:
    return {
        "algorithm": "AES-256-GCM",
        "key_bits": 256,
        "destroyed": [dict(key) for key in evidence.keys],
        "of_mentions": evidence.mentions_ended,
        "state": _key_state(evidence),
        "wording": _wording(evidence),
    }


def _key_state(evidence: Evidence) -> str | None:
    if not evidence.keys:
        return "not_destroyed" if evidence.keys_expected or evidence.keys_needed else None
    return keys.state_of(evidence.keys)


def _wording(evidence: Evidence) -> str:
    if not evidence.keys and evidence.keys_expected:
        return "not destroyed yet; ciphertext held by Expunge can still be read"
    if not evidence.keys and evidence.keys_needed:
        return "kept for what stays; ciphertext held by Expunge can still be read"
    if not evidence.keys:
        return "no ciphertext of ours was concerned"
    return keys.wording_of(evidence.keys)


def _residuals(views: Sequence[LayerView]) -> list[dict[str, Any]]:
    return [
        {
            "upstream": view.upstream,
            "layer": view.layer,
            "status": view.status,
            "residual": view.residual,
            "reason": view.reason,
            "action": view.action,
        }
        for view in views
        if view.status in {"residual", "unreachable"}
    ]


def _claim(erasure: Erasure, views: Sequence[LayerView], now: datetime) -> dict[str, Any]:
    looked = [view for view in views if view.status in {"erased", "absent"}]
    held = [view for view in views if view.status == "held"]
    beyond = [view for view in views if view not in looked and view not in held]
    return {
        "scope": "the listed layers of the listed upstreams, at the time it was made",
        "absent_from": [f"{view.upstream}/{view.layer}" for view in looked],
        "held_in": [f"{view.upstream}/{view.layer}" for view in held],
        "out_of_reach": [f"{view.upstream}/{view.layer}" for view in beyond],
        "not_covered": [*NOT_COVERED, *_not_covered(erasure), *_unattributed(erasure, views)],
        "made": rfc3339(now),
        "expires": rfc3339(now + CLAIM),
    }


def _not_covered(erasure: Erasure) -> Iterator[str]:
    counts, details = erasure.counts, erasure.details
    named = (
        OF_NAMESAKES, BARE_NAMES, UNREAD_LANGUAGES, INDEPENDENT, DRAWN_BESIDE, DESCRIBED,
        IDENTIFIERS,
    )  # fmt: skip
    doubtful = counts.get(DOUBTFUL, 0) > sum(counts.get(name, 0) for name in named)
    of_memory = erasure.target_kind == "memory"
    lines = {
        ON_REQUEST: details.get("keep") is not None,
        PASSING: erasure.target_kind == "entity" and erasure.scope == "primary",
        ALIKE: details.get("owners_left", True),
        OTHERS: details.get("others_left"),
        UNREAD: counts.get(UNREAD_LANGUAGES),
        OTHER_WORDS: of_memory and (doubtful or erasure.origin in EXACT),
        SHORT_NAMES: doubtful and not of_memory,
        BARE: counts.get(BARE_NAMES),
        NAMESAKES: counts.get(OF_NAMESAKES),
        OF_ANOTHER: counts.get(INDEPENDENT),
        DRAWN: counts.get(DRAWN_BESIDE),
        RELATIVES: counts.get(DESCRIBED),
        BESIDE: counts.get(IDENTIFIERS),
    }
    yield from MISSED.get(erasure.target_kind, ())
    yield from (line for line, so in lines.items() if so)


def _unattributed(erasure: Erasure, views: Sequence[LayerView]) -> Iterator[str]:
    """Versions that name no owner: those left, and those that nobody can look for over an API."""
    histories = [view for view in views if view.layer == "history"]
    unasked = erasure.target_kind != "memory" and any(
        view.method == layers.BY_API for view in histories
    )
    if unasked or any(view.reason == layers.ORPHANED for view in histories):
        yield layers.ORPHANED


def _check(passed: bool, **evidence: int) -> dict[str, Any]:
    return {"result": "pass" if passed else "fail", "evidence": evidence}


def _absent(**evidence: int) -> dict[str, Any]:
    return {"result": "not_applicable", "evidence": evidence}


def _crypto(evidence: Evidence) -> dict[str, Any]:
    if not evidence.sealed:
        return _absent(sealed_values_tried=0)
    return _check(evidence.opened == 0, sealed_values_tried=evidence.sealed, opened=evidence.opened)


def _completeness(evidence: Evidence) -> dict[str, Any]:
    found = counts(evidence.tally)
    planned = sum(evidence.tally.values())
    done = planned - found["remaining"]
    return _check(found["remaining"] == 0, planned=planned, accounted_for=done)


def _keys(evidence: Evidence) -> dict[str, Any]:
    if not evidence.keys_expected:
        return _absent(keys_expected=0)
    return _check(
        len(evidence.keys) == evidence.keys_expected,
        keys_expected=evidence.keys_expected,
        keys_destroyed=len(evidence.keys),
    )


def _inaccessible(evidence: Evidence, views: Sequence[LayerView]) -> dict[str, Any]:
    if evidence.probes is None:
        return _check(False, tries=0)
    tries, hits = sum(evidence.probes.values()), sum((evidence.hits or {}).values())
    if evidence.unverified:
        return _check(False, tries=tries, hits=hits, stores_not_asked=evidence.unverified)
    if not hits and _held(views):
        return _absent(tries=tries, hits=hits, layers_held=_held(views))
    return _check(hits == 0, tries=tries, hits=hits)


def _held(views: Sequence[LayerView]) -> int:
    """Layers in which something is kept under a hold: of them nothing is said to be gone."""
    return sum(view.status == "held" for view in views)


def _clean(views: Sequence[LayerView]) -> dict[str, Any]:
    unclean = [view for view in views if view.status in {"residual", "unreachable"}]
    evidence = {
        "layers_looked_at": len(views) - len(unclean),
        "layers_unclean": len(unclean),
        "rows_left": sum(view.residual or 0 for view in views),
    }
    if not unclean and _held(views):
        return _absent(**evidence, layers_held=_held(views))
    return _check(not unclean, **evidence)
