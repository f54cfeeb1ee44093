"""People listed in one sentence: ``Orla: 0011, Tom: 0022``, ``call Orla on 0011 or Tom on 0022``.

So are clauses that share a verb: ``Orla was born on 4 May and Tom on 9 June``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from detectors.words.folding import without_possessive
from proxy.erasure.texts.clauses import FINITE, VERBS
from proxy.erasure.texts.entry_words import (
    ALIKE,
    APART,
    CLOSING,
    ELLIPTIC,
    GAP,
    JOINT,
    LEADS,
    OF_THE_NEXT,
    OWNED,
    OWNS,
    SHARED_VERB,
    STRONG,
    VALUE,
    values_end,
)
from proxy.erasure.texts.named import Name
from proxy.erasure.texts.rewrite import PRONOUN
from proxy.erasure.texts.spoken_to import titled_from

Cut = tuple[int, int]
FEW = re.compile(r"(?:\s+[\w-]+){0,2}\s*")  # adverbs between a name and its verb
BETWEEN = re.compile(r"\s*(?:[,;/|]|\b(?:and|or|und|oder|et|ou|y|e|o|en)\b)\s*(?:and\s+|und\s+)?")
WITHIN = re.compile(r"[:;(]|\b(?:that|which|who|because|if|dass|weil|que|qui)\b")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text that may list people.

    Args:
        text: all of it.
        shown: the text with signs for names and identifiers, see ``masked``.
        start: of the sentence, behind its bullet.
        end: behind its last sign.
    """

    text: str
    shown: str
    start: int
    end: int

    @property
    def closed(self) -> int:
        """Where the signs begin that end it."""
        closing = CLOSING.search(self.text, self.start, self.end)
        return closing.start() if closing else self.end

    def without_theirs(self, names: Sequence[Name]) -> tuple[str, list[Cut]] | None:
        """The sentence without the entries of whom is forgotten, and where they stood.

        Args:
            names: those in it.

        Returns:
            None if it is no list, or they share what is said in it with somebody.
        """
        head = self._head(names)
        listed = [each for each in names if each.start >= head]
        if behind := self._behind_values(head, listed):
            return self._cut(behind) if len({each.theirs for each in names}) > 1 else None
        entries = self._entries(listed)
        if len({each.theirs for each in entries}) < 2 or any(
            each.theirs and each.start < head for each in names
        ):
            return None
        if found := self._without_values(entries, head):
            return found
        verb = self._shared(entries)
        return self._without_gap(entries, verb.end()) if verb else None

    def _without_values(
        self, entries: "Sequence[_Entry]", head: int
    ) -> tuple[str, list[Cut]] | None:
        """Without theirs, where nothing but values is said of each, or the same of all."""
        said = [self.shown[each.named : each.end] for each in entries]
        if all(map(STRONG.match, said)) or (head > self.start and self._is_plain(entries)):
            return self._cut(entries)
        values = [self._is_values(each) for each in entries]
        elliptic = [ELLIPTIC.match(each) is not None for each in said]
        alike = [value or left_out for value, left_out in zip(values, elliptic, strict=True)]
        if not any(said) or not all(alike[1:]) or self._shares(entries):
            return None
        verb = OWNS.match(said[0]) or FINITE.search(self.text, entries[0].named, entries[0].end)
        if not (values[0] or all(elliptic[1:]) or all(map(VALUE.search, said))):
            return None
        if entries[0].theirs and (verb or not values[0]):
            alone = not any(each.theirs for each in entries[1:])
            return self._moved(*entries[:2]) if alone else None
        led = all(LEADS.match(self.shown, each.named) for each in entries if each.theirs)
        if self.start == head < entries[0].start and not led:
            return None
        return self._cut(entries)

    def _behind_values(self, head: int, names: Sequence[Name]) -> "list[_Entry]":
        """Entries that begin with a number or an address: ``0111 is Orla, 0222 is Tom``."""
        found, start = list[_Entry](), head
        for each in names:
            joint = BETWEEN.match(self.text, start, each.start) if found else None
            start = joint.end() if joint else start
            first = titled_from(self.text, each.start)
            if found and joint is None:
                return []
            if not VALUE.search(self.shown, start, first):
                return []
            if values_end(self.shown, start, first) < first:
                return []
            found.append(_Entry(start, each.end, each.end, each.theirs))
            start = each.end
        return found if len(found) > 1 and not self.text[start : self.closed].strip() else []

    def _shared(self, entries: "Sequence[_Entry]") -> re.Match[str] | None:
        """The verb of the first that the others leave out: ``Orla has gout, Tom lupus``."""
        first, *others = entries
        verb = FINITE.search(self.text, first.named, first.end)
        if verb is None or not FEW.fullmatch(self.text, first.named, verb.start()):
            return None
        said = [self.text[each.named : each.end] for each in others]
        stated = bool(self.text[verb.end() : first.end].strip())
        pronouns = any(PRONOUN.search(self.text, each.named, each.end) for each in entries)
        plain = not (pronouns or any(map(WITHIN.search, said)))
        return verb if stated and plain and all(map(_has_no_verb, said)) else None

    def _without_gap(self, entries: "Sequence[_Entry]", verb: int) -> tuple[str, list[Cut]] | None:
        """Without theirs; where the verb is said of them, the next has it, if that is plain."""
        if not entries[0].theirs:
            return self._cut(entries)
        stays = next(each for each in entries if not each.theirs)
        said = self.text[stays.named : stays.end]
        gap = GAP.match(said)
        led = gap["with"] if gap else None
        within = re.compile(rf"\s{led}\b").search(self.text, verb, entries[0].end) if led else None
        alone = stays is entries[1] and not any(each.theirs for each in entries[2:])
        if not alone or (led and within is None) or VERBS.fullmatch(said.strip()):
            return "", [(self.start, self.end)]
        until = within.start() if within else verb
        left_over = (
            self.text[self.start : entries[0].start]
            + self.text[stays.start : stays.named]
            + self.text[entries[0].named : until]
            + self.text[stays.named : self.end]
        )
        return left_over, [(entries[0].start, stays.start)]

    def _is_plain(self, entries: "Sequence[_Entry]") -> bool:
        """Whether what stands behind each name, below a heading, has no verb."""
        said = [self.text[each.named : each.end] for each in entries]
        return all(each and not FINITE.search(each) for each in said)

    def _head(self, names: Sequence[Name]) -> int:
        """Where a list begins: behind a colon that a name follows."""
        for each in names:
            first = titled_from(self.text, each.start)
            if self.text[self.start : first].rstrip().endswith(":"):
                return first
        return self.start

    def _entries(self, names: Sequence[Name]) -> "list[_Entry]":
        """From each name to what joins the next; none where nothing does."""
        found = list[_Entry]()
        for each, behind in zip_longest(names, names[1:]):
            following = titled_from(self.text, behind.start) if behind else None
            end = self.closed if following is None else self._until(each, following)
            if end is None:
                return []
            named = without_possessive(self.text, each.start, each.end)
            found.append(_Entry(titled_from(self.text, each.start), named, end, each.theirs))
        return found

    def _until(self, name: Name, behind: int) -> int | None:
        """Where what is said of somebody ends before the next name; None if nothing parts them."""
        joint = JOINT.search(self.shown, name.end, behind)
        if joint is not None:
            return joint.start()
        apart = VALUE.search(self.shown, name.end, behind)
        of_the_next = OF_THE_NEXT.fullmatch(self.shown, name.end, behind)
        if not apart or of_the_next or values_end(self.shown, name.end, behind) < behind:
            return None
        return name.end + len(self.text[name.end : behind].rstrip())

    def _is_values(self, entry: "_Entry") -> bool:
        return values_end(self.shown, entry.named, entry.end) == entry.end

    def _shares(self, entries: "Sequence[_Entry]") -> bool:
        """Whether what stands behind whom is forgotten is said of others as well."""
        return any(
            one.theirs
            and before.named == before.end
            and ALIKE.search(self.text, before.end, one.start) is not None
            and one.named < one.end
            and APART.match(self.text, one.named) is None
            for before, one in pairwise(entries)
        )

    def _cut(self, entries: "Sequence[_Entry]") -> tuple[str, list[Cut]] | None:
        """Without their entries, each with what joins it to the one before, or to the next."""
        cuts, stays = list[Cut](), -1
        for at, each in enumerate(entries):
            if not each.theirs:
                stays = at
            elif stays >= 0:
                cuts.append((entries[at - 1].end, each.end))
            else:
                cuts.append((each.start, entries[at + 1].start))
        left = self.text[: self.end]
        for start, end in reversed(cuts):
            left = left[:start] + left[end:]
        return left[self.start :], cuts

    def _moved(self, first: "_Entry", other: "_Entry") -> tuple[str, list[Cut]] | None:
        """What is said of both by one verb, said of the other alone; None where it is not alike."""
        ours, theirs = (self._stated(each) for each in (first, other))
        if ours is None or theirs is None:
            return None
        (start, end), (begin, stop) = ours, theirs
        verb = self.text[first.named : start] + self.text[end : first.end]
        if not SHARED_VERB.fullmatch(verb) or PRONOUN.search(verb):
            return None
        left = (
            self.text[self.start : first.start]
            + self.text[other.start : other.named]
            + self.text[first.named : start]
            + self.text[begin:stop]
            + self.text[end : first.end]
            + self.text[other.end : self.end]
        )
        return left, [(first.start, end)]

    def _stated(self, entry: "_Entry") -> tuple[int, int] | None:
        """Where stands what is said of somebody by a verb that others share."""
        owned = OWNED.match(self.shown, entry.named, entry.end)
        if owned is not None:
            return owned.end(), entry.end
        found = list(VALUE.finditer(self.shown, entry.named, entry.end))
        return found[0].span() if len(found) == 1 else None


def _has_no_verb(said: str) -> bool:
    """Whether what stands behind a name may be what another's verb is about: one word may."""
    words = said.split()
    return said[:1].isspace() and bool(words) and (len(words) == 1 or not FINITE.search(said))


@dataclass(frozen=True, slots=True)
class _Entry:
    """From the titles before a name to the end of what is said of its bearer."""

    start: int
    named: int
    end: int
    theirs: bool
