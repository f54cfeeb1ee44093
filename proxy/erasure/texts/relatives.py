"""What somebody is to another who is named: ``Judith's ex-husband``, ``the brother of Jutta``."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from detectors.words.calendar import TIMES
from detectors.words.folding import fold
from detectors.words.namelists import is_name
from proxy.erasure.texts.called import RELATED, ROLES, plain_role
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.subjects import PREPOSITION, first_name

_NAME = r"(?-i:[^\W\d_a-z])[\w-]*(?: (?-i:[^\W\d_a-z])[\w-]*){0,4}"
_ROLE = rf"(?P<role>{RELATED}|{ROLES})(?![\w'’-])"
_THE = r"(?:(?:the|an?|der|die|das|den|dem|une?|le|la|el|il|lo|o|a|uma?|de|het|een) |l['’])"
_OF = r"(?:(?:of|von|vom|de|di|do|da|del|della|van) |d['’])"
_OTHER = r"(?:[\w-]+ ){0,2}?"
_OWNER = rf"(?P<owner>{_NAME})"
OWNS = re.compile(rf"(?<!\w){_OWNER}(?:['’]s?|(?<=\ws)) {_OTHER}{_ROLE}", re.IGNORECASE)
OF = re.compile(rf"(?<!\w)(?:{_THE}{_OTHER})?{_ROLE} {_OF}{_OWNER}(?!\w)(?!['’]s)", re.IGNORECASE)
MINE = re.compile(
    rf"(?<!\w)(?P<owner>my|mein\w{{0,2}}|mon|ma|mi|(?:il )?mio|(?:la )?mia|(?:[oa] )?m(?:eu|inha)|"
    rf"mijn) {_OTHER}{_ROLE}",
    re.IGNORECASE,
)
WHATEVER = re.compile(rf"(?<!\w)(?P<owner>{_NAME})['’]s? [a-zà-ÿ-]+(?: [a-zà-ÿ-]+){{0,2}} ?$")
TO_NAME = re.compile(r"(?:,| (?:is |was )?(?:called|named)|:)? ")
TO_ROLE = re.compile(r"(?:,| \(| [-–—]|,? (?:who )?(?:is|was|ist|war|est|es|è|é))? ?")
NAMED_BEHIND = re.compile(rf"(?:,| (?:is |was )?(?:called|named)|:)? (?P<name>{_NAME})")
NAMED_BEFORE = re.compile(rf"(?<!\w)(?P<name>{_NAME}){TO_ROLE.pattern}$")
ME = frozenset({"i"})
REACH = 120  # code points before a name


@dataclass(frozen=True, slots=True)
class Relation:
    """What somebody is to whom.

    Args:
        owner: words of the name of whose relative it is, folded; ``ME`` for the speaker's.
        role: what they are to the owner.
    """

    owner: frozenset[str]
    role: str

    def same(self, other: "Relation") -> bool:
        """Whether both may speak of the same: a first name may stand for a whole one."""
        return self.role == other.role and not self.owner.isdisjoint(other.owner)


def told_of(text: str, spans: Sequence[Span]) -> set[Relation]:
    """Whose relatives those mentioned are said to be: ``Judith's ex-husband Karl``."""
    return {
        relation
        for relation, start, end in (_relations(text) if spans else ())
        if any(
            TO_NAME.fullmatch(text, end, span.start) or TO_ROLE.fullmatch(text, span.end, start)
            for span in spans
        )
    }


def spoken_of(text: str, known: Collection[Relation]) -> bool:
    """Whether a text speaks of one of them without a name of theirs."""
    folded = fold(text)
    known = [each for each in known if each.owner == ME or any(w in folded for w in each.owner)]
    return any(
        any(map(relation.same, known)) and not _is_named(text, start, end)
        for relation, start, end in (_relations(text) if known else ())
    )


def _relations(text: str) -> Iterator[tuple[Relation, int, int]]:
    """Whose relatives a text speaks of, and where."""
    for pattern in (OWNS, OF, MINE):
        for match in pattern.finditer(text):
            yield _relation(match, mine=pattern is MINE), *match.span()


def _is_named(text: str, start: int, end: int) -> bool:
    """Whether a name of theirs stands beside it."""
    behind = NAMED_BEHIND.match(text, end)
    before = NAMED_BEFORE.search(text, 0, start)
    return any(match is not None and _is_name(match["name"]) for match in (behind, before))


def _is_name(words: str) -> bool:
    return any(is_name(word) and word not in TIMES for word in map(fold, words.split()))


def stands_before(text: str, end: int) -> int:
    """Where a description begins that ends with the name at ``end``; ``end`` if there is none."""
    reach = max(0, end - REACH)
    for pattern in (OWNS, OF):
        for found in pattern.finditer(text, reach, end):
            if TO_NAME.fullmatch(text, found.end(), end):
                return _start(found)
    said = WHATEVER.search(text, reach, end)
    given = PREPOSITION.search(text, reach, end)  # "Judith's number from"
    start = end if said is None or given else _start(said)
    return end if PREPOSITION.search(text, 0, start) else start


def describes(said: str) -> bool:
    """Whether it says nothing but whose relative, or whose what, somebody is."""
    said = said.strip(" ,.!?;)")
    return any(pattern.fullmatch(said) for pattern in (OWNS, OF, WHATEVER))


def _start(match: re.Match[str]) -> int:
    """Where it begins: behind ``When`` in ``When Judith's brother``."""
    if match.start("owner") > match.start():
        return match.start()
    return match.start() + first_name(match["owner"])


def _relation(match: re.Match[str], *, mine: bool) -> Relation:
    words = [fold(each) for each in match["owner"].split()]
    if match.string.startswith(" ", match.end("owner")):  # "Judiths Bruder"
        words.append(words[-1].removesuffix("s"))
    owner = ME if mine else frozenset(words)
    return Relation(owner, plain_role(match["role"]))
