"""Writes that try to steer later sessions: standing orders addressed to an assistant."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from importlib import resources

import re2

from detectors.readings.unicode import canonical, without_surrogates
from detectors.readings.views import View

COUNTS = 0.4  # below it nothing is said at all
SIGNS = "suspicion_signs.json"
NEIGHBOURS = 3  # sentences that belong together

_WEIGHTS = {
    "override": 0.7,  # of what it was told before
    "marker": 0.7,  # of a chat template: nobody writes it in a sentence
    "role": 0.5,  # it is somebody else now, or the system speaks
    "leave": 0.7,  # of its user, to tell anybody
    "secrecy": 0.4,
    "bypass": 0.3,  # of a question or a check
    "authority": 0.3,  # whom alone to believe, whom to recommend
    "standing": 0.25,  # not once but always
    "order": 0.2,
    "whole": 0.2,  # all of something, or a copy of it
    "asked": 0.2,  # it speaks of its user, or of whoever asks
    "assistant": 0.2,
    "hidden": 0.2,  # what is not to be given away
    "target": 0.1,
    "own": -0.2,  # of the speaker's own things
}
_WITHOUT_SPACES = frozenset({"ja"})
_SPELLED = str.maketrans({"ł": "l", "ß": "ss", "’": "'"})
_SENTENCE = re.compile(r"[.!?;] |[。！？]|\n\n+")
_BEGINS = r'(?:^|[.!?;:,"()*>\n] ?| - |\b(?:%s) )(?:(?:%s) )?'  # after these words too


def suspicion(text: str) -> Mapping[str, float]:
    """How much a text reads like an order to the assistant instead of a memory, in [0, 1].

    What counts are signs that stand in neighbouring sentences and in one language. The file has
    the words of each sign, without accents; a sign with ``!`` only counts where a clause begins,
    so that what somebody does (`I never tell`) is no order (`never tell`).
    """
    plain = _plain(text)
    if _score(_signs(plain)) < COUNTS:
        return {}
    score = max(map(_score, _together(plain)))
    return {"instruction": score} if score >= COUNTS else {}


def _plain(text: str) -> str:
    """As it is read: no disguise, lower case, without accents, one space between words."""
    shown = canonical(View(without_surrogates(text))).text.lower()
    return "\n".join(" ".join(line.split()) for line in _bare(shown).split("\n")).strip()


def _bare(text: str) -> str:
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_SPELLED))
    return "".join(char for char in apart if not unicodedata.combining(char))


def _together(plain: str) -> Iterator[set[tuple[str, str]]]:
    """The signs of every few sentences in a row."""
    found = [_signs(sentence) for sentence in _SENTENCE.split(plain)]
    for at in range(len(found)):
        yield set().union(*found[at : at + NEIGHBOURS])


def _signs(plain: str) -> set[tuple[str, str]]:
    return {_MEANINGS[index] for index in _SIGNS.Match(plain) or ()}


def _score(signs: set[tuple[str, str]]) -> float:
    """Of the language that says most; what belongs to no language counts in each."""
    common = {sign for language, sign in signs if not language}
    languages = {language for language, _ in signs} or {""}
    each = (common | {sign for found, sign in signs if found == one} for one in languages)
    return max(min(1.0, round(sum(map(_WEIGHTS.__getitem__, one)), 3)) for one in each)


def _compiled() -> tuple[re2.Set, list[tuple[str, str]]]:
    """Every sign of every language in one automaton, and which of which language each is."""
    listed = json.loads(resources.files(__package__).joinpath(SIGNS).read_text("utf-8"))
    options = re2.Options()
    options.max_mem = 256 << 20  # for its states: without room it would find nothing
    found, meanings = re2.Set.SearchSet(options), []
    for language, signs in listed.items():
        begins = _BEGINS % tuple("|".join(signs.pop(each, [])) for each in ("start", "adverb"))
        for sign, words in signs.items():
            led = begins if sign.endswith("!") else _edge(language)
            pattern = f"{led}(?:{'|'.join(words)}){_edge(language)}"
            found.Add(_bare(pattern).replace(" ", r"\s"))
            meanings.append((language, sign.rstrip("!")))
    found.Compile()
    return found, meanings


def _edge(language: str) -> str:
    """Where a word begins or ends; what belongs to no language says that itself."""
    return "" if language in _WITHOUT_SPACES or not language else r"\b"


_SIGNS, _MEANINGS = _compiled()
