"""Whom a text is mainly about: who is the subject of what it states, or all that it is about.

``My sister Alva was born in May`` and ``I met Alva`` are about Alva; ``I hate coriander, unlike
Alva`` and ``I booked a hotel that Alva recommended`` mention her in passing.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from detectors.words import word_set
from proxy.erasure.texts.called import RELATED, ROLES
from proxy.erasure.texts.clauses import CLAUSE, FINITE
from proxy.erasure.texts.spoken_to import titled_from
from proxy.erasure.texts.words import STOP_WORDS

Place = tuple[int, int]

SENTENCE = re.compile(r"(?:(?<=[^\W\d_]{3}[.!?…])|(?<=\d[.!?…])|(?<=[!?…;\n]))\s+|\s[-–—]\s")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
FIRST = word_set("i we i'm i've i'd we're we've ich wir je nous yo nosotros io noi eu nós ik wij")
THIRD = re.compile(
    r"(?:(?:and|but|also|und|et|y) )?(?:she|he|they|her|his|their|sie|er|ihre?|seine?|elle|il|"
    r"ella|él|lei|lui|ela|ele|zij|ze|hij)\b",
    re.IGNORECASE,
)
# Before a name they make it a circumstance of something else.
ASIDE = word_set(
    """
    with of for by from to at near next in on behind against without like unlike than beside besides
    after before since until through via versus plus except despite towards around opposite when
    while because if although though unless whenever where as whether thanks per whom whose which
    mit bei von vom für nach wie als ohne gegen neben laut zu zum wegen trotz wenn weil während ob
    obwohl avec chez de pour par selon comme sans contre quand parce si grâce à con para por según
    como sin cuando porque secondo senza quando perché da com sem bij van voor volgens zonder
    toen omdat
    """
)
ON_THEM = word_set("about on über sur sobre su over")  # what is told about somebody is about them
# What opens a clause that says what is so: its subject is whom it is about.
SAYING = word_set(
    """
    know knew think thought believe hear heard say says said tell told learn learned learnt hope
    guess suspect see saw notice noticed remember remembered mention mentioned read found find
    discovered assume promise swear fear admit wish understand understood glad sure weiß wusste
    glaube denke dachte gehört sagt sagte hörte hoffe sais pense crois entendu dit sé creo dice dijo
    credo penso detto sei acho disse weet denk zegt zei hoorde
    """
)
TO_WHOM = word_set("me us him her them mir uns ihm ihr nos ci")
FILLING = (
    STOP_WORDS
    | FIRST
    | word_set(
        """
    just only also still never always often really once already both ever not don't didn't can't
    won't haven't hasn't isn't will would can could should may might must been got get that whom
    today yesterday tomorrow recently finally sometimes usually again very last next year week month
    bin habe hat haben ist war nicht noch schon oft immer gestern heute ai suis est pas hier he ho
    sono non no ayer heb ben niet
    """
    )
)
POSSESSIVE = (
    r"(?:my|our|his|her|their|your|(?:mein|unser|ihr|sein|dein)e?[rmn]?|mon|ma|mes|notre|son|sa|"
    r"mis?|nuestr[oa]|su|(?:il |la )?mi[oa]|(?:o |a )?m(?:eu|inha)|mijn|onze)"
)
CALLED = re.compile(
    rf"(?<![\w’'-])(?:(?:{POSSESSIVE}|the|an?|der|die|la|le|el|il|de|het) (?:[\w-]+ ){{0,2}}?"
    rf"(?:{RELATED}|{ROLES})|{POSSESSIVE} (?:[a-zà-ÿ]+ )?[\w-]+|"
    rf"[^\W\d_][\w-]*['’]s? (?:[\w-]+ )?(?:{RELATED}|{ROLES}))"
    r"(?: (?:is |was )?(?:called|named))?,? *$",
    re.IGNORECASE,
)  # fmt: skip
IS = word_set("is was are were ist war sind est était es era è é")
WITH = "met"  # in Dutch, where English has "I met Alva"
DUTCH = word_set("ik wij ben heb was een het de mijn")
TIMES = word_set("in on since after before until at im am seit en depuis desde nel op")
ARTICLE = re.compile(r"(?:the|an?|every|each|der|die|das|les?|la|el|il|o|de|het)\s", re.IGNORECASE)
ENOUGH = 1  # words that may say what is done with whom it is about


class _Said(NamedTuple):
    """One sentence, with where it mentions whom it may be about."""

    text: str
    start: int
    end: int


def is_mainly_about(text: str, ours: Sequence[Place], people: Collection[Place] = ()) -> bool:
    """Whether most sentences, or of two alike the first, are about whom is mentioned.

    Args:
        ours: where whom it may be about is mentioned.
        people: where anybody is.
    """
    verdicts: list[bool] = []
    for start, end in _sentences(text):
        here = sorted(each for each in ours if start <= each[0] < end)
        said = text[start:end]
        if here:
            others = [s - start for s, e in people if start <= s < end and not _meet((s, e), ours)]
            place = _Said(said, here[0][0] - start, min(here[0][1], end) - start)
            verdicts.append(_is_about(place, others))
        elif said.strip():
            verdicts.append(bool(verdicts) and verdicts[-1] and bool(THIRD.match(said)))
    told = sum(verdicts)
    return told * 2 > len(verdicts) or (told * 2 == len(verdicts) and verdicts[:1] == [True])


def _meet(one: Place, places: Collection[Place]) -> bool:
    return any(one[0] < end and start < one[1] for start, end in places)


def _sentences(text: str) -> list[Place]:
    ends = [(each.start(), each.end()) for each in SENTENCE.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    return [*zip(starts, [*(start for start, _ in ends), len(text)], strict=True)]


def _is_about(said: _Said, others: Collection[int]) -> bool:
    start = _described_from(said.text, said.start)
    if any(each < start for each in others):
        return False
    if not WORD.search(said.text, 0, start):
        return True
    opening, before = _clause(said.text, start)
    if opening and not _says(opening):
        return False
    return _is_topic(before, said.text[said.end :])


def _described_from(text: str, start: int) -> int:
    """Where a name begins with what its bearer is to somebody: ``my sister Alva``."""
    start = titled_from(text, start)
    called = CALLED.search(text, 0, start)
    if called is None or FINITE.search(called[0]):
        return start
    if not (ASIDE | ON_THEM).isdisjoint(_words(called[0])):
        return start
    return called.start()


def _clause(text: str, start: int) -> tuple[str, str]:
    """What states something before the clause of a name, and what of that stands before it."""
    joints = list(CLAUSE.finditer(text, 0, start))
    at = joints[-1].end() if joints else 0
    opening = text[: joints[-1].start()] if joints else ""
    return (opening, text[at:start]) if _states(opening) else ("", text[:start])


def _states(clause: str) -> bool:
    """Whether a clause says something of its own: ``After the storm,`` does not."""
    words = _words(clause)
    if words and words[0] in ASIDE and clause.rstrip().endswith(","):
        return False
    return not FIRST.isdisjoint(words) or bool(FINITE.search(clause))


def _words(text: str) -> list[str]:
    return [each.casefold() for each in WORD.findall(text)]


def _says(clause: str) -> bool:
    """Whether what follows is what somebody says or knows: ``I think that``."""
    words = _words(clause)
    while words and words[-1] in TO_WHOM:
        words.pop()
    return bool(words) and words[-1] in SAYING


def _is_topic(before: str, after: str) -> bool:
    """Whether the words of its clause before a name make its bearer what the clause is about."""
    words = _words(before)
    while words and words[0] in ("and", "but", "that", "dass", "que", "dat", "che"):
        words = words[1:]
    if not words:
        return True
    content = [each for each in words if each not in FILLING and each not in ASIDE | ON_THEM]
    mine = not FIRST.isdisjoint(words)
    if words[-1] in ASIDE or (words[-1] == WITH and not DUTCH.isdisjoint(words)):
        return mine and len(content) <= ENOUGH and words[0] not in ASIDE and not _goes_on(after)
    if words[-1] in ON_THEM or words[-1] in SAYING:
        return len(content) <= ENOUGH + 1
    if words[-1] in IS:
        return True
    if mine or FINITE.search(before):
        return len(content) <= ENOUGH + (not mine and bool(FINITE.fullmatch(words[-1])))
    if words[0] in ASIDE and "," not in before:
        return bool(FINITE.search(after)) and words[0] in TIMES
    return not ARTICLE.match(before)


def _goes_on(after: str) -> bool:
    """Whether more is said behind a name than when."""
    return any(each not in FILLING and not each.isdigit() for each in _words(after))
