"""Where a text mentions what is to be forgotten: exact boundaries, canonical and other forms."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from detectors.folding import fold
from detectors.identity import (
    BREAKS,
    HONORIFICS,
    LONGEST_NAME,
    PERSON_TYPES,
    candidate_keys,
    name_keys,
    person_tokens,
)
from detectors.namelists import is_name, is_ordinary
from proxy.erasure.texts.attribute_words import ATTRIBUTE, tells_nobodys
from proxy.erasure.texts.forms import pattern_of
from proxy.erasure.texts.words import is_name_word
from proxy.tokens.capitals import BEFORE, FIRM, is_the_firm, needs_capital
from proxy.tokens.halves import other_half
from proxy.tokens.handles import decorated
from proxy.tokens.inflection import declined, in_other_cases
from proxy.tokens.named_after import names_two
from proxy.tokens.readings import joined_forms, readings
from proxy.tokens.specificity import NAME_WORDS
from proxy.tokens.spelling import without_initials
from proxy.tokens.standing import REACH, in_front, small_names_beside, standing
from proxy.tokens.things import is_thing
from proxy.tokens.usage import may_be_a_word, means
from proxy.tokens.views import views

PERSON = "PERSON"
TERM_TYPES = frozenset({"MEDICAL_CONDITION", "MEDICATION", "TERM", "NRP", ATTRIBUTE})
THINGS = frozenset({"LOCATION", "TERM"})  # of which names of persons are told by their use
WORDED = frozenset({None, "ORGANIZATION"} | PERSON_TYPES)
LEAST_JOINED = 6
PHONE = re.compile(r"(?=[\d./-]*[+\s()])\+?(?:[\s()./-]*\d){7,15}|0\d{2,5}/\d{4,9}")
IDENTIFIER = re.compile(r"[_/#\d]")
DOTTED = re.compile(r"\w[\w-]*+(?:\.[\w-]++)+")
SEPARATORS = re.compile(r"[\s_-]+")
WORD = re.compile(r"\w+", re.UNICODE)
AFTER = re.compile(r"[ \t]+(\w[\w’'-]*)")
# An initial beside a name; without its dot it is no word: "Kira I met", "Kira A".
INITIAL_AFTER = re.compile(
    r"[ \t\u00a0]{1,2}(?:([^\W\d_a-zß-ÿ])\.(?!\w)|(?![AIOÉÀ])([^\W\d_a-zß-ÿ])(?![\w.-]))"
)
INITIAL_BEFORE = re.compile(r"(?<![\w.’'-])([^\W\d_a-zß-ÿ])\.[ \t\u00a0]{0,2}$")
COUPLED, COUPLED_TO = re.compile(r"[-‐‑]([^\W\d_]+)"), re.compile(r"([^\W\d_]+)[-‐‑]$")
NO_LETTERS = re.compile(r"[\W_]+")
GOES_ON = re.compile(r"[./-]\w|[+#]")
SIGNS = "./-+#"
NUMBERS = re.compile(r"\d[._:/-]\d")
LEAST_LEFT = 3  # letters or digits that are left without the signs: "C++" is no "C"
WORDS_ONLY = re.compile(r"(?:[^\W\d_]|[\s.,'’·-])+")
STRANGE = re.compile(r"[^\w\s@.,'’+:/-]|\+\+")


@dataclass(frozen=True, slots=True)
class Span:
    """One mention in a text, in code points.

    Args:
        certain: it needs nobody's judgement.
        partial: one word of the name beside another name: "Brenn" in "Tilda Brenn".
        part: the word, folded, where it is one of a longer name: others may bear it too.
        ambiguous: it is a case of the name, and somebody else's name in itself: ``Jana Nowak``.
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

    @classmethod
    def build(
        cls,
        surfaces: Iterable[str],
        *,
        tokens: Iterable[str] = (),
        entity_type: str | None = None,
    ) -> "Needles":
        """Index the names once for any number of texts."""
        unique = tuple(dict.fromkeys(surface.strip() for surface in surfaces if surface.strip()))
        kinds = {surface: kind_of(surface, entity_type) for surface in unique}
        people = [each for each, kind in kinds.items() if _person(kind)]
        cases = in_other_cases(each for each in people if shape(each) is None)
        keys = frozenset(chain(*(_full_keys(*each) for each in kinds.items())))
        keys |= frozenset(chain(*(_full_keys(each, PERSON) for each in cases)))
        ambiguous = frozenset(chain(*map(_cases_of_others, people)))
        stems = pattern_of(each for each, kind in kinds.items() if _is_term(each, kind))
        hints = tuple({max(key.split(" "), key=len) for key in keys | ambiguous})
        words = _name_words((*people, *cases))
        unusual = frozenset(chain(*(_unusual(*each) for each in kinds.items())))
        keys |= {value for kind, value in unusual if kind == "full"}
        return cls(
            unique, frozenset(tokens), entity_type, keys, unusual, _strict(unique, entity_type),
            _exact(unique, entity_type), stems, _signs(unique), hints, words,
            frozenset(fold(each) for each in unique if needs_capital(each, entity_type))
            - {fold(each) for each in unique if each.islower()},
            {form: fold(name) for form, name in cases.items() if " " not in form}, ambiguous,
        )  # fmt: skip

    @property
    def whole(self) -> tuple[str, ...]:
        """The names but for single words of longer ones, which others may bear too."""
        return tuple(each for each in self.surfaces if not self.is_part(each))

    def of_ids(self) -> "Needles | None":
        """What an identifier is compared with: full names and addresses of somebody, if any."""
        named = [each for each in self.whole if shape(each) or len(person_tokens(each)) > 1]
        if not named or not _identifying(self.entity_type):
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
        found = (match[0] for match in WORD.finditer(text[start:end]))
        return [word for word in found if word.casefold() not in self._words and len(word) > 1]

    def find(self, text: str) -> list[Span]:
        """Mentions in ``text``, in any reading of it, leftmost longest, without overlaps."""
        return self._apart(text, (s for s in self.anywhere(text) if not self._is_a_word(text, s)))

    def only_words(self, text: str) -> bool:
        """Whether names that are words too stand in ``text``, and only as words."""
        spans = self.anywhere(text)
        return bool(spans) and all(self._is_a_word(text, span) for span in spans)

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
        spans = self._surrogates(text)
        for view in views(text):
            for span in self._read(view.text):
                start, end = view.span(span.start, span.end)
                spans.append(replace(span, start=start, end=end))
        return spans

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
        return any(
            standing(text, span.start, span.end) == "unsure" if span.partial
            else self._may_be_named(text[span.start : span.end])
            for span in self.find(text) if not span.certain
        )  # fmt: skip

    def _may_be_named(self, written: str) -> bool:
        """Whether what is written may be a name: it has a capital, or is a whole one without."""
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
                and not (
                    text[end : end + 1] in SIGNS and self._goes_on(text, start, end, key.value)
                )
                and not (_person(self.entity_type) and self._is_anothers(text, start, end))
            ]
            + [
                Span(start, end, certain=False, ambiguous=True)
                for start, end, key in (candidate_keys(text) if self._ambiguous else ())
                if key.kind == "full" and key.value in self._ambiguous
            ]
            + [
                self._span(text, start, end, value)
                for start, end, kind, value in (readings(text) if self._unusual else ())
                if (kind, value) in self._unusual and not self._goes_on(text, start, end, value)
            ]
            + [
                self._span(text, start, end, value)
                for start, end, value in (decorated(text) if _person(self.entity_type) else ())
                if value in self._keys
            ]
        )

    def _is_anothers(self, text: str, start: int, end: int) -> bool:
        """Whether it is two people's names, or half of what a hyphen couples: ``Ann-Marie``."""
        halves = (COUPLED_TO.search(text, max(0, start - REACH), start), COUPLED.match(text, end))
        words = {fold(match[1]) for match in halves if match}
        coupled = any(is_name(word) and word not in self._words for word in words)
        return coupled or names_two(text, start, end)

    def _plausible(self, text: str) -> bool:
        """Rule most texts out without taking them apart."""
        if not text.isascii():
            return True
        folded = text.lower()
        if any(hint in folded for hint in self._hints) or any(map(str.isdigit, text)):
            return True
        compact = NO_LETTERS.sub("", folded) if self._unusual else ""
        return any(hint in compact for hint in self._hints)

    def _span(self, text: str, start: int, end: int, value: str) -> Span:
        part = next(filter(self.is_part, (fold(text[start:end]), value)), "")
        partial = bool(part) and self._beside_a_name(text, start, end)
        part = self._cases.get(part, part)
        return Span(start, end, not partial and self._certain(text, start, end), partial, part)

    def _beside_a_name(self, text: str, start: int, end: int) -> bool:
        """Whether another capitalised word touches it; which it belongs to is then the question."""
        front = in_front(text, start)
        before, after = BEFORE.search(text, max(0, front - REACH), front), AFTER.match(text[end:])
        beside = [match[1] for match in (before, after) if match]
        if not self._words.issuperset(small_names_beside(text, start, end)):
            return True
        if self._beside_an_initial(text, start, end):
            return True
        half = other_half(text, start, end)
        if half is not None and fold(half) not in self._words:
            return True
        return any(word[:1].isupper() and self.words_beside(word, 0, len(word)) for word in beside)

    def _beside_an_initial(self, text: str, start: int, end: int) -> bool:
        """Whether the initial of another name touches it: ``Hedvig K.``, ``Hedvig M. Falk``."""
        initials = {word[:1] for word in self._words}
        before = INITIAL_BEFORE.search(text, max(0, start - REACH), start)
        if before and before[1].casefold() not in initials:
            return True
        behind = INITIAL_AFTER.match(text, end)
        if behind is None:
            return False
        following = AFTER.match(text[behind.end() :])
        return (behind[1] or behind[2]).casefold() not in initials or (
            following is not None and is_name_word(following[1])
            and following[1].casefold() not in self._words
        )  # fmt: skip

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
        named = self.entity_type is None and folded in NAME_WORDS
        if _person(self.entity_type) or (named and folded.title() in self.surfaces):
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


def _name_words(surfaces: Iterable[str]) -> frozenset[str]:
    """The words of all names that have more than one; an address or a number has none."""
    names = (each for each in surfaces if shape(each) is None)
    split = ([match[0].casefold() for match in WORD.finditer(each)] for each in names)
    return frozenset(word for words in split if len(words) > 1 for word in words)


def _cases_of_others(name: str) -> list[str]:
    """Cases of a whole name that are somebody else's name in themselves."""
    several = (form for form in declined(name).ambiguous if " " in form)
    return [key for form in several for key in _full_keys(form, PERSON)]


def _unusual(surface: str, entity_type: str | None) -> list[tuple[str, str]]:
    """What a name of several words is known by where it is joined, spaced out or inflected.

    Words that an underscore joins are the same words: an index knows people by their handles too.
    """
    if entity_type in WORDED:
        surface = surface.replace("_", " ")
    if entity_type in {"TERM", ATTRIBUTE} or not WORDS_ONLY.fullmatch(surface):
        return []
    joined = [("joined", value) for value in joined_forms(surface)]
    short = [" ".join(sorted(form)) for form in without_initials(surface)]
    full = _full_keys(surface, entity_type) if joined else []
    return joined + [("full", value) for value in (*full, *short)]


def _full_keys(surface: str, entity_type: str | None) -> list[str]:
    """Of what nobody knows, a title or a letter with an accent shows how a person is found too."""
    keys = name_keys(surface, kind := _type_of(surface, entity_type))
    unsure = entity_type is None and kind == "TERM" and len(person_tokens(surface)) > 1
    if unsure and (_titled(surface) or not surface.isascii()):
        keys += name_keys(surface)
    if STRANGE.search(surface) and sum(map(str.isalnum, surface)) < LEAST_LEFT:
        return []
    return [key.value for key in keys if key.kind == "full"]


def _titled(surface: str) -> bool:
    words = [match[0].casefold() for match in WORD.finditer(surface)]
    return len(words) > 1 and words[0] in HONORIFICS


def _unread(surface: str) -> bool:
    """Whether it is longer than names are, begins like one only, or is a sentence."""
    words = [match[0].casefold() for match in WORD.finditer(surface)]
    return _titled(surface) or len(words) > LONGEST_NAME or not BREAKS.isdisjoint(words)


def _strict(surfaces: Iterable[str], entity_type: str | None) -> frozenset[str]:
    """What only dotted names of things are known by: a longer one is another thing.

    Of a name that is also written without dots, and of a person's, any continuation is a mention.
    """
    if _person(entity_type):
        return frozenset()
    known: dict[bool, set[str]] = {True: set(), False: set()}
    for surface in surfaces:
        values = [*_full_keys(surface, entity_type), *joined_forms(surface)]
        known[DOTTED.fullmatch(surface) is not None].update(values)
    return frozenset(known[True] - known[False])


def _exact(surfaces: Iterable[str], entity_type: str | None) -> frozenset[str]:
    """What things with signs or digits in their names are known by: a longer one is another."""
    named = [each for each in surfaces if not _person(entity_type) and is_thing(each)]
    return frozenset(value for each in named for value in _full_keys(each, entity_type))


def _identifying(entity_type: str | None) -> bool:
    return entity_type is None or _person(entity_type) or entity_type == "EMAIL_ADDRESS"


def kind_of(surface: str, entity_type: str | None) -> str | None:
    """What one of several values is: ``diabetes`` is nobody's name, whoever else is asked for."""
    if not _person(entity_type) or not surface.islower() or not WORDS_ONLY.fullmatch(surface):
        return entity_type
    words = person_tokens(surface)
    named = any(map(is_name, words)) or not any(map(is_ordinary, words))
    return entity_type if named else None


def _person(entity_type: str | None) -> bool:
    return entity_type in PERSON_TYPES


def _signs(surfaces: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for names that are more than words and spaces, and for words joined by signs.

    ``order_2024_001`` is not ``order_2024_0010``, ``/etc/app/conf`` not ``/etc/app/conf.bak``;
    ``ACME-CORP`` is ``acme_corp``.
    """
    written = {form for surface in surfaces for form in _written(surface)}
    if not written:
        return None
    literal = "|".join(sorted(written, key=len, reverse=True))
    return re.compile(rf"(?<![\w@])(?<!\w[.-])(?:{literal})(?!\w)", re.IGNORECASE)


def _written(surface: str) -> Iterator[str]:
    """Patterns of the forms that no search by words finds."""
    words = [part for part in SEPARATORS.split(surface) if part]
    if STRANGE.search(surface):
        yield re.escape(surface)
    elif _unread(surface):
        yield r"\s+".join(map(re.escape, surface.split()))
    elif surface.startswith("@") or _is_identifier(surface):
        yield re.escape(surface) + r"(?![./-]\w)"
    if len(words) > 1 and all(map(str.isalnum, words)) and sum(map(len, words)) >= LEAST_JOINED:
        yield "[_-]".join(map(re.escape, words)) + r"(?![@.-]\w)"


def _is_identifier(surface: str) -> bool:
    if "@" in surface or not IDENTIFIER.search(surface):
        return False
    return any(map(str.isalpha, surface)) or NUMBERS.search(surface) is not None


def _is_term(surface: str, entity_type: str | None) -> bool:
    """Whether other forms of the word mean the same: terms, never names, nor ``April``."""
    if entity_type in THINGS and may_be_a_word(fold(surface)):
        return False
    return entity_type in TERM_TYPES or (entity_type is None and surface[:1].islower())


def shape(surface: str) -> str | None:
    """The type that a value's form gives away: an address is never the person it belongs to."""
    if re.fullmatch(r"[^\s@]+@[^\s@]+\.[^\s@]+", surface):
        return "EMAIL_ADDRESS"
    return "PHONE_NUMBER" if PHONE.fullmatch(surface) else None


def _type_of(surface: str, entity_type: str | None) -> str:
    """Among somebody's names there may be addresses and numbers as well."""
    shown = shape(surface) if entity_type in WORDED else None
    return shown or ("TERM" if entity_type == ATTRIBUTE else entity_type) or "TERM"


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
