"""What the name model takes for a person in code, settings, markup and tables."""

import re
from collections.abc import Sequence

from detectors.detection import Detection
from detectors.people.used import LABELLED
from detectors.words.folding import WORD, fold
from detectors.words.namelists import is_name, is_ordinary, names_by_use, never_names, word_names

_WORD = re.compile(WORD)
LINE = 80  # code points before a claim in which its line begins
# "java.lang.NullPointerException", "`json:"password"`", "<div class=", "Max-Age=0".
DOTTED = re.compile(r"[a-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+")
MARKUP = re.compile(r"<\s*$")
# "credential_helper = osxkeychain": a word in small letters behind the name of a setting.
SETTING = re.compile(r"(?:^|[\n{,;])\s*[\"']?[a-z][\w.-]*[\"']?\s?[=:]\s?[\"']?$")
# "let v: Vec<u32>", "ami   = \"ami-0abc\"": a type with another, what a line gives a value to.
TYPED_BEFORE, TYPED_AFTER = re.compile(r"[:>&(] ?$"), re.compile(r"<[\w:&'<>, ]{1,60}>")
LINE_BEFORE, GIVEN_AFTER = re.compile(r"\n[ \t]+$"), re.compile(r"[ \t]{1,40}=[ \t][\"'\d\[{]")
FILE = re.compile(
    r"\w\.(?:py|js|ts|md|txt|ya?ml|json|go|rs|rb|sh|html?|css|sql|csv|log|cfg|ini|toml|xml|java|kt|"
    r"cs|cpp|php|conf|lua|pl|pdf|png|jpe?g|gif|svg|zip|gz|tar|docx?|xlsx?|pptx?)$"
)
SLUG = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)+")  # "green-lamp-2", "nginx.conf"
CELL_BEFORE, CELL_AFTER = re.compile(r"[\w\"'][,;\t]$"), re.compile(r"[,;\t][\w\"']")


def without_code(text: str, spans: Sequence[Detection]) -> list[Detection]:
    """The same detections without people who are a program's words and no known names.

    Args:
        text: the text (or window) that the spans refer to.
        spans: what model and rules found.
    """
    return [
        span for span in spans
        if span.entity_type != "PERSON" or not _is_code(text, span.start, span.end)
    ]  # fmt: skip


def _is_code(text: str, start: int, end: int) -> bool:
    claimed = text[start:end]
    if "`" in claimed or _is_slug(claimed):
        return True
    if DOTTED.fullmatch(claimed) and text[end : end + 1] in (".", "("):
        return True
    assigned = text[end : end + 1] == "=" and not any(map(str.isspace, claimed))
    if assigned and "-" in claimed:
        return True
    near = text[max(0, start - LINE) : start]
    if FILE.search(text, max(0, start - LINE), end) or _is_declared(text, near, start, end):
        return True
    words = [fold(match[0]) for match in _WORD.finditer(claimed)]
    if any(is_name(word) and word not in never_names() for word in words):
        return False
    if assigned or (MARKUP.search(near) and claimed.islower()):
        return True
    if len(words) != 1 or not claimed.islower() or LABELLED.search(near):
        return False
    if CELL_BEFORE.search(near) and CELL_AFTER.match(text, end):
        return True
    return SETTING.search(near) is not None


def _is_declared(text: str, near: str, start: int, end: int) -> bool:
    """Whether it is a type that holds another, or what a line gives a value to."""
    if TYPED_AFTER.match(text, end) and TYPED_BEFORE.search(near):
        return True
    given = LINE_BEFORE.search(near) and GIVEN_AFTER.match(text, end)
    return bool(given) and text[start:end].islower()


def _is_slug(claimed: str) -> bool:
    """Whether words that are joined are a program's, or mere words of which one names nobody."""
    if SLUG.fullmatch(claimed) is None:
        return False
    words = [fold(word) for word in re.findall(r"[a-z]+", claimed)]
    if any(word in never_names() - names_by_use() for word in words):
        return True
    return all(map(is_ordinary, words)) and not all(
        is_name(word) or word in word_names() for word in words
    )
