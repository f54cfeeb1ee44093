"""The language of a text, told by script or words."""

import pytest

from detectors.settings import DEFAULT_LANGUAGES
from detectors.words.language import by_script, by_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("用户的妻子叫陈晓琳", "zh"),
        ("妹の中村さくらは札幌に住んでいる", "ja"),
        ("남편 김도현은 부산에서 일한다", "ko"),
        ("زوجتها ليلى الحداد تعمل في عمّان", "ar"),
        ("उसकी बहन जयपुर में रहती है", "hi"),
        ("Сестра живёт в Казани", "ru"),
        ("Lives in Ljubljana", None),
        ("Ça va très bien", None),
        ("likes the word 東京 a lot, says User", None),
    ],
)
def test_script_tells_the_language(text: str, language: str | None) -> None:
    """Most letters of one script name a language; a foreign word does not."""
    assert by_script(text) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Arbeitet als Krankenpfleger bei der Klinik am Park", "de"),
        ("Elle habite avec son mari dans une petite maison", "fr"),
        ("Su hija vive en una casa muy grande", "es"),
        ("Mijn broer woont al jaren in een klein huis", "nl"),
        ("Lubi czytać książki i jeździć na rowerze wieczorem", "pl"),
        ("User has two sons and a daughter", "en"),
        ("Server IP is 203.0.113.42", "en"),
        ("Orla Quist", "en"),
        ("", "en"),
    ],
)
def test_words_tell_the_language(text: str, language: str) -> None:
    """Sentences are told apart; what could be anything counts as the first language."""
    assert by_words(text, DEFAULT_LANGUAGES) == language
