"""Geographic coordinates and grid codes."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, near, words

DECIMAL = re.compile(
    r"(?<![\w.,/-])(?P<lat>[+-]?\d{1,2}\.\d{2,10})°?\s?[NS]?\s{0,2}[,;/ ]\s{0,2}"
    r"(?:(?:lon|lng|long"
    r"|longitude)[:=]?\s?)?(?P<lon>[+-]?\d{1,3}\.\d{2,10})°?(?:\s?[EW])?(?![\w/]|\.\d)",
    re.IGNORECASE,
)
DEGREES = re.compile(
    r"(?<![\w.])\d{1,3}(?:\.\d+)?\s?°\s?(?:\d{1,2}(?:\.\d+)?\s?['′’]\s?)?(?:\d{1,2}(?:\.\d+)?\s?"
    r"(?:\"|″|''"
    r"|”)\s?)?[NSEWO](?:[\s,;]{0,3}\d{1,3}(?:\.\d+)?\s?°\s?(?:\d{1,2}(?:\.\d+)?\s?['′’]\s?)?"
    r"(?:\d{1,2}(?:\.\d+)?\s?(?:\"|″|''|”)\s?)?[NSEWO])?(?!\w)"
)
LABELLED = re.compile(
    r"(?<!\w)lat(?:itude)?[\s:=\"']{1,4}[+-]?\d{1,2}\.\d+[\s,;\"']{1,4}(?:and\s+)?"
    r"(?:lon|lng|long)(?:gitude)?[\s:=\"']{1,4}[+-]?\d{1,3}\.\d+",
    re.IGNORECASE,
)
GEO_URI = re.compile(r"(?<!\w)geo:-?\d{1,2}(?:\.\d+)?,-?\d{1,3}(?:\.\d+)?")
PLUS_CODE = re.compile(r"(?<!\w)[23456789CFGHJMPQRVWX]{4,8}\+[23456789CFGHJMPQRVWX]{2,3}(?!\w)")
THREE_WORDS = re.compile(r"///[a-z]{3,20}\.[a-z]{3,20}\.[a-z]{3,20}(?!\w)")
PLACE_WORDS = words(
    r"coordinates?|coords?|gps|lat|latitude|location|position|located|geo|map|pin|at|koordinaten"
    r"|standort|coordonn[ée]es|position|coordenadas|ubicaci[óo]n|coordinate|posizione"
    r"|co[öo]rdinaten"
)
SURE_DECIMALS = 4  # about 11 m: nobody writes ratios that exactly


def find(text: str) -> Iterator[Detection]:
    """Latitude and longitude in decimals or degrees, plus codes, geo URIs, three-word addresses."""
    for match in DECIMAL.finditer(text):
        if _on_earth(match) and (_is_place(match) or near(text, *match.span(), PLACE_WORDS)):
            yield Detection("COORDINATES", *match.span(), 0.8, "coordinates")
    for pattern in (DEGREES, LABELLED, GEO_URI, PLUS_CODE, THREE_WORDS):
        for match in pattern.finditer(text):
            yield Detection("COORDINATES", *match.span(), 0.85, "coordinates")


def _on_earth(match: re.Match[str]) -> bool:
    return abs(float(match["lat"])) <= 90 and abs(float(match["lon"])) <= 180


def _is_place(match: re.Match[str]) -> bool:
    """Whether a pair is too exact for ratios, and not within a degree of nowhere."""
    parts = [match["lat"], match["lon"]]
    exact = all(len(part.split(".")[1]) >= SURE_DECIMALS for part in parts)
    return exact and any(abs(float(part)) >= 1 for part in parts)


RECOGNISERS = (
    Recogniser(
        "coordinates",
        (r"\d\.\d{2}.{1,16}\d\.\d{2}", r"\d\s?°", r"\blat", r"geo:", r"\w\+\w\w", r"///[a-z]"),
        find,
    ),
)
