"""Given names beside the same family name: whether they may be one person's, or are two people's.

Jane Smith is not John Smith, though both sound alike to an index of sounds; Anna Hollis may be Ann
Hollis, or her sister. A list of nicknames, a sound and a typing error prove nothing.
"""

import re

import jellyfish

from detectors.identity.names import significant
from detectors.words.folding import ascii_form
from detectors.words.namelists import is_given_name
from detectors.words.nicknames import canonical_given_names

LEAST_LONG = 6  # letters of which one may be wrong though both are names: Katherine, Kathrine

_DOUBLE = re.compile(r"(.)\1")
_CONSONANTS = re.compile(r"[^aeiou]")


def is_called_otherwise(name: str, asked: str) -> bool:
    """Whether a name has another whole given name than the one asked for; an initial is none."""
    ours, theirs = _words(asked), _words(name)
    if not (ours and theirs) or 1 in (len(ours[0]), len(theirs[0])):
        return False
    return ours[0] not in theirs and theirs[0] not in ours


def may_be_one(name: str, asked: str) -> bool:
    """Whether two names with different given names may be one person's all the same.

    By a nickname, by a spelling that is read the same (``Jon``, ``John``; ``Sofia``, ``Sophia``),
    or by one wrong letter. ``Paul`` and ``Paula``, ``Tim`` and ``Tom`` are two people's.
    """
    ours, theirs = _words(asked), _words(name)
    if not (ours and theirs) or (len(ours) > 1 and len(theirs) > 1 and ours[-1] != theirs[-1]):
        return False
    one, other = ours[0], theirs[0]
    if one in canonical_given_names(other) or other in canonical_given_names(one):
        return True
    return _read(one) == _read(other) or _is_slip(one, other)


def given_name(name: str) -> str:
    """The first word of a name, folded and in Latin letters where it has any."""
    return next(iter(_words(name)), "")


def _words(name: str) -> list[str]:
    return [ascii_form(word) or word for word in significant(name)]


def _read(given: str) -> tuple[str, str]:
    """Its consonants as they sound and its vowels, but for a last e: ``Michel``, ``Michelle``."""
    plain = _DOUBLE.sub(r"\1", given.replace("y", "i")).removesuffix("e")
    return jellyfish.metaphone(plain) or plain, _CONSONANTS.sub("", plain)


def _is_slip(one: str, other: str) -> bool:
    """Whether one letter tells them apart, which makes no other name of it as in ``Martina``."""
    if jellyfish.damerau_levenshtein_distance(one, other) != 1:
        return False
    if not (is_given_name(one) and is_given_name(other)):
        return True
    alike = one[-1] == other[-1] and jellyfish.metaphone(one) == jellyfish.metaphone(other)
    return alike and min(len(one), len(other)) >= LEAST_LONG
