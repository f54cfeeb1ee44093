"""E-mail addresses and URLs."""

import re
from collections.abc import Iterator
from itertools import chain

from detectors.detection import Detection
from detectors.recognisers.base import FOREIGN, LATIN, Recogniser, matches, near, words
from detectors.words.folding import fold
from detectors.words.namelists import is_ordinary, never_names, product_names
from detectors.words.spoken import is_spoken

# Lengths are RFC 5321's; the bounds also keep the match linear on hostile text. What stands before
# the sign is of Latin letters or of others, never of both: a sentence without spaces goes on right
# beside an address. A last label of other letters has such a label before it.
LABELS = r"@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}"
LAST_LABEL = (
    rf"(?:(?:xn--[a-z0-9-]{{2,59}}|[{LATIN}]{{2,24}})(?![{LATIN}\d])"
    rf"|(?<=[^{FOREIGN}]\.)[^{FOREIGN}]{{2,24}}(?![^\W_]))(?!_*@)"
)
HOST = LABELS + LAST_LABEL
SIGNS = ".!#$%&'*+/=?^`{|}~-"
EMAIL = re.compile(
    rf"(?:(?<![{LATIN}\d_.+%'-])[{LATIN}\d_][{LATIN}\d_{SIGNS}]{{0,63}}"
    rf"|(?<![\w.+%'-])[^\W{LATIN}](?:[^\W{LATIN}]|[{SIGNS}]){{0,63}}(?<=[^{FOREIGN}])){HOST}",
    re.IGNORECASE,
)
AT_HOST = re.compile(HOST, re.IGNORECASE)
AT_ANY_HOST = re.compile(r"@(?:[\w-]+\.)+[^\W\d_]{2,}")
BEFORE_AT = ".+%'-"  # with letters and digits: what may stand close before an address
FOREIGN_LETTER = re.compile(rf"[^{FOREIGN}]")
LONGEST = 64  # of what stands before the sign, and of one label behind it
EMAIL_AT_ADDRESS = re.compile(r"[\w.+-]{1,64}@\[(?:\d{1,3}\.){3}\d{1,3}\]")
URL = re.compile(
    rf"(?<![{LATIN}\d_@])(?:[a-z][a-z0-9+.-]{{1,15}}://[^\s<>\"'`\])}}]{{3,2048}}"
    r"|www\d{0,3}\.[^\s<>\"'`\])}]{3,2048})",
    re.IGNORECASE,
)
TOP_LEVEL = (
    "com|org|net|edu|gov|mil|int|info|biz|name|pro|io|ai|app|dev|co|me|tv|cc|xyz|online|site|shop"
    "|blog|cloud|tech|store|space|website|club|live|news|page|link|wiki|example|eu|uk|de|fr|es|it"
    "|pt|nl|be|at|ch|ie|pl|se|no|dk|fi|cz|gr|hu|ro|bg|hr|sk|si|lt|lv|ee|lu|us|ca|mx|br|ar|cl|au"
    "|nz|jp|cn|kr|in|ru|ua|tr|za|il|sg|hk|tw|id"
)
# "ada@example.org2": a number hangs on to it; "tool@1.0.dev1" is a release.
NUMBERED_HOST = re.compile(
    rf"(?=@[\d.-]*[^\W\d][\w-]*\.){LABELS}"
    rf"(?:{TOP_LEVEL}|(?:com|org|net|edu|gov|info)[{LATIN}]{{0,20}})\d+(?![{LATIN}\d@])",
    re.IGNORECASE,
)
BARE_URL = re.compile(
    rf"(?<![{LATIN}\d_.-])(?:[a-z0-9](?:[a-z0-9-]{{0,61}}[a-z0-9])?\.){{1,5}}(?:{TOP_LEVEL})"
    rf"(?:(?::\d{{2,5}})?/[^\s<>\"'`\])}}]{{0,2048}}|(?![{LATIN}\d_@-]|\.\w))",
    re.IGNORECASE,
)
# "e.g. this.is", "report.it" or "Node.js": two-letter ends that are also words need a path.
WORDLIKE_END = re.compile(
    r"\.(?:me|in|it|at|be|no|is|us|so|to|my|co|id|name|live|page|link)$", re.IGNORECASE
)
TRAILING = ".,;:!?'\")]}>…"


def find_glued_emails(text: str) -> Iterator[Detection]:
    """Addresses that hang on to what stands beside them: signs, or too many letters for one."""
    for match in AT_ANY_HOST.finditer(text):
        at = first = match.start()
        foreign = FOREIGN_LETTER.match(text, at - 1) is not None
        while first and _belongs(text[first - 1], foreign=foreign):
            first -= 1
        start = at - len(text[first:at].lstrip(BEFORE_AT))
        if start == at:
            continue
        fits = AT_HOST.match(text, at)
        glued = start > first or at - start > LONGEST
        numbered = None if fits else NUMBERED_HOST.match(text, at)
        if numbered or (fits and glued) or (not fits and match.end() - at > LONGEST):
            end = (numbered or fits or match).end()
            yield Detection("EMAIL_ADDRESS", start, end, 0.95, "email")


def _belongs(char: str, *, foreign: bool) -> bool:
    """Whether a character may belong to an address of Latin letters, or of others."""
    if char in "_" + BEFORE_AT:
        return True
    return char.isalnum() and (foreign or FOREIGN_LETTER.match(char) is None)


def find_urls(text: str) -> Iterator[Detection]:
    """URLs with a scheme or ``www``, and bare host names under well-known top-level domains."""
    for match in URL.finditer(text):
        yield _url(match, 0.9)
    for match in BARE_URL.finditer(text):
        follows_at = text[match.start() - 1 : match.start()] == "@"
        if "/" in match[0] or not (follows_at or WORDLIKE_END.search(match[0])):
            yield _url(match, 0.6)


def _url(match: re.Match[str], score: float) -> Detection:
    length = len(match[0].rstrip(TRAILING))
    return Detection("URL", match.start(), match.start() + length, score, "url")


HANDLE = re.compile(
    rf"(?<![{LATIN}\d_@./+-])@[A-Za-z_][{LATIN}\d_.-]{{1,30}}(?<![.-])(?![{LATIN}\d_@/])"
)
HANDLE_WORDS = words(
    r"twitter|instagram|insta|ig|tiktok|telegram|github|gitlab|discord|mastodon|bluesky|threads"
    r"|snapchat"
    r"|venmo|cash ?app|strava|threema|wechat|soundcloud|pinterest"
    r"|snap|reddit|linkedin|youtube|twitch|handle|username|follow(?:s|ed|ing)?|dm|dms|ping|tag"
    r"|tagged|profile"
)
NAMED_HANDLE = re.compile(
    r"(?<!\w)(?:user\s?name|screen\s?name|login(?:\s+name)?|handle|user\s?id|nickname|gamertag"
    r"|benutzername"
    r"|nom\s+d['’]utilisateur|(?:nombre\s+de\s+)?usuario|nome\s+utente|gebruikersnaam"
    r"|(?:twitter|instagram|insta|telegram|github|discord|reddit|tiktok|snapchat|skype"
    r"|steam)(?:\s+(?:id|handle"
    r"|username|account|user))?)(?:\s+(?:is|ist|est|es|è|é)\s+|\s*[:=]\s*)[\"'`]?"
    r"(?P<value>@?[A-Za-z_][\w.#-]{2,38}\w)",
    re.IGNORECASE,
)
# "My GitHub is falkb": whose it is says that a word is a name there, if it is no ordinary one.
OWN_HANDLE = re.compile(
    r"(?<!\w)(?:my|his|her|their|our|mein|sein|ihr|mon|son|mi|su|(?:il )?mio|mijn)"
    r" (?:twitter|instagram|insta|telegram|github|gitlab|discord|reddit|tiktok|snapchat|skype|steam"
    r"|twitch|linkedin|mastodon|bluesky|venmo)(?:[ -](?:handle|name|account|user(?:name)?|id))?"
    r"(?: (?:is|ist|est|es|è)(?: called)?|:) [\"'`]?(?P<value>[a-z_][a-z0-9_.-]{2,38}[a-z0-9_])"
    r"(?![\w@/]|\.\w)",
    re.IGNORECASE,
)
_NETWORKS = (
    r"twitter|instagram|insta|ig|telegram|github|gitlab|discord|reddit|tiktok|snapchat|snap|skype"
    r"|steam|twitch|linkedin|mastodon|bluesky|venmo|threads|strava|soundcloud|psn|xbox"
)
_ACCOUNT = r"(?P<value>[a-z_][a-z0-9_.-]{2,38}[a-z0-9_])(?![\w@/]|\.\w)"
# "GitHub handle is falkb", "add me on snap: falkb", "I go by falkb on Reddit": in small letters.
SAID_HANDLES = tuple(
    re.compile(rf"(?<!\w)(?i:{before}) [\"'`]?{_ACCOUNT}{behind}")
    for before, behind in (
        (rf"(?:{_NETWORKS})[ -](?:handle|name|user(?:name| name)?|nick(?:name)?|login|id|tag)"
         r"(?: is|:| =)?", ""),
        (r"(?:my|his|her|their|our) (?:handle|user ?name|screen ?name|nick(?:name)?|gamer ?tag"
         rf"|login)(?: (?:on|at|for) (?:{_NETWORKS}))?(?: is|:| =)", ""),
        (rf"on (?:{_NETWORKS})(?: i['’]?m| i am| as|:| under)", ""),
        (rf"(?:^|\n|[.;(] ?)(?:{_NETWORKS}):", ""),
        (r"i (?:go by|post as|am|play as)|known as|find me as|i['’]m",
         rf"(?= on (?i:{_NETWORKS})\b)"),
    )
)  # fmt: skip
# "u/falkb" on Reddit; not "20 u/day".
REDDIT = re.compile(r"(?<![\w/.-])(?<!\d )/?u/[A-Za-z0-9_][\w-]{2,19}(?![\w/-]|\.\w)")
# "The login is broken": an ordinary word has neither digits nor joints.
HANDLE_LIKE = re.compile(r"@|[\d_.#-]")


def find_handles(text: str) -> Iterator[Detection]:
    """Account names that the text calls so, and handles near the name of a network."""
    for match in HANDLE.finditer(text):
        if near(text, *match.span(), HANDLE_WORDS):
            yield Detection("USERNAME", *match.span(), 0.7, "handle")
    for match in NAMED_HANDLE.finditer(text):
        named = match[0].lower().startswith(("username", "user name", "benutzername", "gamertag"))
        if HANDLE_LIKE.search(match["value"]) or (named and ":" in match[0]):
            yield Detection("USERNAME", *match.span("value"), 0.75, "username")
    for match in OWN_HANDLE.finditer(text):
        if HANDLE_LIKE.search(match["value"]) or not is_ordinary(fold(match["value"])):
            yield Detection("USERNAME", *match.span("value"), 0.75, "username")


def find_said_handles(text: str) -> Iterator[Detection]:
    """Account names in small letters behind or before the name of a network, and Reddit's."""
    for match in chain.from_iterable(pattern.finditer(text) for pattern in SAID_HANDLES):
        if _is_account(match["value"]):
            yield Detection("USERNAME", *match.span("value"), 0.75, "username")
    for match in REDDIT.finditer(text):
        yield Detection("USERNAME", *match.span(), 0.8, "username")


def _is_account(value: str) -> bool:
    """Whether a word may be an account, and is no word, program or mere first name."""
    folded = fold(value)
    known = is_ordinary(folded) or is_spoken(folded) or folded in never_names() | product_names()
    return bool(HANDLE_LIKE.search(value)) or not known


RECOGNISERS = (
    Recogniser("email", ("@",), matches("EMAIL_ADDRESS", "email", EMAIL, 0.95)),
    Recogniser("email", ("@",), find_glued_emails),
    Recogniser("email", (r"@\[",), matches("EMAIL_ADDRESS", "email", EMAIL_AT_ADDRESS, 0.9)),
    Recogniser("url", (r"://", r"www", rf"[a-z0-9]\.(?:{TOP_LEVEL})(?:\W|$)"), find_urls),
    Recogniser(
        "username",
        (
            r"(?:^|[^\w@./+-]|[^\x00-\x7f])@[a-z_]",
            r"user|screen\s?name|login|handle|nickname|gamertag|benutzername|utilisateur|usuario"
            r"|utente"
            r"|twitter|insta|telegram|github|gitlab|discord|reddit|tiktok|snapchat|skype|steam"
            r"|twitch|linkedin|mastodon|bluesky|venmo",
        ),
        find_handles,
    ),
    Recogniser(
        "username",
        (rf"\b(?:{_NETWORKS})\b", r"user|screen ?name|login|handle|\bnick|gamer ?tag|\bu/\w"),
        find_said_handles,
    ),
)
