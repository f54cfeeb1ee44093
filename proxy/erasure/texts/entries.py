"""Lists of people: each entry tells of one of them alone, so theirs go and others' stay whole.

A list is one on lines of its own, with bullets, numbers, or the bars of a table, or within one
sentence (see ``enumerated``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from proxy.erasure.texts.entry_words import (
    BULLET,
    FEW_WORDS,
    HEADING,
    LABELLED,
    STRONG,
    masked,
    values_end,
)
from proxy.erasure.texts.enumerated import Sentence
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.named import Identifiers, Name, Named, within
from proxy.erasure.texts.rewrite import PRONOUN, sentences
from proxy.erasure.texts.rows import rows
from proxy.erasure.texts.spoken_to import titled_from
from proxy.erasure.texts.telling import Telling


@dataclass(frozen=True, slots=True)
class Part:
    """What of a text is judged as one.

    Args:
        text: of entries about whom is forgotten nothing stands in it.
        before: the space between it and what stands before it.
        settled: entries of others, which stay as they are.
        named: whom is forgotten was named before it.
        follows: they were named last before it.
    """

    text: str
    before: str = ""
    settled: bool = False
    named: bool = False
    follows: bool = False


def in_parts(
    text: str, needles: Needles, known: Identifiers, keep: Telling | None
) -> tuple[list[Part], frozenset[str]]:
    """A text taken apart at its lists, and what identifies whom is forgotten in what was cut.

    Without a list it is one part.
    """
    lists = _Lists(text, needles, known, keep)
    found = list(lists.parts())
    settled = " ".join(part.text for part in found if part.settled)
    gone = (one.said for one in lists.listed if lists.is_cut(one.start) and not one.loose)
    return found, frozenset(said for said in gone if said not in settled)


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence with a bullet before it, and the space that sets it off from the one before."""

    start: int
    said: int  # behind the bullet
    end: int
    space: str
    names: Sequence[Name]
    labelled: bool  # "Dentist: Orla Quist", on a line of its own

    @property
    def opens(self) -> bool:
        """Whether it begins a line."""
        return not self.start or "\n" in self.space

    @property
    def bulleted(self) -> bool:
        """Whether a bullet, a number or a bar stands before it."""
        return self.start < self.said

    @property
    def indent(self) -> int:
        """Characters between the margin and it."""
        return len(self.space.rpartition("\n")[2])


@dataclass(frozen=True, slots=True)
class _Judged:
    """What is left of a line; unless it is settled, it has to be asked what it says."""

    text: str
    settled: bool = False


GONE = _Judged("", settled=True)


class _Lists(Named):
    """What of a text are entries of lists, and whose."""

    def __init__(
        self, text: str, needles: Needles, known: Identifiers, keep: Telling | None
    ) -> None:
        super().__init__(text, needles, known, keep)
        self.keep = keep
        self.shown = masked(text, self.names, self.listed)
        self.cuts: list[tuple[int, int]] = []
        self.lines = list(self._lines())
        self.rows = rows(text, self.names)

    def is_cut(self, at: int) -> bool:
        """Whether what stands there is in an entry that goes."""
        return any(start <= at < end for start, end in self.cuts)

    def parts(self) -> Iterator[Part]:
        """The parts in their order; what is no entry stands together as it was."""
        run: Part | None = None
        for line, left in zip(self.lines, self._headed(self._judged()), strict=True):
            if left.settled and run:
                yield run
                run = None
            if left.settled and left.text:
                yield Part(left.text, line.space, settled=True)
            elif not left.settled and run:
                run = replace(run, text=f"{run.text}{line.space}{left.text}")
            elif not left.settled:
                run = self._run(line, left)
        yield from [run] if run else []

    def _run(self, line: _Line, left: _Judged) -> Part:
        before = [name.theirs for name in self.names if name.start < line.start]
        return Part(left.text, line.space, named=any(before), follows=before[-1:] == [True])

    def _lines(self) -> Iterator[_Line]:
        after = 0
        for start, end in within(self.text, sentences(self.text)):
            bullet = BULLET.match(self.shown, start, end)
            said = bullet.end() if bullet else start
            names = [each for each in self.names if start <= each.start < end]
            space = self.text[after:start]
            opens = "\n" in self.text and ("\n" in space or not start)
            label = LABELLED.match(self.shown, said, end) if opens else None
            yield _Line(start, said, end, space, names, label is not None)
            after = end

    def _seen(self, line: _Line) -> bool:
        return any(name.theirs and name.start < line.start for name in self.names)

    def _judged(self) -> Iterator[_Judged]:
        opener: _Line | None = None
        for line in self.lines:
            left = self._row(line) or self._entry(line) or self._enumerated(line)
            if self._opens_an_entry(line):
                opener = line
            elif opener and not _goes_on(line, opener):
                opener = None
            elif opener and left is None:
                left = self._continued(line, theirs=opener.names[0].theirs)
            if left is None and any(each.theirs for each in line.names):
                opener = None
            yield left or _Judged(self.text[line.start : line.end])

    def _row(self, line: _Line) -> _Judged | None:
        """What is left of a row of a table of people, or of a part of one."""
        for (start, end), theirs in self.rows.items():
            if start <= line.start and line.end <= end:
                return self._cut(line) if theirs else self._whole(line)
        return None

    def _entry(self, line: _Line) -> _Judged | None:
        """What is left of an entry; None if it is none, or tells of several."""
        if not self._opens_an_entry(line) or len({each.theirs for each in line.names}) > 1:
            return None
        if line.names[0].theirs:
            return self._cut(line)
        colon = STRONG.match(self.shown, line.names[0].end, line.end)
        return None if self._may_mean_them(line) and not colon else self._whole(line)

    def _opens_an_entry(self, line: _Line) -> bool:
        """Whether it begins with a name, and tells of its bearer in the manner of a list."""
        if not line.names:
            return False
        name, sentence = line.names[0], self._sentence(line)
        first = titled_from(self.text, name.start)
        if line.labelled or (line.bulleted and FEW_WORDS.fullmatch(self.shown, line.said, first)):
            return True
        if values_end(self.shown, line.said, first) < first:
            return False
        end = values_end(self.shown, name.end, sentence.closed)
        alone = end == sentence.closed and (line.opens or name.end < end)
        return alone or STRONG.match(self.shown, name.end, line.end) is not None

    def _continued(self, line: _Line, *, theirs: bool) -> _Judged | None:
        """What is left of what stands below an entry, or behind it in its line."""
        if any(each.theirs != theirs for each in line.names):
            return None
        if theirs:
            return self._cut(line) if line.opens and (line.indent or line.bulleted) else None
        return None if PRONOUN.search(self.text, line.start, line.end) else self._whole(line)

    def _may_mean_them(self, line: _Line) -> bool:
        pronoun = PRONOUN.search(self.text, line.start, line.end)
        return pronoun is not None and self._seen(line)

    def _enumerated(self, line: _Line) -> _Judged | None:
        """What is left of a sentence that lists people."""
        found = self._sentence(line).without_theirs(line.names)
        if found is None or self._is_kept(line) or self._may_mean_them(line):
            return None
        left, cuts = found
        self.cuts += cuts
        return _Judged(self.text[line.start : line.said] + left, settled=True)

    def _sentence(self, line: _Line) -> Sentence:
        return Sentence(self.text, self.shown, line.said, line.end)

    def _cut(self, line: _Line) -> _Judged | None:
        if self._is_kept(line):
            return None
        self.cuts.append((line.start, line.end))
        return GONE

    def _whole(self, line: _Line) -> _Judged:
        return _Judged(self.text[line.start : line.end], settled=True)

    def _is_kept(self, line: _Line) -> bool:
        said = self.text[line.start : line.end]
        return self.keep is not None and self.keep.mentioned(said)

    def _headed(self, judged: Iterator[_Judged]) -> list[_Judged]:
        """With the heading of each list: it goes where all of the list does."""
        found, below = list(judged), list[_Judged]()
        for at in range(len(found) - 1, -1, -1):
            line, left = self.lines[at], found[at]
            if left.settled:
                below.append(left)
                continue
            if below and HEADING.search(left.text) and not any(each.theirs for each in line.names):
                found[at] = self._whole(line) if any(each.text for each in below) else GONE
            below.clear()
        return found


def _goes_on(line: _Line, opener: _Line) -> bool:
    """Whether a line belongs to the entry that another opens."""
    if not line.opens:
        return opener.opens
    if line.space.count("\n") > 1:
        return False
    return line.indent > opener.indent or not (opener.bulleted or opener.labelled)
