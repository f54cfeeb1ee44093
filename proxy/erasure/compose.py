"""The texts that take the place of rewritten memories, made of what survives and nothing else."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from detectors.identity import PERSON_TYPES
from proxy.erasure import rewrite
from proxy.erasure.asides import without_asides
from proxy.erasure.assess import ROW, about_a_person, people_in
from proxy.erasure.find import open_rows, restored, strings
from proxy.erasure.found import Found, Hunt
from proxy.erasure.means import Means
from proxy.erasure.mentions import Needles, Span
from proxy.erasure.plan import INSEPARABLE, PARTIAL, REWRITES, Decided
from proxy.erasure.resolve import Aim
from proxy.erasure.words import is_somebody
from proxy.ledger import entities, reach
from proxy.ledger.engine import Tx

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
    if _of_people(aim, item, found):
        text = await _reduced(means, aim, item, found)
    else:
        stated = await _with_values_named(means, aim, found)
        keep = await _stored_keep(means, aim, stated)
        text = _text(replace(aim, keep=keep), item, found, stated, others, hunt)
    guessed = any(span.partial for span in found.spans)
    if text and not guessed and await _clean(means, aim, text):
        return Draft(item, found, text, plain_metadata(aim, found))
    reason = "nothing_left" if not text else "still_mentions"
    if item.reason == PARTIAL:
        reason = INSEPARABLE
    return Draft(replace(item, action="delete", reason=reason), found)


def _of_people(aim: Aim, item: Decided, found: Found) -> bool:
    """Whether what is left of it depends on who else is named: not of terms, nor of greetings."""
    own = item.action == "redact" or not item.sources
    plain = found.item is not None and not found.former and own
    return plain and about_a_person(aim) and (item.role != "mentioned" or item.reason == PARTIAL)


async def _reduced(means: Means, aim: Aim, item: Decided, found: Found) -> str:
    if aim.needles is None or found.item is None:
        return ""
    redacts = item.action == "redact"
    text = found.item.text
    keep = await _stored_keep(means, aim, text) if item.reason == PARTIAL else None
    judge = rewrite.Judge(aim.needles, (), keep, redacts, item.depth > 0)
    if redacts:
        text = await asyncio.to_thread(without_asides, text, aim.needles, keep)
        judge = replace(judge, others=await _naming_others(means, aim, found, judge, text))
    return await asyncio.to_thread(rewrite.reduced, text, judge)


async def _stored_keep(means: Means, aim: Aim, text: str) -> Needles | None:
    """What must stay as a stored text has it: some of its tokens stand for it."""
    if aim.keep is None:
        return None
    tokens = [text[start:end] for start, end, _ in means.vault.tokens_in(text)]
    shown = await restored(means, aim.tenant_id, tokens)
    kept = [token for token, word in zip(tokens, shown, strict=True) if aim.keep.mentioned(word)]
    return Needles.build(aim.keep.surfaces, tokens=kept)


async def _naming_others(
    means: Means, aim: Aim, found: Found, judge: rewrite.Judge, text: str
) -> frozenset[str]:
    """Those parts of a stored text that name a person who is not forgotten."""
    needles = judge.needles
    listed = [part for each in rewrite.sentences(text) for part in judge.parts(each)]
    named = [part for part in listed if needles.sure(part)]
    if not named:
        return frozenset()
    shown = await restored(means, aim.tenant_id, named)
    analyses = await means.detectors.analyse(shown, scope=aim.tenant_id)
    known = await _known_others(means, aim, found)
    return frozenset(
        part
        for part, read, analysis in zip(named, shown, analyses, strict=True)
        if _beside(needles, read, [*_spans(known, read), *people_in(analysis, {"PERSON"})])
    )


def _spans(known: Needles | None, text: str) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in known.sure(text)] if known is not None else []


async def _known_others(means: Means, aim: Aim, found: Found) -> Needles | None:
    if found.row is None:
        return None
    row_id, tenant = found.row.id, aim.tenant_id

    async def load(tx: Tx) -> list[str]:
        listed = (await reach.entities(tx, [row_id])).get(row_id, [])
        rows = await entities.by_id(tx, tenant, sorted({*listed} - {*aim.entity_ids}))
        return [each.id for each in rows.values() if each.entity_type in PERSON_TYPES]

    ids = await means.ledger.read(load)
    forms = await means.vault.surface_forms(tenant, ids) if ids else []
    return Needles.build(forms, entity_type="PERSON") if forms else None


def _beside(needles: Needles, text: str, people: Sequence[tuple[int, int]]) -> bool:
    ours = needles.sure(text)
    return any(
        is_somebody(text, start, end) and not any(start < s.end and s.start < end for s in ours)
        for start, end in people
    )


def _text(
    aim: Aim, item: Decided, found: Found, stated: str, others: Mapping[str, Draft], hunt: Hunt
) -> str:
    if found.item is None:
        return ""
    if found.former:
        return found.item.text
    needles = aim.needles
    if item.action == "redact" and needles is not None:
        return rewrite.redact(stated, needles.sure(stated), needles.entity_type)
    if item.sources:
        return rewrite.combine(_source_text(aim, key, others, hunt) for key in item.sources)
    return rewrite.surviving(stated, needles, aim.keep) if needles is not None else ""


async def _with_values_named(means: Means, aim: Aim, found: Found) -> str:
    """A memory's text; of an attribute with its word in place of each value that states it.

    A token that a value is part of goes as a whole. Where it cannot be told which part of the text
    became which of what a reader sees, nothing is left.
    """
    text = found.item.text if found.item is not None else ""
    if aim.attribute is None or aim.needles is None:
        return text
    pieces = await _pieces(means, aim, text)
    if not found.text.startswith("".join(each.shown for each in pieces)):
        return ""
    word = aim.needles.surfaces[0]
    for start, end in reversed(list(_stored(pieces, found.spans))):
        text = text[:start] + word + text[end:]
    return text


@dataclass(frozen=True, slots=True)
class _Piece:
    """A token of a stored text, or what stands between two; and how it is shown."""

    start: int
    end: int
    shown: str
    token: bool


async def _pieces(means: Means, aim: Aim, text: str) -> list[_Piece]:
    tokens = [(start, end) for start, end, _ in means.vault.tokens_in(text)]
    shown = await restored(means, aim.tenant_id, [text[start:end] for start, end in tokens])
    pieces, after = list[_Piece](), 0
    for (start, end), clear in zip(tokens, shown, strict=True):
        pieces += [_Piece(after, start, text[after:start], False), _Piece(start, end, clear, True)]
        after = end
    return [*pieces, _Piece(after, len(text), text[after:], False)]


def _stored(pieces: Sequence[_Piece], spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Where in the stored text what a reader sees at the spans stands; without overlaps."""
    after = 0
    for span in sorted(spans, key=lambda each: each.start):
        at, touched = 0, list[tuple[int, int]]()
        for piece in pieces:
            first, last = max(span.start, at), min(span.end, at + len(piece.shown))
            if first < last:
                inside = (piece.start + first - at, piece.start + last - at)
                touched.append((piece.start, piece.end) if piece.token else inside)
            at += len(piece.shown)
        if touched and touched[0][0] >= after:
            after = touched[-1][1]
            yield touched[0][0], after


def _told_by(aim: Aim, draft: Draft) -> str:
    """What a source that is written anew tells a summary: nothing if it was about the erased."""
    redacted = draft.decided.action == "redact" and about_a_person(aim)
    return "" if redacted else draft.text or ""


def _source_text(aim: Aim, key: str, others: Mapping[str, Draft], hunt: Hunt) -> str:
    draft = others.get(key)
    if draft is not None and draft.decided.action in REWRITES:
        return _told_by(aim, draft)
    found = draft.found if draft is not None else hunt.found.get(key)
    if draft is not None and draft.decided.action != "keep":
        return ""
    return found.item.text if found is not None and found.item is not None else ""


async def _clean(means: Means, aim: Aim, text: str) -> bool:
    """Whether a text, read as a reader would, no longer mentions what is forgotten."""
    if aim.needles is None:
        return True
    shown = await restored(means, aim.tenant_id, [text])
    if aim.needles.may_mean(shown[0]):
        return False
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
