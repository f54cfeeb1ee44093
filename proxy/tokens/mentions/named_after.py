"""Things and places called by somebody's name: ``Lake Victoria``, ``Joe's Diner``, ``Hagen``."""

import re

from detectors.words.folding import fold
from detectors.words.namelists import is_given_name
from detectors.words.relations import HOUSEHOLD

REACH = 40  # code points on either side

_BEFORE = re.compile(
    r"(?<![\w’'-])(?:Air|Lake|Mount|Mt\.?|Port|Fort|Cape|Saint|Sainte|St\.?|San|Santa|Santo|Sankt|"
    r"São|Hurricane|Storm|Typhoon|Cyclone|Camp|HMS|SS|USS|MS) $"
)
_PLACE = (
    "Street|Road|Avenue|Lane|Boulevard|Square|Station|Airport|Beach|Falls|River|Island|Islands|"
    "County|City|Park|Bridge|University|College|School|Hospital|Clinic|Cathedral|Church|Museum|"
    "Hotel|Institute|Foundation|Stadium|Arena|Tower|Library|Theatre|Theater|Valley|Bay|Harbou?r|"
    "Hills?|Heights|Castle"
)
_FIRM = (
    "Inc|Ltd|LLC|GmbH|AG|Corp|Corporation|Motors|Airlines|Airways|Bank|Records|Books|Holdings|"
    "Industries|Logistics|Pharma|Systems|Consulting|Brothers"
)
_HOUSE = (
    r"Lda|Ltda|S\.?L\.?U?|S\.?A\.?|SARL|S\.?p\.?A\.?|S\.?r\.?l\.?|B\.?V\.?|KG|OHG|e\.K\.|UG|"
    r"& (?:Co|Söhne|Sohn|Töchter|Sons?|Daughters|Partners?|Associates|Hijos?|Filhos?|Fils|Frères|"
    r"Figli|Zonen|Zoon)|(?:and|y|e|et) (?:Co|Sons|Daughters|Partners|Associates|Hijos|Filhos|Fils|"
    r"Frères|Figli)"
)  # "Krüger & Söhne", and no "Krüger und Sohn", who may be two people
_TABLE = "Diner|Bakery|Café|Cafe|Pizza|Pizzeria|Grill|Kitchen|Pub|Bistro|Bar"
_BEHIND = re.compile(rf"(?: (?:{_PLACE}|{_FIRM}|{_HOUSE})|(?:['’]s)? (?:{_TABLE}))(?!\w|['’])")
_BRAND = re.compile(
    r"(?<!\w)(?:Jack Daniel['’]?s|Jim Beam|Johnnie Walker|Calvin Klein|Hugo Boss|Ralph Lauren|"
    r"Tommy Hilfiger|Marc Jacobs|Michael Kors|Ben (?:&|and) Jerry['’]?s|Uncle Ben['’]?s|"
    r"Aunt Jemima|Papa John['’]?s (?:pizza|Pizza)|Trader Joe['’]?s|Victoria['’]s Secret|"
    r"Levi Strauss|Levi['’]?s? (?:jeans|501s?)|Estée Lauder|Mary Kay|Dr\.? (?:Martens|Pepper)|"
    r"Mercedes[- ]Benz|Aston Martin|Rolls[- ]Royce|Harley[- ]Davidson|Alfa Romeo|Louis Vuitton|"
    r"Yves (?:Saint Laurent|Rocher)|Jordan (?:1s|sneakers|shoes)|Domino['’]s (?:pizza|Pizza))(?!\w)"
)

# With "the" before it, in small letters too: "the Morrison bridge", and no "Morrison's bridge".
_THE = re.compile(r"(?<![\w’'-])[Tt]he (?:(?:old|new) )?$")
_SMALL_PLACE = re.compile(
    r" (?:street|road|avenue|square|station|airport|bridge|tunnel|viaduct|dam|canal|pier|lock|"
    r"reservoir|university|college|school|hospital|clinic|cathedral|church|museum|hotel|institute|"
    r"foundation|stadium|arena|tower|library|theat(?:re|er)|glacier|pass|trail|building|centre|"
    r"center|prize|award|medal|scholarship|lecture|fellowship)(?!\w|['’])"
)

_FAMILY_BEFORE = re.compile(
    r"(?<![\w’'-])(?:famil(?:y|ie|ia|le)|família|famille|famiglia|familjen|rodzina|Ehepaar|"
    r"Geschwister|Gebrüder|hermanos|irmãos|frères|fratelli|los|las|os|les|عائلة|أسرة|آل) $",
    re.IGNORECASE,
)
_FAMILY_BEHIND = re.compile(rf" (?:{HOUSEHOLD})(?!\w)")
_OWNED = re.compile(r"['’]s?(?!\w)")
_ANY_TOWN = re.compile(
    r" (?:is|was|became|remains|ist|war|est|è|es|é) (?:an?|the|one of the|eine?|une?|la|un|el) "
    r"(?:(?:small|big|large|old|lovely|pretty|nice|quiet|port|little|\w+est) )?"
    r"(?:city|cities|towns?|villages?|country|island|municipality|suburb|peninsula|capital|"
    r"Stadt|Dorf|ville|città|ciudad|cidade|stad)"
    r"(?=[.,;:!?\n]|$| (?:in|on|of|near|with|by|at|between|where|that|and)\b)"
)
_THE_PLACE = re.compile(
    r"(?<![\w’'-])(?:to|in|at|near|around|on|from|into|through|across|naar|aan|bij|rond|nach) "
    r"(?:het|the|den|la|le|el) $",
    re.IGNORECASE,
)
_GOES_THERE = re.compile(
    r"(?<![\w’'-])(?:(?:lives?|lived|living|born) in|"
    r"(?:moved|moves|flew|flies|flight|trip|train|bus) to) $",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"[.,;:!?\n]|$| (?:and|with|in|on|last|this|next|today|yesterday|every|for|was|is)\b"
)


_TWO = re.compile(r"(\w+) (?:and|y|e) (\w+)")


def is_called_after(text: str, start: int, end: int) -> bool:
    """Whether a name at [start, end) is only part of what a place, a storm or a brand is called.

    Whoever bears the whole (``Calvin Klein``) is somebody.
    """
    if not text[start:end][:1].isupper():
        return False
    if _BEFORE.search(text, max(0, start - REACH), start) or _BEHIND.match(text, end):
        return True
    if _SMALL_PLACE.match(text, end) and _THE.search(text, max(0, start - REACH), start):
        return True
    first, last = max(0, start - REACH), end + REACH
    return any(
        each.start() <= start and end <= each.end() and each.span() != (start, end)
        for each in _BRAND.finditer(text, first, last)
    )


def is_a_family(text: str, start: int, end: int) -> bool:
    """Whether a name at [start, end) is a family's, or that of several of one."""
    if _FAMILY_BEHIND.match(text, end):
        return True
    before = _FAMILY_BEFORE.search(text, max(0, start - REACH), start)
    return before is not None


def names_two(text: str, start: int, end: int) -> bool:
    """Whether what looks like one full name joins two first names: ``Jean and Luc``."""
    both = _TWO.fullmatch(text, start, end)
    return both is not None and all(map(is_given_name, map(fold, both.groups())))


def is_some_town(text: str, start: int, end: int) -> bool:
    """``Hagen is a city``, ``Trip to het Meer``: what nobody is, whoever else is called so."""
    if _OWNED.search(text, start, end) or _OWNED.match(text, end):
        return False  # "Trip to Hagen's wedding"
    if _ANY_TOWN.match(text, end) or _GOES_THERE.search(text, max(0, start - REACH), start):
        return True
    before = _THE_PLACE.search(text, max(0, start - REACH), start)
    return before is not None and _ALONE.match(text, end) is not None
