"""Addresses whose street has no word for a street, told by what stands around them."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.address import CAPITALISED, HOUSE, widened
from detectors.recognisers.base import Recogniser

NO_STREET = (
    "norway|galway|subway|segway|safeway|hathaway|conway|getaway|takeaway|railway|runway|halfway"
    "|gateway|highway|colgate|harrogate|margate|ramsgate|merseyside|tyneside|teesside|humberside"
    "|seaside|countryside|inside|outside|upside|downside|newmarket|supermarket|always|anyway|midway"
    "|delegate|investigate|alongside|beside|aside|reside|preside|away"
)
ALONE = (
    "piccadilly|strand|aldwych|holborn|poultry|whitehall|pall mall|minories|bowery|embarcadero"
    rf"|(?!(?:{NO_STREET})\b)[a-z]{{3,12}}(?:way|gate|side|market|cheap|hithe)"
)
ONE_WORD = re.compile(rf"(?<![\w.,$€£#-]){HOUSE},?\s+(?:the\s+)?(?:{ALONE})(?!\w)", re.IGNORECASE)
LEADS_THERE = re.compile(
    r"(?:\b(?:at|to|in|on|from|is|near|address|lives?|lived|living|number|home|house|opposite"
    r"|outside|behind|deliver|ship|send)|[:(])\s*$",
    re.IGNORECASE,
)
COUNTED = re.compile(
    r"\s+(?!(?:always|was|has|is|this|its|his|across|plus|as|these|those|besides)\b)[a-z]{2,}s\b"
)
TOWN_FOLLOWS = re.compile(rf",\s+{CAPITALISED}")
REACH = 24  # code points before a house number in which a word may lead there

NAME = rf"(?:{CAPITALISED}\s+){{0,3}}{CAPITALISED}"
BRITISH = re.compile(
    rf"(?<![\w.,$€£#-])(?P<street>{HOUSE},?\s+{NAME}(?:,\s+{NAME}){{0,2}}?),\s+{NAME},?\s+"
    r"[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}(?!\w)"
)
CONTINENTAL = re.compile(
    r"(?<![\w-])(?P<street>(?:[A-ZÀ-Þ][\w.'’-]{1,30}\s){1,3}\d{1,4}(?:\s?[a-zA-Z](?!\w))?),\s+"
    r"(?:[A-Z]-)?(?:\d{5}\s|\d{4}\s[A-Z]{2}\s)[A-ZÀ-Þ][a-zà-ÿ]"
)


def find_one_word_streets(text: str) -> Iterator[Detection]:
    """A number and a street like Kingsway: where somebody is, or before a town."""
    for match in ONE_WORD.finditer(text):
        before, after = text[max(0, match.start() - REACH) : match.start()], match.end()
        placed = LEADS_THERE.search(before) and not COUNTED.match(text, after)
        if placed or TOWN_FOLLOWS.match(text, after):
            yield widened(text, Detection("STREET_ADDRESS", *match.span(), 0.7, "street_address"))


def find_before_postcodes(text: str) -> Iterator[Detection]:
    """House and street, whatever it is called, before a town with its postcode."""
    for pattern in (BRITISH, CONTINENTAL):
        for match in pattern.finditer(text):
            found = Detection("STREET_ADDRESS", *match.span("street"), 0.8, "street_address")
            yield widened(text, found)


RECOGNISERS = (
    Recogniser(
        "street_address",
        (
            r"\d[a-z]?,?\s+(?:the\s+)?(?:[a-z]{3,12}(?:way|gate|side|market|cheap|hithe)\b"
            r"|piccadilly|strand|aldwych|holborn|poultry|whitehall|pall mall|minories|bowery"
            r"|embarcadero)",
        ),
        find_one_word_streets,
    ),
    Recogniser(
        "street_address",
        (r"\b[a-z]{1,2}\d[a-z\d]?\s\d[a-z]{2}\b", r"\d,\s+(?:[a-z]-)?(?:\d{5}|\d{4}\s[a-z]{2})\s"),
        find_before_postcodes,
    ),
)
