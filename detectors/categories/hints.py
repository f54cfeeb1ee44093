"""What words and detections say of a text's categories: what they hint at, what they state."""

import re
from collections.abc import Mapping, Sequence

from detectors.categories.features import SECTIONS, WORDS
from detectors.detection import Detection
from detectors.words.spoken import languages_of

# What such a number is of wherever it stands: it is always somebody's.
NUMBERS: Mapping[str, str] = {
    "CREDIT_CARD": "financial",
    "IBAN_CODE": "financial",
    "BANK_ACCOUNT": "financial",
    "US_SSN": "financial",
    "US_ITIN": "financial",
}
# What such an entity says of somebody by itself; a sum or a town too often says nothing.
STATED: Mapping[str, str] = {
    **NUMBERS,
    "MEDICATION": "health",
    "MEDICAL_CONDITION": "health",
    "CRYPTO": "financial",
    "TAX_ID": "financial",
    "STREET_ADDRESS": "location",
    "COORDINATES": "location",
    "NRP": "political_religious",
}
HINTED: Mapping[str, str] = {
    **STATED,
    "MONEY": "financial",
    "POSTCODE": "location",
    "LOCATION": "location",
    "ORGANIZATION": "professional",
    "RELATIONSHIP": "relationships",
}
PEOPLE = frozenset({"PERSON", "RELATIONSHIP"})
SOMEBODY = re.compile(
    r"\b(?:i|i'm|im|me|my|we|our|us|he|him|his|she|her|they|their|who|user"
    r"|ich|mein\w*|wir|unser\w*|er|sie|sein\w*|ihr\w*|je|j'|mon|ma|mes|nous|il|elle|son|sa"
    r"|yo|mi|mis|tengo|tiene|su|io|mio|mia|ho|ha|suo|sua|eu|meu|minha|tenho|tem|seu"
    r"|ik|mijn|wij|hij|zij|zijn|haar)\b",
    re.IGNORECASE,
)
# "cancer research", "the asthma charity", "Italian food": about an illness or a people, nobody's.
NOBODYS = re.compile(
    r"\W{0,3}(?:\w+\W)?(?:research\w*|charit\w+|foundations?|conferences?|reports?|books?|films?"
    r"|podcasts?|runs?|walks?|stud(?:y|ies)|apps?|data\w*|fund\w*|awareness|campaigns?|markets?"
    r"|compan\w+|schools?|church|food|restaurants?)\b",
    re.IGNORECASE,
)
# What is walked, fed, serviced, restarted or paid for is like what is treated, and is no patient.
_THINGS = """
dogs? cats? pupp(?:y|ies) kittens? hamsters? rabbits? goldfish fish parrots? birds? horses? ponies
pony chickens hens tortoises? pets? cars? van bikes? bicycles? boiler printer batter(?:y|ies)
plants? tomatoes roses hedge lawn servers? disks? clusters? builds? pods? databases? routers? cpus?
gpus?
health.?checks? endpoints? heartbeat.(?:interval|timeout|message|signal)s?
hund hunde katzen? kater pferde? auto fahrrad heizung drucker tüv rechner perros? gat[oa]s?
caballos? coche factura servidor chiens? chats? cheval voiture facture serveur can[ei] gatt[oi]
macchina
bolletta cão carro fatura hond katten? paard fiets rekening
"""
THINGS = re.compile(rf"\b(?:{'|'.join(_THINGS.split())})\b", re.IGNORECASE)
_IM = re.compile(r"\bim\b")  # "in the" in German, "I am" in English


def is_of_things(text: str, detections: Sequence[Detection]) -> bool:
    """Whether a text speaks of an animal or a thing, of nobody, and no word of it is of health."""
    said = text if "en" in languages_of(text) else _IM.sub(" ", text)
    of_somebody = SOMEBODY.search(said) or any(each.entity_type in PEOPLE for each in detections)
    if of_somebody or not THINGS.search(text):
        return False
    return "health" not in hinted(text, detections)


def hinted(text: str, detections: Sequence[Detection]) -> frozenset[str]:
    """Categories that a word or a detection speaks of; never a verdict."""
    return _said(text) | {HINTED.get(each.entity_type, "") for each in detections}


def named(text: str, detections: Sequence[Detection]) -> frozenset[str]:
    """Categories that a word speaks of, or an entity by itself: a town alone is nobody's home."""
    return _said(text) | {STATED.get(each.entity_type, "") for each in detections}


def _said(text: str) -> frozenset[str]:
    return frozenset(SECTIONS[at] for at in WORDS.Match(text.encode("utf-8", "replace")) or ())


def numbered(detections: Sequence[Detection]) -> frozenset[str]:
    """Categories of the numbers of accounts and of social security that were found."""
    types = {each.entity_type for each in detections}
    return frozenset(category for number, category in NUMBERS.items() if number in types)


def stated(text: str, detections: Sequence[Detection]) -> frozenset[str]:
    """Categories that a detection states, where the text speaks of somebody."""
    if not (SOMEBODY.search(text) or any(each.entity_type in PEOPLE for each in detections)):
        return frozenset()
    return frozenset(
        STATED[each.entity_type]
        for each in detections
        if each.entity_type in STATED and not NOBODYS.match(text, each.end)
    )
