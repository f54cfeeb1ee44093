"""What a sentence asks for: a proposal of structured requests, or the question to ask back.

Rules only: no model, no network, and nothing is carried out. What no rule understands becomes a
question, because a wrong guess deletes.
"""

import calendar
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from proxy.rights.periods import DAYS, period
from proxy.rights.topics import FILLER, TAIL, topics_of, words_of
from proxy.rights.vocabulary import (
    ASKING,
    CORRECTING,
    COURTESY,
    EXCEPTING,
    FORGETTING,
    FUTURE,
    JOINED,
    KEEPING,
    REMEMBERING,
    RESTRICTING,
    SUBJECT_WORDS,
)

LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Proposed:
    """One request that a sentence seems to make."""

    action: str  # forget | keep | restrict | export | rectify | tell
    kind: str | None = None  # entity | category | attribute | time_range | memory | owner
    value: str | None = field(default=None, repr=False)
    entity_type: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    scope: str = "any_mention"
    keep: tuple[str, ...] = field(default=(), repr=False)
    future: bool = False
    confidence: float = 0.9

    def body(self) -> dict[str, Any]:
        """JSON form of the contract."""
        target = {
            "kind": self.kind,
            "value": self.value,
            "type": self.entity_type,
            "from": self.since.isoformat() if self.since else None,
            "to": self.until.isoformat() if self.until else None,
        }
        return {
            "action": self.action,
            "target": target,
            "scope": self.scope,
            "keep": list(self.keep),
            "future": self.future,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Proposals, or questions when unsure: never both."""

    requests: tuple[Proposed, ...] = ()
    questions: tuple[str, ...] = ()

    def body(self) -> dict[str, Any]:
        """JSON form of the contract."""
        return {
            "requests": [each.body() for each in self.requests],
            "questions": list(self.questions),
        }


Found = tuple[Proposed, ...] | str  # or a question


def interpret(text: str, *, now: datetime, zone: str = "UTC") -> Interpretation:
    """Propose what a data subject's sentence asks for.

    Args:
        text: the sentence, as its author typed it; never a memory's or a tool's text.
        now: the present instant, aware.
        zone: the author's IANA time zone, for "yesterday".
    """
    sentence = " ".join(text[:LONGEST].replace("’", "'").split())
    local = now.astimezone(_zone(zone))
    if NEGATED.search(sentence):
        return _unsure("Do you want something to be forgotten, or to be kept?")
    asked, kept = _split_keep(COURTESY.sub("", sentence))
    found = _requests(asked, kept, local)
    if not found:
        return _unsure("What should be forgotten: a person, a topic, a period, or everything?")
    if isinstance(found, str):
        return _unsure(found)
    return Interpretation(found)


_ENDING = r"(?:forget(?:ting)?|deleting|delete|erasing|erase|removing|remove)\b"
_NOT = (
    r"(?:can|could|wo|would|did|do|does|should|must|need)n?['’]?t|cannot|(?:can|will|must|do) not"
)
# What is not to be forgotten, and what somebody does, did or says: none of it asks for anything.
NEGATED = re.compile(
    rf"\b(?:do not|don't|never|please don't)\s+(?:ever\s+)?{_ENDING}"
    rf"|\b(?:i|you|we|he|she|it|they|nobody|one)\s+(?:{_NOT}|(?:will|can) never)\s+"
    rf"(?:ever\s+|just\s+|simply\s+)?{_ENDING}"
    r"|\b(?:i|we|he|she|they)\s+(?:(?:always|often|sometimes|usually|also|just|tend to|used to|"
    rf"keep|kept|should|would|might)\s+)+{_ENDING}"
    rf"|\b(?:nobody|no one)\s+(?:\w+\s+){{1,2}}{_ENDING}"
    rf"|\bdid\s+(?:i|you|we|he|she|they|anyone|somebody)\s+(?:already\s+|ever\s+)?{_ENDING}"
    r"|^(?:and |but )?(?:he|she|they|my [\w-]+|the [\w-]+)\s+(?:once\s+|always\s+)?"
    rf"(?:told|tells?|asked|asks|said|says|thinks?|thought|advised|advises|reminded)\b.{{0,60}}\b{_ENDING}",
    re.IGNORECASE,
)


def _unsure(question: str) -> Interpretation:
    return Interpretation(questions=(question,))


def _zone(name: str) -> Any:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def _split_keep(sentence: str) -> tuple[str, tuple[str, ...]]:
    """Cut off what is to stay: "…, but keep that I work at Acme Corp"."""
    match = KEEPING.search(sentence)
    if match is None:
        return sentence, ()
    rest = TAIL.sub("", sentence[match.end() :])
    names = re.findall(r"[A-Z][\w&'-]*(?:\s+[A-Z][\w&'-]*)*", _without_i(rest))
    kept = tuple(names) or (FILLER.sub("", rest).strip(),)
    return sentence[: match.start()].rstrip(" ,;"), tuple(each for each in kept if each)


def _without_i(text: str) -> str:
    return re.sub(r"\bI(?:'m|'ve)?\b", "", text)


def _requests(sentence: str, kept: tuple[str, ...], now: datetime) -> Found:
    if EXCEPTING.search(sentence):
        return "What exactly should be forgotten, and what should stay?"
    if RESTRICTING.search(sentence):
        return (Proposed("restrict", "owner", keep=kept, confidence=0.8),)
    if match := ASKING.search(sentence):
        return _tell(sentence[match.end() :], match)
    for action, asked in (("keep", REMEMBERING), ("rectify", CORRECTING)):
        if match := asked.search(sentence):
            if FORGETTING.search(sentence):
                return "Please ask for one thing at a time: what is to be forgotten?"
            return _about(action, sentence[match.end() :])
    found: list[Proposed] = []
    for clause, future in _clauses(sentence):
        read = _forget(COURTESY.sub("", clause), kept, now, future=future)
        if not read or isinstance(read, str):
            return read
        found += read
    return tuple(dict.fromkeys(found))


def _clauses(sentence: str) -> list[tuple[str, bool]]:
    """What each clause wants forgotten, and whether it is about the future too.

    One that only points back ("and don't store it again") says so of the one before.
    """
    begun = FUTURE.search(sentence) or FORGETTING.search(sentence)
    if begun is None:
        return []
    first = FORGETTING.search(sentence)
    begun = first if first and first.start() < begun.start() else begun
    starts = [begun, *(match for match in JOINED.finditer(sentence, begun.end()))]
    ends = [*(match.start() for match in starts[1:]), len(sentence)]
    found: list[tuple[str, bool]] = []
    for start, end in zip(starts, ends, strict=True):
        clause, future = sentence[start.end() : end], bool(FUTURE.search(start[0]))
        if found and words_of(COURTESY.sub("", clause)).lower() in {"", *VAGUE}:
            found[-1] = (found[-1][0], found[-1][1] or future)
        else:
            found.append((clause, future))
    return found


def _tell(rest: str, match: re.Match[str]) -> tuple[Proposed, ...]:
    if match.lastgroup == "export":
        return (Proposed("export", "owner"),)
    words = words_of(rest)
    if not words or words.lower() in SUBJECT_WORDS:
        return (Proposed("tell", "owner"),)
    return tuple(Proposed("tell", e.kind, e.value, e.entity_type) for e in topics_of(words))


def _about(action: str, rest: str) -> Found:
    """A request about what is named, and only where it is clear what that is: "my address: …"."""
    found = topics_of(words_of(rest.partition(":")[0].partition(" to ")[0]))
    clear = all(each.clear for each in found)
    return tuple(Proposed(action, e.kind, e.value, e.entity_type) for e in found) if clear else ()


def _forget(rest: str, kept: tuple[str, ...], now: datetime, *, future: bool) -> Found:
    if when := period(rest, now):
        if _names_somebody(rest):
            return "Only what names them in that period, or everything of the period?"
        if re.search(r"\band (?:also )?(?:my|all|everything)\b", rest, re.IGNORECASE):
            return "Please ask for one thing at a time: the period, or the rest?"
        return (Proposed("forget", "time_range", since=when[0], until=when[1], keep=kept),)
    words = words_of(rest)
    if not words or words.lower() in SUBJECT_WORDS:
        return _everything(rest, kept)
    if words.lower() in VAGUE:
        return "What exactly should be forgotten?"
    topics, several = topics_of(words), words.lower().split()
    clause = len(several) > 4 or several[0] in QUESTIONS
    if clause and not all(each.clear for each in topics):
        return "Is there a name, a topic or a period that it is about?"
    return tuple(
        Proposed("forget", each.kind, each.value, each.entity_type, keep=kept, future=future)
        for each in topics
    )


def _names_somebody(rest: str) -> bool:
    """Whether a sentence about a period names somebody besides: "Alva from May to June"."""
    words = re.findall(r"\b[^\W\d_][\w'-]*", rest)
    return any(word[0].isupper() and word.lower() not in _CALENDAR for word in words)


_CALENDAR = frozenset(
    {
        *DAYS,
        *(month.lower() for month in calendar.month_name),
        "i",
        "i'm",
        "i've",
        "all",
        "everything",
    }
)
EVERYTHING = re.compile(
    r"\b(?:everything|all|me|myself|my (?:data|memories|account))\b", re.IGNORECASE
)
QUESTIONS = frozenset({"what", "where", "who", "whom", "when", "why", "how", "which", "whether"})
VAGUE = frozenset({"it", "this", "that one", "them", "him", "her", "those", "these", "one"})


def _everything(rest: str, kept: tuple[str, ...]) -> Found:
    if not EVERYTHING.search(rest):
        return ()
    return (Proposed("forget", "owner", keep=kept, confidence=0.8),)
