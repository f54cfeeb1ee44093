"""Dates of birth and ages."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, matches

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
COMPACT = (  # "19880412", "12041988", "880412", "120488"
    rf"{YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2]){YEAR}"
    r"|\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d"
)
EASTERN = rf"{YEAR}\s?[年년]\s?\d{{1,2}}\s?[月월]\s?\d{{1,2}}\s?[日일号]"
DATE = (
    rf"(?P<date>{EASTERN}|(?:{NUMERIC}|{COMPACT}|{WRITTEN}|\d{{1,2}}/\d{{1,2}}|{YEAR})"
    r"(?![\w/]|[.-]\d))"
)
BIRTH_WORDS = (
    r"born|date\s+of\s+birth|d\.?o\.?b\.?|birth\s?date|birthdate|birth\s?day|bday|b-day"
    r"|geboren|geburtsdatum|geburtstag|geb\.|n[ée]e?|date\s+de\s+naissance|anniversaire"
    r"|nacid[oa]|naci[óo]|nac[íi]|fecha\s+de\s+nacimiento|cumplea[ñn]os|nat[oa]|data\s+di\s+nascita"
    r"|compleanno|nascid[oa]|nasceu|data\s+de\s+nascimento|anivers[áa]rio|geboortedatum|verjaardag"
    r"|дата\s+рождения|день\s+рождения|родил(?:ся|ась)"
)
# No space says where these begin and end.
EASTERN_WORDS = (
    r"(?:生日|出生日期|出生于|生于|生於|誕生日|生年月日|생일|생년월일)(?:是|为|為|は|은|는|이)?"
)
LINKS = (
    r"(?:\s*[:=,(-]\s*|\s+(?:is|was|on|in|the|date|falls|at|ist|am|im|le|en|est|el|es|il|nel|è|em"
    r"|no|a|op|in"
    r"|his|her|my|their|celebrates?|every|this|year)(?!\w)){0,5}\s*"
)
AFTER_WORD = re.compile(
    rf"(?:(?<!\w)(?:{BIRTH_WORDS})(?!\w)|{EASTERN_WORDS}){LINKS}{DATE}", re.IGNORECASE
)
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
# trigger: what an age looks like
AGES = {
    r"(?:years?|yrs?|y|months?)[-\s]*(?:old|of\s+age)\b": (
        rf"(?<![\w.,-]){N}[-\s]*(?:years?|yrs?|y|months?)[-\s]*(?:old|of\s+age)(?!\w)"
    ),
    r"\d\s?(?:y/o|yo|y\.o\.)": rf"(?<![\w.,-]){D}\s?(?:y/o|yo|y\.o\.)(?!\w)",
    r"\bage|\balter\b|âge|edad|età|idade|leeftijd": (
        r"(?<!\w)(?:age|aged|alter|âge|edad|età|idade|leeftijd)(?:\s+(?:is|of|was)|\s*[:=])?"
        rf"\s*{N}{NO_UNIT}"
    ),
    r"\bturn(?:s|ed|ing)\s": rf"(?<!\w)turn(?:s|ed|ing)\s+{N}{NO_UNIT}",
    r"(?:i['’]?m|\bam|['’]?s|is|re)\s+(?:now\s+|only\s+|just\s+|already\s+)?\d": (
        rf"(?<!\w){PERSON_BEFORE}\s+(?:now\s+|only\s+|just\s+|already\s+)?{D}{NO_UNIT}"
        r"(?=\s*(?:[,.;!?)]|and\b|now\b|but\b|years?\b|$))"
    ),
    r"\bin\s+(?:his|her|their|my)\s": (
        r"(?<!\w)in\s+(?:his|her|their|my)\s+(?:early\s+|mid[- ]?|late\s+)?(?P<age>[2-9]0s|twenties"
        r"|thirties|forties|fifties|sixties|seventies|eighties|nineties)(?!\w)"
    ),
    r"\d\s+(?:jahre|jährig)\s+alt": rf"(?<![\w.,-]){D}\s+(?:jahre|jährig)\s+alt(?!\w)",
    r"\d-?jährig": rf"(?<![\w.,-]){D}-?jährige?[rns]?(?!\w)",
    r"\d\s+ans\b": rf"(?<!\w)(?:j['’]ai|tu\s+as|elle\s+a|il\s+a|âgée?\s+de)\s+{D}\s+ans(?!\w)",
    r"\d\s+años": rf"(?<!\w)(?:tengo|tiene|tienen|cumpli[óo]|de)\s+{D}\s+años(?!\w)",
    r"\d\s+anni\b": rf"(?<!\w)(?:ho|ha|compie|di)\s+{D}\s+anni(?!\w)",
    r"\d\s+anos\b": rf"(?<!\w)(?:tenho|tem|fez|de)\s+{D}\s+anos(?!\w)",
    r"\d\s+jaar": rf"(?<!\w)(?:ben|is|werd|wordt)\s+{D}\s+jaar(?:\s+oud)?(?!\w)",
}


def find_births(text: str) -> Iterator[Detection]:
    """Dates that the text calls a birth or a birthday."""
    for pattern in (AFTER_WORD, BEFORE_WORD):
        for match in pattern.finditer(text):
            if _is_plausible(match):
                start, end = match.span("date")
                end -= match["date"].endswith(".")  # it may end the sentence
                yield Detection("DATE_OF_BIRTH", start, end, 0.9, "date_of_birth")


def _is_plausible(match: re.Match[str]) -> bool:
    """A bare year counts as a birth only after "born" and the like, not after "no" or "on"."""
    word = match[0].lower()
    return not (re.fullmatch(YEAR, match["date"]) and word.startswith(("ne", "birthday", "bday")))


RECOGNISERS = (
    Recogniser(
        "date_of_birth",
        (
            r"born|birth|bday|b-day|d\.?o\.?b|gebor|geburt|geb\.|\bn[eé]e?\s|naiss|nac|cumplea"
            r"|\bnat[oa]\s"
            r"|nascit|complean|nascid|nasceu|anivers|anniversaire|verjaardag|geboorte"
            r"|рожд|родил|生日|出生|生[于於]|誕生|生年|생일|생년",
        ),
        find_births,
    ),
    *(
        Recogniser(
            "age", (trigger,), matches("AGE", "age", re.compile(form, re.IGNORECASE), 0.8, "age")
        )
        for trigger, form in AGES.items()
    ),
)
