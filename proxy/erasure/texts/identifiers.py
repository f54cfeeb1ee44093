"""Whose a phone number, an address or a date of birth is that stands in a text about several.

What is not plainly another's may be that of whom is forgotten, so it goes: with what leads to it
where a sentence is left without (``on +44 …``, ``(tel. +44 …)``), else with its clause.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proxy.erasure.texts.clauses import CLAUSE, FINITE, verb_first
from proxy.erasure.texts.identifier_words import LABEL
from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.rewrite import sentences
from proxy.erasure.texts.subjects import RELATIVE
from proxy.erasure.texts.telling import Telling

_ADJUNCT = (
    r"(?:on|at|under|via|by|from|to|in|with|through|unter|auf|per|über|an|bei|mit|von|am|im|au|sous|"
    r"par|sur|à|chez|al|en|por|con|bajo)"
)
_LINK = r"(?:is|ist|est|es|the|a|der|die|das|dem|den|le|la|el|on|at|under|in|unter|am|au|à|al|en)"
_AND = r"(?:,|/|;|&|(?:and|or|und|oder|et|ou|y|e|o|en)\b)"
# From a name, or from another identifier, to what is plainly theirs.
BEHIND = re.compile(
    rf"(?:['’]?s|['’])?\s*[,:(<\[–—-]?\s*(?:(?:{LABEL}|{_LINK})\b[.:]*\s*)*[(<]?", re.IGNORECASE
)
NEXT = re.compile(rf"\s*{_AND}?\s*(?:(?:{LABEL}|{_LINK})\b[.:]*\s*)*", re.IGNORECASE)
IN_FRONT = re.compile(
    r"\s*[)>]?\s*(?:[(:=–—-]|(?:is|belongs to|for|of|ist|gehört(?: zu)?|für|von|est(?: à)?|pour|"
    r"de|es(?: de)?|para|pertenece a)\b)\s*",
    re.IGNORECASE,
)
JOINED = re.compile(rf"(?:['’]s?)?\s*{_AND}\s*", re.IGNORECASE)
APART = re.compile(r"\s*[,(<\[]")  # said of the last of several alone
MINE = re.compile(
    r"\b(?:my|our|mein\w*|unser\w*|mon|ma|notre|mi|nuestr\w+)\s+(?:[\w-]+\.?\s+){0,2}"
    r"(?:(?:is|ist|est|es)\s+)?$",
    re.IGNORECASE,
)

_WORDS = r"(?:[^\s,;:()<>]+:?\s+)"
BRACKET = re.compile(r"\s*[(<\[]\s*(?:[^\s()<>\[\]]+\s+){0,4}$")
COMMA = re.compile(rf"\s*(?:,|(?<=\s)[–—-])\s+(?P<words>{_WORDS}{{0,4}})$")
ADJUNCT = re.compile(rf"\s+(?={_ADJUNCT}\b)(?P<words>{_WORDS}{{1,4}})$", re.IGNORECASE)
BARE = re.compile(r":?\s+")  # "Orla Quist +44 …", "Orla Quist: +44 …"
THEIR_THING = re.compile(rf"['’]s?\s+(?:{LABEL}\b\s*)+(?P<space>\s)$", re.IGNORECASE)
CONJUNCTION = re.compile(
    r"(?:and|or|but|who\w*|that|und|oder|aber|et|ou|mais|y|o|pero)\b", re.IGNORECASE
)
LABELLED = re.compile(rf"\b{LABEL}\b", re.IGNORECASE)
BRACKETS, COMMAS = frozenset("(<["), frozenset(",–—-")
CLOSED = re.compile(r"\s*[)>\]]")
PARTED = re.compile(r"(?:,|\s[–—-])\s+(?P<rest>[^\W\d_A-ZÀ-Þ].*)")
WHERE = re.compile(
    r"(?:about|at|in|on|to|by|for|after|before|until|today|tomorrow|yesterday|tonight|um|wegen|auf|am|"
    r"im|in|zu[mr]?|nach|vor|morgen|heute|gestern|à|au|sur|pour|demain|hier|en|sobre|para|mañana|ayer)\b"
    r"[^,;]*$"
)


@dataclass(frozen=True, slots=True)
class Identifiers:
    """What one stored text holds, as pieces of it.

    Args:
        sure: what identifies whomever it is said of: a phone number, an address.
        loose: what does so only right behind a name: a link, a number of anything.
        people: names of those who are not forgotten.
        speaks: who is forgotten says ``my`` in it.
    """

    sure: Sequence[str] = ()
    loose: Sequence[str] = ()
    people: Sequence[str] = ()
    speaks: bool = False


def without_identifiers(
    text: str, needles: Needles, known: Identifiers, keep: Telling | None, *, named: bool
) -> tuple[str, frozenset[str]]:
    """A text without those that may be of whom is forgotten, as far as it can be said without.

    Args:
        named: they were named before it begins.

    Returns:
        The text, and what may not stay in any part of it.
    """
    found = _Reading(text, needles, known, keep, named=named)
    theirs = [one for one in found.listed if found.is_theirs(one)]
    for run in reversed(_runs(text, theirs)):
        text = found.cut(text, *run)
    return text, frozenset(one.said for one in theirs)


@dataclass(frozen=True, slots=True)
class _One:
    start: int
    end: int
    said: str
    loose: bool


@dataclass(frozen=True, slots=True)
class _Name:
    start: int
    end: int
    theirs: bool


class _Reading:
    """One text, its names and its identifiers in their order."""

    def __init__(
        self, text: str, needles: Needles, known: Identifiers, keep: Telling | None, *, named: bool
    ) -> None:
        self.text, self.known, self.named = text, known, named
        every = [
            _One(start, end, text[start:end], loose=loose)
            for said, loose in ((known.sure, False), (known.loose, True))
            for start, end in _places(text, said)
        ]
        sure = [one for one in every if not one.loose]
        every = [one for one in every if not one.loose or not any(_meet(one, s) for s in sure)]
        self.listed = sorted(
            (one for one in every if keep is None or not keep.mentioned(one.said)),
            key=lambda one: one.start,
        )
        ours = needles.sure(text)
        self.own = {one for one in every if any(_meet(one, span) for span in ours)}
        names = [_Name(s.start, s.end, True) for s in ours if not any(_meet(s, o) for o in every)]
        taken: list[_Name | _One] = [*names, *every]
        others = [_Name(start, end, False) for start, end in _places(text, known.people)]
        names += [each for each in others if not any(_meet(each, one) for one in taken)]
        self.names = sorted(names, key=lambda name: name.start)
        self.said = list(_within(text, sentences(text)))
        self.whose: dict[_One, bool] = {}

    def is_theirs(self, one: _One) -> bool:
        """Whether it is, or may be, of whom is forgotten; asked in the order of the text."""
        self.whose[one] = found = self._is_theirs(one)
        return found

    def _is_theirs(self, one: _One) -> bool:
        if one in self.own:
            return True
        start, end = self._sentence(one)
        before = self._behind(one, start)
        if one.loose:
            return before is True
        if before is None and MINE.search(self.text, start, one.start):
            return self.known.speaks
        if before is None:
            before = self._in_front(one, end)
        return self._in_clause(one, start, end) if before is None else before

    def _sentence(self, one: _One) -> tuple[int, int]:
        inside = (span for span in self.said if span[0] <= one.start < span[1])
        return next(inside, (0, len(self.text)))

    def _behind(self, one: _One, start: int) -> bool | None:
        """Whether it hangs on a mention; None where it hangs on nobody's name."""
        before = self._before(one, start)
        if before is None:
            return None
        link = BEHIND if isinstance(before, _Name) else NEXT
        if not link.fullmatch(self.text, before.end, one.start):
            return None
        if isinstance(before, _One):
            return self.whose.get(before)
        apart = APART.match(self.text, before.end)
        return before.theirs or (apart is None and self._joined(before))

    def _before(self, one: _One, start: int) -> "_Name | _One | None":
        """The name or identifier right before it in its sentence."""
        every: list[_Name | _One] = [*self.names, *self.listed]
        ahead = [each for each in every if start <= each.start < each.end <= one.start]
        return max(ahead, key=lambda each: each.end, default=None)

    def _joined(self, name: _Name) -> bool:
        """Whether whom is forgotten is named together with somebody: ``Orla and Tom``."""
        return any(
            JOINED.fullmatch(self.text, min(each.end, name.end), max(each.start, name.start))
            for each in self.names
            if each.theirs
        )

    def _in_front(self, one: _One, end: int) -> bool | None:
        """Whether it is said to be theirs: ``+44 … is Orla's``."""
        behind = next((each for each in self.names if one.end <= each.start < end), None)
        if behind is None or not IN_FRONT.fullmatch(self.text, one.end, behind.start):
            return None
        return behind.theirs or self._joined(behind)

    def _in_clause(self, one: _One, start: int, end: int) -> bool:
        """Whether its clause names them, or one beside it where that names nobody."""
        joints = [start, *(joint.start() for joint in CLAUSE.finditer(self.text, start, end)), end]
        at = max(n for n, joint in enumerate(joints) if joint <= one.start)
        for first, last in ((joints[at], joints[at + 1]), (start, joints[at]), (start, end)):
            named = [each.theirs for each in self.names if first <= each.start < last]
            if named:
                return any(named)
        return self.named or any(each.theirs and each.end <= start for each in self.names)

    def cut(self, text: str, first: _One, last: _One) -> str:
        """A text without identifiers that stand together, or as it is where it says nothing so."""
        before = self._before(first, self._sentence(first)[0])
        floor = before.end if before is not None else self._sentence(first)[0]
        start = self._lead(first, floor, on_name=isinstance(before, _Name) and before.theirs)
        if start is None:
            return text
        end, opened = last.end, self.text[start : first.start].lstrip()[:1]
        if opened in BRACKETS:
            closed = CLOSED.match(text, end)
            return text[:start] + text[closed.end() :] if closed else text
        parted = PARTED.match(text[: self._sentence(last)[1]], end)
        if parted and _goes_on(parted["rest"], parted=opened in COMMAS):
            return f"{text[:start]} {text[parted.start('rest') :]}"
        return text[:start] + text[end:]

    def _lead(self, one: _One, floor: int, *, on_name: bool) -> int | None:
        """Where begins what goes with it; None where it is no addition."""
        if on_name and BARE.fullmatch(self.text, floor, one.start):
            return floor
        bracket = BRACKET.search(self.text, floor, one.start)
        if bracket:
            return bracket.start()
        for pattern in (COMMA, ADJUNCT):
            starts = [
                match.start()
                for match in _every(pattern, self.text, floor, one.start)
                if _only_leads(match["words"])
                if LABELLED.sub("", self.text[self._sentence(one)[0] : match.start()]).strip()
            ]
            if starts:
                return starts[-1]
        owned = max(0, floor - 2)  # the mention may end with its "'s"
        thing = THEIR_THING.search(self.text, owned, one.start) if on_name else None
        return thing.start("space") if thing else None


def _every(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterable[re.Match[str]]:
    """Matches that overlap, too: of ``in the hall on the number`` both."""
    while (match := pattern.search(text, start, end)) is not None:
        yield match
        start = match.start() + 1


def _only_leads(words: str) -> bool:
    """Whether words before an identifier say nothing else: no verb, and nothing joined."""
    return not (CONJUNCTION.match(words) or FINITE.search(LABELLED.sub("", words)))


def _goes_on(rest: str, *, parted: bool) -> bool:
    """Whether no comma stands before it without the identifier, and it is no aside.

    Args:
        parted: a comma, or a dash, stood before the identifier.
    """
    joined = parted and (verb_first(rest) or CONJUNCTION.match(rest))
    return bool(joined and not RELATIVE.match(rest)) or WHERE.match(rest) is not None


def _runs(text: str, theirs: Sequence[_One]) -> list[tuple[_One, _One]]:
    """The first and last of those that follow each other: ``(+44 …, orla@…)``."""
    runs: list[tuple[_One, _One]] = []
    for one in theirs:
        if runs and NEXT.fullmatch(text, runs[-1][1].end, one.start):
            runs[-1] = (runs[-1][0], one)
        else:
            runs.append((one, one))
    return runs


def _within(text: str, parts: Iterable[str]) -> Iterable[tuple[int, int]]:
    after = 0
    for part in parts:
        start = text.index(part, after)
        after = start + len(part)
        yield start, after


def _places(text: str, said: Iterable[str]) -> list[tuple[int, int]]:
    """Where any of some pieces stands for itself, the longest first."""
    longest = sorted({each for each in said if each}, key=len, reverse=True)
    if not longest:
        return []
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)"
    return [match.span() for match in re.finditer(pattern, text)]


def _meet(one: "_One | _Name | Span", other: "_One | _Name | Span") -> bool:
    return one.start < other.end and other.start < one.end
