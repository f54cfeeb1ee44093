"""Which language a short text is in, and what its words are there."""

import pytest

from detectors.words.spoken import LANGUAGES, languages_of, spoken


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The kettle needs a new fuse", "en"),
        ("Der Nachbar gießt unsere Tomaten", "de"),
        ("J'ai rangé la vaisselle hier soir", "fr"),
        ("Ayer pinté la pared de la cocina", "es"),
        ("Ieri abbiamo pulito il forno", "it"),
        ("Não encontrei as minhas chaves", "pt"),
        ("Gisteren heb ik de ramen gelapt", "nl"),
        ("Wczoraj umyłem okna w kuchni", "pl"),
    ],
)
def test_the_words_of_a_text_tell_its_language(text: str, language: str) -> None:
    """The likeliest comes first."""
    assert languages_of(text)[0] == language


def test_no_word_tells_no_language() -> None:
    """Neither numbers nor what no list has."""
    assert languages_of("4711 xqzzt") == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_of_two_kinds(language: str) -> None:
    """Everywhere, otherwise, a name too, or nobody's name."""
    lists = spoken(language)
    kinds = (lists.common, lists.known, lists.either, lists.proper)
    assert all(kinds)
    assert sum(map(len, kinds)) == len(frozenset().union(*kinds))


@pytest.mark.parametrize(
    ("language", "word", "kind"),
    [
        ("de", "kunde", "known"),
        ("de", "wolf", "either"),
        ("fr", "fleur", "known"),
        ("fr", "claire", "either"),
        ("es", "gano", "known"),
        ("it", "milano", "proper"),
        ("pl", "gdańska", "proper"),
        ("pl", "róża", "either"),
        ("en", "liverpool", "proper"),
        ("nl", "het", "common"),
    ],
)
def test_what_a_word_is(language: str, word: str, kind: str) -> None:
    """By how often it is written, by dictionaries and by lists of names."""
    assert word in getattr(spoken(language), kind)


@pytest.mark.parametrize(
    ("language", "name"),
    [("de", "mehmet"), ("fr", "camille"), ("es", "lucía"), ("it", "marta"), ("pl", "agnieszka")],
)
def test_who_is_called_so_is_no_mere_word(language: str, name: str) -> None:
    """Names of the country, and of those who came to it."""
    assert not spoken(language).is_word(name)
    assert name not in spoken(language).proper
