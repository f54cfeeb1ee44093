"""Given names of two halves: ``Park Ji-hoon``, ``Hsiao-mei Lin``, ``Anne-marie``, always whole.

Models part words at a hyphen, and half of a name in clear tells as much as all of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from detectors.detection import Detection
from detectors.people.turned import particled, turned
from detectors.words import word_set
from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, is_name, is_ordinary, never_names
from detectors.words.spoken import is_spoken

# Family names beside them, as Korea, Taiwan, Hong Kong, Singapore and Vietnam write them in Latin.
FAMILIES = word_set(
    "ahn an bae baek bak bang byun cha chae chan chang chen cheng cheon cheung chiang chien chin "
    "chiu cho choe choi chou chow chu chua chuang chung deng do eom fan fang feng fung go goh gong "
    "guo gwak gwon ha ham han heo ho hong hou hsiao hsieh hsu hu huang huh hui hung hur hwang hyun "
    "im ip jang jeon jeong ji jiang jin jo joo ju jun jung kang kao kim ko koh kong koo kuo kwak "
    "kwan kwok kwon lai lam lau law lee leung li liang liao lim lin ling liu lo low lu lui luo mak "
    "min mok moon mun na nam ng ngai no noh oh ong ou pae paik pak pan pang park peng poon quek "
    "rhee roh ryu seah seo seok seol seong shen shih shim shin siew sim sin siu so sohn son song "
    "su suh sun sung tai tam tan tang tay teng teo tian tien to toh tong tsai tsang tse tseng tsui "
    "tu tung wang wei wen wi won wong woo wu xie xu yang yao yau yeh yeo yeom yeung yi yip yiu yoo "
    "yoon you yu yuan yuen yun yung zeng zhang zhao zheng zhou zhu"
)
_ONSET = r"(?:[cgknpstz]h|hs|t[rsz]|ng|[bcdfghjklmnpqrstwxz]?[yw]|[bcdfghjklmnpqrstxz])?"
_SYLLABLE = re.compile(rf"{_ONSET}[aeiouü]{{1,3}}(?:ng|[bghklmnprt])?")
_KOREAN = re.compile(
    rf"{_ONSET}[aeiouy]{{1,3}}(?:ng|[kmnl])?(?:hoon|hun|joon|jun|min|woo|hee|hyun|h?yeon|young|yeong|soo"
    r"|jin|eun|kyung|seok?|won|sung|bin|hwa|rim|hye|k?gyu|wook|tae|jae)"
)
# Behind a name alone these are the sentence's: "the Kim-run shop", "Ben-to-Sam".
_NO_HALVES = word_set("run to on up no me or at am pm by")
_THINGS = word_set("wi-fi hi-fi lo-fi tai-chi")
_PART = r"[^\W\d_]{1,12}"
_CAPITAL = rf"(?=[^\W\d_a-z]){_PART}"
_PAIR = rf"(?P<first>{_CAPITAL})[-‐‑](?P<second>{_PART})"  # three hyphens look alike
_COUPLED = re.compile(rf"(?<![\w@#$./\\'’‐‑-]){_PAIR}(?![\w@/\\‐‑-])")
_FAMILY = rf"(?=[^\W\d_a-z])(?P<family>(?i:{'|'.join(sorted(FAMILIES))}))"
_BEFORE = re.compile(rf"(?<![\w@#$./\\'’-]){_FAMILY}(?P<comma>,?) $")
_AFTER = re.compile(rf" {_FAMILY}(?![\w@/\\-])")
_LONGEST = 12  # code points of a family name and what parts it from the given name

Place = tuple[int, int]


def coupled(text: str) -> Iterator[Place]:
    """Spans of whole names: family name and two romanised syllables, in either order.

    Args:
        text: the text (or window).
    """
    end = 0
    for match in _COUPLED.finditer(text):
        place = _whole(text, match, max(end, match.start() - _LONGEST))
        if place:
            end = place[1]
            yield place


def _whole(text: str, match: re.Match[str], least: int) -> Place | None:
    """Two syllables with the family name before them, not before ``least``, or behind them."""
    first, second = halves = fold(match["first"]), fold(match["second"])
    if not all(map(_is_syllable, halves)) or f"{first}-{second}" in _THINGS:
        return None
    words = all(map(is_ordinary, halves))
    plain = words and not any(map(is_name, halves))
    before = _BEFORE.search(text, least, match.start())
    after = _AFTER.match(text, match.end())
    if before and not (words if before["comma"] else plain and _is_plain(before)):
        return before.start(), match.end()
    if after and not (plain and _is_plain(after)):
        return match.start(), after.end()
    return None


def is_korean(family: str, given: str) -> bool:
    """Whether two folded words are a family name and two romanised syllables: ``park jihoon``."""
    known = is_given_name(given) or _KOREAN.fullmatch(given) is not None
    return family in FAMILIES and known and not is_ordinary(given)


def with_halves(text: str, people: Sequence[Detection]) -> list[Detection]:
    """The same people with the halves of their names, and the particles, that were left out.

    Args:
        text: the text (or window) that the spans refer to.
        people: what model and rules found.
    """
    wholes = [*coupled(text), *turned(text), *particled(text)]
    wholes += [pair for pair in _pairs(text) if not any(_meet(pair, whole) for whole in wholes)]
    if not wholes:
        return list(people)
    widened = (each for person in people for each in _widened(text, person, wholes))
    return list({(each.start, each.end): each for each in widened}.values())


def _pairs(text: str) -> Iterator[Place]:
    for match in _COUPLED.finditer(text):
        if _belongs(fold(match["first"]), fold(match["second"])):
            yield match.span()


def _widened(text: str, person: Detection, wholes: Sequence[Place]) -> list[Detection]:
    """A person with what was left out, or each of several whom the model took for one."""
    place = person.start, person.end
    met = [whole for whole in wholes if _meet(place, whole)]
    spans = met if len(met) > 1 else [(min(place[0], a), max(place[1], b)) for a, b in met]
    return [replace(person, start=a, end=b, text=text[a:b]) for a, b in spans or [place]]


def _meet(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _is_plain(match: re.Match[str]) -> bool:
    return is_ordinary(fold(match["family"]))


def _is_syllable(folded: str) -> bool:
    return _SYLLABLE.fullmatch(folded) is not None


def _belongs(first: str, second: str) -> bool:
    """Whether words at a hyphen are one name: ``Ji-won`` and ``Anne-marie``, not ``Kim-led``."""
    if not never_names().isdisjoint((first, second)) or f"{first}-{second}" in _THINGS:
        return False
    if is_name(second) and not (is_ordinary(second) or is_spoken(second)):
        return True
    return second not in _NO_HALVES and _is_syllable(first) and _is_syllable(second)
