"""The words of a person's name: which tell who it is, which only lead, join or follow."""

import re
from collections.abc import Iterable

from detectors.words import word_set
from detectors.words.abbreviations import abbreviated, without_titles
from detectors.words.folding import WORD, fold, is_unspaced, strip_invisible
from detectors.words.titles import FIRST_NAMES_TOO, HONORIFICS

SUFFIXES = word_set("jr sr ii iii iv phd md esq bsc msc mba")
GENERATIONS = word_set("jr sr ii iii iv")
GENERATION = re.compile(r",? (?:(?i:[js]r)|I{2,3}|IV)(?!\w)")  # as it is written
RUN_ON = HONORIFICS | SUFFIXES  # a name goes on behind their full stop
PARTICLES = word_set(
    "de del della di da das do dos du des der den van von zu zum zur la le los las el al ul bin "
    "ibn binti bint ben bat ter ten af av y e of the and"
)
# Before family names, never given names.
FAMILYS = word_set("von vom zu zum zur de della da dos do du den der ter ten af av")
BREAKS = word_set(
    "is was are were be been has had have that this these those with from they their them there "
    "what when which would could should because about into then than your our its it not"
)
COUPLED = re.compile(r"(?<![\w-])([^\W\d_]+)[-‐‑]([^\W\d_]+)(?![\w-])")


def person_tokens(name: str) -> list[str]:
    """The folded words of a person's name, given name first, without titles and suffixes."""
    parts = name.split(",")
    if len(parts) == 2 and fold(parts[1].strip()) not in SUFFIXES:
        name = f"{parts[1]} {parts[0]}"
    tokens = tokens_of(without_titles(name, HONORIFICS))
    kept = list(tokens)
    while len(kept) > 1 and kept[0] in HONORIFICS:
        if len(kept) == 2 and kept[0] in FIRST_NAMES_TOO:
            break
        kept.pop(0)
    while len(kept) > 1 and kept[-1] in SUFFIXES:
        kept.pop()
    return kept


def tokens_of(text: str) -> list[str]:
    """The folded words of a text."""
    return [folded for match in re.finditer(WORD, text) if (folded := fold(match[0]))]


def joined(tokens: list[str]) -> str:
    """Words with spaces between, or without where the script has none."""
    glue = "" if tokens and all(map(is_unspaced, tokens)) else " "
    return glue.join(tokens)


def unordered(tokens: list[str]) -> str:
    """Words as :func:`joined`, the same for any order where the script has spaces."""
    if tokens and all(map(is_unspaced, tokens)):
        return "".join(tokens)
    return " ".join(sorted(tokens))


def significant(name: str) -> list[str]:
    """The folded words that tell a person's name: ``kolk`` of ``Mevrouw Van der Kolk``."""
    tokens = person_tokens(strip_invisible(name))
    # "Van der Kolk", no "Ben Carter"
    several = len(tokens) > 2 and PARTICLES.issuperset(tokens[:2])
    leads = several or name.lstrip()[:1].islower() or not FAMILYS.isdisjoint(tokens[:1])
    return without_particles(tokens, first=0 if leads else 1)


def without_particles(tokens: list[str], first: int = 0) -> list[str]:
    """Without particles, which are only looked for after the ``first`` words."""
    kept = [token for token in tokens[first:] if token not in PARTICLES]
    return tokens[:first] + kept or tokens


def generation_of(name: str) -> str:
    """``iii`` of ``John Falk III``: what tells a person from another of the same name."""
    words = tokens_of(strip_invisible(name))
    return words[-1] if len(words) > 2 and words[-1] in GENERATIONS else ""


def generation_end(text: str, end: int) -> int:
    """Where a name that ends here ends with its generation: ``John Falk`` in ``John Falk, Jr.``."""
    behind = GENERATION.match(text, end)
    return end if behind is None else behind.end()


def is_of_another_generation(known: str, asked: str) -> bool:
    """Whether a known name has a generation that was not asked for."""
    return generation_of(known) not in ("", generation_of(asked))


def leaves_out_a_word(known: str, asked: str) -> bool:
    """Whether a known whole name has fewer words than the one asked for, none of them an initial.

    ``Mary Fletcher`` may be Mary Ann Fletcher, and may be her sister.
    """
    theirs = significant(known)
    return 1 < len(theirs) < len(significant(asked)) and min(map(len, theirs)) > 1


def halves_of(names: Iterable[str]) -> frozenset[str]:
    """Folded halves of what a hyphen couples in names: ``jean`` and ``luc`` of ``Jean-Luc``.

    Nobody shortens such a name to half of it for certain, and who bears the half is another. So
    it is with what is abbreviated: ``mohd`` of ``Mohd. Falk``.
    """
    known = list(names)
    pairs = (pair for name in known for pair in coupled(name))
    short = (word for name in known for word in abbreviated(name, RUN_ON))
    return frozenset([*(fold(half) for pair in pairs for half in pair), *short])


def coupled(name: str) -> list[tuple[str, str]]:
    """What a hyphen couples, but for an article: ``al-Falk`` is one name."""
    return [pair for pair in COUPLED.findall(name) if PARTICLES.isdisjoint(map(fold, pair))]


def has_half_of(one: str, other: str) -> bool:
    """Whether one of two names has only half of what a hyphen couples in the other."""
    for longer, name in ((one, other), (other, one)):
        words = {*person_tokens(name)}
        for pair in coupled(longer):
            if len(words.intersection(map(fold, pair))) == 1:
                return True
    return False
