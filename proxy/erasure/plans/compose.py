"""The texts that take the place of rewritten memories, made of what survives and nothing else."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proxy.erasure.plans.assess import ROW, about_a_person, people_in
from proxy.erasure.plans.barred import would_hide
from proxy.erasure.plans.fields import without_theirs
from proxy.erasure.plans.identifying import identifying, known_others
from proxy.erasure.plans.plan import INSEPARABLE, PARTIAL, REWRITES, Decided
from proxy.erasure.search.find import open_rows, restored, strings
from proxy.erasure.search.found import Found, Hunt
from proxy.erasure.search.means import Means
from proxy.erasure.search.pieces import pieces, read, stored
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts import rewrite
from proxy.erasure.texts.asides import without_asides
from proxy.erasure.texts.entries import Part, in_parts
from proxy.erasure.texts.hanging import without_hanging
from proxy.erasure.texts.identifiers import without_identifiers
from proxy.erasure.texts.keeping import is_technical
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.named import Identifiers
from proxy.erasure.texts.redaction import redact
from proxy.erasure.texts.telling import Telling
from proxy.erasure.texts.words import is_somebody
from proxy.ledger import reach
from proxy.upstreams.store import STAMPS


@dataclass(frozen=True, slots=True)
class Draft:
    """A decision with the stored text that replaces the memory, if anything does."""

    decided: Decided
    found: Found
    text: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    unclear: bool = False  # an identifier stays in that of which nothing tells whose it is


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
    if item.reason == PARTIAL and (aim.needles is None or item.role == "author"):
        text = _kept(aim, item, found)
    elif _of_people(aim, item, found):
        text = await _reduced(means, aim, item, found)
    else:
        stated = await _with_values_named(means, aim, found)
        text = _text(aim, item, found, stated, others, hunt)
    guessed = any(span.partial for span in found.spans)
    if text and not guessed and await _clean(means, aim, found, text):
        left = await without_theirs(means, aim, item, found)
        plain = await _shown(means, aim, found, plain_metadata(aim, left.metadata))
        return Draft(item, found, text, plain, left.unclear)
    reason = "nothing_left" if not text else "still_mentions"
    if item.reason == PARTIAL:
        reason = INSEPARABLE
    return Draft(replace(item, action="delete", reason=reason), found)


def _kept(aim: Aim, item: Decided, found: Found) -> str:
    """What stays of a memory that goes as a whole but for what is to be kept."""
    if found.item is None or found.telling is None:
        return ""
    text, telling = _mended(item, found.item.text, found.telling)
    text = " ".join(without_hanging(rewrite.sentences(text), None, telling))
    kept, needles = rewrite.kept_of(text, telling), aim.needles
    return redact(kept, needles) if needles else kept


def _mended(item: Decided, text: str, telling: Telling) -> tuple[str, Telling]:
    """Where phrases are allowed, one stands for what may not stay beside what is kept."""
    if item.action != "redact":
        return text, telling
    return rewrite.mended(text, telling), replace(telling, beside=())


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
    keep = found.telling if item.reason == PARTIAL else None
    if keep is not None:
        text, keep = _mended(item, text, keep)
    known = await identifying(means, aim, found, speaks=item.role == "author")
    parts, gone = await asyncio.to_thread(in_parts, text, aim.needles, known, keep)
    left = ""
    for part in parts:
        judge = rewrite.Judge(aim.needles, (), keep, redacts, item.depth > 0 or part.named, gone)
        said = part.text if part.settled else await _told(means, aim, found, part, known, judge)
        left += f"{part.before}{said}" if left and said else said
    unnamed = item.depth == 0 and not found.spans  # so that nothing says what of it is theirs
    return "" if unnamed and keep is None and left == found.item.text else left


async def _told(
    means: Means, aim: Aim, found: Found, part: Part, known: Identifiers, judge: rewrite.Judge
) -> str:
    """What is left of what is no list."""
    needles, keep = judge.needles, judge.keep
    text, theirs = without_identifiers(part.text, needles, known, keep, named=judge.named)
    judge = replace(judge, barred={*judge.barred, *theirs})
    text = await asyncio.to_thread(without_asides, text, needles, keep, named=part.follows)
    if judge.redacts:
        judge = replace(judge, others=await _naming_others(means, aim, found, judge, text))
    left = await asyncio.to_thread(rewrite.reduced, text, judge)
    return "" if any(map(left.__contains__, judge.barred)) else left


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
    ours = [part[span.start : span.end] for part in named for span in needles.sure(part)]
    called = frozenset(await restored(means, aim.tenant_id, ours))
    analyses = await means.detectors.analyse(shown, scope=aim.tenant_id)
    known = await known_others(means, aim, found)
    return frozenset(
        part
        for part, read, analysis in zip(named, shown, analyses, strict=True)
        if _beside(needles, called, read, [*_spans(known, read), *people_in(analysis, {"PERSON"})])
    )


def _spans(known: Needles | None, text: str) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in known.sure(text)] if known is not None else []


def _beside(
    needles: Needles, called: Collection[str], text: str, people: Sequence[tuple[int, int]]
) -> bool:
    """Whether somebody else is named: whoever is ``called`` so in this memory is whom it forgets.

    A first name alone may be a token in it, and is certain there; put back it could be anybody's.
    """
    ours = needles.sure(text)
    return any(
        is_somebody(text, start, end)
        and text[start:end] not in called
        and not any(start < s.end and s.start < end for s in ours)
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
        return redact(stated, needles)
    if item.sources:
        return rewrite.combine(_source_text(aim, key, others, hunt) for key in item.sources)
    return rewrite.surviving(stated, needles, found.telling) if needles is not None else ""


async def _with_values_named(means: Means, aim: Aim, found: Found) -> str:
    """A memory's text; of an attribute with its word in place of each value that states it.

    A token that a value is part of goes as a whole. Where it cannot be told which part of the text
    became which of what a reader sees, nothing is left.
    """
    text = found.item.text if found.item is not None else ""
    if aim.attribute is None or aim.needles is None:
        return text
    taken = await pieces(means, aim.tenant_id, text)
    if not found.text.startswith(read(taken)):
        return ""
    word = aim.needles.surfaces[0]
    for start, end in reversed(list(stored(taken, found.spans))):
        text = text[:start] + word + text[end:]
    return text


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


async def _clean(means: Means, aim: Aim, found: Found, text: str) -> bool:
    """Whether a text, read as a reader would, no longer mentions what is forgotten."""
    if aim.needles is None:
        return True
    shown = await restored(means, aim.tenant_id, [text])
    if aim.needles.may_mean(shown[0]) or any(_hides(aim, found, shown)):
        return False
    return not aim.needles.sure(text) and not aim.needles.mentioned(shown[0])


def _hides(aim: Aim, found: Found, texts: Sequence[str]) -> list[bool]:
    """Whether the names that are blocked would hide each text: nobody could read what is left."""
    return would_hide(aim, found.called, texts) if about_a_person(aim) else [False] * len(texts)


async def _shown(
    means: Means, aim: Aim, found: Found, metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """Metadata without the values for which nobody could read the memory any more."""
    listed = {name: " ".join([name, *strings(value)]) for name, value in metadata.items()}
    read = await restored(means, aim.tenant_id, list(listed.values()))
    hidden = _hides(aim, found, read)
    return {name: metadata[name] for name, hides in zip(listed, hidden, strict=True) if not hides}


def plain_metadata(aim: Aim, given: Mapping[str, Any]) -> dict[str, Any]:
    """A memory's own metadata without our stamps and without values that tell.

    Where all goes but what is to be kept, only what is nobody's stays of it.
    """
    all_goes = aim.keep is not None and aim.needles is None
    return {
        name: value
        for name, value in given.items()
        if not name.startswith(STAMPS)
        and (is_technical(name, value) or not all_goes)
        and not (aim.needles and any(map(aim.needles.mentioned, [name, *strings(value)])))
    }
