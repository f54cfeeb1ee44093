"""Who a clause is about: what goes on without a subject of its own is about the same."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from detectors.words.folding import without_possessive
from detectors.words.namelists import is_given_name, is_name, is_ordinary
from proxy.erasure.texts.clauses import FINITE, verb_first
from proxy.erasure.texts.mentions import Span
from proxy.tokens import surrogate

CAPITALISED = re.compile(r"\b[A-Z]\w+(?:\s+[A-Z]\w+)*")
RELATIVE = re.compile(r"(?:who|whom|whose|der|die|das|dessen|deren|qui|che|quien|quem|cui|wie)\b")
# Where German and Dutch begin with something else, the subject is behind the verb.
INVERTED = re.compile(
    r"(?:mit|bei|in|im|am|an|auf|seit|nach|vor|zu[mr]?|für|gestern|heute|dort|hier|da|dann|nun|jetzt|"
    r"inzwischen|leider|met|bij|sinds|gisteren|vandaag|nu|daar)\s"
    r"(?:(?!\b(?:ich|wir|du|ihr|sie|er|es|man|ik|wij|je|hij|zij|i|we|you|it)\b)[^,;])*$",
    re.IGNORECASE,
)
FIRST_PERSON = re.compile(r"\b(?:I|[Ww]e)\s+[a-z]")  # "I slapped Alva and was arrested"
LAST_NAME = re.compile(r"\w+(?:\s+[A-Z]\w+)*")
REPORTS = re.compile(
    r"\b(?:knows?|knew|says?|said|thinks?|thought|believe[sd]?|claims?|claimed|hears?|heard|suspects?|"
    r"suspected|fears?|feared|hope[sd]?|noticed|mentioned|(?:told|tells) [A-Z]?\w+(?: [A-Z]\w+)?|"
    r"(?:found|finds) out|is (?:sure|afraid|convinced)),?\s*$"
)
WORD = re.compile(r"\w+")
AUXILIARY = frozenset({"is", "are", "was", "were", "has", "have", "had", "does", "did", "do"})
# Behind these nobody is a subject: "with Alva", "mit Alva".
PREPOSITION = re.compile(
    r"\b(?:with|at|for|from|to|near|of|by|like|after|before|behind|beside|about|without|"
    r"mit|bei|von|für|zu|nach|ohne|avec|chez|de|pour|sans|con|por|para|com|per|met|van|voor)\s+$",
    re.IGNORECASE,
)
JOINED = r"(?:and|und|et|y|e|en|&)"
JOINED_BEFORE = re.compile(rf"\b{JOINED}\s+$", re.IGNORECASE)
JOINED_AFTER = re.compile(rf",?\s+{JOINED}\s|,\s+(?=[A-Z]\w+(?!\w|['’]))")


def names_somebody(part: str) -> bool:
    """Whether a word in it may be a name, or stands for one."""
    return next(_names(part), None) is not None


def first_name(said: str) -> int:
    """Where the first name begins in words with capitals; 0 if none is known as one."""
    return min(_names(said), default=0)


def is_without_subject(said: str, *, opens: bool) -> bool:
    """Whether it begins with its verb; "James" looks like one and is none."""
    verb = verb_first(said)
    if not verb or (verb not in AUXILIARY and is_given_name(verb.casefold())):
        return False
    return opens or said[:1].islower()


def is_of_another(part: str, before: str, spans: Sequence[Span]) -> bool:
    """Whether a part is a relative clause of somebody else: "Alva likes Jon," "who has a dog".

    Args:
        before: the part before it.
        spans: the mentions in that.
    """
    head = before.rstrip(" ,;")
    theirs = any(span.end >= len(head) for span in spans)
    return bool(RELATIVE.match(part)) and not theirs and names_at_the_end(head)


def only_reports(said: str) -> bool:
    """Whether nothing follows in it what somebody knows, says or thinks."""
    return REPORTS.search(said) is not None


def is_reported(part: str, spans: Sequence[Span]) -> bool:
    """Whether all it says is said of them: "Jon knows Alva has cancer"."""
    first = min(spans, key=lambda span: span.start)
    return only_reports(part[: first.start]) and bool(verb_first(part[first.end :].lstrip()))


def is_its_subject(part: str, spans: Sequence[Span]) -> bool:
    """Whether the one who is mentioned is, alone, whom a part says something of.

    In "Alva plays golf with Jon" Alva is, in "Alva and Jon play golf" nobody alone, and in "Jon
    drove Alva home" somebody else.

    Args:
        spans: the mentions in the part, one at least.
    """
    first = min(spans, key=lambda span: span.start)
    before, after = _uninverted(part[: first.start]), part[first.end :]
    if FIRST_PERSON.search(before) and not only_reports(before):
        return False
    if FINITE.search(before) or JOINED_BEFORE.search(before) or _names_a_subject(before):
        return False
    if without_possessive(part, first.start, first.end) < first.end:
        return not names_somebody(_until_the_verb(after))
    return not JOINED_AFTER.match(after)


def _uninverted(before: str) -> str:
    """``Mit Jon`` of ``Mit Jon ist Alva``: the verb says nothing about whose subject it is."""
    verb = FINITE.search(before)
    if verb is None or verb.end() < len(before.rstrip()) or not INVERTED.match(before):
        return before
    return before[: verb.start()]


def names_at_the_end(head: str) -> bool:
    """Whether it ends with a name."""
    last = max((start for start in _names(head)), default=-1)
    return last >= 0 and LAST_NAME.fullmatch(head, last) is not None


def _names_a_subject(before: str) -> bool:
    return any(not PREPOSITION.search(before, 0, start) for start in _names(before))


def _until_the_verb(said: str) -> str:
    verb = FINITE.search(said)
    return said if verb is None else said[: verb.start()]


def _names(said: str) -> Iterator[int]:
    """Where names may begin, and tokens of people."""
    yield from (token.start for token in surrogate.find(said) if token.is_person)
    for run in CAPITALISED.finditer(said):
        named = (word.start() for word in WORD.finditer(said, *run.span()) if _is_name(word[0]))
        yield from islice(named, 1)


def _is_name(word: str) -> bool:
    return is_name(word.casefold()) and not is_ordinary(word.casefold())
