"""What a requester wants kept, as it is meant: memories, categories, attributes, words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from detectors.words.namelists import is_name, is_ordinary
from policies import Policy
from policies.schema import CATEGORIES
from proxy.erasure.texts.attributes import ATTRIBUTES, Attribute, attribute_named, merged
from proxy.erasure.texts.mentions import Needles
from proxy.problems import Problem

TECHNICAL = frozenset(
    {"source", "channel", "app", "client", "platform", "integration", "language", "lang", "locale",
     "version", "schema", "schema_version", "model", "format"}
)  # fmt: skip
CODE = re.compile(
    r"[a-z][a-z0-9]*(?:[._:/+-][a-z0-9]{1,12})*|v?\d{1,4}(?:\.\d{1,4}){0,3}", re.ASCII
)
LONGEST_CODE = 32
UNTOLD = frozenset({"location"})  # where something is, is often part of what is said of it


@dataclass(frozen=True, slots=True)
class Keep:
    """What must stay.

    Args:
        given: as the requester wrote it.
        words: what is no attribute and no category, to the letter; it may be a memory's id too.
        attributes: names of attributes.
        categories: names of categories.
    """

    given: tuple[str, ...]
    words: Needles | None
    attributes: tuple[str, ...]
    categories: frozenset[str]

    @classmethod
    def of(cls, given: Sequence[str], policy: Policy) -> "Keep | None":
        """What the given words mean; None if nothing is to be kept."""
        if not given:
            return None
        known = {*CATEGORIES, *policy.retention.categories}
        attributes = dict.fromkeys(name for each in given if (name := attribute_named(each)))
        categories = frozenset(map(_code, given)) & known
        words = [e for e in given if not attribute_named(e) and _code(e) not in known]
        needles = Needles.build(words) if words else None
        return cls(tuple(given), needles, tuple(attributes), categories)

    @property
    def told(self) -> Attribute:
        """The attributes as one."""
        return merged(self.attributes)

    @property
    def others(self) -> Attribute:
        """All other attributes as one: they may not stay beside what is kept."""
        return merged([each for each in ATTRIBUTES if each not in {*self.attributes, *UNTOLD}])

    def facts(self) -> dict[str, Any]:
        """What may be recorded of it: names of attributes and categories, no content."""
        return {
            "attributes": sorted(self.attributes),
            "categories": sorted(self.categories),
            "named": len(self.words.surfaces) if self.words else 0,
        }


def check_keep(given: Sequence[str]) -> None:
    """Refuse words to keep that say nothing; raises ``invalid-request``."""
    errors = [
        {"pointer": f"/keep/{at}", "detail": "What to keep needs at least one letter or digit."}
        for at, each in enumerate(given)
        if not any(map(str.isalnum, each))
    ]
    if errors:
        raise Problem("invalid-request", "What to keep cannot be read.", errors=errors)


def is_technical(name: str, value: Any) -> bool:
    """Whether an entry of a memory's metadata tells how it came to be, and nothing of anybody.

    By its name, and by a value that is a code and holds no name: ``source: chat``.
    """
    if name.casefold() not in TECHNICAL or not isinstance(value, bool | int | str):
        return False
    said = str(value).casefold()
    if len(said) > LONGEST_CODE or not CODE.fullmatch(said):
        return False
    words = (word for word in re.findall("[a-z]+", said) if not is_ordinary(word))
    return not any(map(is_name, words))


def _code(word: str) -> str:
    return "_".join(word.split()).casefold()
