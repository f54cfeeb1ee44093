"""What a sentence asks for: a proposal of structured requests, or the question to ask back.

Rules only: no model, no network, and nothing is carried out. What no rule understands becomes a
question, because a wrong guess deletes.
"""

import calendar
import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from proxy.erasure.texts.addressed import without_role
from proxy.erasure.texts.attributes import ATTRIBUTES
from proxy.rights.vocabulary import (
    ASKING,
    ASKING_FOR,
    CATEGORIES,
    CONDITIONS,
    FORGETTING,
    FUTURE,
    KEEPING,
    RELATIONS,
    RESTRICTING,
    SUBJECT_WORDS,
)

LONGEST = 2_000
FILLER = re.compile(
    r"^(?:(?:everything|anything|all|every|any|the|of|that|memories|memory|information|info|data|"
    r"details|things|stuff|facts|records?|mentions?|you|know|have|remember|stored|about|mentioning|"
    r"regarding|concerning|related|to|on|with|for|my|our|me|i|said|told|please|ever|who|is|was)\b"
    r"[\s,]*)+",
    re.IGNORECASE,
)
# "what I told you about Ada"
TOLD = re.compile(r"^what(?:ever)? (?:i|you|we)(?: \w+){1,3}? (?:about|of) ", re.IGNORECASE)
TAIL = re.compile(r"[\s.!?,;]+$")
NAME = re.compile(r"^[A-Z][\w'’.-]*(?:\s+(?:[a-z]{1,3}\s+)?[A-Z][\w'’.-]*)*$")
POSSESSIVE = re.compile(r"['’]s$")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


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
    asked, kept = _split_keep(sentence)
    found = _request(asked, kept, local)
    if found is None:
        return _unsure("What should be forgotten: a person, a topic, a period, or everything?")
    if isinstance(found, str):
        return _unsure(found)
    return Interpretation((found,))


NEGATED = re.compile(
    r"\b(?:do not|don't|never|please don't)\s+(?:ever\s+)?(?:forget|delete|erase|remove)\b",
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


def _request(sentence: str, kept: tuple[str, ...], now: datetime) -> Proposed | str | None:
    if RESTRICTING.search(sentence):
        return Proposed("restrict", "owner", keep=kept, confidence=0.8)
    if match := ASKING.search(sentence):
        return _tell(sentence[match.end() :], match)
    future = bool(FUTURE.search(sentence))
    match = FUTURE.search(sentence) or FORGETTING.search(sentence)
    if match is None:
        return None
    return _forget(sentence[match.end() :], kept, now, future=future)


def _tell(rest: str, match: re.Match[str]) -> Proposed:
    if match.lastgroup == "export":
        return Proposed("export", "owner")
    topic = _topic(rest)
    if not topic or topic.lower() in SUBJECT_WORDS:
        return Proposed("tell", "owner")
    return Proposed("tell", *_kind_of(topic))


def _forget(
    rest: str, kept: tuple[str, ...], now: datetime, *, future: bool
) -> Proposed | str | None:
    if period := _period(rest, now):
        if _names_somebody(rest):
            return "Only what names them in that period, or everything of the period?"
        return Proposed("forget", "time_range", since=period[0], until=period[1], keep=kept)
    topic = _topic(rest)
    if not topic or topic.lower() in SUBJECT_WORDS:
        return _everything(rest, kept)
    if topic.lower() in VAGUE:
        return "What exactly should be forgotten?"
    kind, value, entity_type = _kind_of(topic)
    words = topic.lower().split()
    clause = len(words) > 4 or words[0] in QUESTIONS
    if kind == "entity" and entity_type is None and clause:
        return "Is there a name, a topic or a period that it is about?"
    return Proposed("forget", kind, value, entity_type, keep=kept, future=future)


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


def _everything(rest: str, kept: tuple[str, ...]) -> Proposed | None:
    if not EVERYTHING.search(rest):
        return None
    return Proposed("forget", "owner", keep=kept, confidence=0.8)


def _topic(rest: str) -> str:
    bare = TOLD.sub("", TAIL.sub("", rest.strip()))
    return TAIL.sub("", FILLER.sub("", bare + " ").strip())


def _kind_of(topic: str) -> tuple[str, str, str | None]:
    """The kind of target a topic is, its value, and its entity type."""
    lower = re.sub(r"\s+(?:information|info|data|details|history|records?)$", "", topic.lower())
    if lower in CATEGORIES:
        return "category", CATEGORIES[lower], None
    if attribute := _attribute(lower):
        return "attribute", attribute, None
    if lower in RELATIONS:
        return "entity", lower, "RELATIONSHIP"
    if lower in CONDITIONS:
        return "entity", lower, "MEDICAL_CONDITION"
    if "@" in topic and " " not in topic:
        return "entity", topic, "EMAIL_ADDRESS"
    name = without_role(POSSESSIVE.sub("", topic), within=True)
    return ("entity", name, "PERSON") if NAME.match(name) else ("entity", topic, None)


def _attribute(lower: str) -> str | None:
    for name, asking in ASKING_FOR.items():
        if asking.fullmatch(lower):
            return name
    if lower in ATTRIBUTES:
        return lower
    known = {word: name for name, each in ATTRIBUTES.items() for word in each.words}
    return known.get(lower)


# -- periods ---------------------------------------------------------------------------------------


def _period(rest: str, now: datetime) -> tuple[datetime, datetime] | None:
    lower = rest.lower()
    today = now.date()
    for word, days in (("yesterday", 1), ("today", 0)):
        if re.search(rf"\b{word}\b", lower):
            return _day(today - timedelta(days=days), now)
    if match := re.search(r"\blast (week|month|year)\b", lower):
        return _last(match[1], now)
    if match := re.search(r"\b(?:last|past) (\d{1,3}) (hour|day|week)s?\b", lower):
        unit = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
        return now - int(match[1]) * unit[match[2]], now
    if match := re.search(rf"\b(?:last|on) ({'|'.join(DAYS)})\b", lower):
        back = (today.weekday() - DAYS.index(match[1])) % 7 or 7
        return _day(today - timedelta(days=back), now)
    return _dated(lower, now)


def _dated(lower: str, now: datetime) -> tuple[datetime, datetime] | None:
    dates = re.findall(r"\b(\d{4}-\d{2}-\d{2})\b", lower)
    try:
        days = [date.fromisoformat(each) for each in dates[:2]]
    except ValueError:
        return None
    if not days:
        return None
    first, last = min(days), max(days)
    if len(days) == 1 and re.search(r"\bbefore\b", lower):
        return datetime(1970, 1, 1, tzinfo=now.tzinfo), _day(first, now)[0]
    if len(days) == 1 and re.search(r"\b(?:since|after)\b", lower):
        return _day(first, now)[0], now
    return _day(first, now)[0], _day(last, now)[1]


def _day(day: date, now: datetime) -> tuple[datetime, datetime]:
    """A day of the author's calendar, however long it is there."""
    start = datetime.combine(day, time(), tzinfo=now.tzinfo)
    return start, datetime.combine(day + timedelta(days=1), time(), tzinfo=now.tzinfo)


def _last(unit: str, now: datetime) -> tuple[datetime, datetime]:
    today = now.date()
    match unit:
        case "week":
            first = today - timedelta(days=today.weekday() + 7)
            last = first + timedelta(days=7)
        case "month":
            last = today.replace(day=1)
            first = (last - timedelta(days=1)).replace(day=1)
        case _:
            last = today.replace(month=1, day=1)
            first = last.replace(year=last.year - 1)
    return _day(first, now)[0], _day(last, now)[0]
