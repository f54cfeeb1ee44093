"""What stands behind a secret's name, in whatever notation joins names and values."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, words
from detectors.recognisers.no_secrets import (
    NO_PASSWORD,
    is_no_secret,
    is_sentence,
)
from detectors.recognisers.secret_names import (
    CORE_WORDS,
    REACH,
    SecretName,
    find_names,
    name_words,
    secret_name,
)
from detectors.recognisers.secret_values import looks_secret

RECOGNISER = "named_secret"
SCORE = 0.85
LONGEST = 1000  # code points of a value

# The end of a quoted value is its own quote again, behind as many backslashes.
_QUOTED = (
    r"(?P<quote>\\{0,32}[\"'`])"
    rf"(?P<quoted>(?:(?!(?<!\\)(?P=quote))[^\n]){{1,{LONGEST}}})(?P=quote)"
    rf"|[“„«]\s?(?P<curled>[^\n”“»]{{1,{LONGEST}}}?)\s?[”“»]"
)
_NEXT = r"\s*[\w.-]{1,40}\s?(?:[=:]|\s|$)"  # behind a comma: another name with its value
_BARE = (
    rf"(?P<bare>(?!\{{|\[[\"'\]])(?:(?!\\{{1,32}}[nrt][\w.-]{{1,40}}\s?[=:])[^\s\"'`,;&<|]|[,;&](?!{_NEXT}|\s|$|[\"'}}])"
    rf"|<(?![/A-Za-z])|[\"'`|](?=\w)){{3,{LONGEST}}})"
)
_TYPED = r"(?:(?:str|string|String|bytes|SecretStr|Optional\[str\]|str \| None)\s{0,3}=\s{0,3})?"
_SAID = re.compile(
    r"(?P<close>[\\\"'`*\])}?!]{0,34}(?:[ \t]\([^()\n:]{0,40}\))?)\s{0,3}"
    r"(?::=|[=-]>|={1,3}|[:：])(?P<gap>[*`]{0,3}\s{0,40})(?:(?:[|>][-+]?|!!?\w{1,12})\s{1,40})?"
    rf"{_TYPED}(?:[bruf@]{{1,2}}(?=[\"'])|\[\s{{0,8}}(?=[\"']))?(?:{_QUOTED}|{_BARE})"
)
_ELEMENT = re.compile(
    rf"(?:\s[^<>]{{0,80}})?>\s{{0,40}}(?:<!\[CDATA\[)?(?P<element>[^<]{{1,{LONGEST}}}?)"
    r"(?:\]\]>)?\s{0,40}</"
)
_CELL = re.compile(
    r"[`*_ ]{0,6}[|\t][ \t`]{0,6}(?P<cell>[^|\n\t]{1,200}?)[ \t`]{0,6}"
    r"(?:(?P<last>[|\t]?[ \t]{0,6}(?:\n|\Z))|[|\t])"
)
_ROW_OF_TWO = re.compile(r"[ \t|`*_]{0,12}")
_HEADING = re.compile(
    r"(?:values?|descriptions?|meaning|types?|roles?|notes?|comments?|settings?|purpose|examples?"
    r"|status|e-?mail|user ?name|wert|beschreibung|bedeutung|valeur|valor|descripci[óo]n)",
    re.IGNORECASE,
)
_OPTION = re.compile(rf"[ \t]{{1,4}}(?:{_QUOTED}|(?!-){_BARE})")
_VALUE_NAMES = r"(?:value|val|content|wert|valeur|valor|text)"
_BESIDE = re.compile(
    rf"[\\\"']{{0,34}}[^{{}}<>]{{0,60}}?(?<!\w){_VALUE_NAMES}[\\\"']{{0,34}}\s{{0,3}}[:=]\s{{0,8}}"
    rf"(?:{_QUOTED}|{_BARE})"
)
_PAIRED = re.compile(rf"\\{{0,32}}[\"']\s{{0,3}},\s{{0,8}}(?:{_QUOTED})\s{{0,8}}[)\]}}]")
_TAG = re.compile(r"<(?:\w{1,12}:)?\Z")
_CLOSED = re.compile(r"[\\\"']{1,34}")
_CALLS = re.compile(r"\w\(\s{0,8}[\"']\Z")
_CALLED = re.compile(rf"\(\s{{0,8}}[bruf]{{0,2}}(?:{_QUOTED})\s{{0,8}}\)")
_NAMED_BY = re.compile(
    r"(?:name|key|field|id|label|variable|title|type)[\\\"']{0,34}\s{0,3}[:=]\s{0,3}[\\\"']{0,34}\Z",
    re.IGNORECASE,
)
_IS = re.compile(
    r"['’\"]{0,2}\s{1,3}(?:is|was|ist|lautet|est|es|è|é)\s*:?\s{1,3}"
    rf"(?:still\s+|now\s+)?(?:{_QUOTED}|{_BARE})"
)
_ANOTHER_LINE = re.compile(r"\s{0,3}[:=]")
# What a notation goes on with behind a name; most words of a text are followed by others.
_OPENS = re.compile(
    r"[\\\"'`*\])}?!|>(\t\r\n]|\s{1,3}(?:[^\s\w.,;]|\w{1,2}=|(?:is|was|ist|lautet|est|es|è|é)\s)|\s{0,3}[:=：-]"
)
_TYPE_ENDS = re.compile(r"(?:\[[^\n]{0,40})?\s?(?:=\s|\| None)")
_STARTS = re.compile(
    r"(?:(?:\A|[\n{(,;])[ \t]{0,40}[-*+•]?[ \t]{0,4}|[-*\"'`])\Z"
)  # a name of its own
_LINE_ENDS = re.compile(r"[ \t]{0,8}(?:[\n,;})|]|\Z)")
_ENDS = ".,;:!?)]}>\"'`\\*"

_ABOUT = words(
    r"passwords?|passphrases?|passwort|kennwort|contraseña|mot de passe|tokens?|keys?|secrets?|pin"
    r"|characters?|letters|digits|least|minimum|maximum|required|must|should|shall|enter"
    r"|forgot(?:ten)?|reset|change|wrong|invalid|incorrect|expired?|match|stored|kept|see|ask"
    r"|same as|managed|vault"
    r"|zeichen|muss|darf|bitte|siehe|falsch|vergessen|abgelaufen|caract[eè]res|doit|voir|oubli[ée]"
    r"|caracteres|debe|olvidad[oa]|incorrect[oa]|tests?|errors?|fields?|string|optional|default"
)
_CODE_LIKE = re.compile(r"[A-Za-z_][\w.]*[(\[]")
_CODE = re.compile(r"#?\d(?:[ -]?\d){3,11}#?")


_CARD_CODE = re.compile(r"(?:^| )c(?:vv|vc|sc) ?2?(?: (?:code|no|number|nr))?$")
_CARD_CODE_VALUE = re.compile(r"\d{3,4}")


class _Value(NamedTuple):
    start: int
    end: int
    quoted: bool  # or closed by other marks, so that it may hold spaces and is no code
    marked: bool = True  # by a notation that no sentence has
    loose: bool = False  # the notation is also that of lists


def find_named_secrets(text: str) -> Iterator[Detection]:
    """Values behind a secret's name: ``"apiKey": "…"``, ``<pwd>…</pwd>``, ``| pwd | … |``."""
    done = 0
    for start, end, name in find_names(text, _may_open):
        if end > done:
            for found in _behind(text, start, end, name):
                done = max(done, found.end)
                yield found


def _may_open(text: str, start: int, end: int) -> bool:
    """Whether a notation may go on behind a name."""
    return _OPENS.match(text, end) is not None or "--" in text[max(0, start - REACH) : end]


def secret_kind(name: str, value: str) -> str | None:
    """``PASSWORD`` or ``API_KEY`` if a member of this name holds one as its whole value."""
    if _CARD_CODE.search(name_words(name)) and _CARD_CODE_VALUE.fullmatch(value):
        return "PASSWORD"
    said = secret_name(name)
    whole = _Value(0, len(value), quoted=True)
    return said.entity_type if said and _is_secret(value.strip(), said, whole) else None


def _behind(text: str, start: int, end: int, name: SecretName) -> Iterator[Detection]:
    for value in _values(text, start, end):
        if not value.quoted and is_sentence(text, value.start, value.end):
            continue
        if _is_secret(text[value.start : value.end], name, value):
            yield Detection(name.entity_type, value.start, value.end, SCORE, RECOGNISER)
            return


def _values(text: str, start: int, end: int) -> Iterator[_Value]:
    """Where the value of a name may stand, by the notations that fit what is around the name."""
    before = text[max(0, start - REACH) : start]
    yield from _said(text, start, end, before)
    if _TAG.search(before):
        yield from _found(text, _ELEMENT.match(text, end))
    if _NAMED_BY.search(before):
        yield from _found(text, _BESIDE.match(text, end))
        closed = _CLOSED.match(text, end)
        yield from _found(text, closed and _ELEMENT.match(text, closed.end()))
    yield from _in_row(text, start, end)
    if text.startswith("--", start) or before.endswith("-"):
        yield from _found(text, _OPTION.match(text, end))
    if before.endswith(('"', "'")):
        loose = _CALLS.search(before) is None
        yield from _found(text, _PAIRED.match(text, end), loose=loose)
    yield from _found(text, _CALLED.match(text, end))
    yield from _found(text, _IS.match(text, end), loose=True)


def _said(text: str, start: int, end: int, before: str) -> Iterator[_Value]:
    """Behind a colon, an equals sign or an arrow."""
    said = _SAID.match(text, end)
    if said is None:
        return
    value = _value(text, said)
    below = "\n" in said["gap"] and (not value.marked or _ANOTHER_LINE.match(text, value.end))
    if not value.quoted and (below or _TYPE_ENDS.match(text, value.end)):
        return  # the names below this one, or its type
    alone = _STARTS.search(before) and " " not in text[start:end]
    close = value.quoted or text[value.start - 1] == "="
    yield value._replace(marked=bool(close or (alone and value.marked)))


def _in_row(text: str, start: int, end: int) -> Iterator[_Value]:
    """In the next cell of a table; sure if the row has no other."""
    if cell := _CELL.match(text, end):
        line = text[text.rfind("\n", 0, start) + 1 : start]
        alone = cell["last"] is not None and _ROW_OF_TWO.fullmatch(line)
        heads = _HEADING.fullmatch(cell["cell"])
        yield _Value(*cell.span("cell"), quoted=True, loose=bool(heads or not alone))


def _found(text: str, match: re.Match[str] | None, *, loose: bool = False) -> Iterator[_Value]:
    if match is not None:
        yield _value(text, match)._replace(loose=loose)


def _value(text: str, match: re.Match[str]) -> _Value:
    group = str(match.lastgroup)
    start, end = match.span(group)
    if group != "bare":
        return _Value(start, end, quoted=True)
    marked = _LINE_ENDS.match(text, end) is not None
    while end > start and text[end - 1] in _ENDS and not _is_bracket(text[start:end]):
        end -= 1
    return _Value(start, end, quoted=False, marked=marked)


def _is_bracket(value: str) -> bool:
    """Whether a value ends with a bracket that it opened itself."""
    return value[-1] == ")" and "(" in value


def _is_secret(value: str, name: SecretName, place: _Value) -> bool:
    """Whether a value can be what its name says, however little it looks like it."""
    if "-----" in value or is_no_secret(value, quoted=place.quoted):
        return False  # a private key is found as a whole
    if not (place.quoted or name.sure) and _CODE_LIKE.match(value):
        return False
    if re.search(r"\s", value):
        return _is_phrase(value, name, place)
    if value.isdecimal():
        return _is_code(value, name)
    certain = not place.loose and (name.sure or (name.mostly and place.marked))
    return certain or looks_secret(value)


def _is_phrase(value: str, name: SecretName, place: _Value) -> bool:
    """Several words are a passphrase, unless they speak about passwords."""
    if name.entity_type != "PASSWORD":
        return False
    if not name.sure:
        return _CODE.fullmatch(value) is not None
    said = _ABOUT.search(value) or NO_PASSWORD.fullmatch(value.split()[0])
    return place.quoted and not place.loose and not said


def _is_code(value: str, name: SecretName) -> bool:
    if name.entity_type == "PASSWORD":
        return 4 <= len(value) <= 12 or name.sure
    return len(value) >= (6 if name.sure else 16)


RECOGNISERS = (Recogniser(RECOGNISER, (CORE_WORDS,), find_named_secrets),)
