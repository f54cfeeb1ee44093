"""Where a word ends that lost its vowel before the next one."""

import pytest

from detectors.words.elision import bare, elision, elision_before_name


@pytest.mark.parametrize(
    ("word", "folded", "elided"),
    [
        ("J'ai", "ai", 2),
        ("l’hôpital", "hôpital", 2),
        ("d'Anna", "anna", 2),
        ("dʼAnna", "anna", 2),
        ("d`Anna", "anna", 2),
        ("c'è", "è", 2),
        ("quoiqu'il", "il", 7),
        ("Lorsqu'elle", "elle", 7),
        ("coll'ufficio", "ufficio", 5),
        ("dell'ufficio", "ufficio", 5),
        ("sant'Anna", "anna", 5),
        ("D'Angelo", "dangelo", 0),
        ("Dell'Acqua", "dellacqua", 0),
        ("O'Neill", "oneill", 0),
        ("Vera's", "vera", 0),
    ],
)
def test_an_elided_word_is_no_part_of_the_next(word: str, folded: str, elided: int) -> None:
    """Before a small letter, or small itself; names with a capital behind it stay whole."""
    assert (bare(word), elision(word)) == (folded, elided)


@pytest.mark.parametrize(
    ("word", "elided"),
    [
        ("d'Agathe", 2),
        ("Qu'Agathe", 3),
        ("Dell'Ada", 5),
        ("bell'Ada", 5),
        ("D'Angelo", 0),
        ("Sant'Ada", 0),
        ("c'è", 0),
    ],
)
def test_a_name_may_begin_behind_an_elided_word(word: str, elided: int) -> None:
    """Also where the whole may be a name, but for one letter; a saint's place is no person."""
    assert elision_before_name(word) == elided
