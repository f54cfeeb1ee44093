"""Number plates of cars, in the forms of seven countries, where a word says that they are one."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, near, words

_SAID = (
    r"(?:licen[cs]e|number|registration|vehicle|car|my|the|his|her|our) plates?"
    r"|plates? (?:number|is)|vehicle registration|registration (?:number|mark)"
    r"|reg(?:\.|istration)? (?:no\.?|number)"
    r"|kfz-?kennzeichen|(?:auto)?kennzeichen|nummernschild"
    r"|plaques?(?: d['’]immatriculation)?|immatriculation|immatricul[ée]e?"
    r"|matr[íi]culas?|placas?|targa|targhe|kentekens?|kentekenplaat|nummerplaat"
)
WORDS = words(_SAID)
_FORMS = (
    r"[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?[1-9]\d{0,3}[EH]?",  # Germany
    r"[A-Z]{2}\d{2} ?[A-Z]{3}|[A-Z]\d{1,3} ?[A-Z]{3}",  # United Kingdom
    r"[A-Z]{2}[- ]?\d{3}[- ]?[A-Z]{2}",  # France, Italy
    r"\d{4}[- ]?[BCDFGHJKLMNPRSTVWXYZ]{3}",  # Spain
    # the Netherlands
    r"(?=[^\n]{0,8}\d)(?=[^\n]{0,8}[A-Z])(?:\d{1,3}|[A-Z]{1,3})(?:-(?:\d{1,3}|[A-Z]{1,3})){2}",
    r"\d?[A-Z]{3}[- ]?\d{3,4}",  # United States
)
PLATE = re.compile(rf"(?<![\w-])(?:{'|'.join(_FORMS)})(?![\w-])")


def find_plates(text: str) -> Iterator[Detection]:
    """Plates near a word for them."""
    for match in PLATE.finditer(text):
        if near(text, *match.span(), WORDS):
            yield Detection("NATIONAL_ID", *match.span(), 0.85, "number_plate")


RECOGNISERS = (Recogniser("number_plate", (_SAID,), find_plates),)
