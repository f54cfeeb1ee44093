"""Dates of birth and ages."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser

MONTHS = (
    "jan(?:uary|uar|vier)?|ene(?:ro)?|gen(?:naio)?|janeiro|januari|feb(?:ruary|ruar|rero|braio"
    "|ruari)?"
    "|f[ée]vr(?:ier)?|fevereiro|mar(?:ch|zo|s|ço)?|märz|mrt|maart|apr(?:il|ile)?|avril|abr(?:il)?"
    "|may|mai|mayo|mag(?:gio)?|maio|mei|june?|juni|juin|junio|giu(?:gno)?|junho|july?|juli|juillet"
    "|julio|lug(?:lio)?|julho|aug(?:ust|ustus)?|août|ago(?:sto)?|sept?(?:ember|embre|tembre)?"
    "|set(?:tembre|embro)?|oct(?:ober|obre)?|okt(?:ober)?|ott(?:obre)?|out(?:ubro)?|nov(?:ember"
    "|embre"
    "|iembre|embro)?|dec(?:ember)?|dez(?:ember|embro)?|d[ée]c(?:embre)?|dic(?:iembre|embre)?"
)
DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|\.|º)?"
YEAR = r"(?:19|20)\d{2}"
WRITTEN = (
    rf"{DAY}\s*(?:of\s+|de\s+)?(?:{MONTHS})\.?(?:,?\s*(?:de\s+|of\s+)?{YEAR})?"
    rf"|(?:{MONTHS})\.?\s+{DAY}(?!\d)(?:,?\s*{YEAR})?"
    rf"|(?:{MONTHS})\.?\s+{YEAR}"
)
NUMERIC = rf"{YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:{YEAR}|\d{{2}})"
DATE = rf"(?P<date>{NUMERIC}|{WRITTEN}|\d{{1,2}}/\d{{1,2}}|{YEAR})(?![\w/]|[.-]\d)"
BIRTH_WORDS = (
    r"born|date\s+of\s+birth|d\.?o\.?b\.?|birth\s?date|birthdate|birth\s?day|bday|b-day"
    r"|geboren|geburtsdatum|geburtstag|geb\.|n[ée]e?|date\s+de\s+naissance|anniversaire"
    r"|nacid[oa]|naci[óo]|nac[íi]|fecha\s+de\s+nacimiento|cumplea[ñn]os|nat[oa]|data\s+di\s+nascita"
    r"|compleanno|nascid[oa]|nasceu|data\s+de\s+nascimento|anivers[áa]rio|geboortedatum|verjaardag"
)
LINKS = (
    r"(?:\s*[:=,(-]\s*|\s+(?:is|was|on|in|the|date|falls|at|ist|am|im|le|en|est|el|es|il|nel|è|em"
    r"|no|a|op|in"
    r"|his|her|my|their|celebrates?|every|this|year)(?!\w)){0,5}\s*"
)
AFTER_WORD = re.compile(rf"(?<!\w)(?:{BIRTH_WORDS})(?!\w){LINKS}{DATE}", re.IGNORECASE)
BEFORE_WORD = re.compile(
    rf"(?<![\w/.-]){DATE}\s*(?:is|was|,|\()?\s*(?:(?:my|his|her|their|our|\w+['’]s)\s+)"
    rf"(?:birthday|bday|date\s+of\s+birth|dob|birth\s?date)(?!\w)",
    re.IGNORECASE,
)

NUMBER_WORD = (
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five"
    r"|six"
    r"|seven|eight|nine))?|(?:thir|four|fif|six|seven|eigh|nine)teen|ten|eleven|twelve|one|two"
    r"|three"
    r"|four|five|six|seven|eight|nine"
)
N = rf"(?P<age>1[01]\d|\d{{1,2}}|{NUMBER_WORD})"
D = r"(?P<age>1[01]\d|\d{1,2})"
NO_UNIT = (
    r"(?!\s*(?:%|percent|°|degrees?|[a-z]+/|km|k\b|kg|lbs?|cm|mm|miles?|min(?:ute)?s?|hours?|hrs?"
    r"|days?"
    r"|weeks?|months?|euros?|dollars?|pounds?|people|points?|times|of\b|out\b|th\b|st\b|nd\b|rd\b"
    r"|pages?|am\b|pm\b)"
    r"|[.,:/-]?\d|\w|[-/]\w)"
)
PERSON_BEFORE = r"(?:i['’]?m|i\s+am|she['’]?s|he['’]?s|(?:she|he|user|who)\s+is|they['’]?re)"
AGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.,-]){N}[-\s]*(?:years?|yrs?|y|months?)[-\s]*(?:old|of\s+age)(?!\w)",
        rf"(?<![\w.,-]){D}\s?(?:y/o|yo|y\.o\.)(?!\w)",
        rf"(?<!\w)(?:age|aged|alter|âge|edad|età|idade|leeftijd)(?:\s+(?:is|of|was)"
        rf"|\s*[:=])?\s*{N}{NO_UNIT}",
        rf"(?<!\w)turn(?:s|ed|ing)\s+{N}{NO_UNIT}",
        rf"(?<!\w){PERSON_BEFORE}\s+(?:now\s+|only\s+|just\s+"
        rf"|already\s+)?{D}{NO_UNIT}(?=\s*(?:[,.;!?)]|and\b|now\b|but\b|years?\b|$))",
        r"(?<!\w)in\s+(?:his|her|their|my)\s+(?:early\s+|mid[- ]?|late\s+)?(?P<age>[2-9]0s|twenties"
        r"|thirties|forties|fifties|sixties|seventies|eighties|nineties)(?!\w)",
        rf"(?<![\w.,-]){D}\s+(?:jahre|jährig)(?:\s+alt)(?!\w)"
        rf"|(?<![\w.,-])(?P<age2>\d{{1,3}})-?jährige?[rn]?(?!\w)",
        rf"(?<!\w)(?:j['’]ai|tu\s+as|elle\s+a|il\s+a|âgée?\s+de)\s+{D}\s+ans(?!\w)",
        rf"(?<!\w)(?:tengo|tiene|tienen|cumpli[óo]|de)\s+{D}\s+años(?!\w)",
        rf"(?<!\w)(?:ho|ha|compie|di)\s+{D}\s+anni(?!\w)",
        rf"(?<!\w)(?:tenho|tem|fez|de)\s+{D}\s+anos(?!\w)",
        rf"(?<!\w)(?:ben|is|werd|wordt)\s+{D}\s+jaar(?:\s+oud)?(?!\w)",
    )
)
NOT_AGE = re.compile(r"\bil y a\s*$", re.IGNORECASE)


def find_births(text: str) -> Iterator[Detection]:
    """Dates that the text calls a birth or a birthday."""
    for pattern in (AFTER_WORD, BEFORE_WORD):
        for match in pattern.finditer(text):
            if _is_plausible(match):
                yield Detection("DATE_OF_BIRTH", *match.span("date"), 0.9, "date_of_birth")


def _is_plausible(match: re.Match[str]) -> bool:
    """A bare year counts as a birth only after "born" and the like, not after "no" or "on"."""
    word = match[0].lower()
    return not (re.fullmatch(YEAR, match["date"]) and word.startswith(("ne", "birthday", "bday")))


def find_ages(text: str) -> Iterator[Detection]:
    """Ages in years or months, in the languages we know."""
    for pattern in AGES:
        for match in pattern.finditer(text):
            group = "age" if match["age"] else "age2"
            yield Detection("AGE", *match.span(group), 0.8, "age")


RECOGNISERS = (
    Recogniser(
        "date_of_birth",
        (
            r"born|birth|bday|b-day|d\.?o\.?b|gebor|geburt|geb\.|\bn[eé]e?\s|naiss|nac|cumplea"
            r"|\bnat[oa]\s"
            r"|nascit|complean|nascid|nasceu|anivers|anniversaire|verjaardag|geboorte",
        ),
        find_births,
    ),
    Recogniser(
        "age",
        (
            r"\bold\b|of age|y/o|\dyo\b|y\.o|\bage|alter\b|âge|edad|età|idade|leeftijd|\bturn(?:s"
            r"|ed|ing)"
            r"|i['’]?m\s+\w+\s*\d|i['’]?m\s+\d|\b(?:am|is|she['’]?s|he['’]?s"
            r"|they['’]?re)\s+(?:\w+\s+)?\d"
            r"|in (?:his|her|their|my) |jähr|jahre|\bans\b|años|anni\b|anos\b|jaar",
        ),
        find_ages,
    ),
)
