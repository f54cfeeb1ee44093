"""Who does, at the beginning of a note, what only people do is a person, whatever the word."""

import re
from collections.abc import Iterator

from detectors.people.foreign import is_foreign
from detectors.words.folding import WORD, fold
from detectors.words.lexicons import find_groups, find_medical
from detectors.words.namelists import (
    foreign_verbs,
    is_name,
    is_ordinary,
    never_names,
    place_names,
    places,
    word_names,
)

# Neither seasons, plants, prices, feelings nor programs do this.
TELLS = (
    "told|tells|asked|asks|texted|texts|phoned|phones|emailed|apologi[sz]ed|promised|invited|"
    "complained|confessed|whispered|shouted|argued|insisted|swore|joked|teased|thanked|begged|"
    "cried|laughed|smiled|waved|sulked|sulks|snores|yawned"
)
LIVES = (
    "cooks|cooked|bakes|baked|knits|knitted|babysits|babysat|married|proposed|eloped|divorced|dated|"
    "graduated|enrolled|volunteers|volunteered|retired|emigrated|commutes|commuted|adopted|adores|"
    "forgot|forgets|remembers|believes|believed|hates|hated|dislikes|loves|loved|prefers|borrowed|"
    "borrows|lent|owes|smokes|smoked|drank|drinks|eats|ate|slept|sleeps|snacks|jogs|sings|sang|"
    "dances|danced|swims|swam|teaches|taught|studies|studied|coached|coaches|tutors|mentors|drove|"
    "rode|quit|resigned|overslept|moved (?:in|out|away|to)|grew up|broke up|showed up"
)
HUMAN_VERB = f"(?:{TELLS}|{LIVES})"
ACTING = re.compile(
    rf"(?:(?<=^)|(?<=[.!?\n] ))(?P<name>{WORD})(?: (?:and|&) [^\W\d_a-z]\w+)?"
    rf"(?: (?:often|never|always|still|just|once|also|has|had|really))? {HUMAN_VERB}\b"
)
LEAST = 3  # letters


def acting(text: str) -> Iterator[tuple[int, int]]:
    """Spans of single words at the beginning of a sentence that act as only people do."""
    for match in ACTING.finditer(text):
        start, end = match.span("name")
        if _is_somebody(text[start:end]) and not is_foreign(text):
            yield start, end


def _is_somebody(word: str) -> bool:
    folded = fold(word)
    if folded in never_names() or folded in foreign_verbs() or len(folded) < LEAST:
        return False
    if word.isupper() or folded in places() | place_names() or any(map(str.isdigit, word)):
        return False
    if is_ordinary(folded):  # "will told" is a slip, "Will told" is not
        return word[0].isupper() and (folded in word_names() or is_name(folded))
    return not (list(find_groups(word)) or list(find_medical(word)))
