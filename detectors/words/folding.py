"""How the letters of a name are compared: case, accents, widths, look-alikes, scripts."""

import re
import unicodedata

from anyascii import anyascii

from detectors.words.variants import one_form

MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670\u0900-\u0963\u0966-\u0dff"
    "\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"
)
INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u180e"
LETTER = f"(?:[^\\W_]|[{MARKS}{INVISIBLE}])"
WORD = f"[^\\W_]{LETTER}*(?:['’ʼ`]{LETTER}+)*"

# Thai, Lao, Myanmar, Khmer; kana, Han and its sign for "the same again" (Sasaki); Hangul is
# spaced, but its particles are written joined.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)

_INVISIBLE = re.compile(f"[{INVISIBLE}]")
# Behind a name's apostrophe: the English ending, and the Turkish cases ("Ayşe'ye", "Yılmaz'ın").
_TURKISH = r"n?[ıiuü]n|[ny]?[ıiuüea]|n?[dt][ea]n?|y?l[ea]|l[ea]r"
_POSSESSIVE = re.compile(rf"['’ʼ`](?:[sS]?|(?<=\w\w\w.)(?:{_TURKISH}))$", re.IGNORECASE)
_OWNS = re.compile(rf"['’ʼ`´](?:(?<=\w.)[sS]?|(?<=\w\w\w.)(?:{_TURKISH}))$", re.IGNORECASE)
_APOSTROPHES = re.compile(r"['’ʼ`]")
_POINTS = re.compile("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670]")
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LOOKALIKE_SCRIPT = re.compile("[\u0370-\u03ff\u0400-\u04ff]")
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝАВЕКМНОРСТХІЈЅαορυνιτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwABEKMHOPCTXIJSaopuvitABEZHIKMNOPTYX",
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})


def strip_invisible(text: str) -> str:
    """Compatibility forms unified (full-width, ligatures), invisible characters dropped."""
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def fold(word: str) -> str:
    """Fold one word for comparison: case, width, possessive, apostrophes, vowel points, variants.

    Accents stay: they are folded by :func:`ascii_form`, which some scripts cannot take.
    """
    if word.isascii():
        if "'" not in word and "`" not in word:
            return word.lower()
    else:
        word = _unmixed(strip_invisible(word))
        word = one_form(_POINTS.sub("", word))
    word = _APOSTROPHES.sub("", _POSSESSIVE.sub("", word))
    return word.casefold()


def without_possessive(text: str, start: int, end: int) -> int:
    """Where the name at [start, end) ends: ``Vera's`` is the name ``Vera`` and an ending."""
    owns = _OWNS.search(text[start:end])
    return end if owns is None else start + owns.start()


def _unmixed(word: str) -> str:
    """Replace look-alikes, but only inside a word that also has Latin letters."""
    if _LATIN.search(word) and _LOOKALIKE_SCRIPT.search(word):
        return word.translate(_LOOKALIKES)
    return word


def ascii_form(folded: str) -> str:
    """Transliterate a folded word to lower-case ASCII letters and digits."""
    if folded.isascii():
        return folded
    return "".join(char for char in anyascii(folded).lower() if char.isalnum())


def expand_umlauts(folded: str) -> str:
    """Spell German and Nordic letters out: ``müller`` is also written ``mueller``."""
    return folded if folded.isascii() else folded.translate(_UMLAUTS)


def is_unspaced(word: str) -> bool:
    """Whether a word is wholly in a script that puts no spaces between words."""
    return _UNSPACED.fullmatch(word) is not None
