"""What tells a category by its own words, in languages that the heads were hardly trained on."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from detectors.categories.features import whole_words
from detectors.words.lexicons import sections
from detectors.words.spoken import languages_of

IN_WORD = r"""[^\s.,;:!?()"]"""  # of far fewer ranges than all letters there are
HEADS_ARE_OF = "en"  # the language of their examples
BODY, NOBODY = "body", "nobody"  # sections of the list that are no category's


@dataclass(frozen=True, slots=True)
class Telling:
    """The categories that one language has words for, and those words, in the same order."""

    categories: tuple[str, ...]
    words: Any


def told(text: str) -> frozenset[str]:
    """Categories that a text's own words tell, in the languages that it may be in."""
    languages = [language for language in languages_of(text) if language in _told()]
    if not languages:
        return frozenset()
    said = _nobodys().sub(" ", text.replace("’", "'")).encode("utf-8", "replace")
    tellings = [_told()[language] for language in languages]
    return frozenset(
        each.categories[index] for each in tellings for index in each.words.Match(said) or ()
    )


def tells(text: str) -> frozenset[str]:
    """Categories that the language of a text has words for: their absence says something too."""
    languages = languages_of(text)
    if HEADS_ARE_OF in languages:
        return frozenset()
    tellings = (_told()[language].categories for language in languages if language in _told())
    return frozenset(category for categories in tellings for category in categories)


@cache
def _told() -> Mapping[str, Telling]:
    written = sections("told_categories")
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for heading, expression in written.items():
        category, _, language = heading.partition(" ")
        if category not in {BODY, NOBODY}:
            body = written[f"{BODY} {language}"]
            found[language][category] = expression.replace("{body}", f"(?:{body})").replace(
                r"\w", IN_WORD
            )
    return {
        language: Telling(tuple(parts), whole_words(parts.values()))
        for language, parts in found.items()
    }


@cache
def _nobodys() -> re.Pattern[str]:
    """What speaks of an illness or a creed and of nobody: a book about it, a joke."""
    return re.compile(rf"(?<!\w)(?:{sections('told_categories')[NOBODY]})(?!\w)", re.IGNORECASE)
