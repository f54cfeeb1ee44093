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
# Right behind a word of other meanings too, where older forms and small letters count as well.
_OLDER = r"[A-Z]{3} ?\d{1,3} ?[A-Z]"
_SMALL = r"[a-z]{2}\d{2} ?[a-z]{3}|[a-z]{2}-\d{3}-[a-z]{2}|\d[a-z]{3}\d{3}|[a-z]{3}-?\d{3,4}"
_TOLD = r"(?:plates?|reg(?:istration)?(?: (?:plate|mark))?|rego)"
TOLD = re.compile(
    rf"(?<![\w-])(?i:{_TOLD})(?:\.? (?i:no\.?|number|is|was|reads|of \w+ is))*\s?[:=#]?\s?"
    rf"(?P<value>{'|'.join(_FORMS)}|{_OLDER}|{_SMALL})(?![\w-])"
)


def find_plates(text: str) -> Iterator[Detection]:
    """Plates near a word for them, or right behind one that may mean other things."""
    for match in PLATE.finditer(text):
        if near(text, *match.span(), WORDS):
            yield Detection("NATIONAL_ID", *match.span(), 0.85, "number_plate")
    for match in TOLD.finditer(text):
        yield Detection("NATIONAL_ID", *match.span("value"), 0.85, "number_plate")


RECOGNISERS = (Recogniser("number_plate", (_SAID, rf"\b{_TOLD}\b"), find_plates),)
