"""What somebody is to another who is named: ``Judith's ex-husband``, ``the brother of Jutta``."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from detectors.words.folding import fold
from proxy.erasure.texts.called import RELATED, ROLES, plain_role
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.subjects import PREPOSITION, first_name

_NAME = r"(?-i:[^\W\d_a-z])[\w-]*(?: (?-i:[^\W\d_a-z])[\w-]*){0,4}"
_ROLE = rf"(?P<role>{RELATED}|{ROLES})(?![\w'’-])"
_THE = r"(?:(?:the|an?|der|die|das|den|dem|une?|le|la|el|il|lo|o|a|uma?|de|het|een) |l['’])?"
_OF = r"(?:(?:of|von|vom|de|di|do|da|del|della|van) |d['’])"
_OTHER = r"(?:[\w-]+ ){0,2}?"
_OWNER = rf"(?P<owner>{_NAME})"
OWNS = re.compile(rf"(?<!\w){_OWNER}(?:['’]s?|(?<=\ws)) {_OTHER}{_ROLE}", re.IGNORECASE)
OF = re.compile(rf"(?<!\w){_THE}{_OTHER}{_ROLE} {_OF}{_OWNER}(?!\w)(?!['’]s)", re.IGNORECASE)
MINE = re.compile(
    rf"(?<!\w)(?P<owner>my|mein\w{{0,2}}|mon|ma|mi|(?:il )?mio|(?:la )?mia|(?:[oa] )?m(?:eu|inha)|"
    rf"mijn) {_OTHER}{_ROLE}",
    re.IGNORECASE,
)
WHATEVER = re.compile(rf"(?<!\w)(?P<owner>{_NAME})['’]s? [a-zà-ÿ-]+(?: [a-zà-ÿ-]+){{0,2}} ?$")
TO_NAME = re.compile(r"(?:,| (?:is |was )?(?:called|named)|:)? ")
TO_ROLE = re.compile(r"(?:,| \(| [-–—]|,? (?:who )?(?:is|was|ist|war|est|es|è|é))? ?")
ME = frozenset({"i"})


@dataclass(frozen=True, slots=True)
class Relation:
    """A way in which a text speaks of somebody without a name.

    Args:
        owner: words of the name of whose relative it is, folded; ``ME`` for the speaker's.
        role: what they are to the owner.
    """

    owner: frozenset[str]
    role: str
    start: int
    end: int

    def same(self, other: "Relation") -> bool:
        """Whether both may speak of the same: a first name may stand for a whole one."""
        return self.role == other.role and not self.owner.isdisjoint(other.owner)


def relations(text: str) -> Iterator[Relation]:
    """Whose relatives a text speaks of."""
    for pattern in (OWNS, OF, MINE):
        for match in pattern.finditer(text):
            yield _relation(match, mine=pattern is MINE)


def told_of(text: str, spans: Sequence[Span]) -> list[Relation]:
    """Whose relative each of those mentioned is said to be: ``Judith's ex-husband Karl``."""
    return [
        each for each in relations(text)
        if any(
            TO_NAME.fullmatch(text, each.end, span.start)
            or TO_ROLE.fullmatch(text, span.end, each.start)
            for span in spans
        )
    ]  # fmt: skip


def stands_before(text: str, end: int) -> int:
    """Where a description begins that ends with the name at ``end``; ``end`` if there is none."""
    for pattern in (OWNS, OF):
        found = [each for each in pattern.finditer(text, 0, end) if _reaches(text, each.end(), end)]
        if found:
            return _start(found[0])
    said = WHATEVER.search(text, 0, end)
    start = end if said is None else _start(said)
    return end if PREPOSITION.search(text, 0, start) else start


def describes(said: str) -> bool:
    """Whether it says nothing but whose relative, or whose what, somebody is."""
    said = said.strip(" ,.!?;)")
    return any(pattern.fullmatch(said) for pattern in (OWNS, OF, WHATEVER))


def _reaches(text: str, start: int, end: int) -> bool:
    return TO_NAME.fullmatch(text, start, end) is not None


def _start(match: re.Match[str]) -> int:
    """Where it begins: behind ``When`` in ``When Judith's brother``."""
    if match.start("owner") > match.start():
        return match.start()
    return match.start() + first_name(match["owner"])


def _relation(match: re.Match[str], *, mine: bool) -> Relation:
    owner = ME if mine else frozenset(map(fold, match["owner"].split()))
    return Relation(owner, plain_role(match["role"]), *match.span())
