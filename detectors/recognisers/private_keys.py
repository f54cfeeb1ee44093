"""Private keys as whole blocks, however their line breaks are written; also without their frame."""

import re
from bisect import bisect
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, matches

_DASHES = r"[-‐-―−]{1,10}"
_TITLE = r"\s{1,3}(?:[A-Za-z0-9]{1,12}\s{1,3}){0,3}PRIVATE\s{1,3}KEY(?:\s{1,3}BLOCK)?"
_CLOSED = rf"{_TITLE}\s{{0,3}}{_DASHES}"
BEGIN = re.compile(rf"{_DASHES}\s{{0,3}}BEGIN{_CLOSED}", re.IGNORECASE)
END = re.compile(rf"{_DASHES}\s{{0,3}}END{_CLOSED}", re.IGNORECASE)
# Between two lines: breaks as they are or escaped, signs of quotes, comments, lists and strings.
_GAP = (
    r"(?:\\{1,32}(?:[nrt]|u000[aAdD9])|<br ?/?>|(?<![\w+/])(?://|\+)(?![\w+/])"
    r"|[^\w+/=<]){1,48}+"
)
_DIGIT = r"(?:[A-Za-z0-9+/]|\\{1,32}/)"  # of base64; JSON may escape the slash
_LINE = rf"{_DIGIT}{{16,}}+={{0,2}}"
_REST = r"=?(?=[A-Za-z]{0,15}(?:[\d+/=]|(?<=[a-z])[A-Z]))[A-Za-z0-9+/]{1,15}={0,2}(?![\w+/=])"
_LINES = rf"{_LINE}(?:{_GAP}{_LINE})*+(?:{_GAP}{_REST})?"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\s?:[^\n\\\"]{0,120}"
BODY = re.compile(rf"(?:{_GAP}{_HEADER}){{0,6}}{_GAP}{_LINES}")
LINES = re.compile(rf"(?<![A-Za-z0-9+/]){_LINES}|(?<=\\n){_LINES}")
CLOSES = re.compile(rf"(?:{_GAP})?END{_CLOSED}", re.IGNORECASE)
# How base64 begins of DER SEQUENCE { INTEGER 0, 1 or 3, ... }, of encrypted PKCS #8, of OpenSSH.
_OPENINGS = (
    r"MI[I-L]\w[\w+/][AQgw]IBA|MI[GH][\w+/]AgE[ABD]|M[A-H][\w+/]CAQ[AEM]"
    r"|MI[I-L][\w+/]{5}BgkqhkiG9w0BBQ|MI[GH][\w+/]M[A-H][\w+/]GCSqGSIb3DQEF"
    r"|b3BlbnNzaC1rZXktdjE"
)
OPENS = re.compile(rf"(?:{_OPENINGS}){_DIGIT}{{20}}")
LONGEST = 16_000  # code points from frame to frame
PUTTY_KEY = re.compile(
    r"PuTTY-User-Key-File-\d:[\s\S]{0,8000}?Private-MAC:\s?[0-9a-f]{1,64}"
    rf"|Private-Lines:\s?\d{{1,3}}{_GAP}{_LINES}"
)
AGE_KEY = re.compile(r"AGE-SECRET-KEY-1[0-9A-Z]{58}")
# DER as hexadecimal digits, in pairs or not, opening as above.
_GAPS = r"[ :]?\s?"
_BYTE = rf"{_GAPS}[0-9a-f]{{2}}"
HEX_KEY = re.compile(
    rf"(?<![0-9a-f])30(?:{_GAPS}8[12])?(?:{_BYTE}){{1,2}}{_GAPS}02{_GAPS}01{_GAPS}"
    rf"(?:00{_GAPS}(?:02|30)|01{_GAPS}04|03{_GAPS}02)(?:{_BYTE}){{36,4096}}",
    re.IGNORECASE,
)
RECOGNISER = "private_key"
# Members of a JSON Web Key that only its holder may know (RFC 7518, sections 6.2.2, 6.3.2, 6.4).
PRIVATE_MEMBERS = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})
_KEY_TYPE = re.compile(r"[\"']kty\\{0,32}[\"']\s{0,8}:")
_MEMBER = re.compile(
    rf"[\"'](?:{'|'.join(sorted(PRIVATE_MEMBERS))})\\{{0,32}}[\"']\s{{0,8}}:\s{{0,8}}"
    r"\\{0,32}[\"'](?P<value>[\w-]{16,4000})"
)


def find_private_keys(text: str) -> Iterator[Detection]:
    """Spans of keys: from BEGIN to END; the lines behind BEGIN, before END, or that open as a key.

    The formats are those of RFC 7468, RFC 5958, RFC 8017 and OpenSSH's PROTOCOL.key.
    """
    begins = list(BEGIN.finditer(text))
    ends = [match.end() for match in END.finditer(text)] + [len(text) + 1]
    limits = [*(match.start() for match in begins), len(text)][1:]
    for begin, limit in zip(begins, limits, strict=True):
        last = min(limit, begin.end() + LONGEST)
        end = ends[bisect(ends, begin.end())]
        body = BODY.match(text, begin.end())
        closed = end if end <= last else begin.end()
        yield _key(begin.start(), max(closed, body.end() if body else 0))
    for lines in LINES.finditer(text):
        closing = CLOSES.match(text, lines.end())
        if closing or OPENS.match(lines[0]):
            yield _key(lines.start(), closing.end() if closing else lines.end())


def find_web_keys(text: str) -> Iterator[Detection]:
    """Values of the private members of JSON Web Keys, beside their ``kty``."""
    done = 0
    for kind in _KEY_TYPE.finditer(text):
        if kind.start() < done:
            continue
        start = max(text.rfind("{", done, kind.start()), done)
        done = text.find("}", kind.end(), kind.end() + LONGEST)
        done = min(len(text), kind.end() + LONGEST) if done < 0 else done
        for member in _MEMBER.finditer(text, start, done):
            yield _key(*member.span("value"))


def _key(start: int, end: int) -> Detection:
    return Detection("PRIVATE_KEY", start, end, 0.99, RECOGNISER)


RECOGNISERS = (
    Recogniser(RECOGNISER, (r"PRIVATE\s{1,3}KEY", _OPENINGS), find_private_keys),
    Recogniser(RECOGNISER, (r"kty\\{0,32}[\"']",), find_web_keys),
    Recogniser(
        RECOGNISER,
        (r"30[ :]?(?:8[12][ :]?)?(?:[0-9a-f]{2}[ :]?){1,2}02[ :]?01[ :]?0[013]",),
        matches("PRIVATE_KEY", RECOGNISER, HEX_KEY, 0.99),
    ),
    Recogniser(
        RECOGNISER, (r"PuTTY-|Private-Lines",), matches("PRIVATE_KEY", RECOGNISER, PUTTY_KEY, 0.99)
    ),
    Recogniser(RECOGNISER, (r"AGE-SECRET",), matches("PRIVATE_KEY", RECOGNISER, AGE_KEY, 0.99)),
)
