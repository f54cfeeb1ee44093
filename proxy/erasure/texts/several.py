"""Whom a relation asked for may mean: several at once, and by other words for the same."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from detectors.words.folding import fold
from proxy.erasure.texts.called import OWN, RELATED, ROLES, TITLE, plain_role, said_of
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.relation_words import GROUPS, PLURALS, WIDER

REACH = 300  # code points on either side of the word
MOST = 20  # names in a row, behind the first
_WORD = (
    rf"(?:{'|'.join(sorted(PLURALS, key=len, reverse=True))}|großeltern|"
    rf"(?:mother|father|sister|brother|son|daughter)s[- ]in[- ]law|(?:{RELATED}|{ROLES})s)"
)
_NAME = (
    rf"(?:(?:{TITLE})\.? ){{0,2}}(?-i:[^\W\d_a-z])[\w'’-]*"
    r"(?: (?:(?:von|van|de|der|den|di|da|dos|del|la|ter) ){0,2}(?-i:[^\W\d_a-z])[\w'’-]*){0,3}"
)
_AND = r"(?:,? (?:and|und|et|y|e|en|&) |, )"
_NAMES = rf"(?P<names>{_NAME}(?:{_AND}{_NAME}){{0,{MOST}}})"
_ARE = r"are|were|sind|waren|sont|étaient|son|eran|sono|erano|são|eram|zijn|waren"
_CALLED = (
    r"called|named|heißen|namens|s['’]appellent|nommé(?:e?s)?|se llaman|llamad[oa]s|si chiamano|"
    r"di nome|se chamam|chamad[oa]s|heten|genaamd"
)
_BEHIND = re.compile(
    rf"{_WORD}(?:,? (?:(?:{_ARE}) )?(?:{_CALLED})|(?:['’] names)? (?:{_ARE})|"
    rf"[,:]| \()? ?(?<=[ (]){_NAMES}",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?<![\w'’-]){_NAMES}(?:,? (?:{_ARE})|,? who (?:are|were)|,| \(| -) ?(?:{OWN})"
    rf"{_WORD}$",
    re.IGNORECASE,
)
_EX = re.compile(r"ex-(?P<who>.+)")
_SPELLINGS = ({"neighbour", "neighbor"}, {"fiancé", "fiance"}, {"fiancée", "fiancee"},
              {"co-worker", "coworker"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Relations:
    """What somebody is said to be who is asked for.

    Args:
        same: words for it.
        perhaps: words that leave open whether it is it: ``child`` of a son.
    """

    same: frozenset[str]
    perhaps: frozenset[str]

    def are_in(self, text: str) -> bool:
        """Whether a text has any word for it, or for several of it."""
        wanted = self.same | self.perhaps
        return any(one_of(word) in wanted for word in _words_in(text))

    @classmethod
    def of(cls, words: Collection[str]) -> "Relations":
        """Those that words asked for stand for; whoever asks for a child means a son, too."""
        named = {each for word in words for each in _names_of(one_of(word))}
        named |= {narrow for wide in named for narrow in WIDER.get(wide, ())}
        wider = {wide for wide, narrow in WIDER.items() if not narrow.isdisjoint(named)} - named
        return cls(_words_of(named), _words_of(wider))


@dataclass(frozen=True, slots=True)
class Together:
    """Where several stand who are said to be the same to somebody, and what one of them is."""

    start: int
    end: int
    role: str

    def has(self, span: Span) -> bool:
        """Whether somebody who is mentioned is one of them."""
        return self.start <= span.start and span.end <= self.end


def one_of(word: str) -> str:
    """What one of them is: ``sister`` of ``sisters``; one word of those for the same."""
    folded = fold(word)
    if folded in PLURALS:
        return PLURALS[folded]
    single = folded.replace("s-in-law", "-in-law").replace("s in law", "-in-law").removesuffix("s")
    return plain_role(single if _ROLE.fullmatch(single) else folded)


def is_several(word: str) -> bool:
    """Whether a word is for several of a relation."""
    return _SEVERAL.fullmatch(word) is not None


def spelled_otherwise(word: str) -> set[str]:
    """The same word in its other spellings: ``ex wife`` and ``former wife`` of ``ex-wife``."""
    small = word.lower()
    same = {small}.union(*(each for each in _SPELLINGS if small in each))
    gone = _EX.fullmatch(plain_role(small))
    return same | {f"{ex}{gone['who']}" for ex in ("ex-", "ex ", "ex", "former ") if gone}


def together(text: str) -> list[Together]:
    """Those who are said to be the same in one sentence: ``my sisters are Kaia and Liv Holm``."""
    found = []
    for word in _ANY.finditer(text):
        if not is_several(word[0]):
            continue
        start = max(0, word.start() - REACH)
        behind = _BEHIND.match(text, word.start(), word.end() + REACH)
        before = _BEFORE.search(text, start, word.end())
        role = one_of(word[0])
        found += [Together(*each.span("names"), role) for each in (behind, before) if each]
    return found


def roles_of(text: str, spans: Sequence[Span], others: Sequence[Together]) -> set[str]:
    """What somebody who is mentioned is said to be, alone or together with others."""
    alone = {one_of(each) for found in said_of(text, spans) for each in found}
    return alone | {each.role for each in others if any(map(each.has, spans))}


def _words_in(text: str) -> Iterator[str]:
    return (match[0] for match in _ANY.finditer(text))


def _names_of(role: str) -> set[str]:
    """The relations a word stands for, by their first words."""
    return {name for name, words in GROUPS.items() if role in words} or {role}


def _words_of(names: Collection[str]) -> frozenset[str]:
    return frozenset(names).union(*(GROUPS.get(each, ()) for each in names))


_ROLE = re.compile(fold(rf"(?:{RELATED}|{ROLES})"))
_SEVERAL = re.compile(_WORD, re.IGNORECASE)
_ANY = re.compile(rf"(?<![\w-])(?:{_WORD}|{RELATED}|{ROLES})(?![\w-])", re.IGNORECASE)
