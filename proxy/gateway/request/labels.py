"""What stands beside a value and says what it is: ``ssn: 536904399`` is more than a number."""

import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from detectors.detection import Analysis, Detection
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.services import GatewayServices
from proxy.tokens.views import is_name_field

Analyse = Callable[[Sequence[str]], Awaitable[Sequence[Analysis]]]
MODEL_TYPES = frozenset(
    {"PERSON", "LOCATION", "ORGANIZATION", "NRP", "DATE_TIME", "MEDICATION", "MEDICAL_CONDITION",
     "RELATIONSHIP", "MONEY", "AGE"}
)  # fmt: skip
LONGEST_VALUE = 120
_NAME = r"[^\W\d_a-z][\w'’.-]*"
_BARE = re.compile(rf"{_NAME}(?: {_NAME}){{1,3}}")
_JOINED = re.compile(r"[^\W_]+(?:_[^\W_]+)*")
_BREAK = re.compile(r"[-_.]|(?<=[a-z])(?=[A-Z])")
_PERSON_IN_HEADER = re.compile(rf"[^\W\d_]{{2,}}(?:(?:{_BREAK.pattern})[^\W\d_]{{2,}}){{1,2}}")
_SAID = """
account address adresse anschrift apellido author birth birthdate birthday birthplace card cell
cellphone clave contact credit customer dob driver employee fax geboren geburtsdatum geburtstag
given handle handy iban insurance kontakt konto licence license login maiden mobil mobile
mobilnummer nachname naissance name national nationalid nhs nickname nif nino nom nombre nummer pan
passport passwort password patient person pesel phone phonenumber pin postal postcode prenom
recipient rut secret sin sms social sozialversicherungsnummer ssn steuer strasse straße street
surname swift tax tel telefon telefono telefoon telephone tfn tin username vat vorname whatsapp
wohnort zip
"""
_TELLING = frozenset(_SAID.split())


@dataclass(frozen=True, slots=True)
class _Label:
    """A text with what names it.

    Args:
        start: where the text begins in it.
        whole: it is not the text to the letter, so that whatever is found stands for all of it.
    """

    text: Text
    said: str
    start: int
    takes: Callable[[Detection], bool]
    whole: bool = False


async def find_labelled(exchange: Exchange, analyse: Analyse) -> None:
    """Add what is seen only if a value is read with its label, or a bare name as one."""
    labels = [*_bare(exchange.texts), *_valued(exchange), *_in_headers(exchange.texts)]
    if not labels:
        return
    analyses = await analyse([label.said for label in labels])
    for label, analysis in zip(labels, analyses, strict=True):
        label.text.detections += tuple(_within(label, analysis))


def _within(label: _Label, analysis: Analysis) -> Iterator[Detection]:
    """Detections of the label's value that are not known yet, as they stand in the text."""
    text = label.text.text
    for found in analysis.detections:
        start, end = found.start - label.start, found.end - label.start
        if label.whole:
            start, end = 0, len(text)
        if start < 0 or end > len(text) or not label.takes(found):
            continue
        if not any(_covers(each, found, start, end) for each in label.text.detections):
            yield replace(found, start=start, end=end, text=text[start:end])


def _covers(known: Detection, found: Detection, start: int, end: int) -> bool:
    return known.entity_type == found.entity_type and known.start <= start and end <= known.end


def _is_person(found: Detection) -> bool:
    return found.entity_type == "PERSON"


def _is_personal(found: Detection) -> bool:
    return found.entity_type == "PERSON" or found.entity_type not in MODEL_TYPES


def _bare(texts: Collection[Text]) -> Iterator[_Label]:
    """Bare names that are keys or values: a model that wants a sentence sees them as labels."""
    for text in texts:
        if text.role in ("key", "value") and not text.detections and _BARE.fullmatch(text.text):
            yield _Label(text, f"{text.text}: x", 0, _is_person)


def _valued(exchange: Exchange) -> Iterator[_Label]:
    """Values and numbers whose member says what they are: ``lastName``, ``phones``, ``ssn``."""
    named: dict[int, str] | None = None
    for text in exchange.texts:
        if text.role not in ("value", "number") or len(text.text) > LONGEST_VALUE:
            continue
        key = text.slot.key
        if not isinstance(key, str):
            named = _lists(exchange.body) if named is None else named
            key = named.get(id(text.slot.container), "")
        label = _words(key)
        if label:
            yield _Label(text, f"{label}: {text.text}", len(label) + 2, _is_personal)


def _words(key: str) -> str:
    """A member's name as words, if they say what its value is; else empty."""
    words = _BREAK.sub(" ", key).lower()
    singular = {part.removesuffix("s") for part in words.split()} | set(words.split())
    return words if is_name_field(key) or singular & _TELLING else ""


def _lists(body: Any) -> dict[int, str]:
    """The member names under which lists stand, by the list."""
    found: dict[int, str] = {}
    stack = [body]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            found.update((id(each), name) for name, each in part.items() if isinstance(each, list))
            stack += part.values()
        elif isinstance(part, list):
            stack += part
    return found


def _in_headers(texts: Collection[Text]) -> Iterator[_Label]:
    """Headers that hold two bare words, as a name has them: ``orla.quist``."""
    for text in texts:
        if text.role == "header" and _PERSON_IN_HEADER.fullmatch(text.text):
            said = _BREAK.sub(" ", text.text)
            yield _Label(text, f"{said}: x", 0, _is_person, whole=True)


async def find_joined(exchange: Exchange, services: GatewayServices, rows: Collection[str]) -> None:
    """Known and blocked names that programs write in one word: ``orla_quist``, ``orlaQuist``."""
    words = [
        text
        for text in exchange.texts
        if text.role in ("key", "value")
        and _JOINED.fullmatch(text.text)
        and _spaced(text.text)[0].count(" ")
    ]
    spaced = [_spaced(text.text) for text in words]
    if not spaced:
        return
    known = await services.vault.known_mentions(exchange.tenant_id, [each for each, _ in spaced])
    blocked = await services.blocklist.blocked_mentions(
        exchange.tenant_id, [each for each, _ in spaced], rows
    )
    for text, (_, places), mine, theirs in zip(words, spaced, known, blocked, strict=True):
        found = [_moved(each, places, text.text) for each in (*mine, *theirs) if " " in each.text]
        text.detections = (*text.detections, *found)


def _spaced(word: str) -> tuple[str, list[int]]:
    """The word with spaces between its parts, and where each character stood."""
    said: list[str] = []
    places: list[int] = []
    for index, char in enumerate(word):
        if char.isupper() and index and word[index - 1].islower():
            said.append(" ")
            places.append(index)
        said.append(" " if char == "_" else char)
        places.append(index)
    return "".join(said), [*places, len(word)]


def _moved(found: Detection, places: Sequence[int], word: str) -> Detection:
    start, end = places[found.start], places[found.end - 1] + 1
    return replace(found, start=start, end=end, text=word[start:end])
