"""Numbers that a text gives to a thing, beside its name or further off, before or behind it.

``I have a Chase account, number 4471820093``, ``C01X00T47 is my passport number``, ``the account at
Norvane: 4471820093``, ``the account ends in 4471``. All repetitions are bounded, so that no text
takes more than linear time.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser
from detectors.words.lexicons import sections

LISTS = sections("told_numbers")
Span = tuple[int, int]

AHEAD, BACK = 240, 110  # code points behind and before a thing's name that are looked at


def _any(*headings: str) -> str:
    """Any word of some sections, as a whole."""
    return rf"(?:{'|'.join(LISTS[each] for each in headings)})(?!\w)"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


BEGINS = r"(?<![^\W_])"
ENDS = r"(?![\w-]|[.,:/]\d|\s?%)"
WORD = r"\d{0,4}[^\W\d_](?:[\w'’&]|[.-](?=\w)|(?<=[.\s]\w)\.|(?<=\W\w\w)\.){0,24}+"
# Between a name and its number: words of nothing else that has one, years, a sort code.
NOTHING_ELSE = rf"(?!{_any('thing', 'other')})"
BESIDE = r"(?:(?:19|20)\d\d|\d\d-\d\d-\d\d)(?![\w-])"
SIGN = r"[\s_,:()\[\]|\"'“”„–—-]{1,4}+"
GAP = rf"{SIGN}(?:{NOTHING_ELSE}(?:{BESIDE}|{WORD}){SIGN}){{0,9}}"
STOP = (
    rf"(?:{NOTHING_ELSE}{WORD})?[.;!]\s{{1,3}}(?:{_any('article')}\s+){{0,2}}"
    rf"(?:{_any('thing')}\s+)?"
)
OWNER = (
    rf"(?:(?:\s{{1,3}}{_any('of')}\s{{1,3}}|\s{{0,2}}[(\[]){NOTHING_ELSE}{WORD}"
    rf"(?:\s{{1,3}}{NOTHING_ELSE}{WORD}){{0,4}})"
)
NUMBER = rf"(?:{_any('number')}|n[º°]|#)"
IS = rf"\s{{0,3}}{_any('is')}(?:\s{_any('article')})?"
SAYS = rf"(?:{IS}|\s{{0,3}}{_any('article')}|\s{{0,3}}[.:?#=º°\"“”()\[\]|,→–—-]){{0,6}}\s{{0,3}}"
TELLS = rf"(?:{IS}|\s{{0,3}}[,:=()\[\]|\"→–—-]){{1,4}}\s{{0,3}}"
MASK = r"(?:(?:[*•·…]{1,16}|x{2,16}|x(?=\d{4})|\.{2,4})[ -]?){1,4}"
DIGITS = rf"(?P<value>\d{{3,6}}){ENDS}"
CALLED = rf"(?:[\s_]{{0,3}}{NUMBER})?{OWNER}?"
BEHIND = (
    rf"(?:(?P<is>\s{{1,3}}{_any('is')}\s{{1,3}}|\s{{0,2}}[=:]\s)|\s{{0,2}}[(\[]|\s{{0,2}},\s|\s[–—-]\s"
    rf"|\s(?={_any('article')}))"
)
BACK_GAP = rf"(?:(?!{_any('clause')}){NOTHING_ELSE}{WORD}[\s\"'“”-]{{1,3}}+){{0,6}}"

# Before a name: that the last digits of its number follow, that the text is of what is beside it.
LAST_OF = _form(rf"{BEGINS}{_any('last')}\s{{1,3}}(?:{NOTHING_ELSE}{WORD}\s{{1,3}}){{0,5}}\Z")
BESIDE_ANOTHER = _form(
    rf"{BEGINS}{_any('other')}\s+(?:\w+\s+){{0,3}}{_any('about')}\s+(?:[\w'’]+\s+){{0,3}}\Z"
)
OF_ANOTHER = _form(
    rf"{BEGINS}{_any('other')}\W{{0,3}}(?:(?:{_any('is')}|{NUMBER})\W{{0,3}}){{0,2}}\Z"
)
ANOTHERS = _form(rf"(?:['’]s?)?[\s-]{{1,3}}{_any('other')}")  # behind a name
# "account_id: 4471820", "acc_4471820": what a program calls somebody by, with money or without.
BY_ID = _form(r"(?<![^\W_])ids?(?![^\W_])|\A_\Z")
HAS = _form(rf"{BEGINS}{_any('is', 'has')}")
COUNTED = _form(rf"\s?[%$€£¥]|\s{{1,2}}{_any('counted')}")
PHONE_SHAPE = re.compile(r"\(?0\d|\d{3}[-. ]\d{3}[-. ]\d{4}\Z")
NO_NUMBER = re.compile(  # dates, addresses of hosts, amounts
    r"(?:19|20)\d\d([-/. ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])"
    r"|\d{1,2}([-/.])\d{1,2}\2(?:19|20)\d\d|\d{1,3}(?:\.\d{1,3}){3}"
    r"|(?:19|20)\d\d[-/–](?:19|20)?\d\d|\d{1,2}/(?:19|20)\d\d"
    r"|\d{1,3}(?:\.\d{3})+|\d{1,7}\.\d{1,2}|(?!\d{8})[1-9]\d{0,2}0{3,}"
)
YEAR = re.compile(r"(?:19|20)\d\d")
DIGIT = re.compile(r"\d")
# Another number of the same kind: "4471820093 and 4471820101", "…, the new one is 8472015599".
MORE = _form(
    rf"{OWNER}?\)?(?:\s{{0,2}}[,;/&+]|\s{_any('and')}){{1,2}}\s{{0,2}}"
    rf"(?:(?:{NOTHING_ELSE}{WORD}\s{{1,2}}){{0,4}}?(?:{_any('is')}\s|[(:]\s?))?(?P<value>\d{{6,24}}){ENDS}"
)
# How the last digits alone are told, behind a name.
ENDING = _form(
    rf"(?:['’]s?)?{GAP}(?:(?P<ends>{_any('ends')})|{_any('last')}){SAYS}(?:{MASK})?{DIGITS}"
)
MASKED = _form(rf"(?:['’]s?)?{CALLED}{SAYS}{MASK}{DIGITS}")
PLAIN = _form(rf"(?:['’]s?)?{CALLED}{SAYS}{DIGITS}")

_LETTERS = r"(?:(?-i:[A-Z]{1,4})[ -]?|[A-Z]{1,4}-?)?(?=\d)"
_ACCOUNT, _SHORT_ACCOUNT = (rf"{_LETTERS}\d(?:[ ./-]?\d){{{least},24}}" for least in (5, 3))
_ROUTING = r"\d{4}-?\d{4}-?\d"
_SORT_CODE = r"\d{2}[- ]?\d{2}[- ]?\d{2}(?:\d{2})?|\d{3} \d{3} \d{2}"
_CARD = r"\d{4}(?:[ .–—-]{0,3}\d{4}){2}[ .–—-]{0,3}\d{3,4}|\d{13,19}"
_DOCUMENT = (
    r"(?-i:[A-Z]{1,3} (?=\d))?(?=(?:[A-Z./-]{0,6}\d ?){3})[A-Z0-9](?:[./-]?[A-Z0-9]|[ ]\d){4,24}"
    r"(?:(?-i: [A-Z])(?!\w))?"
)
_TOLD_DOCUMENT = rf"(?=\d{{0,12}}[A-Z]|[\d./-]{{8}}){_DOCUMENT}"  # no mere amount
_PASSPORT = rf"(?=(?:[A-Z]{{0,6}}\d){{2}})[A-Z0-9]{{8,10}}(?!\w)|{_DOCUMENT}"
_SSN = r"\d{3}[-. ]?\d{2}[-. ]?\d{4}"


@dataclass(frozen=True)
class Thing:
    """Something that has a number.

    Args:
        entity_type: of its number.
        named: what its number looks like where the text calls it a number.
        told: what it looks like where the text only sets it beside the name.
        bare: whether it may follow the name with nothing between.
        score: of its detections.
    """

    entity_type: str
    named: str
    told: str = ""
    bare: bool = False
    score: float = 0.8

    @cached_property
    def told_ahead(self) -> re.Pattern[str]:
        """The number set beside the name, or beside whose it is."""
        told, beside = self.told or self.named, rf"(?:{TELLS}|[\s.]{{1,4}})" if self.bare else TELLS
        far = rf"|{GAP}(?:{NOTHING_ELSE}{WORD})?{IS}\s{{1,3}}" if self.bare else ""
        return _form(rf"(?:['’]s?)?(?:{OWNER}?{beside}{far})(?P<value>{told}){ENDS}")

    @cached_property
    def named_ahead(self) -> re.Pattern[str]:
        """What is called a number, further off."""
        return _form(
            rf"(?:['’]s?)?(?:{GAP}|[-.]{{0,2}})(?:{STOP})?{NUMBER}(?:{OWNER}{TELLS}|{SAYS})"
            rf"(?P<value>{self.named}){ENDS}"
        )

    @cached_property
    def back(self) -> re.Pattern[str]:
        """The number before the name, up to it."""
        return _form(
            rf"(?<![\w.,+/-])(?:(?P<value>{self.told or self.named})(?![\w-]){BEHIND}"
            rf"|(?P<last>\d{{3,6}})\s{{1,3}}{_any('is')}\s(?:{_any('article')}\s)?{_any('last')}\s)"
            rf"{BACK_GAP}\Z"
        )


THINGS = {
    "account": Thing("BANK_ACCOUNT", _SHORT_ACCOUNT, _ACCOUNT, bare=True),
    "iban": Thing("BANK_ACCOUNT", _ACCOUNT, bare=True),
    "routing": Thing("BANK_ACCOUNT", _ROUTING, bare=True),
    "sort code": Thing("BANK_ACCOUNT", _SORT_CODE, bare=True),
    "card": Thing("CREDIT_CARD", _CARD),
    "passport": Thing("PASSPORT", _PASSPORT, _PASSPORT),
    "licence": Thing("DRIVER_LICENSE", _DOCUMENT, _TOLD_DOCUMENT),
    "national id": Thing("NATIONAL_ID", _DOCUMENT, _TOLD_DOCUMENT),
    "tax id": Thing("TAX_ID", _DOCUMENT, _TOLD_DOCUMENT, score=0.75),
    "ssn": Thing("US_SSN", _SSN, score=0.9),
}


@dataclass(frozen=True, slots=True)
class Name:
    """Where a text names a thing."""

    text: str
    start: int
    end: int

    def led_by(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What a pattern finds shortly before the name, which is where its text ends."""
        return pattern.search(self.text, max(0, self.start - BACK), self.start)


def told_number_recognisers(countries: Collection[str]) -> list[Recogniser]:
    """Numbers of accounts and documents that a text tells; social security's in its country."""
    headings = [each for each in THINGS if each != "ssn" or "us" in countries]
    groups = (rf"(?P<{each.replace(' ', '_')}>{LISTS[each]})" for each in headings)
    names = re.compile(rf"{BEGINS}(?:{'|'.join(groups)})(?:-?(?:nummer|nr))?(?![^\W_])")
    triggers = tuple(re.sub(r"\\w\{0,\d+\}", "", LISTS[each]) for each in headings)
    return [Recogniser("told_numbers", triggers, partial(find, names))]


def find(names: re.Pattern[str], text: str) -> Iterator[Detection]:
    """The numbers of everything whose name stands in a text.

    Args:
        names: of things, in small letters: without regard to case it would be four times slower.
    """
    for match in names.finditer(_in_small_letters(text)):
        group, name = str(match.lastgroup), Name(text, *match.span())
        thing = THINGS[group.replace("_", " ")]
        ahead = [*_ahead(thing, name)]
        for start, end in (*ahead, *_back(thing, name, alone=not ahead)):
            yield Detection(thing.entity_type, start, end, thing.score, f"told_{group}")


def _in_small_letters(text: str) -> str:
    """As many code points as there are: a dotted capital I would else become two."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(each.lower()[0] for each in text)


def _ahead(thing: Thing, name: Name) -> Iterator[Span]:
    """The numbers behind a name."""
    if DIGIT.search(name.text, name.end, name.end + AHEAD) is None:
        return
    match = _told(thing, name) or _named(thing, name) or _last_digits(thing, name)
    if match and thing.bare and BY_ID.search(name.text[name.end : match.start("value")]):
        return
    while match:
        yield match.span("value")
        more = MORE.match(name.text, match.end("value")) if thing.bare else None
        match = more if more and _is_one(more) else None


def _told(thing: Thing, name: Name) -> re.Match[str] | None:
    match = thing.told_ahead.match(name.text, name.end)
    return match if match and _is_one(match) and not _is_anothers(name, match) else None


def _named(thing: Thing, name: Name) -> re.Match[str] | None:
    match = thing.named_ahead.match(name.text, name.end)
    if match is None or COUNTED.match(name.text, match.end("value")):
        return None
    return None if _is_anothers(name, match) else match


def _last_digits(thing: Thing, name: Name) -> re.Match[str] | None:
    match = ENDING.match(name.text, name.end)
    if match and _is_one(match) and not _tells_when(thing, match):
        return match
    plain = PLAIN.match(name.text, name.end) if name.led_by(LAST_OF) else None
    return plain or MASKED.match(name.text, name.end)


def _tells_when(thing: Thing, match: re.Match[str]) -> bool:
    """Whether ``ends in 2027`` is a date; ``ending in`` is none of a means of payment."""
    ends = (match["ends"] or "").lower()
    pays = thing.entity_type in {"BANK_ACCOUNT", "CREDIT_CARD"}
    return bool(ends and YEAR.fullmatch(match["value"])) and not (pays and ends.startswith("endi"))


def _is_anothers(name: Name, match: re.Match[str]) -> bool:
    """Whether a number is of what only has to do with the thing: the ticket about an account."""
    if not name.led_by(BESIDE_ANOTHER):
        return False
    said = HAS.search(name.text, name.end, match.start("value"))
    return bool(said or PHONE_SHAPE.match(match["value"]))


def _back(thing: Thing, name: Name, *, alone: bool) -> Iterator[Span]:
    """The number before a name, which needs a verb if another stands behind it."""
    before = max(0, name.start - BACK)
    if DIGIT.search(name.text, before, name.start) is None or ANOTHERS.match(name.text, name.end):
        return
    match = name.led_by(thing.back)
    if match and thing.bare and BY_ID.match(name.text, name.end + 1):
        return
    if match and match["last"]:
        yield match.span("last")
    elif match and (alone or match["is"]) and _is_one(match):
        number = Name(name.text, *match.span("value"))
        if not number.led_by(OF_ANOTHER):
            yield number.start, number.end


def _is_one(match: re.Match[str]) -> bool:
    """Whether what is found is a number, no date, amount or count of something."""
    counted = COUNTED.match(match.string, match.end("value"))
    return not (counted or NO_NUMBER.fullmatch(match["value"]))
