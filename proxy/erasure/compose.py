"""The texts that take the place of rewritten memories, made of what survives and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proxy.erasure import rewrite
from proxy.erasure.assess import ROW
from proxy.erasure.find import open_rows, restored, strings
from proxy.erasure.found import Found, Hunt
from proxy.erasure.means import Means
from proxy.erasure.plan import REWRITES, Decided
from proxy.erasure.resolve import Aim
from proxy.ledger import reach

STAMPS = "expunge_"


@dataclass(frozen=True, slots=True)
class Draft:
    """A decision with the stored text that replaces the memory, if anything does."""

    decided: Decided
    found: Found
    text: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


async def compose(means: Means, aim: Aim, hunt: Hunt, decided: Sequence[Decided]) -> list[Draft]:
    """Write what replaces each rewritten memory; where nothing is left to say, delete it."""
    outside = await _outside(means, aim, decided)
    drafts: dict[str, Draft] = {}
    for item in sorted(decided, key=lambda each: each.depth):
        found = hunt.found[item.key]
        if item.action in REWRITES:
            drafts[item.key] = await _rewritten(means, aim, item, found, drafts | outside, hunt)
        else:
            drafts[item.key] = Draft(item, found)
    return [drafts[item.key] for item in decided]


async def _outside(means: Means, aim: Aim, decided: Sequence[Decided]) -> dict[str, Draft]:
    """Surviving sources that are no part of the plan."""
    wanted = {
        source.removeprefix(ROW)
        for item in decided
        if item.action == "regenerate"
        for source in item.sources
        if source.startswith(ROW)
    }
    if not wanted:
        return {}
    rows = await means.ledger.read(lambda tx: reach.present(tx, wanted))
    opened = await means.ledger.read(lambda tx: open_rows(tx, means, aim.tenant_id, rows))
    for one in opened:
        one.item = await means.stores[one.upstream].get(one.memory_id)
    kept = [one for one in opened if one.item and one.row]
    return {
        ROW + one.row.id: Draft(Decided(one.key, "direct", "keep"), one) for one in kept if one.row
    }


async def _rewritten(
    means: Means,
    aim: Aim,
    item: Decided,
    found: Found,
    others: Mapping[str, Draft],
    hunt: Hunt,
) -> Draft:
    text = _text(aim, item, found, others, hunt)
    guessed = any(span.partial for span in found.spans)
    if text and not guessed and await _clean(means, aim, text):
        return Draft(item, found, text, plain_metadata(aim, found))
    reason = "nothing_left" if not text else "still_mentions"
    return Draft(replace(item, action="delete", reason=reason), found)


def _text(aim: Aim, item: Decided, found: Found, others: Mapping[str, Draft], hunt: Hunt) -> str:
    if found.item is None:
        return ""
    if found.former:
        return found.item.text
    needles = aim.needles
    if item.action == "redact" and needles is not None:
        spans = needles.sure(found.item.text)
        return rewrite.redact(found.item.text, spans, needles.entity_type)
    if item.sources:
        return rewrite.combine(_source_text(key, others, hunt) for key in item.sources)
    return rewrite.surviving(found.item.text, needles) if needles is not None else ""


def _source_text(key: str, others: Mapping[str, Draft], hunt: Hunt) -> str:
    draft = others.get(key)
    if draft is not None and draft.decided.action in REWRITES:
        return draft.text or ""
    found = draft.found if draft is not None else hunt.found.get(key)
    if draft is not None and draft.decided.action != "keep":
        return ""
    return found.item.text if found is not None and found.item is not None else ""


async def _clean(means: Means, aim: Aim, text: str) -> bool:
    """Whether a text, read as a reader would, no longer mentions what is forgotten."""
    if aim.needles is None:
        return True
    shown = await restored(means, aim.tenant_id, [text])
    return not aim.needles.sure(text) and not aim.needles.mentioned(shown[0])


def plain_metadata(aim: Aim, found: Found) -> dict[str, Any]:
    """The memory's own metadata without our stamps and without values that tell."""
    given = found.item.metadata if found.item is not None else {}
    return {
        name: value
        for name, value in given.items()
        if not name.startswith(STAMPS)
        and not (aim.needles and any(map(aim.needles.mentioned, [name, *strings(value)])))
    }
