"""Credentials of machines: tokens of known issuers, random-looking strings."""

import math
import re
from collections import Counter
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.readings.encodings import opens_as_text
from detectors.recognisers.base import Recogniser, before

ISSUED = re.compile(
    r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Z])"
    r"|(?<![\w])(?:(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}"
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{22,255}|glpat-[\w-]{20,64}|gl(?:dt|rt"
    r"|cbt)-[\w-]{20,64}"
    r"|xox[abeoprs]-[\w-]{10,250}|xapp-\d-[\w-]{20,200}"
    r"|(?:sk|rk|pk)_(?:live|test)_\w{10,200}|whsec_\w{16,128}"
    r"|sk-(?:ant|proj|or|svcacct)-[\w-]{16,250}|sk-[A-Za-z0-9]{20,128}|m0-[A-Za-z0-9]{20,80}"
    r"|AIza[\w-]{35}|ya29\.[\w-]{20,250}|GOCSPX-[\w-]{20,64}"
    r"|hf_[A-Za-z0-9]{20,64}|npm_[A-Za-z0-9]{30,64}|pypi-AgE[\w-]{40,250}|dckr_pat_[\w-]{20,64}"
    r"|SG\.[\w-]{16,32}\.[\w-]{30,64}|(?:AC|SK)[0-9a-f]{32}|key-[0-9a-f]{32}"
    r"|dop_v1_[0-9a-f]{64}|lin_api_\w{30,64}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}|sq0(?:atp"
    r"|csp)-[\w-]{22,64}"
    r"|hvs\.[\w-]{20,250}|tskey-[\w-]{20,100}|r8_\w{30,64}|gsk_\w{30,80}|xai-\w{30,120}"
    r"|(?:bot)?\d{6,10}:AA[\w-]{32,35})"
    # Sure by their own form, whatever hangs on before: "nreyJ…", "id_ghp_…".
    r"|(?:(?<![\w])|(?<=[A-Za-z]{2})|(?<=_))(?:gh[pousr]_[A-Za-z0-9]{36,255}"
    r"|eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}(?:\.[\w-]{0,2000})?)"
)
WEBHOOK = re.compile(
    r"https://(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/[\w/-]{20,200}"
)
AUTHORIZATION = re.compile(
    r"(?<!\w)(?:bearer|basic|token)\s+(?P<value>[A-Za-z0-9+/_.~-]{16,2000}={0,2})", re.IGNORECASE
)
NAMED_KEY = re.compile(
    r"(?<![A-Za-z])(?:api[\s_-]?(?:key|token|secret)|secret[\s_-]?(?:access[\s_-]?)?(?:key|token)?"
    r"|access[\s_-]?(?:key|token)"
    r"|auth[\s_-]?(?:key|token)|client[\s_-]?secret|refresh[\s_-]?token|private[\s_-]?key"
    r"|encryption[\s_-]?key"
    r"|signing[\s_-]?key|token|license[\s_-]?key|recovery[\s_-]?(?:key|code)|seed[\s_-]?phrase)"
    r"(?:\s+(?:is|was|for\s+\w{1,20}\s+is|ist|est|es))?\s*[:=]?\s*[\"'`]?"
    r"(?P<value>[A-Za-z0-9][\w./+=~-]{7,511})",
    re.IGNORECASE,
)
SETTING = re.compile(
    r"(?<![\w-])(?!(?i:primary|foreign|sort|partition|cache|public|group|row|map|hot|short|answer))"
    r"[A-Za-z][\w-]{0,40}?(?:[_-](?i:key|token|secret|pat|credentials?)"
    r"|(?<=[a-z])(?:Key|Token|Secret))"
    r"[\"']?\s*[:=]\s*[\"'`]?(?P<value>[A-Za-z0-9][\w./+~-]{7,511}={0,2})"
)
RANDOM = re.compile(r"(?<![\w/.:@+=-])[A-Za-z0-9_+/-]{20,200}={0,2}(?![\w/.:@])")
# BitLocker's: eight groups, each eleven times a number of sixteen bits.
DISK_KEY = re.compile(
    r"(?<![\w-])\d{6}(?P<gap>[ \u00a0]|\s?[-\u2010-\u2013]\s?)(?:\d{6}(?P=gap)){6}\d{6}(?![\w-])"
)
# What names a value that nobody has to keep: a place in a list, a digest of public bytes.
HARMLESS_NAME = re.compile(
    r"(?:(?:next|prev(?:ious)?|page|paging|pagination|continuation|continue|sync|delta|skip|resume"
    r"|start(?:ing)?|scroll|list|watch|batch)[\s_-]?(?:page|list|sync)?[\s_-]?token|cursor"
    r"|continuation|next[\s_-]?(?:page)?|integrity|digest|etag|checksum|(?:sha|md)[-_]?\d{1,3}(?:sum)?|fingerprint)"
    r"[\\\"'`]{0,34}\s{0,3}[:=-]?\s{0,3}[\\\"'`]{0,34}\Z",
    re.IGNORECASE,
)
NAME_REACH = 48
# A key of Ethereum and its kin, unless it is said to be what everybody may see: hashes look alike.
CHAIN_KEY = re.compile(r"(?<![\w/])0x[0-9a-fA-F]{64}(?![0-9a-zA-Z])")
ON_CHAIN = re.compile(
    r"(?<![a-z])tx|transaction|block|hash|root|topic|digest|receipt|event|commit|slot|keccak|sha-?\d|bytes32"
    r"|selector|salt|nullifier|proof|calldata|uint256|public|transaktion",
    re.IGNORECASE,
)
# Names that services give to what they keep: ``run_abc123DEF456ghi789``.
IDENTIFIER = re.compile(
    r"(?:run|thread|msg|asst|file|batch|call|toolu|req|request|resp|evt|event|job|task|step|cus|ch|pi"
    r"|sub|in|inv|price|prod|org|proj|acct|ord|order|trace|span|conv|chat|vs|ft|ftjob|wf|build|dpl"
    r"|item|cs|pm|src|txn|usr|user|mem|chatcmpl|resource|session)[_-][A-Za-z0-9]{8,40}"
    r"|sha(?:1|256|384|512)-[A-Za-z0-9+/]{27,88}={0,2}"  # of a file's public bytes
)
# What people call a thing by, a number of it at most: ``payments-db-v2``, ``rotation-42``.
THING = re.compile(r"(?=.*[a-z]{3})(?:[a-z]{2,}[-_./])+(?:v?\d{1,4}|[a-z]{2,})")
ASSIGNED = re.compile(r"[:=\"'`]|\s(?:is|was|ist|est|es)\s", re.IGNORECASE)
RANDOM_STRING = "random_string"
LEAST_ENTROPY = 3.7  # bits per character; English words stay below, random base64 of 24 above


def entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(text)
    return -sum(count / size * math.log2(count / size) for count in Counter(text).values())


def find_keys(text: str) -> Iterator[Detection]:
    """Tokens that name their issuer, or that the text calls a key or token."""
    for pattern in (ISSUED, WEBHOOK):
        for match in pattern.finditer(text):
            yield Detection("API_KEY", *match.span(), 0.95, "issued_token")
    for match in AUTHORIZATION.finditer(text):
        if _is_mixed(match["value"]) and not _names_a_thing(match):
            yield Detection("API_KEY", *match.span("value"), 0.85, "authorization")
    for pattern in (NAMED_KEY, SETTING):
        for match in pattern.finditer(text):
            harmless = _names_a_thing(match) or _is_named_harmless(text, match.start("value"))
            if _is_mixed(match["value"]) and not harmless:
                yield Detection("API_KEY", *match.span("value"), 0.8, "named_key")


def find_random(text: str) -> Iterator[Detection]:
    """Long strings too random to be words, names in code, digests or identifiers."""
    for match in RANDOM.finditer(text):
        value = match[0]
        kinds = (re.search(kind, value) for kind in (r"[a-z]", r"[A-Z]", r"\d.*\d.*\d"))
        random = all(kinds) and entropy(value) >= LEAST_ENTROPY
        harmless = IDENTIFIER.fullmatch(value) or _is_named_harmless(text, match.start())
        if random and not harmless and not _is_words(value) and not opens_as_text(value):
            yield Detection("API_KEY", *match.span(), 0.5, RANDOM_STRING)


def find_chain_keys(text: str) -> Iterator[Detection]:
    """Numbers of 32 bytes as wallets write them."""
    for match in CHAIN_KEY.finditer(text):
        if not before(text, match.start(), ON_CHAIN):
            yield Detection("API_KEY", *match.span(), 0.6, RANDOM_STRING)


def names_no_secret(name: str) -> bool:
    """Whether a name is that of a place in a list or a digest: ``nextPageToken``, ``integrity``."""
    return HARMLESS_NAME.search(name[-NAME_REACH:]) is not None


def _is_named_harmless(text: str, start: int) -> bool:
    return HARMLESS_NAME.search(text[max(0, start - NAME_REACH) : start]) is not None


def _names_a_thing(match: re.Match[str]) -> bool:
    """Whether a value that is only said beside "secret" names what is secret, and tells nothing.

    ``the secret payments-db-v2`` is one in Kubernetes; ``secret: blue-horse-42`` may be its value.
    """
    between = match[0][: match.start("value") - match.start()]
    return ASSIGNED.search(between) is None and THING.fullmatch(match["value"]) is not None


def _is_words(value: str) -> bool:
    """Whether a string consists mostly of runs of letters as long as words."""
    spelled = sum(len(run) for run in re.findall(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}", value))
    return spelled * 2 > len(value)


def _is_mixed(value: str) -> bool:
    return bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) or entropy(value) > 4.2


def find_disk_keys(text: str) -> Iterator[Detection]:
    """Recovery keys of encrypted disks, whatever stands before them."""
    for match in DISK_KEY.finditer(text):
        groups = [int(group) for group in re.findall(r"\d{6}", match[0])]
        sure = all(group % 11 == 0 and group < 11 << 16 for group in groups)
        if sure or not match["gap"].isspace():  # nothing else is joined so
            yield Detection("API_KEY", *match.span(), 1.0 if sure else 0.85, "disk_key")


RECOGNISERS = (
    Recogniser("disk_key", (r"\d{6}\D{1,3}\d{6}\D{1,3}\d{6}\D{1,3}\d{6}",), find_disk_keys),
    Recogniser(
        "keys",
        (
            r"key|token|secret|bearer|basic|recovery|seed|[_-]pat\b|credential",
            r"(?:akia|asia|abia|acca)[0-9a-z]{16}|gh[pousr]_|github_pat|gl\w{2,3}t?-|xox|xapp-"
            r"|[srp]k_|whsec"
            r"|sk-|m0-|aiza|ya29|gocspx|hf_|npm_|pypi-|dckr_|sg\.|(?:ac|sk)[0-9a-f]{32}|dop_v1"
            r"|lin_api|shp\w\w_"
            r"|sq0|hvs\.|tskey|r8_|gsk_|xai-|:aa|eyj|hooks|webhooks",
        ),
        find_keys,
    ),
    Recogniser(RANDOM_STRING, (r"[a-z0-9_+/-]{20}",), find_random),
    Recogniser(RANDOM_STRING, (r"0x[0-9a-f]{64}",), find_chain_keys),
)
