"""What hangs on a clause without a subject of its own: it is said of whom the clause is about.

"Alva is engaged to Jon and HIV positive" tells it of Alva, "Jon is engaged to Alva and HIV
positive" of Jon. Behind a comma it may be either's, so it goes with the one who is forgotten.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proxy.erasure.texts.clauses import CLAUSE, LEADING, says_something, verb_first
from proxy.erasure.texts.fragments import has_subject, names_anybody
from proxy.erasure.texts.identifier_words import IDENTIFIED
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.rewrite import ADJUNCT, PRONOUN
from proxy.erasure.texts.subjects import (
    is_its_subject,
    is_of_another,
    is_without_subject,
    names_at_the_end,
)
from proxy.erasure.texts.telling import Telling

JOINT = re.compile(
    rf"{CLAUSE.pattern}|(?<=:)\s+"
    r"|(?<!\s)\s++(?=(?:or|nor|plus|as well as|o(?:der|u)|sowie|e|ed|[-–—])\s)"
)
DUTCH = re.compile(r"\b(?:het|een|heeft|hebben|wordt|bij|voor|met\b.*\ben)\b")
IN_DUTCH = re.compile(rf"{JOINT.pattern}|(?<!\s)\s++(?=en\s)")
OPENING = re.compile(r"(?:or|nor|plus|as well as|o(?:der|u)|sowie|e|ed|en|[-–—])\s+", re.IGNORECASE)
WHO = re.compile(r"(?:who|whom|whose|dessen|deren|qui|quien|quem)\b")
CLOSING = re.compile(r"(?<![.!?;])[.!?;]++$")
I_AM = re.compile(r"I(?: am|['’]m)\b")
BEHIND_A_NAME = re.compile(
    r"[A-ZÄÖÜ][\w-]+ (?!(?:mit|seit|nicht|fast|jetzt|erst|oft|selbst|meist|zuerst|without|about|"
    r"just|against|last|next|most|except|past|but|not|yet)\b)[a-zäöüß]{2,}t(?:e|en)?\b"
)
COPULA = re.compile(r"[^,;]*?\b(?:am|is|are|was|were|ist|bin|war|est|es|è|é)\b")


def without_hanging(
    said: Sequence[str],
    needles: Needles | None,
    keep: Telling | None = None,
    *,
    named: bool = False,
) -> list[str]:
    """Sentences without what hangs on clauses about the one who is forgotten.

    What names somebody, or holds what must stay, stays.

    Args:
        needles: who is forgotten; ``None`` if everything is theirs.
        named: they are who was named last before it.
    """
    told = _Told(needles, keep, theirs=named, seen=named)
    return [left for each in said if (left := told.left(each))]


@dataclass(slots=True)
class _Told:
    """Whom what goes on without a subject is about.

    Args:
        theirs: the last subject is the forgotten one.
        seen: they were named.
    """

    needles: Needles | None
    keep: Telling | None
    theirs: bool = False
    seen: bool = False

    def left(self, sentence: str) -> str:
        """A sentence without what goes of it."""
        pieces = self._refocused(list(_pieces(sentence)))
        before = ["", *pieces]
        gone = [self._goes(*pair) for pair in zip(pieces, before, strict=False)]
        last = max((at for at, each in enumerate(pieces) if self._kept(each)), default=0)
        for at, piece in enumerate(pieces):
            gone[at] = gone[at] and not (at < last and ADJUNCT.match(_bare(piece)))
        if True not in gone:
            return "".join(pieces).strip()
        joined = "".join(_kept_of(pieces, gone)).strip()
        closing = CLOSING.search(sentence) if gone[-1] and joined else None
        return joined.rstrip(" ,;:–—-") + closing[0] if closing else joined

    def _refocused(self, pieces: list[str]) -> list[str]:
        """``Alva is ill and a nurse`` as ``Alva is a nurse``, where that is to be kept."""
        linked = COPULA.match(pieces[0])
        last = next((at for at, each in enumerate(pieces[1:], 1) if self._kept(each)), 0)
        if not (linked and last) or self._kept(pieces[0]) or says_something(_bare(pieces[last])):
            return pieces
        return [f"{linked[0]} {_bare(pieces[last])}", *pieces[last + 1 :]]

    def _goes(self, piece: str, before: str) -> bool:
        said = _bare(piece)
        if self.needles is None:
            return (
                bool(before)
                and not says_something(said)
                and not self._stays(said, opens=not before)
            )
        spans = self.needles.sure(said)
        self.seen = self.seen or bool(spans)
        joined = _opening(piece) or before.rstrip().endswith(":")
        speaks = _says(said)
        if spans:
            self.theirs = is_its_subject(said, spans) if speaks else self.theirs
            return False
        if IDENTIFIED.match(f", {said}") and names_at_the_end(before.rstrip(" ,")):
            return False  # theirs would be gone already
        if WHO.match(said) and speaks:
            spans = self.needles.sure(before)
            self.theirs = self.seen and not is_of_another(said, before.strip(), spans)
        elif self.seen and PRONOUN.search(said):
            self.theirs = True
            return not speaks and not self._stays(said, opens=not before)
        elif has_subject(said, opens=not before):
            self.theirs = False
        elif speaks and verb_first(said) and not joined:
            return False
        return self.theirs and not self._stays(said, opens=not before)

    def _stays(self, said: str, *, opens: bool) -> bool:
        return names_anybody(said, opens=opens) or self._kept(said)

    def _kept(self, said: str) -> bool:
        return self.keep is not None and self.keep.mentioned(said)


def _pieces(sentence: str) -> Iterator[str]:
    """A sentence at its joints, each piece with the space before it; the first says something."""
    start = before = 0
    joints = IN_DUTCH if DUTCH.search(sentence) else JOINT
    for joint in joints.finditer(sentence):
        if start or _speaks(sentence[before : joint.start()], opens=not before):
            yield sentence[start : joint.start()]
            start = joint.start()
        before = joint.start()
    yield sentence[start:]


def _kept_of(pieces: Sequence[str], gone: Sequence[bool]) -> Iterator[str]:
    """What is left; a comma behind what goes stays, where none stands before it."""
    last = ""
    for piece, goes in zip(pieces, gone, strict=True):
        said = piece
        if goes:
            said = piece[-1] if piece.endswith((",", ";")) and last[-1:].isalnum() else ""
        last = said or last
        yield said


def _speaks(said: str, *, opens: bool) -> bool:
    begins = opens and (is_without_subject(said, opens=True) or I_AM.match(said))
    return bool(begins) or _says(said)


def _says(said: str) -> bool:
    """Whether it has a verb; of a German one, which no list knows, its ending behind a name."""
    return says_something(said) or BEHIND_A_NAME.search(said) is not None


def _bare(piece: str) -> str:
    """What a piece says, without what joins it to the one before."""
    said = piece.strip()[len(_opening(piece)) :]
    return LEADING.sub("", said).strip(" ,;–—-")


def _opening(piece: str) -> str:
    """What joins a piece to the one before, beside what joins clauses."""
    opening = OPENING.match(piece.strip())
    return opening[0] if opening else ""
