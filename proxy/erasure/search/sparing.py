"""Which memories hold what is to be kept, and where in their texts it stands."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from detectors.detection import Analysis
from proxy.erasure.search import pieces as texts
from proxy.erasure.search.bygone import LABELLED, has_label
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.pieces import Piece
from proxy.erasure.search.target import Target
from proxy.erasure.search.versions import was_changed
from proxy.erasure.texts import rewrite
from proxy.erasure.texts.attribute_words import ATTRIBUTE
from proxy.erasure.texts.attributes import Attribute, merged
from proxy.erasure.texts.keeping import Keep, is_technical
from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.telling import Telling
from proxy.upstreams.store import STAMPS

OTHER = "other"


async def tell(
    means: Means, tenant_id: str, target: Target, keep: Keep, found: Sequence[Found],
    *, person: bool,
) -> None:  # fmt: skip
    """Find what of memories is to be kept; each gets its ``telling``.

    Args:
        target: what is forgotten.
        person: it is a person: their name goes from every text.
    """
    shown = [one for one in found if one.item is not None]
    taken = [await texts.pieces(means, tenant_id, _text(one)) for one in shown]
    clear = [texts.read(each) for each in taken]
    units = {text: rewrite.units(text) for text in clear} if _by_unit(keep, target) else {}
    every = [*clear, *(unit for each in units.values() for unit in each)]
    labels = await _analysed(means, tenant_id, every)
    for one, parts, text in zip(shown, taken, clear, strict=True):
        look = _Look(keep, target, text, labels, tuple(units.get(text, ())))
        telling = look.telling(_text(one), parts)
        if one.memory_id in keep.given:
            said = (*telling.words, *(rewrite.units(_text(one)) if person else ()))
            one.telling = replace(telling, words=said, entire=not person)
        else:
            one.telling = replace(telling, entire=_entire(keep, target, one, telling))


def told_in(keep: Keep, text: str, analysis: Analysis) -> list[str]:
    """Names of the kept attributes that a text tells."""
    look = _Look(keep, None, text, {text: analysis}, ())
    return [name for name in sorted(keep.attributes) if look.told(merged([name]))]


def _by_unit(keep: Keep, target: Target) -> bool:
    return bool(keep.categories) or target.kind in LABELLED


async def _analysed(means: Means, tenant_id: str, said: Sequence[str]) -> dict[str, Analysis]:
    unique = list(dict.fromkeys(said))
    found = await means.detectors.analyse(unique, scope=tenant_id) if unique else []
    return dict(zip(unique, found, strict=True))


def _text(one: Found) -> str:
    return one.item.text if one.item else ""


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at what a reader sees of a text."""

    keep: Keep
    target: Target | None
    text: str
    labels: Mapping[str, Analysis]
    units: tuple[str, ...]

    def telling(self, stored: str, parts: Sequence[Piece]) -> Telling:
        """The same as pieces of the stored text."""
        told = self.told(self.keep.told) if self.keep.attributes else []
        return Telling(
            words=_said(stored, parts, self._words()),
            meant=_said(stored, parts, [*told, *self._of(self._is_kept)]),
            beside=_said(stored, parts, self._beside(told)),
            barred=_said(stored, parts, self._of(self._is_forgotten)),
        )

    def _words(self) -> Iterable[Span]:
        found = self.keep.words.find(self.text) if self.keep.words else []
        return (span for span in found if span.certain)

    def told(self, attribute: Attribute) -> list[Span]:
        """Where it tells an attribute: its words, what states it, what was detected."""
        words = Needles.build(attribute.words, entity_type=ATTRIBUTE)
        detected = self.labels[self.text].detections
        return [
            *words.sure(self.text),
            *(Span(*each) for each in attribute.stated(self.text)),
            *(Span(d.start, d.end) for d in detected if d.entity_type in attribute.types),
        ]

    def _beside(self, told: Sequence[Span]) -> list[Span]:
        """Where it tells another attribute than those that are kept."""
        others = self.told(self.keep.others) if told else []
        return [
            each for each in others
            if not any(each.start < span.end and span.start < each.end for span in told)
        ]  # fmt: skip

    def _of(self, wanted: Callable[[Analysis], bool]) -> Iterator[Span]:
        after = 0
        for unit in self.units:
            spaced = re.compile(r"\s+".join(map(re.escape, unit.split())))
            if (match := spaced.search(self.text, after)) is not None:
                after = match.end()
                if wanted(self.labels[unit]):
                    yield Span(*match.span())

    def _is_kept(self, analysis: Analysis) -> bool:
        return not {each.name for each in analysis.categories}.isdisjoint(self.keep.categories)

    def _is_forgotten(self, analysis: Analysis) -> bool:
        target = self.target
        return target is not None and target.kind in LABELLED and has_label(target, analysis)


def _said(stored: str, parts: Sequence[Piece], spans: Iterable[Span]) -> tuple[str, ...]:
    """The pieces of the stored text at spans of what a reader sees."""
    pairs = (pair for span in spans for pair in texts.stored(parts, [span]))
    return tuple(dict.fromkeys(stored[start:end] for start, end in pairs))


def _entire(keep: Keep, target: Target, one: Found, telling: Telling) -> bool:
    """Whether a memory that is found as a whole says nothing but what is to be kept."""
    if one.spans or one.item is None or (one.item.updated_at and was_changed(one.item)):
        return False  # it names whom is forgotten, or older versions of it said something else
    known = set(one.row.categories) - {OTHER} if one.row else set()
    if keep.categories and known and known <= keep.categories and target.kind not in LABELLED:
        return True
    own = [pair for pair in one.item.metadata.items() if not pair[0].startswith(STAMPS)]
    if not all(is_technical(*pair) for pair in own):
        return False
    said = rewrite.units(one.item.text)
    return bool(said) and all(map(telling.mentioned, said))
