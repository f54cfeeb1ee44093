"""Finds known words - illnesses, medicines, names - also where digits stand in for letters."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.readings.normalise import Readings
from detectors.readings.views import View
from detectors.structured import located
from detectors.words.folding import fold
from detectors.words.lexicons import find_groups, find_medical
from detectors.words.namelists import is_given_name, is_name, is_ordinary

NAME_SCORE = 0.6
WORD = re.compile(r"[^\W\d_]{3,}")


def find_known(readings: Readings) -> Iterator[Detection]:
    """Medical terms and groups in every reading, and names in those that undo leetspeak."""
    for view in (readings.plain, *readings.disguised):
        for found in (*find_medical(view.text), *find_groups(view.text)):
            yield located(view, found)
    for view in readings.known_only:
        for found in (*find_medical(view.text), *names(view.text)):
            if is_disguised(readings.plain, view, found):
                yield located(view, found)


def names(text: str) -> Iterator[Detection]:
    """Words that are known names: capitalised or nothing else, or following such a name."""
    follows_name = False
    for match in WORD.finditer(text):
        folded = fold(match[0])
        given = is_given_name(folded) and (match[0][0].isupper() or not is_ordinary(folded))
        if given or (follows_name and is_name(folded)):
            yield Detection("PERSON", *match.span(), NAME_SCORE, "leet_name")
        follows_name = given


def is_disguised(plain: View, view: View, found: Detection) -> bool:
    """Whether the original reads otherwise where something was found, and is no number."""
    start, end = view.span(found.start, found.end)
    original = plain.text[start:end]
    if original == view.text[found.start : found.end]:
        return False
    return sum(map(str.isalpha, original)) >= sum(map(str.isdigit, original))
