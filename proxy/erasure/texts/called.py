"""What a text says of a person beside a short name: "my brother John", "John from accounting"."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from detectors.identity.keys import same_surface
from detectors.identity.marks import differ
from detectors.identity.names import generation_of, person_tokens
from detectors.words.folding import fold
from detectors.words.relations import OTHER_LANGUAGES, OTHER_ROLES, RELATION, TRADES
from detectors.words.titles import FIRST_NAMES_TOO, HONORIFICS
from proxy.erasure.texts.attribute_words import MINE
from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.relation_words import EX_ONLY, FORMER, PARTNERS

REACH = 60  # code points on either side of a name
NOTHING = ""  # nothing is said

Said = frozenset[str]

TITLE = "|".join(sorted(map(re.escape, HONORIFICS - FIRST_NAMES_TOO)))
_REMOVED = r"step|half|foster|ex|great"  # "my half brother" is not "my brother"
_OTHER = f"{OTHER_ROLES}|gp|physician"
ROLES = f"{TRADES}|{_OTHER}"
_GONE = rf"(?:{FORMER}) (?=(?:{PARTNERS})\b)"  # "my former wife" is my ex-wife
RELATED = (
    rf"(?:(?:(?:{_REMOVED})[- ]?|{_GONE})?(?:{RELATION}|{OTHER_LANGUAGES})(?:[- ]in[- ]law)?"
    rf"|ex[- ]?(?:{EX_ONLY})\b)"
)
_THE = r"the|der|die|le|la|el|il|de|het"
_WHOSE = rf"(?:(?:(?:{_THE}|o|a) )?(?:{MINE}|{_THE}) (?:\w+['’]s )?|l['’]|\w+['’]s )"
OWN = rf"{_WHOSE}(?:(?!(?:{_REMOVED}) |{_GONE})[\w-]+ )?"
_EDGE = r"(?!\w|['’]s?\b|-\w)"  # neither "brother's boss" nor "brother-in-arms"
_CALLED = (
    r"called|named|namens|heißt|s['’]appelle|nommée?|llamad[oa]|se llama|chamad[oa]|se chama|"
    r"di nome|si chiama|genaamd|heet"
)
_IS = r"is|was|ist|war|est|était|es|era|è|é"
# Where "of" may belong to a name, what follows has no capital: not "Andrés de Falk".
_FROM = (
    r"from (?:the |our )?(?P<place>\w[\w-]+)|aus (?:de[rm] |unser\w* )?(?P<aus>\w[\w-]+)"
    r"|(?:del?|del?la|dell?o|du|d[aoi]s?|van) (?:la |l['’]|de |het |os |as )?"
    r"(?P<of>(?-i:[a-zà-ÿ])[\w-]{3,})|(?:de l|dell|all)['’](?P<elided>(?-i:[a-zà-ÿ])[\w-]{3,})"
)
_BEFORE = re.compile(
    rf"(?<![\w-])(?P<related>{RELATED}|{ROLES})(?:,? (?:is |was )?(?:{_CALLED})|"
    rf"(?:['’]s name)? (?:{_IS})|,|:)? (?:(?:{TITLE})\.? ){{0,2}}$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"(?:,| (?:{_IS})|,? who (?:is|was)| \(| -)? ?(?:{OWN}(?P<related>{RELATED}|{_OTHER})|"
    rf"(?<=\()(?P<bare>{RELATED}|{ROLES})|the (?P<trade>{TRADES})){_EDGE}|,? (?:{_FROM})",
    re.IGNORECASE,
)
_SAME = {
    "mom": "mother", "mum": "mother", "mommy": "mother", "mummy": "mother", "dad": "father",
    "daddy": "father", "bro": "brother", "sis": "sister", "hubby": "husband", "wifey": "wife",
    "co-worker": "colleague", "coworker": "colleague", "neighbor": "neighbour",
    "flatmate": "roommate", "housemate": "roommate", "room-mate": "roommate", "buddy": "friend",
    "mate": "friend", "pal": "friend", "manager": "boss", "kid": "child", "gp": "doctor",
    "physician": "doctor", "fiance": "fiancé", "fiancee": "fiancée",
}  # fmt: skip
_REMOVED_BY = re.compile(rf"^({_REMOVED}) ")
_EX = re.compile(fold(rf"^(?:(?:{FORMER}) |ex-?)(?=(?:{PARTNERS})$)"))
_RELATIVE = re.compile(fold(RELATED))
_KIND = re.compile(fold(rf"{RELATED}|{ROLES}"))


@dataclass(frozen=True, slots=True)
class Others:
    """Those who bear the same name or a longer one with it, and are not meant.

    Args:
        names: their longer names.
        meant: of those who bear the very name, what is said of the ones that are meant; ``None``
            if all are.
    """

    names: Needles | None = None
    meant: Said | None = None

    def bear(self, name: str) -> bool:
        """Whether a name is certainly theirs too, so that it must not be blocked."""
        known = self.names.surfaces if self.names else ()
        return any(same_surface(name, each) and not differ(name, each) for each in known)

    def are_elders(self, name: str) -> bool:
        """Whether nothing but its generation tells the name from theirs."""
        known = self.names.surfaces if self.names else ()
        younger = generation_of(name)
        return bool(younger) and all(generation_of(each) != younger for each in known)

    def outside(self, spans: Iterable[Span], text: str) -> list[Span]:
        """Those mentions that are of none of them."""
        left = self.names.outside(spans, text) if self.names else list(spans)
        if self.meant is None:
            return left
        bare = [each for each in left if len(person_tokens(text[each.start : each.end])) == 1]
        said = dict(zip(bare, said_of(text, bare), strict=True))
        return [each for each in left if each not in said or self._is_meant(said[each])]

    def _is_meant(self, said: Said) -> bool:
        meant = self.meant or Said()
        if (places := _places(said)) and places.isdisjoint(meant):
            return False
        return not said.isdisjoint(meant) if said else NOTHING in meant


def said_of(text: str, spans: Sequence[Span]) -> list[Said]:
    """What is said beside each mention; one of whom nothing is said is whom a text tells of alone.

    "John is my brother. John lives in Lund." tells of one John, whatever else is named.
    """
    said = [_beside(text, span) for span in spans]
    told = {each for each in said if each}
    alone = next(iter(told)) if len(told) == 1 else Said()
    return [each or alone for each in said]


def _beside(text: str, span: Span) -> Said:
    before = text[max(0, span.start - REACH) : span.start]
    after = text[span.end : span.end + REACH]
    found = {_word(_BEFORE.search(before))}
    while (match := _AFTER.match(after)) is not None:
        found.add(_word(match))
        after = after[match.end() :]
    return Said(found - {NOTHING})


def _word(match: re.Match[str] | None) -> str:
    if match is None:
        return NOTHING
    words = match.groupdict().values()
    return plain_role(next((each for each in words if each), NOTHING))


def plain_role(said: str) -> str:
    """A word for what somebody is to others, in one of the ways in which it is written."""
    word = _REMOVED_BY.sub(r"\1-", fold(said).replace(" in law", "-in-law"))
    return _SAME.get(word, _EX.sub("ex-", word))


def _places(said: Said) -> Said:
    return Said(word for word in said if not _KIND.fullmatch(word))


def is_relative(word: str) -> bool:
    """Whether a word says what somebody is to whoever speaks: everybody's brother is another."""
    return _RELATIVE.fullmatch(word) is not None


def distinct(counted: Mapping[Said, int]) -> Counter[Said]:
    """What tells one from another: no word that is said of people from several places.

    A colleague from accounting and a colleague from sales are two; "my colleague" is either.
    """
    places: dict[str, Said] = {}
    for words in counted:
        for word in words - _places(words):
            places[word] = places.get(word, Said()) | _places(words)
    shared = {word for word, known in places.items() if len(known) > 1}
    apart = Counter[Said]()
    for words, n in counted.items():
        apart[(words - shared) or words] += n
    return apart


def groups(counted: Mapping[Said, int]) -> list[Said]:
    """What is said of one and the same, the most frequent first; nothing where nothing is said.

    What is said at one place is said of one: "John from accounting, my colleague".

    Args:
        counted: what is said together, and how often.
    """
    joined: list[Said] = []
    for words in filter(None, counted):
        touching = [each for each in joined if not words.isdisjoint(each)]
        joined = [each for each in joined if each not in touching]
        joined.append(words.union(*touching))
    often = {
        one: sum(n for words, n in counted.items() if words and words <= one) for one in joined
    }
    return sorted(joined, key=lambda each: (-often[each], sorted(each)))
