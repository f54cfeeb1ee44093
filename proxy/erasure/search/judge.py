"""Which of what was read a target is about: by names, attributes, labels or time."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from detectors.detection import Detection
from detectors.words.language import is_meant
from proxy.erasure.search.bare import are_bare, bare_names, takes_doubtful
from proxy.erasure.search.bygone import has_label, in_range, instant
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts.attribute_words import tells_nobodys
from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.words import is_name_word
from proxy.tokens.mentions.capitals import only_opens
from proxy.tokens.mentions.standing import stands_alone
from proxy.tokens.mentions.usage import is_detected

ERASED = "erased"


async def judge(means: Means, aim: Aim, found: Sequence[Found]) -> None:
    """Mark those that the target is about."""
    match aim.target.kind:
        case "entity" | "subject" if aim.needles:
            await mark(means, aim, found)
        case "attribute":
            await _mark_attribute(means, aim, found)
        case "category" | "tag":
            await _mark_labelled(means, aim, found)
        case "time_range":
            for one in found:
                one.direct |= in_range(aim, made(one))
        case _:
            pass


async def mark(means: Means, aim: Aim, found: Sequence[Found]) -> None:
    """Mark mentions; a name that is a common word too counts where it is detected as a name."""
    if aim.needles is None:
        return
    bare = bare_names(aim)
    unsure = await asyncio.to_thread(_mark_mentions, aim, bare, found)
    if not unsure:
        return
    analyses = await means.detectors.analyse([one.text for one in unsure], scope=aim.tenant_id)
    for one, analysis in zip(unsure, analyses, strict=True):
        spans = [
            replace(span, certain=True)
            for span in aim.needles.find(one.text)
            if not span.ambiguous
            and aim.needles.means_things
            != any(_meant(aim.needles, one.text, span, d) for d in analysis.detections)
        ]
        one.spans, one.bare = spans, are_bare(spans, bare)
        one.direct |= bool(spans) and not one.bare
        one.others = not spans
        one.unsure = one.others and aim.needles.may_mean(one.text)


def _meant(needles: Needles, text: str, span: Span, person: Detection) -> bool:
    """Whether who is detected in a text is the one of a mention, and bears no other name."""
    seen = is_detected(span.start, span.end, [person], needles.detected_as)
    if span.ambiguous or not seen or only_opens(text, span.start, span.end, needles.detected_as):
        return False
    if not span.partial:
        return True
    beside = needles.words_beside(text, person.start, person.end)
    return not any(map(is_name_word, beside)) and stands_alone(text, span.start, span.end)


def _mark_mentions(aim: Aim, bare: Collection[str], found: Sequence[Found]) -> list[Found]:
    """Mark what is certain; gives those that only may mention it."""
    needles, rivals, unsure = aim.needles, aim.rivals, list[Found]()
    if needles is None:
        return unsure
    for one in found:
        stored = one.item.text if one.item else ""
        spans = needles.find(one.text)
        if rivals is not None and spans:
            spans = rivals.outside(spans, one.text)
        one.spans = [span for span in spans if span.certain]
        one.bare = are_bare(one.spans, bare)
        named = bool(one.spans) and not one.bare
        one.direct |= named or needles.by_token(stored, one.text)
        if spans and not one.spans:
            unsure.append(one)
    return unsure


async def _mark_attribute(means: Means, aim: Aim, found: Sequence[Found]) -> None:
    await mark(means, aim, found)
    wanted = aim.attribute.types if aim.attribute else frozenset[str]()
    analyses = await means.detectors.analyse([one.text for one in found], scope=aim.tenant_id)
    for one, analysis in zip(found, analyses, strict=True):
        spans = [
            Span(d.start, d.end) for d in analysis.detections
            if d.entity_type in wanted and not tells_nobodys(one.text, d.start, d.end)
        ]  # fmt: skip
        spans += [Span(*each) for each in aim.attribute.stated(one.text)] if aim.attribute else []
        one.spans += spans
        one.direct |= bool(spans)
    await asyncio.to_thread(_mark_unread, found)


async def _mark_labelled(means: Means, aim: Aim, found: Sequence[Found]) -> None:
    """Known memories carry their categories and tags; strange ones are analysed.

    So are those that the ledger takes for erased: what it knew of them is gone.
    """
    unknown = [one for one in found if one.row is None or one.row.state == ERASED]
    texts = [one.text for one in unknown]
    analyses = await means.detectors.analyse(texts, scope=aim.tenant_id) if texts else []
    for one, analysis in zip(unknown, analyses, strict=True):
        one.direct |= has_label(aim.target, analysis)
    if aim.target.kind == "category":
        await asyncio.to_thread(_mark_unread, found)
        for one in found:
            one.direct |= one.unsure and takes_doubtful(aim)


def _mark_unread(found: Sequence[Found]) -> None:
    """Mark what is in a language in which nobody can tell whether it is about the target."""
    for one in found:
        said = one.item.text if one.item else ""
        one.unsure |= not one.direct and not is_meant(said)


def made(one: Found) -> datetime | None:
    """When a memory was made: as its store says to everybody, else as the ledger knows."""
    told = instant(one.item.created_at) if one.item else None
    return told or (one.row.created_at if one.row else None)
