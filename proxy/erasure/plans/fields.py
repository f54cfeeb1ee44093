"""What identifies somebody in the metadata of a memory that is written anew, and goes with them.

It goes where its name says so (``ada_phone``), where its object names them alone, or where the text
or another field gives it to them. Beside another's name alone it stays; where several are named and
nothing tells whose it is, it stays and is counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectors.detection import Analysis
from proxy.erasure.plans.assess import about_a_person
from proxy.erasure.plans.holders import (
    NOBODY,
    OTHERS,
    OURS,
    Field,
    Holders,
    Path,
    Said,
    leaves,
    without,
)
from proxy.erasure.plans.identifying import identifying, known_others
from proxy.erasure.plans.plan import PARTIAL, Decided
from proxy.erasure.search.bare import takes_doubtful
from proxy.erasure.search.find import restored
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim
from proxy.erasure.texts import field_words
from proxy.erasure.texts.attributes import attribute_named
from proxy.erasure.texts.identifiers import without_identifiers
from proxy.erasure.texts.keeping import Keep
from proxy.erasure.texts.mentions import Needles
from proxy.upstreams.store import STAMPS


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a memory's metadata.

    Args:
        unclear: an identifier stays of which nothing tells whose it is.
    """

    metadata: Mapping[str, Any]
    unclear: bool = False


async def without_theirs(means: Means, aim: Aim, item: Decided, found: Found) -> Left:
    """A memory's metadata without what identifies whom is forgotten; their name may still stand."""
    given = found.item.metadata if found.item is not None else {}
    own = {name: value for name, value in given.items() if not name.startswith(STAMPS)}
    if not own or aim.needles is None or not about_a_person(aim):
        return Left(given)
    listed = list(leaves(own))
    holders = await _holders(means, aim, item, found, aim.needles, listed)
    judged = holders.judged()
    if item.reason == PARTIAL and aim.keep is not None:
        for one in holders.fields:
            if _is_kept(aim.keep, one):
                judged.pop(one.path, None)
    goes = {path for path, whose in judged.items() if whose == "theirs"}
    untold = {path for path, whose in judged.items() if whose == "untold"}
    if takes_doubtful(aim):
        goes, untold = goes | untold, set()
    goes.update(holders.entries(own))
    return Left(without(given, goes), bool(untold))


def _is_kept(keep: Keep, one: Field) -> bool:
    """Whether a value is to be kept: by its words, or as the attribute that its name is."""
    named = {attribute_named(word) for word in field_words.words_of(one.key)}
    words = keep.words is not None and keep.words.mentioned(one.shown)
    return words or not named.isdisjoint(keep.attributes)


async def _holders(
    means: Means, aim: Aim, item: Decided, found: Found,
    needles: Needles, listed: Sequence[tuple[Path, str]],
) -> Holders:  # fmt: skip
    names = list(
        dict.fromkeys(step for path, _ in listed for step in path if isinstance(step, str))
    )
    read = await restored(means, aim.tenant_id, [*(stored for _, stored in listed), *names])
    shown, called = read[: len(listed)], read[len(listed) :]
    bare = [Field(path, value, Analysis()) for (path, _), value in zip(listed, shown, strict=True)]
    labels = [" ".join(field_words.words_of(one.key)) + ": " for one in bare]
    said = [label + one.shown for label, one in zip(labels, bare, strict=True)]
    said += [f"{name}: x" for name in called]
    analyses = await means.detectors.analyse(said, scope=aim.tenant_id)
    fields = [
        replace(one, said=_behind(analysis, len(label)))
        for one, label, analysis in zip(bare, labels, analyses, strict=False)
    ]
    keys = dict(zip(names, zip(called, analyses[len(bare) :], strict=True), strict=True))
    asked = any(one.identifies for one in fields)
    text = await _said(means, aim, item, found) if asked else Said()
    known = await known_others(means, aim, found)
    return Holders(needles, found.called, fields, keys, known, text)


def _behind(analysis: Analysis, label: int) -> Analysis:
    """What was found in a value, without the name before it."""
    return replace(analysis, detections=tuple(
        replace(each, start=each.start - label, end=each.end - label)
        for each in analysis.detections if each.start >= label
    ))  # fmt: skip


async def _said(means: Means, aim: Aim, item: Decided, found: Found) -> Said:
    """Whom the text names, and which identifiers it gives to whom."""
    if found.item is None or aim.needles is None:
        return Said()
    text = found.item.text
    known = await identifying(means, aim, found, speaks=item.role == "author")
    _, barred = without_identifiers(text, aim.needles, known, None, named=item.depth > 0)
    rest = [each for each in known.sure if each not in barred]
    theirs, others, names = [
        await restored(means, aim.tenant_id, sorted(each))
        for each in (barred, rest, known.people)
    ]  # fmt: skip
    spoken_to = item.role == "mentioned"  # then it is the speaker's memory
    ours = OURS if aim.needles.sure(text) and not spoken_to else NOBODY
    return Said(
        ours | (OTHERS if names or spoken_to else NOBODY), tuple(names),
        Needles.build(theirs) if theirs else None, Needles.build(others) if others else None,
    )  # fmt: skip
