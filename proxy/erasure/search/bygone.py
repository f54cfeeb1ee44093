"""What a category, a tag or a time range is about: by what a text holds, or by its time."""

from collections.abc import Iterable, MutableMapping, Sequence
from datetime import UTC, datetime

from detectors.detection import Analysis
from policies.rules import tag_of
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim
from proxy.erasure.search.target import Target
from proxy.ledger.memories import Memory
from proxy.upstreams.layers.base import Entry
from proxy.upstreams.store import Item, Version

LABELLED = frozenset({"category", "tag"})
KINDS = LABELLED | {"time_range"}

Times = MutableMapping[str, datetime | None]  # of the version read last, by memory id


def is_labelled(target: Target, row: Memory) -> bool:
    """Whether a memory was recorded with one of the target's categories or tags."""
    labels = row.categories if target.kind == "category" else row.tags
    return not set(target.values).isdisjoint(labels)


def has_label(target: Target, analysis: Analysis) -> bool:
    """Whether a text is of one of the target's categories, or holds what one of its tags names."""
    if target.kind == "category":
        return not {each.name for each in analysis.categories}.isdisjoint(target.values)
    return not {tag_of(each.entity_type) for each in analysis.detections}.isdisjoint(target.values)


async def of_label(means: Means, aim: Aim, texts: Sequence[str]) -> list[bool]:
    """Which stored texts the detectors find to be of the target's categories or tags."""
    said = list(dict.fromkeys(texts))
    restored = await means.vault.restore_many(aim.tenant_id, said)
    analyses = await means.detectors.analyse([each.text for each in restored], scope=aim.tenant_id)
    verdicts = {
        text: has_label(aim.target, analysis) for text, analysis in zip(said, analyses, strict=True)
    }
    return [verdicts[text] for text in texts]


def made_in_range(aim: Aim, page: Iterable[Entry], last: Times) -> list[frozenset[str]]:
    """Columns of each row that go: a row made in the range as a whole, else a text that was.

    Args:
        last: when the version before was made; is carried from page to page.
    """
    return [_columns(aim, entry, last) for entry in page]


def _columns(aim: Aim, entry: Entry, last: Times) -> frozenset[str]:
    made = instant(entry.made)
    before = last.get(entry.memory_id or "") or instant(entry.born)
    if entry.memory_id:
        last[entry.memory_id] = made
    if in_range(aim, made):
        return frozenset(entry.texts) | {entry.main}
    if not in_range(aim, before):
        return frozenset()
    return frozenset(entry.texts) - {entry.main}


async def bygone(means: Means, aim: Aim, item: Item | None, versions: Sequence[Version]) -> bool:
    """Whether a memory's history, as its store shows it, tells what is forgotten.

    The text of today is judged with the memory. An entry that does not say when it was made may
    be of any time.
    """
    now = item.text if item else None
    older = {each: [text for text in each.texts if text != now] for each in versions}
    if aim.target.kind in LABELLED:
        texts = [text for said in older.values() for text in said]
        return bool(texts) and any(await of_label(means, aim, texts))
    return any(
        said and (in_range(aim, made) or made is None)
        for each, said in older.items()
        for made in [instant(each.made)]
    )


def in_range(aim: Aim, moment: datetime | None) -> bool:
    """Whether an instant lies in the target's range; an unknown one does not."""
    if moment is None:
        return False
    since, until = aim.target.since, aim.target.until
    return (since is None or moment >= since) and (until is None or moment < until)


def instant(stated: str | None) -> datetime | None:
    """A time as stores write it, in UTC where it names no zone; None if it cannot be read."""
    try:
        moment = datetime.fromisoformat(stated or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
