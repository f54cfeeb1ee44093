"""What is said of somebody beside their name: an aside tells of them alone, so it goes with it."""

import re
from collections.abc import Callable
from dataclasses import replace

from detectors.words.calendar import TIMES
from detectors.words.namelists import is_name, is_ordinary, place_names, places
from proxy.erasure.texts.attribute_words import MINE
from proxy.erasure.texts.called import RELATED, ROLES
from proxy.erasure.texts.clauses import verb_first
from proxy.erasure.texts.fragments import has_subject
from proxy.erasure.texts.hanging import CLOSING, without_hanging
from proxy.erasure.texts.identifier_words import IDENTIFIED
from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.redaction import is_german
from proxy.erasure.texts.relatives import describes, stands_before
from proxy.erasure.texts.rewrite import sentences
from proxy.erasure.texts.spoken_to import is_spoken_to, without_subject
from proxy.erasure.texts.subjects import is_its_subject
from proxy.erasure.texts.telling import Telling
from proxy.erasure.texts.words import STOP_WORDS
from proxy.tokens import surrogate

Says = Callable[[str], bool]

CAPITALISED = re.compile(r"\b[^\W\d_a-z]\w+")
PLACED = re.compile(r"\b(?:in|from|at|near|to|into|around) (?:the )?(?:[A-Z][\w’'-]* )*$")
JOINING = re.compile(r"(?:and|or|but|nor|then|while|whereas|although|though|because|so)\b")
SUBORDINATING = re.compile(
    r"because|since|after|before|when|whenever|once|until|till|unless|if|as|so|while|whereas|"
    r"although|though|where|that|than"
)
BRACKETS = re.compile(r"(?<!\s)\s*+\(([^()]*)\)")
OF_THEM = re.compile(r"(?<!\s)\s*+\((?:s?he|they|his|her|their|him|them)\b[^()]*\)", re.IGNORECASE)
DASHES = re.compile(
    r"(?<!\s)\s++[-–—]++\s++([^–—]*?)(?:(?<!\s)\s++[-–—]++(?=\s)|(?<![.!?;])(?=[.!?;]*+$))"
)
DATED = re.compile(
    r"\b(?:in|on|by|until|till|since|from|to|early|late|mid|last|next|\d{1,2}(?:[snr][td]|th|\.)?"
    r"(?: of| de)?) $",
    re.IGNORECASE,
)
YEAR = re.compile(r",? (?:\d{1,2},? )?(?:19|20)\d\d\b")
SHORT = re.compile(r"[A-Z]{2,3}")  # "HR"
ABBREVIATION = re.compile(r"[A-Z]{2,}\b")
COLON = re.compile(r":\s+([^;.!?]*)(?<!\s)")
COMMA = re.compile(r",\s+(?=[^\W_])")
LEADING = re.compile(
    r"^(?:as|being|having|despite|though|although|because of|due to|thanks to|"
    r"(?:after|with|for|in|since) (?:his|her|their)|[a-z]+ing)\b[^,;]*,\s+$",
    re.IGNORECASE,
)
BEFORE = re.compile(
    r"(?<!\w)(?:the|a|an|his|her|their|my|our|your|user's) ((?:[a-z][a-z-]+ ){1,3})$", re.IGNORECASE
)

FRONTED = re.compile(r"[^.;:!?]+,\s+$")
# What says when, where or how the whole sentence is meant: "Last May, Alva met Jon".
ADVERBIAL = re.compile(
    r"(?:in|on|at|by|during|after|before|since|until|for|when|while|if|as|last|next|this|every|one|"
    r"once|then|later|now|today|yesterday|tomorrow|tonight|recently|again|also|still|so|but|and|or|"
    r"however|meanwhile|instead|anyway|well|yes|no|am|im|an|seit|nach|vor|bei|gestern|heute|dann|"
    r"à|en|au|dans|hier|puis|ayer|hoy|luego|el|ieri|oggi|ontem|hoje|gisteren|vandaag|[a-z]+ly)\b",
    re.IGNORECASE,
)
ROLE = re.compile(
    rf"(?<![\w-])(?:{MINE}) (?:[a-zà-ÿ-]+ )?(?P<role>{RELATED}|{ROLES}),? $", re.IGNORECASE
)


def without_asides(
    text: str, needles: Needles, keep: Telling | None = None, *, named: bool = False
) -> str:
    """A text in which nothing but their name stands for whom is forgotten.

    ``Alva Brenn, who has asthma, met Orla Quist.`` becomes ``Alva Brenn met Orla Quist.`` An aside
    that names somebody else, or holds what must stay, stays.

    Args:
        named: whom is forgotten is who was named last before it begins.
    """

    def stays(said: str) -> bool:
        kept = keep is not None and keep.mentioned(said)
        return kept or (_names_somebody(said) and not describes(said))

    found = sentences(text)
    trimmed = [_trimmed(each, needles, stays) for each in found]
    trimmed = without_hanging(trimmed, needles, keep, named=named)
    return text if trimmed == found else " ".join(trimmed)


def _trimmed(sentence: str, needles: Needles, stays: Says) -> str:
    spans = needles.sure(sentence)
    for aside in reversed([*OF_THEM.finditer(sentence, spans[0].end)] if spans else []):
        if not stays(aside[0]):
            sentence = sentence[: aside.start()] + sentence[aside.end() :]
    for span in reversed(spans):
        before, name = _undescribed(sentence, span, stays), sentence[span.start : span.end]
        behind = sentence[span.end :]
        if is_spoken_to(sentence, span.start, span.end):
            continue  # what stands beside it is said to them
        if before != sentence[: span.start] and sentence[: span.start].endswith(", "):
            behind = behind.removeprefix(",")
        told = COLON.match(behind) if before else None
        another = told and (stays(told[1]) or IDENTIFIED.match(f", {told[1]}"))
        if told and not (another or has_subject(told[1], opens=False)):
            behind = behind[told.end() :]
        theirs = is_its_subject(before + name + behind, [_moved(span, len(before))])
        sentence = _opened(before, stays) + name + _closed(behind, stays, theirs=theirs)
    return sentence


def _undescribed(sentence: str, span: Span, stays: Says) -> str:
    """What stands before a name, without whose relative they are: ``Judith's ex-husband``."""
    start = stands_before(sentence, span.start)
    return sentence[: span.start if stays(sentence[start : span.start].rstrip(", ")) else start]


def _moved(span: Span, start: int) -> Span:
    return replace(span, start=start, end=start + span.end - span.start)


def _opened(before: str, stays: Says) -> str:
    leading = LEADING.match(before)
    if leading and not stays(before):
        return ""
    fronted = FRONTED.match(before)
    if fronted and not (
        stays(before) or has_subject(before, opens=True) or ADVERBIAL.match(before)
    ):
        return ""
    said = BEFORE.search(before)
    joins = said and any(map(SUBORDINATING.fullmatch, said[1].split()))
    if said and not joins and not stays(said[1]) and STOP_WORDS.isdisjoint(said[1].split()):
        return before[: said.start()]
    role = ROLE.search(before)
    return before[: role.start()] if role and not stays(role["role"].casefold()) else before


def _closed(behind: str, stays: Says, *, theirs: bool) -> str:
    for pattern in (BRACKETS, DASHES):
        aside = pattern.match(behind)
        if aside and not stays(aside[1]):
            return behind[aside.end() :]
    comma = COMMA.match(behind)
    return _without_segments(behind, comma.end(), stays, theirs=theirs) if comma else behind


def _without_segments(behind: str, start: int, stays: Says, *, theirs: bool) -> str:
    """Drop what stands between commas, up to what others did or what the sentence goes on with.

    Args:
        theirs: the sentence is about them, so that a verb right behind the comma is, too.
    """
    parts = re.split(r",\s+", behind[start:])
    does = max((at for at, each in enumerate(parts) if without_subject(f", {each}")), default=0)
    gone = 0
    for part in parts:
        verb = (gone > 0 or not theirs) and gone >= does and verb_first(part)
        if stays(part) or verb or JOINING.match(part):
            break
        if part[:1].isupper() and not (describes(part) or _begins_with_no_name(part)):
            break
        gone += 1
    if not gone:
        return behind
    if gone < len(parts):
        goes_on = verb_first(parts[gone]) or JOINING.match(parts[gone])
        return (" " if goes_on else ", ") + ", ".join(parts[gone:])
    closing = CLOSING.search(behind)
    return closing[0] if closing else ""


def _names_somebody(said: str) -> bool:
    """Whether a word in it may be a person's name; the token of an illness or a place is none."""
    for token in reversed(_things(said)):
        said = said[: token.start] + said[token.end :]
    return any(_may_be_somebody(said, match) for match in CAPITALISED.finditer(said))


def _begins_with_no_name(said: str) -> bool:
    things = _things(said)
    return ABBREVIATION.match(said) is not None or bool(things and not things[0].start)


def _things(said: str) -> list[surrogate.Found]:
    """Tokens that stand for anything but a person."""
    return [each for each in surrogate.find(said) if not each.is_person]


def _may_be_somebody(said: str, match: re.Match[str]) -> bool:
    """Whether a word with a capital may be somebody's name: not where they live or work."""
    word, placed = match[0].casefold(), PLACED.search(said, 0, match.start()) is not None
    dated = DATED.search(said, 0, match.start()) or YEAR.match(said, match.end())
    if SHORT.fullmatch(match[0]) or (word in TIMES and dated):
        return False
    if is_name(word):
        return not (placed and word in places() | place_names())
    if placed or match[0].isupper() or is_ordinary(word):
        return False
    return not is_german(said)  # where every noun has a capital
