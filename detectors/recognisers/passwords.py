"""Passwords, passphrases, PINs and the codes of locks, where the text calls them so."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.readings.obfuscation import DIGIT_WORD
from detectors.recognisers.base import Recogniser, matches, words
from detectors.recognisers.no_secrets import (
    NAMES_OF_METHODS,
    NO_PASSWORD,
    is_no_secret,
    is_sentence,
    tells,
)
from detectors.recognisers.secret_values import is_compound, looks_generated
from detectors.words.namelists import stop_words

CLEAR_WORDS = (
    r"p[a@4][s$5]{1,3}[\s_-]?(?:w[o0]r[dt]|code|phrase)|passwd|pass?wrd|pswd|psw|pwd"
    r"|(?:wlan|wifi|wi-fi)-?(?:passwort|kennwort|schl[üu]ssel)|kennwort|mot\s+de\s+passe|mdp"
    r"|contrase[ñn]a|senha|parola\s+d['’]ordine|wachtwoord|has[łl]o"
    r"|(?:wifi|wi-fi|wlan|login)\s+(?:pass|key)|(?:security|secret)\s+(?:question\s+)?answer"
)
SHORT_WORDS = r"pass|pw"  # also in "boarding pass", "pass: 12 of 14"
PURPOSE = (
    r"(?:\s+(?:for|to|of|on|f[üu]r|zum|pour|del?|du|do|da|van|voor)\s+(?:(?:the|my|our|das|den"
    r"|die|le|la|el|il|o|het|de)\s+)?[\w.-]{1,30}(?:\s[\w.-]{1,20})?|\s+(?:wi-?fi|wlan|router|e-?mail|bank))?"
)
SAYS = r"\s*(?:[:=]|->|=>)\s*"
IS = r"\s+(?:is|was|are|ist|lautet|est|es|è|é)\s*:?\s+(?:still\s+|now\s+)?"
VALUE = (
    r"(?:\"(?P<quoted>[^\"\n]{3,128})\"|'(?P<single>[^'\n]{3,128})'|`(?P<ticked>[^`\n]{3,128})`"
    r"|(?P<bare>[^\s\"'`,;]{3,128}))"
)
PASSWORD = re.compile(
    rf"(?<![A-Za-z])(?:{CLEAR_WORDS}){PURPOSE}(?:{SAYS}|{IS}){VALUE}", re.IGNORECASE
)
IN_SETTING = re.compile(
    rf"(?<![\w.-])[A-Za-z][\w.-]{{0,60}}?(?:password|passwd|passphrase|pwd|[_-]pass)\s?=\s?{VALUE}",
    re.IGNORECASE,
)
# Without "is" or a colon, or after a word of many meanings, the value must look like a password.
UNSAID = re.compile(
    rf"(?<![A-Za-z])(?:(?:{CLEAR_WORDS}|pw)(?:['’]s)?\s+|(?:{SHORT_WORDS})(?:{SAYS}|{IS})"
    rf"|(?:{SHORT_WORDS})\s+(?-i:(?=\S{{0,30}}[A-Z])(?=\S{{0,30}}\d)))"
    r"[\"'`]?(?P<value>[^\s\"'`,;]{4,64})",
    re.IGNORECASE,
)
PASSWORD_LIKE = re.compile(r"(?=.*[^\W\d_])(?=.*[\d!@#$%^&*+?]).{5,}|\d{4,12}", re.IGNORECASE)
SAID_BEFORE = re.compile(
    r"(?<![^\s\"'`])(?P<value>[^\s\"'`,;]{5,64})[\"'`]?\s+(?:is|as)\s+(?:my|his|her|their|our|the)\s+"
    rf"(?:[\w-]{{1,20}}\s+)?(?:{CLEAR_WORDS})(?!\w)",
    re.IGNORECASE,
)
PHRASE = re.compile(
    rf"(?<![A-Za-z])(?:(?P<named>pass[\s_-]?phrase)|{CLEAR_WORDS}|pw){PURPOSE}(?:{SAYS}|{IS})"
    r"(?P<value>\w[\w'’-]{0,23}(?:[ _-][\w'’-]{1,24}){1,11})(?=\s*(?:[.,;:!?)\n]|$))",
    re.IGNORECASE,
)
NEXT_CLAUSE = re.compile(
    r"(?<!\s)\s++(?:and|but|so|because|which|please|thanks|ok|und|et|y|e|en)\s+"
    r"(?:my|the|his|her|our|it|its|i|we|they|you|your|is|don['’]?t|do|keep|mein|mon|mi|mijn)\b.*",
    re.IGNORECASE,
)
FUNCTION_WORDS = words(
    r"at|for|the|to|all|is|are|of|in|on|by|with|be|must|should|we|you|your|i|he|she|they|it|from"
    r"|will|was|were|has|have|had|can|cannot|not|than|every|each|if|when|until|a|an|my|his|her"
)

SPELLED = rf"(?:{DIGIT_WORD})(?:[\s,-]+(?:{DIGIT_WORD})){{3,9}}"
DIGITS = r"\d(?:[ -]?\d){2,9}"
PIN = re.compile(
    r"(?<!\w)(?:pin(?:\s?code|\s?number|-?nummer)?|cvv2?|cvc2?|otp|one[- ]time\s+(?:code|password)"
    r"|verification\s+code|security\s+code|(?:access|entry|unlock|passcode)\s+code|passcode|puk)"
    r"(?:\s+(?:for|to|of|on|f[üu]r)\s+[\w\s]{1,24}?)?"
    rf"(?:\s+(?:is|was|ist|lautet|est|es)|['’]s)?\s*[:=#]?\s*(?P<value>#?{DIGITS}#?|{SPELLED})(?![\w-])",
    re.IGNORECASE,
)
LOCKED = (
    r"alarm(?:\s+system)?|safe|lock|padlock|lockbox|lock\s?box|locker|door|gate|garage|entrance"
    r"|entry|building|house|flat|apartment|cellar|shed|suitcase|luggage|bike|bicycle|keypad"
    r"|key\s?safe|vault|cabin|voicemail|elevator|lift|storage(?:\s+unit)?|strongbox|drawer|tablet"
    r"|ipad|phone|laptop|sim|card"
    r"|alarmanlage|haust[üu]r|t[üu]r|tor|tresor|keller|spind|fahrradschloss|schloss"
    r"|porte|portail|immeuble|alarme|coffre(?:-fort)?|cadenas|puerta|alarma|caja\s+fuerte"
    r"|candado|portal|porta|allarme|cassaforte|cancello|lucchetto|cofre|port[ãa]o|cadeado|deur"
    r"|kluis|poort|fietsslot|slot"
)
OPENER = r"(?:code|combination|combo|c[óo]digo|codice|kombination|combinaison|combinaci[óo]n)"
TURNS = r"\d{1,2}\s(?:left|right|[LR])(?:,?\s(?:then\s)?\d{1,2}\s(?:left|right|[LR])){1,4}"
OPENING = (
    rf"(?P<value>{SPELLED}|{TURNS}|[#*]?[A-Z]?\d(?:[ /.-]{{0,3}}\d){{2,11}}[A-Z*#]?"
    r"|(?=[\dA-Z]{4,6}(?!\w))\d{1,4}[A-Z]\d{1,4}[*#]?)"
    r"(?![\w]|[./:-]\d|\s?%)"
)
TO_OPEN = re.compile(
    r"(?<!\w)(?:code|number|pin)\s+(?P<value>#?\d(?:[ -]?\d){2,9}#?)\s+(?:to\s+)?(?:opens?|unlocks?"
    r"|disarms?|get\s+in)(?!\w)",
    re.IGNORECASE,
)
OPENED_WITH = re.compile(
    r"(?<!\w)(?:unlock|open|disarm|get\s+into)s?\s+(?:[\w'’]{1,12}\s+){0,2}?"
    rf"(?:{LOCKED})\s+(?:with|using|by)\s+(?:(?:the\s+)?(?:code|pin)\s+)?{OPENING}"
    rf"|(?<!\w)(?:safe|locker|padlock|lock|vault)\s*[:=]\s*(?P<groups>\d{{1,2}}(?:-\d{{1,2}}){{2,4}})(?![\w-])",
    re.IGNORECASE,
)
LOCK_CODE = re.compile(
    rf"(?<!\w)(?:(?:{LOCKED})(?:['’]s)?(?:\s+(?:door|lock|gate))?[\s-]?{OPENER}"
    rf"|(?:{OPENER}|number|pin)\s+(?:(?:for|to|of|on|f[üu]r|zum|zur|del?|du|della|do|da|van)\s+"
    rf"(?:[\w'’]{{1,12}}\s+){{0,3}}?(?:[ld]['’])?|dell['’])(?:{LOCKED})"
    rf"|{OPENER}\s+(?:{LOCKED})|digicode|(?:lock|key)\s?box|key\s?safe|padlock|(?:bike|combination)"
    rf"\s+lock|(?:{LOCKED})\s+(?:opens|unlocks)\s+(?:with|on|at|using)"
    rf"|(?<!winning )(?:combination|combo)(?=\W+(?:is\s+)?\d{{1,2}}[ /-]\d{{1,2}}[ /-]\d))"
    rf"(?:\s+(?:door|lock|gate|is|was|ist|lautet|est|es|è|é|now|still|to|number)|['’]s){{0,3}}"
    rf"\s*[:=]?\s*{OPENING}",
    re.IGNORECASE,
)
# "Gate: 2291#" and "Alarm is 8802"; not "Gate 22" and "alarm: 0630", which is a time.
BESIDE_LOCK = re.compile(
    r"(?<!\w)(?:gate|door|entrance|garage|building|alarm|porte|portail|t[üu]r|tor|puerta|portal)"
    r"(?:\s+(?:is|ist|est|es)\s+|\s*[:=]\s*|\s+)(?P<marked>[#*]\d{3,8}[#*]?|\d{3,8}[#*])(?!\w)"
    r"|(?<!\w)alarm(?:\s+is\s+|\s*[:=]\s*)(?P<alarm>(?!(?:[01]\d|2[0-3])[0-5]\d(?!\d))\d{4,6})"
    r"(?![\w]|[./:-]\d|\s?%)",
    re.IGNORECASE,
)
IN_URL = re.compile(r"://[^\s/:@]{0,64}:(?P<value>[^\s/]{1,128})@")
# Bare: ``wifi: Tulip9xBlue``; a network's own name, a standard or a device is no password.
WIFI = re.compile(
    r"(?<![\w-])(?:WIFI:(?:[TSH]:[^;\n]{0,64};){0,3}P:(?P<scanned>[^;\n]{3,64});"
    r"|(?:wi-?fi|wlan)(?:\s(?:home|guest|office|zu hause|g[äa]ste))?\s?[:=]\s{0,3}"
    r"(?:[^\s/|,:]{2,32}\s?[/|,]\s?)?[\"'`]?"  # the network's name before it
    r"(?P<value>[^\s\"'`,;]{6,64}))",
    re.IGNORECASE,
)
NETWORK = re.compile(
    r"(?:fritz!?box|vodafone|telekom|o2|tp-?link|netgear|asus|d-?link|linksys|speedport|easybox|xfinity|bt|sky"
    r"|ssid|guest|home|office|intel|realtek|broadcom|wpa\d?|wlan|wi-?fi|channel|kanal|802)[\W_]?.*"
    r"|[A-Z]{1,9}-?\d{2,6}[A-Z]{0,3}|.*(?:\d[GMk]?(?:Hz|bps|bit)|dBm?|ms|\.\w{1,3})",
    re.IGNORECASE,
)
SEED_PHRASE = re.compile(
    r"(?<!\w)(?:seed|recovery|mnemonic|backup)\s+phrase(?:\s+is)?\s*[:=]?\s*[\"']?"
    r"(?P<value>(?:[a-z]{3,8}[\s,]+){11,23}[a-z]{3,8})",
    re.IGNORECASE,
)


def find_passwords(text: str) -> Iterator[Detection]:
    """What the text calls a password, in whatever way it says so."""
    for pattern in (PASSWORD, IN_SETTING):
        for match in pattern.finditer(text):
            group = str(match.lastgroup)
            yield from _password(match, group, bare=group == "bare")
    for pattern in (UNSAID, SAID_BEFORE):
        for match in pattern.finditer(text):
            value = match["value"].rstrip(".!?)")
            if PASSWORD_LIKE.fullmatch(value) and not NAMES_OF_METHODS.fullmatch(value):
                yield from _password(match, "value", bare=True)


def _password(match: re.Match[str], group: str, *, bare: bool) -> Iterator[Detection]:
    value = match[group].rstrip(".!?)") if bare else match[group]
    start = match.start(group)
    said = bare and is_sentence(match.string, start, start + len(value))
    if value and not said and not is_no_secret(value, quoted=not bare):
        yield Detection("PASSWORD", start, start + len(value), 0.85, "password")


def find_of_networks(text: str) -> Iterator[Detection]:
    """Passwords of wireless networks that only the network's kind stands before."""
    for match in WIFI.finditer(text):
        value = match[str(match.lastgroup)].rstrip(".!?)")
        odd = looks_generated(value) or is_compound(value)
        if match["scanned"] or (odd and NETWORK.fullmatch(value) is None):
            start = match.start(str(match.lastgroup))
            yield Detection("PASSWORD", start, start + len(value), 0.8, "network_password")


def find_lock_codes(text: str) -> Iterator[Detection]:
    """What opens a lock, a phone or a safe."""
    for pattern in (LOCK_CODE, TO_OPEN, OPENED_WITH, BESIDE_LOCK):
        for match in pattern.finditer(text):
            group = str(match.lastgroup)
            yield Detection("PASSWORD", *match.span(group), 0.8, "lock_code")


def find_phrases(text: str) -> Iterator[Detection]:
    """Passwords of several words, up to the end of the phrase."""
    for match in PHRASE.finditer(text):
        value = NEXT_CLAUSE.sub("", match["value"])
        count = len(value.split())
        if tells(value.split()[0]):
            continue
        said_so = FUNCTION_WORDS.search(value) or value.split()[0].lower() in stop_words()
        ordinary = said_so or count < 3
        said = match["named"] and not NO_PASSWORD.fullmatch(value.split()[0])
        if not ordinary or (said and count > 1):
            start = match.start("value")
            yield Detection("PASSWORD", start, start + len(value), 0.8, "passphrase")


NAMED = (
    r"p[a@4][s$5][s$5]|pwd|psw|\bpw\b|kennwort|contrase|senha|parola|wachtwoord|has[łl]o|\bmdp\b"
    r"|schl[üu]ssel|(?:wifi|wi-fi|wlan|login)\s+key"
)
OTHERWISE = r"paswo|(?:security|secret)\s"

RECOGNISERS = (
    Recogniser("passwords", (NAMED, OTHERWISE), find_passwords),
    Recogniser("network_password", (r"(?:wi-?fi|wlan)[^\n]{0,12}[:=]",), find_of_networks),
    Recogniser("passphrase", (NAMED,), find_phrases),
    Recogniser(
        "pin",
        (r"\bpin|cv[vc]|\botp|code|puk|one[- ]time",),
        matches("PASSWORD", "pin", PIN, 0.85, "value"),
    ),
    Recogniser(
        "lock_code",
        (
            r"code|comb|c[óo]digo|codice|kombination|(?:number|pin)\s+(?:for|to|of|on)"
            r"|(?:open|unlock|disarm|get\s+into)s?\s|(?:safe|lock|locker|vault)\s*[:=]"
            r"|digicode|lock|key\s?(?:box|safe)|alarm|[#*]\d|\d[#*]",
        ),
        find_lock_codes,
    ),
    Recogniser(
        "url_password",
        (r"://[^\s/:@]{0,64}:",),
        matches("PASSWORD", "url_password", IN_URL, 0.85, "value"),
    ),
    Recogniser(
        "seed_phrase",
        (r"(?:seed|recovery|mnemonic|backup)\s+phrase",),
        matches("PASSWORD", "seed_phrase", SEED_PHRASE, 0.85, "value"),
    ),
)
