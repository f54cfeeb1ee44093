"""Street addresses and postcodes, in the written forms of a dozen countries."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, matches, near, words

SURE_SUFFIX = "street|avenue|road|lane|boulevard|blvd|rd|ave|ln"
SUFFIX = (
    f"{SURE_SUFFIX}|st|drive|dr|court|ct|place|pl|square|sq|terrace|way|crescent|cres|close|gardens"
    "|grove|hill|row|mews|parade|quay|walk|park|highway|hwy|parkway|pkwy|circle|cir|trail|alley"
    "|loop"
    "|pike|path|broadway|green|rise|view|wharf|bridge|plaza"
)
HOUSE = r"\d{1,5}(?:[-/]\d{1,4})?[A-Za-z]?"
COMPASS = r"(?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.?\s+)?"
CAPITALISED = r"[A-ZÀ-Þ][\w'’.-]{0,30}"
ORDINAL = r"\d{1,3}(?:st|nd|rd|th)"
UNIT = (
    r"(?:,?\s+(?:apt|apartment|suite|ste|unit|flat|floor|fl|room|rm"
    r"|no)\b\.?\s*#?\s*[A-Za-z0-9-]{1,6}|,?\s+#\s?\d{1,5}[A-Za-z]?)?"
)

ENGLISH = re.compile(
    rf"(?<![\w.,$€£#-]){HOUSE},?\s+{COMPASS}(?:(?:{CAPITALISED}|{ORDINAL})\s+){{1,4}}"
    rf"(?i:{SUFFIX})(?!\w)(?:\s+(?:N|S|E|W|NE|NW|SE|SW)(?!\w))?(?i:{UNIT})"
)
NOT_A_NAME = (
    r"(?:the|a|an|of|down|up|more|less|other|minutes?|mins?|hours?|miles?|km|blocks?|days?|weeks?"
    r"|months?|years?|times|people|cars?|new|different|big|small|long|short|lane|per|on|in|to|and"
    r"|or"
    r"|to|for|from|with|my|your|his|her|our|their|this|that|these|those|way|open|busy|dirt|toll)"
)
LOWER_CASE = re.compile(
    rf"(?<![\w.,$€£#-]){HOUSE}\s+(?:(?!{NOT_A_NAME}\s)[a-z][a-z'’-]{{1,20}}\s+){{1,3}}"
    rf"(?:{SURE_SUFFIX}|st)(?!\w)(?:{UNIT})",
    re.IGNORECASE,
)
STREET_ONLY = re.compile(
    rf"(?:(?<=\bon )|(?<=\bin )|(?<=\bat )|(?<=\bof )|(?<=\boff )|(?<=\bnear )|(?<=\balong )"
    rf"|(?<=\bto )"
    rf"|(?<=\bfrom ))(?!(?:Wall|Sesame|Fleet|Coronation|Bourbon|Main"
    rf"|High)\s)(?:{CAPITALISED}\s+){{1,3}}"
    rf"(?:Street|Avenue|Road|Lane|Boulevard|Drive|Crescent|Terrace|St\.?|Ave\.?|Rd\.?"
    rf"|Blvd\.?)(?!\w)"
)
# Where somebody lives or stays is an address, with a number or without.
RESIDES = (
    r"liv(?:e[sd]?|ing)|stay(?:s|ed|ing)?|resid(?:e[sd]?|ing)|mov(?:e[sd]?|ing)|park(?:s|ed|ing)?"
    r"|rent(?:s|ed|ing)?|home|house|flat|apartment|address"
)
BETWEEN = r"(?:\s+(?:is|was|just|now|back|again|over|down|up|here|alone|a\s+\w+|with\s+\w+)){0,2}"
# A business that moves is nobody's home.
BUSINESS = [
    "practice",
    "clinic",
    "office",
    "shop",
    "store",
    "company",
    "firm",
    "school",
    "church",
    "market",
    "branch",
    "bank",
]
NOT_A_BUSINESS = "".join(rf"(?<!{each}{verb}\s)" for each in BUSINESS for verb in ("", " is"))
LIVED_IN = re.compile(
    rf"(?<!\w){NOT_A_BUSINESS}(?:{RESIDES}){BETWEEN}\s+(?:on|in|at|off|along|near|to)\s+"
    rf"(?P<street>(?!(?:easy|memory|sesame|wall|fleet)\s)"
    rf"(?:(?!{NOT_A_NAME}\s)[^\W\d_][\w'’.-]{{1,20}}\s+){{1,3}}"
    r"(?:street|avenue|road|lane|boulevard|blvd|drive|crescent|terrace|ave|rd))(?!\w)",
    re.IGNORECASE,
)
PO_BOX = re.compile(
    r"(?<!\w)(?:P\.?\s?O\.?\s?Box|Postfach|Apartado|Postbus|BP)\s+\d{1,6}", re.IGNORECASE
)

GERMANIC = re.compile(
    r"(?<![\w-])(?:(?:[A-ZÄÖÜ][\wäöüß'’-]{2,30}(?:straße|strasse|str\.|gasse|allee|platz|weg|damm"
    r"|-(?:Straße|Strasse|Str\.|Gasse|Allee|Platz|Weg|Damm|Ufer|Ring|Chaussee)|ufer"
    r"|chaussee|straat|laan|plein|gracht|kade|singel|dijk|steeg|dreef|vej|gade|gatan|vägen))"
    r"|(?:(?:[A-ZÄÖÜ][\wäöüß'’-]{1,30}\s){1,2}(?:Straße|Strasse|Str\.|Gasse|Allee|Platz|Weg|Damm"
    r"|Ufer"
    r"|Ring))"
    r"|(?:(?:Am|An der|Im|In der|Unter den|Auf der|Auf dem|Zum|Zur|Beim"
    r"|Hinter der)\s[A-ZÄÖÜ][\wäöüß-]{2,30}))"
    r"\s+\d{1,4}(?:\s?[a-zA-Z](?!\w))?(?:[-/]\d{1,4})?(?![\w%])"
)
PARTICLES = (
    r"(?:(?:de\s+la|de\s+los|de\s+las|de\s+l['’]|de\s+l|del|della|dello|dei|degli|delle|dell['’]"
    r"|des|du|de|dos|das|do|da|di|d['’]|la|le|les|los|las|el|l['’]|san|santa|saint|sainte)\s*)?"
)
NAME_WORDS = rf"{PARTICLES}[\w'’.-]{{2,30}}(?:\s+{PARTICLES}[A-ZÀ-Þ0-9][\w'’.-]{{0,30}}){{0,4}}"
FRENCH = re.compile(
    rf"(?<![\w.,-]){HOUSE}(?:\s?(?:bis|ter|quater))?,?\s+(?i:rue|avenue|av\.|boulevard|bd\.?"
    rf"|place|allée|allee"
    rf"|impasse|chemin|quai|cours|passage|square|route|faubourg|sentier"
    rf"|esplanade)\s+{NAME_WORDS}(?!\w)"
)
STREET_FIRST = (
    r"[Aa]v\.?(?=\s)|[Pp]za\.?|[Pp]ºs?|[Pp]la[çc]a|[Cc]arrer|[Gg]ran\s[Vv][íi]a(?:\s[Dd]e)?"
    r"|[Cc]alle|C/|[Aa]venida|[Aa]vda\.?|[Pp]laza|[Pp]aseo|[Cc]arrera|[Cc]amino|[Rr]onda"
    r"|[Tt]raves[íi]a"
    r"|[Vv]ia|[Vv]iale|[Pp]iazza|[Pp]iazzale|[Cc]orso|[Ll]argo|[Vv]icolo|[Ss]trada"
    r"|[Rr]ua|[Tt]ravessa|[Pp]ra[çc]a|[Aa]lameda|[Ee]strada|[Uu]l\.|[Uu]lica|[Aa]leja"
)
ROMANCE = re.compile(
    rf"(?<!\w)(?:{STREET_FIRST})\s*{PARTICLES}(?:{CAPITALISED})(?:\s+{PARTICLES}{CAPITALISED}){{0,4}}"
    # No telephone's number: "reach her via Tom Reed, 020 7946 0111".
    r",?\s+(?:n[º°o]?\.?\s*)?[1-9]\d{0,4}(?:[-/]?[A-Za-z](?!\w))?"
    r"(?!\w|\s+[a-z]{4}|[ .-]\d{3,4}[ .-]\d|[ .-]\d{6})"
)

US_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM"
    "|NY"
    "|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|PR"
)
UK_POSTCODE = re.compile(
    r"(?<![\w-])(?:GIR\s?0AA|[A-PR-UWYZ](?:\d{1,2}|\d[A-HJKPSTUW]|[A-HK-Y]\d{1,2}|[A-HK-Y]\d[A-Z])"
    r"(?P<gap>\s?)\d[ABD-HJLNP-UW-Z]{2})(?![\w-])",
    re.IGNORECASE,
)
ZIP_AFTER_STATE = re.compile(rf"(?<!\w)(?:{US_STATES}),?\s+(?P<code>\d{{5}}(?:-\d{{4}})?)(?![\w-])")
CANADIAN = re.compile(
    r"(?<![\w-])[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d(?![\w-])"
)
NAMED_CODE = re.compile(
    r"(?<!\w)(?:zip(?:\s?code)?|post(?:al)?\s?code|plz|postleitzahl|code\s+postal"
    r"|c[óo]digo\s+postal"
    r"|cap|cep|postcode|postnummer)(?:\s+(?:is|ist|est|es|è|é|number))?[\s.:#=]*"
    r"(?P<code>\d{5}-\d{3,4}|\d{4}-\d{3}|\d{4}\s?[A-Z]{2}(?!\w)|\d{2}-\d{3}|\d{4,6}"
    r"|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|[A-Z]\d[A-Z][ -]?\d[A-Z]\d)(?![\w-])",
    re.IGNORECASE,
)
CODE_BEFORE_TOWN = re.compile(
    r"(?:(?<=,\s)|(?<=[^\w\s]\s)|(?<=\bin\s)|(?<=\baus\s)|(?<=\bnach\s)|(?<=\bà\s)|(?<=\ba\s)"
    r"|(?<=\ben\s)|(?<=\bte\s))(?P<code>(?:D-|F-|I-|NL-|E-|P-)?(?:\d{5}|\d{4}\s[A-Z]{2}"
    r"|\d{4}-\d{3}))"
    r"(?=\s+[A-ZÄÖÜÀ-Þ][a-zäöüßà-ÿ])"
)
ADDRESS_WORDS = words(
    r"post\s?code|postal|zip|address|lives?|live|living|moved|home|house|delivery|adresse|wohnt"
    r"|wohne"
    r"|(?:um)?gezogen|(?:um)?zieht|leb[te]|leben|wohnhaft|habite|r[ée]side|vive|vivo|abita|mora|moro|woont|woon|anschrift|direcci[óo]n"
    r"|indirizzo"
    r"|endere[çc]o|adres|\w*(?:straße|strasse|str\.|straat|laan|weg|platz)|rue|calle|via|rua|plaza"
)


# What belongs to an address before its number, and behind its street.
BUILDING = (
    rf"(?:{CAPITALISED}\s+){{1,3}}(?:House|Court|Lodge|Mansions?|Apartments|Building|Towers?"
    r"|Cottage|Flats|Heights|Hall|Block)"
)
DWELLING = r"(?:flat|unit|apt\.?|apartment|suite|room|studio|penthouse|block|floor|shop|lot)"
BEFORE_NUMBER = re.compile(
    rf"(?:(?<!\w)(?i:{DWELLING})\s*#?\s?(?:\d{{1,4}}[A-Za-z]?|[A-Z]\d{{0,3}})(?:,\s*|\s*/\s*|\s+)"
    rf"|(?<!\w){BUILDING},\s+){{1,2}}$"
)
BEHIND_STREET = re.compile(rf"(?:,\s+{BUILDING}(?!\w))?")
LONGEST_BEFORE = 64


def widened(text: str, found: Detection) -> Detection:
    """A street address with the flat or the building that stands before or behind it."""
    lead = text[max(0, found.start - LONGEST_BEFORE) : found.start]
    before, behind = BEFORE_NUMBER.search(lead), BEHIND_STREET.match(text, found.end)
    start = found.start - (len(lead) - before.start() if before else 0)
    return replace(found, start=start, end=behind.end() if behind else found.end)


def find_streets(pattern: re.Pattern[str], score: float, text: str) -> Iterator[Detection]:
    """Addresses of one written form, with their flats and buildings."""
    for match in pattern.finditer(text):
        yield widened(text, Detection("STREET_ADDRESS", *match.span(), score, "street_address"))


def find_uk_postcodes(text: str) -> Iterator[Detection]:
    """British postcodes: with a gap and in capitals, or near a word about addresses."""
    for match in UK_POSTCODE.finditer(text):
        if (match["gap"] and match[0].isupper()) or near(text, *match.span(), ADDRESS_WORDS):
            yield _postcode(match, 0)


def find_codes_before_towns(text: str) -> Iterator[Detection]:
    """Continental postcodes: before a capitalised town, near a word about addresses."""
    for match in CODE_BEFORE_TOWN.finditer(text):
        if near(text, *match.span(), ADDRESS_WORDS):
            yield _postcode(match, "code")


def _postcode(match: re.Match[str], group: int | str) -> Detection:
    return Detection("POSTCODE", *match.span(group), 0.75, "postcode")


def _street(trigger: str, pattern: re.Pattern[str], score: float = 0.85) -> Recogniser:
    return Recogniser("street_address", (trigger,), partial(find_streets, pattern, score))


def _code(trigger: str, pattern: re.Pattern[str], group: int | str) -> Recogniser:
    return Recogniser("postcode", (trigger,), matches("POSTCODE", "postcode", pattern, 0.75, group))


RECOGNISERS = (
    _street(
        rf"\d[a-z]?,?\s(?:[^\s\d]\S*\s|\d{{1,3}}(?:st|nd|rd|th)\s){{1,5}}(?:{SUFFIX})\b", ENGLISH
    ),
    _street(rf"\d[a-z]?\s(?:[a-z'’-]+\s){{1,3}}(?:{SURE_SUFFIX}|st)\b", LOWER_CASE),
    Recogniser(
        "street_name",  # without a number it is a place, not an address
        (
            r"\b(?:on|in|at|of|off|near|along|to|from) (?:\S+\s+){1,3}(?:street|avenue|road|lane"
            r"|boulevard|drive|crescent|terrace|st|ave|rd|blvd)\b",
        ),
        matches("LOCATION", "street_name", STREET_ONLY, 0.6),
    ),
    Recogniser(
        "street_address",
        (
            rf"\b(?:{RESIDES})\b.{{1,40}}\b(?:street|avenue|road|lane|boulevard|blvd|drive"
            r"|crescent|terrace|ave|rd)\b",
        ),
        matches("STREET_ADDRESS", "street_address", LIVED_IN, 0.7, "street"),
    ),
    _street(r"box\s+\d|postfach|apartado|postbus|\bbp\s\d", PO_BOX),
    _street(
        r"(?:straße|strasse|str\.|gasse|allee|platz|weg|damm|ufer|chaussee|straat|laan|plein|gracht"
        r"|kade|singel|dijk|steeg|dreef|vej|gade|gatan|vägen|ring)\s+\d"
        r"|\b(?:am|an der|im|in der|unter den|auf de[rm]|zum|zur|beim|hinter der)\s\S+\s+\d",
        GERMANIC,
    ),
    _street(
        r"\d.{0,10}\s(?:rue|avenue|av\.|boulevard|bd\.?|place|allée|allee|impasse|chemin|quai|cours"
        r"|passage|square|route|faubourg|sentier|esplanade)\s",
        FRENCH,
    ),
    _street(
        r"\b(?:av\.?|pza\.?|pº|pla[çc]a|carrer|gran\sv[íi]a|calle|avenida|avda\.?|plaza|paseo|carrera|camino|ronda|traves[íi]a|via|viale|piazza"
        r"|piazzale|corso|largo|vicolo|strada|rua|travessa|pra[çc]a|alameda|estrada|ul\.|ulica"
        r"|aleja)\s"
        r"|c/",
        ROMANCE,
    ),
    Recogniser("postcode", (r"\b[a-z]{1,2}\d{1,2}[a-z]?\s?\d[a-z]{2}\b",), find_uk_postcodes),
    _code(r"\b[a-z]\d[a-z][ -]?\d[a-z]\d\b", CANADIAN, 0),
    _code(rf"\b(?:{US_STATES}),?\s+\d{{5}}", ZIP_AFTER_STATE, "code"),
    _code(r"zip|post|plz|c[óo]digo|\bcap\b|\bcep\b", NAMED_CODE, "code"),
    Recogniser(
        "postcode", (r"(?:\d{5}|\d{4}\s[a-z]{2}|\d{4}-\d{3})\s+\pL\pL",), find_codes_before_towns
    ),
)
