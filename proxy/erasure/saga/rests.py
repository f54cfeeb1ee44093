"""What is left of a memory that an erasure wrote anew, judged by what it says now."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any

from detectors.detection import Analysis
from policies import Context, decide
from policies.retention import OWN, SILENT
from proxy.erasure.plans.brief import Payload
from proxy.erasure.plans.plan import REWRITTEN
from proxy.erasure.plans.planning import REWRITE
from proxy.erasure.saga.run import Run
from proxy.erasure.search.find import restored, strings
from proxy.erasure.search.sparing import told_in
from proxy.ledger import entities, held, memories, provenance, reach
from proxy.ledger.engine import Tx
from proxy.ledger.memories import PRESENT, Memory
from proxy.problems import Problem
from proxy.tokens import surrogate
from proxy.upstreams.store import Store, given

LEFT = "kept:"  # how the tags begin that say which attributes and categories are left
LIVING = frozenset(PRESENT) - {"erasing"}

Read = tuple[str, Analysis]


async def read(run: Run, store: Store, payload: Payload, new_id: str | None) -> Read | None:
    """What a rewritten memory says to its reader, its metadata too.

    None, and all stays as it was, if that is not known.
    """
    if new_id is None or payload.draft is None:
        return None
    with suppress(Problem):
        shown = await restored(run.means, run.tenant_id, [_stored(store, payload)])
        return shown[0], (await run.means.detectors.analyse(shown, scope=run.tenant_id))[0]
    return None


async def mentioned(tx: Tx, run: Run, store: Store, payload: Payload) -> list[str]:
    """The living entities whose tokens stand in a rewritten memory, a corrected text's too."""
    codes = {token.code for token in surrogate.find(_stored(store, payload))}
    found = await entities.by_code(tx, run.tenant_id, sorted(codes)) if codes else {}
    return [each.id for each in found.values() if each.state != "erased"]


def _stored(store: Store, payload: Payload) -> str:
    """All that it says, as the store has it."""
    beside = strings(given(store.profile.use["get"].outward, payload.metadata))
    return "\n".join([payload.draft or "", *beside])


async def judged(tx: Tx, run: Run, old: Memory, said: Read | None) -> dict[str, Any]:
    """Categories, tags and end of a rewritten memory, by its text and its living sources.

    A pin, and its subject's own wish or answer how long, stay in force; so does a review that holds
    it, unless its text was corrected.
    """
    rectified = REWRITE in (run.brief.asked.choices or {})
    if said is None:
        return {"tags": held.unmarked(old.tags) if rectified else old.tags}
    stays = tuple(tag for tag in old.tags if tag.startswith((held.MARK, OWN, SILENT)))
    categories, earliest = provenance.inherited(await _sources(tx, run, old))
    text, found = said
    context = Context(
        operation="write", at=old.created_at, text_length=len(text), language=found.language,
        inherited_categories=categories, inherited_expiry=earliest,
    )  # fmt: skip
    made = decide(run.policy, found.detections, found.categories, context)
    kept = held.unmarked(stays) if rectified else stays
    fields = {
        "categories": made.categories,
        "tags": tuple(dict.fromkeys([*made.tags, *kept, *_left(run, said, made.categories)])),
    }
    if old.pinned or old.extended or any(tag.startswith(OWN) for tag in stays):
        return fields
    ends = {"expires_at": made.expires_at, "prompt_at": made.prompt_at}
    return fields | {"tier": made.tier} | ends


async def _sources(tx: Tx, run: Run, old: Memory) -> list[Memory]:
    """What it was derived from and is still there."""
    refs = [edge.source_ref for edge in await reach.edges(tx, [old.id])]
    found = await memories.named(tx, run.tenant_id, refs) if refs else []
    return [each for each in found if each.state in LIVING and each.id != old.id]


def _left(run: Run, said: Read, categories: Collection[str]) -> list[str]:
    """Tags that say what was to be kept is left of it: names of attributes, no content."""
    keep = run.aim.keep
    if keep is None:
        return []
    left = [*told_in(keep, *said), *sorted(keep.categories.intersection(categories))]
    return [REWRITTEN, *(LEFT + name for name in left)]
