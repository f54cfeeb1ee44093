"""What a request is about: a category, an attribute, a relation, a condition, a name, a term."""

import re
from dataclasses import dataclass, field

from proxy.erasure.texts.addressed import without_role
from proxy.erasure.texts.attributes import ATTRIBUTES
from proxy.rights.vocabulary import ASKING_FOR, CATEGORIES, CONDITIONS, RELATIONS

FILLER = re.compile(
    r"^(?:(?:everything|anything|all|every|any|the|of|that|memories|memory|information|info|data|"
    r"details|things|stuff|facts?|records?|mentions?|mentioned|mentioning|references?|you|know|have|remember|stored|saved|about|"
    r"regarding|concerning|related|to|on|with|for|my|our|me|i|said|told|please|ever|who|is|was)\b"
    r"[\s,]*)+",
    re.IGNORECASE,
)
# "what I told you about Ada"
TOLD = re.compile(r"^what(?:ever)? (?:i|you|we)(?: \w+){1,3}? (?:about|of) ", re.IGNORECASE)
TAIL = re.compile(r"[\s.!?,;]+$")
NAME = re.compile(r"^[A-Z][\w'’.-]*(?:\s+(?:(?!and |or )[a-z]{1,3}\s+)?[A-Z][\w'’.-]*)*$")
POSSESSIVE = re.compile(r"['’]s$")
JOINED = re.compile(
    r"\s*(?:,|\b(?:and|or)\b)[\s,]*(?:(?:and|or|also|my|our|the)\b\s*)*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing that a request is about.

    Args:
        kind: of the target: ``category``, ``attribute`` or ``entity``.
        value: as the target wants it.
        entity_type: of an entity; ``None`` where nothing tells.
    """

    kind: str
    value: str = field(repr=False)
    entity_type: str | None = None

    @property
    def clear(self) -> bool:
        """Whether the words say what it is."""
        return self.kind != "entity" or self.entity_type is not None


def words_of(rest: str) -> str:
    """The words that say what a request is about; empty if it is about everything."""
    bare = TOLD.sub("", TAIL.sub("", rest.strip()))
    return TAIL.sub("", FILLER.sub("", bare + " ").strip())


def topics_of(words: str) -> list[Topic]:
    """Everything that is named; several things only where it is clear what each of them is."""
    parts = [words_of(part) for part in JOINED.split(words)]
    several = [_topic(part) for part in parts if part]
    if len({*several}) == len(several) > 1 and all(each.clear for each in several):
        return several
    return [_topic(words)]


def _topic(words: str) -> Topic:
    lower = re.sub(r"\s+(?:information|info|data|details|history|records?)$", "", words.lower())
    if lower in CATEGORIES:
        return Topic("category", CATEGORIES[lower])
    if attribute := _attribute(lower):
        return Topic("attribute", attribute)
    if lower in RELATIONS:
        return Topic("entity", lower, "RELATIONSHIP")
    if lower in CONDITIONS:
        return Topic("entity", lower, "MEDICAL_CONDITION")
    if "@" in words and " " not in words:
        return Topic("entity", words, "EMAIL_ADDRESS")
    name = without_role(POSSESSIVE.sub("", words), within=True)
    return Topic("entity", name, "PERSON") if NAME.match(name) else Topic("entity", words)


def _attribute(lower: str) -> str | None:
    for name, asking in ASKING_FOR.items():
        if asking.fullmatch(lower):
            return name
    if lower in ATTRIBUTES:
        return lower
    known = {word: name for name, each in ATTRIBUTES.items() for word in each.words}
    return known.get(lower)
