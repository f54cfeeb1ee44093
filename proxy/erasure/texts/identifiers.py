"""Whose a phone number, an address or a date of birth is that stands in a text about several.

What is not plainly another's may be that of whom is forgotten, so it goes: with what leads to it
where a sentence is left without (``on +44 …``, ``(tel. +44 …)``), else with its clause.
"""

import re
from collections.abc import Iterable, Sequence

from detectors.words.folding import without_possessive
from proxy.erasure.texts.clauses import CLAUSE, FINITE, verb_first
from proxy.erasure.texts.identifier_words import ADJUNCT as LEADING
from proxy.erasure.texts.identifier_words import LABEL, LINK
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.named import Identifiers, Name, Named, One, within
from proxy.erasure.texts.rewrite import PRONOUN, sentences
from proxy.erasure.texts.subjects import FIRST_PERSON, RELATIVE
from proxy.erasure.texts.telling import Telling

_AND = r"(?:,|/|;|&|(?:and|or|und|oder|et|ou|y|e|o|en)\b)"
# From a name, or from another identifier, to what is plainly theirs.
BEHIND = re.compile(
    rf"(?:['’]?s|['’])?\s*[,:(<\[–—-]?\s*(?:(?:{LABEL}|{LINK})\b[.:]*\s*)*[(<]?", re.IGNORECASE
)
BRACKETED = re.compile(r"\s*[(<\[][^()<>\[\]]*")
NEXT = re.compile(rf"\s*{_AND}?\s*(?:(?:{LABEL}|{LINK})\b[.:]*\s*)*", re.IGNORECASE)
IN_FRONT = re.compile(
    r"\s*[)>]?\s*(?:[(:=–—-]|(?:is|belongs to|for|of|ist|gehört(?: zu)?|für|von|est(?: à)?|pour|"
    r"de|es(?: de)?|para|pertenece a)\b)\s*",
    re.IGNORECASE,
)
_THEIR = (
    r"(?:(?:his|her|their|my|our|sein\w*|ihr\w*|mein\w*|unser\w*|su|mi|son|sa|mon|ma)\s+[\w-]+\s+)"
)
JOINED = re.compile(rf"(?:['’]s?)?\s*(?:,\s*)?{_AND}\s*{_THEIR}?", re.IGNORECASE)
# What is said of several behind the last of their names; without it, of the last alone.
OF_ALL = re.compile(r"['’]s?\s|[^,(<\[]*?(?:[:=]|\b(?:is|ist|est|es)\b)", re.IGNORECASE)
TOGETHER = re.compile(r"\s+[^,;:()]*")  # what several do, to what is said of them
GIVEN_BY = re.compile(
    r"(?:from|to|by|via|with|for|von|an|bei|für|de|du|à|par|pour|a|por|para)\s+$", re.IGNORECASE
)
GIVEN = re.compile(rf"\s*[:,]\s*(?:{LABEL}\b[.:]*\s*)*", re.IGNORECASE)
OWNED = re.compile(rf"(?:(?<=s)|['’]s?|(?<=['’]))\s+(?:[\w-]+\s+){{0,2}}?{LABEL}\b", re.IGNORECASE)
OWNED_BY = re.compile(rf"\b{LABEL}\s+(?:of|von|de|del)\s+$", re.IGNORECASE)
MINE = re.compile(
    r"\b(?:my|our|mein\w*|unser\w*|mon|ma|notre|mi|nuestr\w+)\s+(?:[\w-]+\.?\s+){0,2}"
    r"(?:(?:is|ist|est|es)\s+)?$",
    re.IGNORECASE,
)

_WORDS = r"(?:[^\s,;:()<>]+:?\s+)"
BRACKET = re.compile(r"\s*[(<\[]\s*(?:[^\s()<>\[\]]+\s+){0,4}$")
COMMA = re.compile(rf"\s*(?:,|(?<=\s)[–—-])\s+(?P<words>{_WORDS}{{0,4}})$")
ADJUNCT = re.compile(rf"\s+(?={LEADING}\b)(?P<words>{_WORDS}{{1,4}})$", re.IGNORECASE)
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
        text = found.cut(text, run[0], run[-1])
    return text, frozenset(one.said for one in theirs)


class _Reading(Named):
    """One text, and whose its identifiers are."""

    def __init__(
        self, text: str, needles: Needles, known: Identifiers, keep: Telling | None, *, named: bool
    ) -> None:
        super().__init__(text, needles, known, keep)
        self.known, self.named = known, named
        self.said = list(within(text, sentences(text)))
        self.runs = _runs(text, self.listed)

    def is_theirs(self, one: One) -> bool:
        """Whether it is, or may be, of whom is forgotten."""
        if one in self.own:
            return True
        start, end = self._sentence(one)
        told = self._called(one, start)
        before = self._behind(one, start) if told is None else told
        if one.loose:
            return before is True
        if before is None and MINE.search(self.text, start, one.start):
            return self.known.speaks
        if before is None:
            before = self._in_front(one, end)
        return self._in_clause(one, start, end) if before is None else before

    def _sentence(self, one: One) -> tuple[int, int]:
        inside = (span for span in self.said if span[0] <= one.start < span[1])
        return next(inside, (0, len(self.text)))

    def _called(self, one: One, start: int) -> bool | None:
        """Whether it was called theirs before its giver is named: ``Orla's number from Tom:``."""
        giver = self._before(one, start)
        if not isinstance(giver, Name) or not GIVEN.fullmatch(self.text, giver.end, one.start):
            return None
        if not GIVEN_BY.search(self.text, start, giver.start):
            return None
        owners = [
            each.theirs
            for each in self.names
            if start <= each.start < each.end <= giver.start
            if OWNED.match(self.text, each.end, giver.start)
            or OWNED_BY.search(self.text, start, each.start)
        ]
        return any(owners) if owners else None

    def _behind(self, one: One, start: int) -> bool | None:
        """Whether it hangs on a mention; None where it hangs on nobody's name."""
        run = next(each for each in self.runs if one in each)
        before = self._before(run[0], start)
        if not isinstance(before, Name):
            return None
        group = self._group(before)
        if len({each.theirs for each in group}) > 1 and self._is_of_all(group, run[0], start):
            if len(run) == len(group):
                return group[run.index(one)].theirs
            return len(run) > 1
        links = (BEHIND, BRACKETED)
        hangs = any(each.fullmatch(self.text, before.end, run[0].start) for each in links)
        return before.theirs if hangs else None

    def _is_of_all(self, group: Sequence[Name], one: One, start: int) -> bool:
        """Whether several share it: ``Orla and Tom: +44 …``, ``Orla and Tom live at …``."""
        behind = without_possessive(self.text, group[-1].start, group[-1].end)
        if BEHIND.fullmatch(self.text, behind, one.start):
            return OF_ALL.match(self.text, behind, one.start) is not None
        head, between = self.text[start : group[0].start], self.text[behind : one.start]
        opens = not (FINITE.search(head) or FIRST_PERSON.search(head))
        return opens and bool(TOGETHER.fullmatch(between)) and not PRONOUN.search(between)

    def _group(self, name: Name) -> list[Name]:
        """Who is named together with somebody: ``Orla, Tom and Alva``."""
        at = first = last = self.names.index(name)
        while first and self._joins(first - 1):
            first -= 1
        while last + 1 < len(self.names) and self._joins(last):
            last += 1
        return self.names[first : last + 1] if first <= at else [name]

    def _joins(self, at: int) -> bool:
        one, other = self.names[at : at + 2]
        return JOINED.fullmatch(self.text, one.end, other.start) is not None

    def _before(self, one: One, start: int) -> Name | One | None:
        """The name or identifier right before it in its sentence."""
        every: list[Name | One] = [*self.names, *self.listed]
        ahead = [each for each in every if start <= each.start < each.end <= one.start]
        return max(ahead, key=lambda each: each.end, default=None)

    def _in_front(self, one: One, end: int) -> bool | None:
        """Whether it is said to be theirs: ``+44 … is Orla's``."""
        behind = next((each for each in self.names if one.end <= each.start < end), None)
        if behind is None or not IN_FRONT.fullmatch(self.text, one.end, behind.start):
            return None
        return all(each.theirs for each in self._group(behind))

    def _in_clause(self, one: One, start: int, end: int) -> bool:
        """Whether its clause names them, or one beside it where that names nobody."""
        joints = [start, *(joint.start() for joint in CLAUSE.finditer(self.text, start, end)), end]
        at = max(n for n, joint in enumerate(joints) if joint <= one.start)
        for first, last in ((joints[at], joints[at + 1]), (start, joints[at]), (start, end)):
            named = [each.theirs for each in self.names if first <= each.start < last]
            if named:
                return any(named)
        return self.named or any(each.theirs and each.end <= start for each in self.names)

    def cut(self, text: str, first: One, last: One) -> str:
        """A text without identifiers that stand together, or as it is where it says nothing so."""
        run = next(each for each in self.runs if first in each)
        ahead, behind = run[: run.index(first)], run[run.index(last) + 1 :]
        if ahead:
            return text[: ahead[-1].end] + text[last.end :]
        if behind:
            return text[: first.start] + text[behind[0].start :]
        before = self._before(first, self._sentence(first)[0])
        floor = before.end if before is not None else self._sentence(first)[0]
        start = self._lead(first, floor, before if isinstance(before, Name) else None)
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

    def _lead(self, one: One, floor: int, name: Name | None) -> int | None:
        """Where begins what goes with it; None where it is no addition."""
        if name and BARE.fullmatch(self.text, floor, one.start):
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
        thing = THEIR_THING.search(self.text, owned, one.start)
        return thing.start("space") if thing and name and name.theirs else None


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


def _runs(text: str, listed: Sequence[One]) -> list[list[One]]:
    """Those that follow each other: ``(+44 …, orla@…)``."""
    runs: list[list[One]] = []
    for one in listed:
        if runs and NEXT.fullmatch(text, runs[-1][-1].end, one.start):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs
