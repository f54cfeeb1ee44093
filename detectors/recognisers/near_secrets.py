"""Passwords by nearness: what looks generated in a sentence that speaks of a password.

``Mon mot de passe Netflix : q9!Lm2``, ``Enter q9!Lm2 at the password prompt``: the ways to say it
have no end, but few sentences about passwords hold another such word.
"""

import re
from collections.abc import Iterator

import re2

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser
from detectors.recognisers.no_secrets import is_no_secret
from detectors.recognisers.secret_values import is_compound, looks_generated

RECOGNISER = "near_secret"
SCORE = 0.7
REACH = 120  # code points on either side of the name, within its sentence

_NAMES = "|".join(
    (
        # a password, in twenty languages
        r"pass[ _-]?(?:words?|codes?|phrases?)|passwd|\bpwd?\b",
        r"passw[oö]rt\w{0,2}|kennw[oö]rt\w{0,2}",
        r"mots?\s+de\s+passe|\bmdp\b",
        r"contrase[ñn]as?|senhas?|parola\s+d['’]ordine|wachtwoord\w{0,2}",
        r"has[łl][oa]|парол\w{0,3}",
        r"l[öo]senord\w{0,2}|passord\w{0,2}|adgangskode\w{0,2}|salasana\w{0,2}",
        r"heslo|şifre\w{0,3}|jelsz[óo]\w{0,3}|κωδικ\w{0,3}",
        r"كلمة (?:السر|المرور)|סיסמ\w{0,3}|पासवर्ड|รหัสผ่าน|mật khẩu|kata sandi",
        # what opens a network, a disk or a device
        r"\bssid\b",
        r"(?:bitlocker|filevault|luks|wep|wpa\d?|wi-?fi|wlan|encryption|recovery|master|vault|unlock)"
        r"[ -]key",
        r"unlock(?:s|ed)?\s+(?:with|using|by)|unlock\s+code",
        r"(?:wlan|wi-?fi|netzwerk)[- ]?schl[üu]ssel",
    )
)
NAME = re2.compile(rf"(?i){_NAMES}")
BREAK = re.compile(r"[.?](?=\s)|(?<!\d)!(?=\s)|\n|[。！？]")
WORD = re.compile(r"[^\s\"'`“”„«»‘’,;<>|，、；]{5,64}")
LEADING, TRAILING = "([{*_", ".,:!?)]}*>…"
# What is written like a password, and is a path, code, a ticket, a file, keys or an amount.
OTHERWISE = re.compile(
    "|".join(
        (
            r".*[/\\(){}\[\]=].*|[#$@&%+~€£§-].*|&\w+;.*",  # a path, code, an option
            r"[A-Z]{2,10}-?\d+|[0-9a-f]{6,40}|[\w-]*\.[A-Za-z]{1,4}\d?",  # a ticket, digest, file
            r"\d[\d.,:_-]*\w{0,4}|\S*\d(?:[€£%]|[kMG]?Hz)",  # an amount
            r"[^\W\d_]+(?:\+[^\W_]+)+|[^\W\d_]+[&?!*#%]{1,2}[^\W\d_]*",  # keys, words with signs
            r"\S+@[\w.-]+\.\w{2,}|\w+@[a-z\d.-]+|[\w.-]+:\d+",  # an address, a port
            r"v?\d+(?:\.\d+)+\S*",  # a version
            r"(?i:cve|ghsa|rfc|iso|pci|nist|sp|fips|din|en)[- ]?\d\S*|(?i:cve|ghsa)-\S*",  # a norm
            r"(?:Q[1-4]|H[12]|FY)[\dFY]{2,8}",  # a part of a year
        )
    )
)
# Nothing but a password is written so: signs within, or letters and digits in turns.
STRONG = re.compile(
    r"(?=\S*[^\W\d_])(?=\S*\d)\S*[^\W_][!#$%^&*?~@€£§_]+[^\W_]\S*|\w*[^\W\d_]\d+[^\W\d_]+\d\w*"
    r"|\S*[^\W_]\d[!#$%^&*?~@€£§]"
)
# Behind the name, what is spoken of: the manager of the passwords, not one of them.
THINGS = re.compile(
    r"\s+(?:managers?|polic(?:y|ies)|hints?|hash(?:es)?|length|generators?|files?|app|stores?|type"
    r"|rules?|provider|algorithm|review|rotation|reset|strength|email|dialog|field)(?!\w)",
    re.IGNORECASE,
)
# Before it, these say that it names something else.
OTHER_BEFORE = re.compile(
    r"(?<!\w)(?:user(?:name)?s?|ssid(?: is)?|login|account|benutzer(?:name)?|konto|by|named|called"
    r"|host|server|device|machine|node|router|ticket|issue|version|release|build|model|room|order"
    r"|commit|branch|tag|file)\s*[:=#]?\s*\Z",
    re.IGNORECASE,
)
# Behind these, what may be a name of a thing is no password: "for my-old-laptop".
LEADS_ELSEWHERE = re.compile(
    r"(?<!\w)(?:the|a|an|my|our|your|his|her|their|this|that|some|any|each|every"
    r"|for|of|in|on|at|to|from|and|or|via"
    r"|de[rmsn]?|die|das|ein\w{0,2}|mein\w{0,2}|jede[nrs]?|f[üu]r|von|im|am"
    r"|le|la|les|un|une|du|pour|chaque|el|los|una|del|para|cada|il|di|per|ogni"
    r"|het|een|voor|van|elke)\s+\Z",
    re.IGNORECASE,
)
# ``otter:q9!Lm2@db``: who logs in where, and with what.
AT_HOST = re.compile(
    r"(?<![^\s\"'`(=])[A-Za-z][\w.-]{1,31}:(?P<value>[^\s\"'`/:]{6,64})"
    r"@[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}(?::\d{2,5})?(?![\w@])"
)
# Codes for when a device is lost: one or a list of them.
CODES = re.compile(
    r"(?<![^\W_])(?:backup|recovery|rescue|scratch|emergency|wiederherstellungs|ersatz"
    r"|(?:2fa|mfa|totp)[ -]backup)[ -]?(?:verification[ -])?codes?\b[^\n\d:=]{0,24}?[:=]?\s{0,3}",
    re.IGNORECASE,
)
CODE = re.compile(
    r"(?:[-*•]\s|\d{1,2}[.)]\s)?(?P<value>(?=[\w-]*\d)[0-9A-Za-z]{3,8}(?:-[0-9A-Za-z]{3,8}){1,4}"
    r"|\d{3,4} \d{3,4}|\d{6,10})"
    r"(?![\w-])[,;\s]{0,3}(?:and\s|und\s|or\s)?"
)
MOST_CODES = 20


def find_near_secrets(text: str) -> Iterator[Detection]:
    """Words that look generated, in the sentence of a word for a password."""
    done = 0
    for name in NAME.finditer(text):
        start, end = _sentence(text, *name.span())
        elsewhere = THINGS.match(text, name.end()) is not None
        for word in WORD.finditer(text, max(start, done), end):
            first, last = _bare(text, *word.span())
            apart = first >= name.end() or last <= name.start()
            if apart and _is_secret(text, start, first, last, elsewhere=elsewhere):
                yield Detection("PASSWORD", first, last, SCORE, RECOGNISER)
        done = max(done, end)


def find_at_hosts(text: str) -> Iterator[Detection]:
    """Passwords between a user and a host, without a scheme before them."""
    for match in AT_HOST.finditer(text):
        value = match["value"]
        if looks_generated(value) or is_compound(value):
            yield Detection("PASSWORD", *match.span("value"), SCORE, RECOGNISER)


def find_codes(text: str) -> Iterator[Detection]:
    """Backup codes of an account, behind that word."""
    for lead in CODES.finditer(text):
        at = lead.end()
        for _ in range(MOST_CODES):
            code = CODE.match(text, at)
            if code is None:
                break
            if any(part.isalpha() for part in code["value"].split("-")):
                break
            yield Detection("PASSWORD", *code.span("value"), SCORE, RECOGNISER)
            at = code.end()


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence around a name, no further than ``REACH`` from it."""
    first = max(0, start - REACH)
    for broken in BREAK.finditer(text, first, start):
        first = broken.end()
    broken_behind = BREAK.search(text, end, end + REACH)
    return first, broken_behind.start() if broken_behind else min(len(text), end + REACH)


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in LEADING:
        start += 1
    while end > start and text[end - 1] in TRAILING:
        end -= 1
    return start, end


def _is_secret(text: str, sentence: int, start: int, end: int, *, elsewhere: bool) -> bool:
    """Whether a word of a sentence is the secret that it speaks of.

    Args:
        elsewhere: the sentence speaks of a thing of passwords, such as their manager.
    """
    value, before = text[start:end], text[sentence:start]
    if OTHER_BEFORE.search(before) or is_no_secret(value, quoted=False):
        return False
    if not is_compound(value):
        if not looks_generated(value) or OTHERWISE.fullmatch(value):
            return False
        if STRONG.fullmatch(value):
            return True
    return not elsewhere and LEADS_ELSEWHERE.search(before) is None


RECOGNISERS = (
    Recogniser(RECOGNISER, (_NAMES,), find_near_secrets),
    Recogniser(RECOGNISER, (r"codes?\b",), find_codes),
    Recogniser(RECOGNISER, (r":[^\s/:]{6,64}@",), find_at_hosts),
)
