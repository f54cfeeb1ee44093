"""Where a text mentions what is to be forgotten: exact boundaries, canonical and other forms."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from detectors.identity.keys import PERSON_TYPES
from detectors.identity.marks import Marks, marks_at
from detectors.identity.names import person_tokens
from detectors.identity.windows import candidate_keys
from detectors.words.folding import fold
from proxy.erasure.texts.attribute_words import ATTRIBUTE, tells_nobodys
from proxy.erasure.texts.beside import beside_a_name, is_anothers, is_removed, words_beside
from proxy.erasure.texts.forms import pattern_of
from proxy.erasure.texts.surfaces import (
    PERSON,
    RELATIONSHIP,
    THINGS,
    Edges,
    ambiguous_keys,
    edges_by_key,
    exact,
    full_keys,
    is_identifying,
    is_person,
    is_term,
    kind_of,
    marks_by_key,
    shape,
    signs_of,
    strict,
    unusual,
    words_of_names,
)
from proxy.tokens.forms.inflection import in_other_cases
from proxy.tokens.forms.readings import readings
from proxy.tokens.forms.views import views
from proxy.tokens.mentions.as_asked import Case, case_of, is_as_asked
from proxy.tokens.mentions.capitals import FIRM, is_the_firm, needs_capital
from proxy.tokens.mentions.handles import decorated
from proxy.tokens.mentions.longer_names import are_words, is_longer
from proxy.tokens.mentions.named_after import is_called_after
from proxy.tokens.mentions.specificity import NAME_WORDS
from proxy.tokens.mentions.standing import standing
from proxy.tokens.mentions.usage import may_be_a_word, means
from proxy.tokens.mentions.within_names import is_within_a_name

WORD = re.compile(r"\w+", re.UNICODE)
NO_LETTERS = re.compile(r"[\W_]+")
GOES_ON = re.compile(r"[./-]\w|[+#]")
SIGNS = "./-+#"


@dataclass(frozen=True, slots=True)
class Span:
    """One mention in a text, in code points.

    Args:
        certain: it needs nobody's judgement.
        partial: one word of the name beside another name: "Brenn" in "Tilda Brenn".
        part: the word, folded, where it is one of a longer name: others may bear it too.
        ambiguous: nobody can tell whether it is meant, so detection cannot either: a case of the
            name that is somebody else's name in itself (``Jana Nowak``), part of a longer name.
    """

    start: int
    end: int
    certain: bool = True
    partial: bool = False
    part: str = ""
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Needles:
    """Everything by which mentions are recognised.

    Args:
        surfaces: names, aliases and terms as written; also what the store is searched for.
        tokens: surrogates that stand for them in stored texts.
        entity_type: what the names are; ``None`` for plain terms.
    """

    surfaces: tuple[str, ...]
    tokens: frozenset[str] = frozenset()
    entity_type: str | None = None
    _keys: frozenset[str] = field(default=frozenset(), repr=False)
    _unusual: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)
    _strict: frozenset[str] = field(default=frozenset(), repr=False)
    _exact: frozenset[str] = field(default=frozenset(), repr=False)
    _stems: re.Pattern[str] | None = field(default=None, repr=False)
    _signs: re.Pattern[str] | None = field(default=None, repr=False)
    _hints: tuple[str, ...] = field(default=(), repr=False)
    _words: frozenset[str] = field(default=frozenset(), repr=False)
    _called_by_words: frozenset[str] = field(default=frozenset(), repr=False)
    _cases: Mapping[str, str] = field(default_factory=dict, repr=False)
    _ambiguous: frozenset[str] = field(default=frozenset(), repr=False)
    _capitals: Mapping[str, Case] = field(default_factory=dict, repr=False)
    _marks: Mapping[str, frozenset[Marks]] = field(default_factory=dict, repr=False)
    _relations: frozenset[str] = field(default=frozenset(), repr=False)
    _edges: Mapping[str, frozenset[Edges]] = field(default_factory=dict, repr=False)

    @classmethod
    def build(
        cls,
        surfaces: Iterable[str],
        *,
        tokens: Iterable[str] = (),
        entity_type: str | None = None,
        relations: Collection[str] = (),
    ) -> "Needles":
        """Index the names once for any number of texts.

        Args:
            relations: those of them that are no names, but what somebody is to others.
        """
        unique = tuple(dict.fromkeys(surface.strip() for surface in surfaces if surface.strip()))
        kinds = {surface: kind_of(surface, entity_type) for surface in unique}
        kinds |= dict.fromkeys(relations, RELATIONSHIP)
        people = [each for each, kind in kinds.items() if is_person(kind)]
        cases = in_other_cases(each for each in people if shape(each) is None)
        keys = frozenset(chain(*(full_keys(*each) for each in kinds.items())))
        keys |= frozenset(chain(*(full_keys(each, PERSON) for each in cases)))
        ambiguous = frozenset(chain(*map(ambiguous_keys, people)))
        stems = pattern_of(each for each, kind in kinds.items() if is_term(each, kind))
        hints = tuple({max(key.split(" "), key=len) for key in keys | ambiguous})
        words = words_of_names((*people, *cases))
        spelled = frozenset(chain(*(unusual(*each) for each in kinds.items())))
        keys |= {value for kind, value in spelled if kind == "full"}
        return cls(
            unique, frozenset(tokens), entity_type, keys, spelled, strict(unique, entity_type),
            exact(unique, entity_type), stems, signs_of(unique), hints, words,
            frozenset(fold(each) for each in unique if needs_capital(each, entity_type))
            - {fold(each) for each in unique if each.islower()},
            {form: fold(name) for form, name in cases.items() if " " not in form}, ambiguous,
            {fold(each): case for each in unique if (case := case_of(each, entity_type))},
            marks_by_key((*people, *cases)), frozenset(map(fold, relations)),
            edges_by_key(kinds.items()),
        )  # fmt: skip

    @property
    def whole(self) -> tuple[str, ...]:
        """The names but for single words of longer ones, which others may bear too."""
        words = self._relations
        return tuple(s for s in self.surfaces if not self.is_part(s) and fold(s) not in words)

    def of_ids(self) -> "Needles | None":
        """What an identifier is compared with: full names and addresses of somebody, if any."""
        named = [each for each in self.whole if shape(each) or len(person_tokens(each)) > 1]
        if not named or not is_identifying(self.entity_type):
            return None
        return Needles.build(named, entity_type=self.entity_type)

    def is_id(self, identifier: str) -> bool:
        """Whether an identifier is one of the names and nothing else: ``sten-lode``."""
        spans = self.sure(identifier)
        if len(spans) != 1:
            return False
        rest = identifier[: spans[0].start] + identifier[spans[0].end :]
        return not any(map(str.isalnum, rest))

    def is_part(self, surface: str) -> bool:
        """Whether a surface is one word of a longer name."""
        return surface.casefold() in self._words

    def _goes_on(self, text: str, start: int, end: int, value: str) -> bool:
        """Whether it only begins a longer name: ``brenn.example`` + ``.net``, ``v1`` + ``.2``."""
        dotted = value in self._strict and "." in text[start:end]
        return (dotted or value in self._exact) and GOES_ON.match(text, end) is not None

    def words_beside(self, text: str, start: int, end: int) -> list[str]:
        """Words of a stretch of text that are part of none of the names."""
        return words_beside(text, start, end, self._words)

    def find(self, text: str) -> list[Span]:
        """Mentions in ``text``, in any reading of it, leftmost longest, without overlaps."""
        read = [(span, self._meant_there(said, at)) for said, at, span in self._placed(text)]
        others = [span for span, told in read if span.ambiguous or told is not True]
        return self._apart(text, (
            span if told else replace(span, certain=False, ambiguous=True)
            for span, told in read
            if told is not False and not any(is_within(span, each) for each in others)
            if told is None or not self._is_a_word(text, span)
        ))  # fmt: skip

    def _meant_there(self, text: str, span: Span) -> bool | None:
        """Whether a mention counts, as what surrounds it says; None where nobody can tell."""
        if text[span.start : span.end] in self.tokens:
            return True
        if self._is_relation(text[span.start : span.end]):
            return None if is_removed(text, span.start, span.end) else True
        return (self._names_them if is_person(self.entity_type) else self._names_it)(text, span)

    def _is_relation(self, word: str) -> bool:
        """Whether it says what somebody is to others."""
        return self.entity_type == RELATIONSHIP or fold(word) in self._relations

    def _names_them(self, text: str, span: Span) -> bool | None:
        """Whether it is no part of a longer name, nor mere words; None where nobody can tell."""
        at = span.start, span.end
        if are_words(text, *at) and fold(text[slice(*at)]) not in self._in_small_letters:
            return False if means(text, *at) == "word" else None
        if is_called_after(text, *at):
            return None if " " in text[slice(*at)] else False
        return None if is_longer(text, *at, self._words) else True

    def _names_it(self, text: str, span: Span) -> bool | None:
        """Whether what is no person's name is none there either, and written as it must be."""
        if self.entity_type == ATTRIBUTE:
            return True
        case = self._capitals.get(fold(text[span.start : span.end]))
        written = case is None or is_as_asked(text, span.start, span.end, case)
        if written is False or self._meant(text[span.start : span.end]) == "person":
            return written
        within = is_within_a_name(text, span.start, span.end)
        return None if within is None else written and not within

    @property
    def _in_small_letters(self) -> frozenset[str]:
        """Names that were given in small letters only, folded."""
        small = {fold(each) for each in self.surfaces if each.islower()}
        return frozenset(small - {fold(each) for each in self.surfaces if not each.islower()})

    def only_words(self, text: str) -> bool:
        """Whether names that are words too stand in ``text``, and only as words."""
        return bool(self.anywhere(text)) and not self.find(text)

    @property
    def means_things(self) -> bool:
        """Whether a name that may be somebody's is meant as a place's or another word."""
        return self.entity_type in THINGS

    def by_token(self, stored: str, shown: str) -> bool:
        """Whether a token alone names them: what it stands for is none of the names.

        A token is minted for what detection takes for somebody. Where the text with its words put
        back has one of the names, its words say whom it means: ``Jordan borders Israel``.
        """
        return any(token in stored for token in self.tokens) and not self.anywhere(shown)

    def anywhere(self, text: str) -> list[Span]:
        """Where any of them stands in ``text``, be it as a word."""
        return [span for _, _, span in self._placed(text)]

    def _placed(self, text: str) -> Iterator[tuple[str, Span, Span]]:
        """What is found: the text in which it is read, where it stands there and in ``text``."""
        yield from ((text, span, span) for span in self._surrogates(text))
        for view in views(text):
            for span in self._read(view.text):
                start, end = view.span(span.start, span.end)
                yield view.text, span, replace(span, start=start, end=end)

    def _apart(self, text: str, spans: Iterable[Span]) -> list[Span]:
        found = _disjoint(spans)
        if self.entity_type != ATTRIBUTE:
            return found
        return [each for each in found if not tells_nobodys(text, each.start, each.end)]

    def outside(self, spans: Iterable[Span], text: str) -> list[Span]:
        """Those spans that are not part of one of these (longer) names."""
        taken = self.find(text)
        return [
            span
            for span in spans
            if not any(t.start <= span.start and span.end <= t.end for t in taken)
        ]

    def mentioned(self, text: str) -> bool:
        """Whether ``text`` certainly mentions any of them."""
        return any(span.certain for span in self.find(text))

    def sure(self, text: str) -> list[Span]:
        """Mentions that are not just one word of the name beside another name."""
        return [span for span in self.find(text) if not (span.partial or span.ambiguous)]

    def may_mean(self, text: str) -> bool:
        """Whether the name stands where nobody can say whose, or what, it is.

        ``So Falk came`` may be about Falk, ``Apple pie`` about the firm.
        """
        return any(self._may_be_meant(text, span) for span in self.find(text) if not span.certain)

    def _may_be_meant(self, text: str, span: Span) -> bool:
        """Whether it may be a name of theirs: it has a capital, or is a whole one without."""
        if span.ambiguous:
            return True
        if span.partial:
            return standing(text, span.start, span.end) == "unsure"
        written = text[span.start : span.end]
        return (written[0].isupper() or " " in written) and not self.means_things

    @property
    def detected_as(self) -> frozenset[str]:
        """As what detection takes whom or what the names mean, where nothing else tells."""
        return FIRM if self._called_by_words else PERSON_TYPES

    def blocked_as(self, surface: str) -> str:
        """The type of entity that one of the names is blocked as."""
        if self.entity_type is None and fold(surface) in self._called_by_words:
            return "ORGANIZATION"
        return self.entity_type or "PERSON"

    def _read(self, text: str) -> list[Span]:
        return [*self._named(text), *self._literal(text), *self._inflected(text)]

    def _named(self, text: str) -> list[Span]:
        if not self._keys or not self._plausible(text):
            return []
        return (
            [
                self._span(text, start, end, key.value)
                for start, end, key in candidate_keys(text)
                if key.kind == "full"
                and key.value in self._keys
                and self._stands(text, start, end, key.value)
                and not (
                    text[end : end + 1] in SIGNS and self._goes_on(text, start, end, key.value)
                )
                and not (is_person(self.entity_type) and is_anothers(text, start, end, self._words))
            ]
            + [
                Span(start, end, certain=False, ambiguous=True)
                for start, end, key in (candidate_keys(text) if self._ambiguous else ())
                if key.kind == "full" and key.value in self._ambiguous
            ]
            + [
                self._span(text, start, end, value)
                for start, end, kind, value in (readings(text) if self._unusual else ())
                if (kind, value) in self._unusual
                and self._stands(text, start, end, value)
                and not self._goes_on(text, start, end, value)
            ]
            + [
                self._span(text, start, end, value)
                for start, end, value in (decorated(text) if is_person(self.entity_type) else ())
                if value in self._keys
            ]
        )

    def _stands(self, text: str, start: int, end: int, value: str) -> bool:
        """Whether the particles of the name are there too: ``Vitamin E`` is no other vitamin."""
        edges = self._edges.get(value)
        return edges is None or any(each.stand(text, start, end) for each in edges)

    def _plausible(self, text: str) -> bool:
        """Rule most texts out without taking them apart."""
        if not text.isascii():
            return True
        folded = text.lower()
        if any(hint in folded for hint in self._hints):
            return True
        if any(map(str.isdigit, chain(*self._hints))) and any(map(str.isdigit, text)):
            return True  # numbers are written in many ways
        compact = NO_LETTERS.sub("", folded) if self._unusual else ""
        return any(hint in compact for hint in self._hints)

    def _span(self, text: str, start: int, end: int, value: str) -> Span:
        if value in self._marks and marks_at(text, start, end) not in self._marks[value]:
            return Span(start, end, certain=False, ambiguous=True)
        part = next(filter(self.is_part, (fold(text[start:end]), value)), "")
        partial = bool(part) and beside_a_name(text, start, end, self._words)
        part = self._cases.get(part, part)
        return Span(start, end, not partial and self._certain(text, start, end), partial, part)

    def _is_firm(self, text: str, start: int, end: int) -> bool:
        """Whether only the way it is written tells the name there from a word."""
        return fold(text[start:end]) in self._called_by_words

    def _certain(self, text: str, start: int, end: int) -> bool:
        if self._is_firm(text, start, end):
            return is_the_firm(text, start, end) is True
        meant = self._meant(text[start:end])
        return meant is None or means(text, start, end) == meant

    def _meant(self, word: str) -> str | None:
        """As what a name counts that may be somebody's and a word or a place; None: as anything."""
        folded = word.casefold()
        if self._is_relation(word):
            return None
        named = self.entity_type is None and folded in NAME_WORDS
        if is_person(self.entity_type) or (named and folded.title() in self.surfaces):
            return "person"
        return "word" if self.means_things and may_be_a_word(fold(word)) else None

    def _is_a_word(self, text: str, span: Span) -> bool:
        """Whether a name that is a word too is used as one there: ``Art is expensive``.

        Or the other way round: whether somebody is called by what is meant to be a place.
        """
        if span.certain:
            return False
        if self._is_firm(text, span.start, span.end):
            return is_the_firm(text, span.start, span.end) is False
        other = "person" if self._meant(text[span.start : span.end]) == "word" else "word"
        return means(text, span.start, span.end) == other

    def _literal(self, text: str) -> list[Span]:
        """Names with signs in them, which no word can stand for."""
        if self._signs is None:
            return []
        return [Span(match.start(), match.end()) for match in self._signs.finditer(text)]

    def _inflected(self, text: str) -> list[Span]:
        if self._stems is None:
            return []
        return [Span(match.start(), match.end()) for match in self._stems.finditer(text)]

    def _surrogates(self, text: str) -> list[Span]:
        if not self.tokens or not any(token in text for token in self.tokens):
            return []
        words = ((match.start(), match.end()) for match in WORD.finditer(text))
        return [Span(start, end) for start, end in words if text[start:end] in self.tokens]


def is_within(span: Span, longer: Span) -> bool:
    """Whether it is only a part of the other: who bears that, bears this."""
    inside = longer.start <= span.start and span.end <= longer.end
    return inside and span.end - span.start < longer.end - longer.start


def _disjoint(found: Iterable[Span]) -> list[Span]:
    """Leftmost longest; what is certain in one reading is not hidden by a doubt in another."""
    spans = list(found)
    sure = _leftmost(span for span in spans if span.certain)
    unsure = _leftmost(span for span in spans if not span.certain)
    free = [s for s in unsure if not any(s.start < t.end and t.start < s.end for t in sure)]
    return sorted([*sure, *free], key=lambda each: each.start)


def _leftmost(spans: Iterable[Span]) -> list[Span]:
    chosen: list[Span] = []
    for span in sorted(set(spans), key=lambda each: (each.start, -each.end, each.partial)):
        if not chosen or span.start >= chosen[-1].end:
            chosen.append(span)
    return chosen
