"""What two texts say, word by word: the same words, or the same in a few other words.

Nothing is known of what a word means. So every word counts, unless it stands in one of the lists
below; and words may change their places only where that turns nothing round.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from detectors.words import word_set
from detectors.words.calendar import DAYS, MONTHS, SEASONS
from detectors.words.namelists import is_given_name, is_ordinary

Words = tuple[str, ...]
Persons = tuple[tuple[str, str], ...]  # whose words they are, each with the word behind

TOKEN = re.compile(
    r"(?<!\w)[-+−]?\d+(?:[.,:/-]\d+)*\w*|\w+(?:['’]\w+)*|[^\w\s.,;:!'’\"“”„…()\[\]*_–—-]"
)
CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d])|.*[a-z][A-Z]")  # its case may matter


SAYS_NOTHING = word_set("a an the is are am")
PERSONS = {
    word: person
    for person, words in {
        "I": "i i'm i've me my mine myself we us our ours",
        "you": "you your yours",
        "he": "he him his himself",
        "she": "she her hers herself",
        "they": "they them their theirs",
    }.items()
    for word in words.split()
}
POSSESSIVE = word_set("my our your his her their")
FILLERS = word_set(
    "has have with and because since that who whom which whose in at on of as also too always"
)
LABEL = re.compile(r"^\s*(?:summary|note|fact|memory|update)\s*:", re.IGNORECASE)
# Fillers beside one of these.
IMPLIED = {"live": word_set("move"), "get": word_set("divorce marry")}
BEARERS = word_set("person friend neighbor")  # no kin, and no "user": that is the owner
DIRECTIONS = word_set(
    "from to into onto toward towards off out by than before after until till for against near "
    "instead over above under below through without about beside behind"
)
LOOSE = word_set("from to")  # one of them may be said or not: "nut allergy", "allergy to nuts"
PLACES = word_set("in on")  # fillers, but one is not the other
LINKS = DIRECTIONS | word_set("in on at of as with that who whom which whose because since")
DENIALS = word_set(
    "not no never without nor neither nobody nothing none only except but hardly barely cannot "
    "unless nicht kein keine ohne pas jamais sans nunca sin non senza não sem niet geen nooit "
    "zonder"
)
ALIKE = {
    "over": "above", "neighbour": "neighbor", "flat": "apartment", "mum": "mother", "mom": "mother",
    "dad": "father", "bicycle": "bike", "telephone": "phone", "photograph": "photo",
    "television": "tv", "refrigerator": "fridge", "automobile": "car", "physician": "doctor",
    "movie": "film", "bought": "buy", "purchase": "buy", "reside": "live", "colour": "color",
    "favourite": "favorite", "harbour": "harbor", "gray": "grey", "kid": "child",
    "children": "child", "children's": "child's",
}  # fmt: skip
WHOLE = word_set(
    "news evening morning building wedding clothes glasses customs arms species series"
)
KINDS = (
    MONTHS | SEASONS,
    DAYS | word_set("today tomorrow yesterday"),
    *map(
        word_set,
        (
            "morning noon afternoon evening night midnight day week month year",
            "red green blue yellow black white grey brown orange purple pink gold silver",
            "left right north south east west top bottom upper lower inner outer front back first "
            "second third last",
            "mother father sister brother son daughter wife husband partner aunt uncle cousin "
            "niece nephew grandmother grandfather child parent friend neighbor colleague boss "
            "landlord",
            "one two three four five six seven eight nine ten eleven twelve twenty thirty hundred",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of one text in their order, without those that say nothing, and whose they are."""

    words: Words
    persons: Persons

    @property
    def bag(self) -> Words:
        """Equal where two texts have the same words."""
        return tuple(sorted(self.words))


def wording(text: str) -> Wording:
    """Read a text: case and punctuation say nothing, signs (``€``, ``+``, ``?``) do."""
    tokens = [_token(match[0]) for match in TOKEN.finditer(unicodedata.normalize("NFKC", text))]
    tokens = [token for token in tokens if token not in SAYS_NOTHING]
    words = tuple(token for token in tokens if token not in PERSONS or token in POSSESSIVE)
    return Wording(words, _persons(tokens))


def same_words(one: Wording, other: Wording) -> bool:
    """Whether two texts have the same words in the same order; a verb may come last.

    Small words count: ``moved to Lund`` is not ``moved from Lund``.
    """
    if one.bag != other.bag or not _same_persons(one, other):
        return False
    ours, theirs = one.words, other.words
    return ours == theirs or _verb_moved(ours, theirs) or _verb_moved(theirs, ours)


def _token(found: str) -> str:
    return found if CODE.match(found) else found.casefold().replace("’", "'").replace("−", "-")


def _persons(tokens: Sequence[str]) -> Persons:
    """``Her`` of ``her uncle``: with the next word that says something."""
    said = [token for token in tokens if token in PERSONS or token not in FILLERS]
    behind = zip_longest(said, said[1:], fillvalue="")
    return tuple((PERSONS[token], base_form(after)) for token, after in behind if token in PERSONS)


def _same_persons(one: "Wording | Sense", other: "Wording | Sense") -> bool:
    """Whether nothing is ``mine`` in one text and ``hers`` in the other; it may be left out."""
    ours, theirs = Counter(one.persons), Counter(other.persons)
    alone = len({person for person, _ in ours | theirs}) == 1
    return ours == theirs or (alone and (ours <= theirs or theirs <= ours))


def _verb_moved(first: Words, other: Words) -> bool:
    """``Likes jasmine tea``, ``Jasmine tea likes``: nothing but the word in front has moved."""
    verb = first[0]
    if is_given_name(verb) or not verb.endswith(("s", "ed")) or other.count(verb) != 1:
        return False
    return tuple(word for word in other if word != verb) == first[1:]


# -- in other words --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sense:
    """What a text says, in plain forms and without fillers.

    Args:
        words: in their order, with those of direction.
        pairs: words that stand beside each other in the text itself.
        bearer: the word for somebody that was left out.
    """

    words: Words
    persons: Persons
    pairs: frozenset[tuple[str, str]]
    places: Words
    bearer: str = ""

    @property
    def bag(self) -> Words:
        """Equal where two texts may say the same."""
        return tuple(sorted(word for word in self.words if word not in DIRECTIONS))


def senses(text: str) -> Iterator[Sense]:
    """How a text can be read: as it stands, and without a word for somebody it does not name."""
    read = wording(LABEL.sub("", text))
    plain = [base_form(word) for word in read.words if word not in POSSESSIVE]
    said = [word for word in plain if word not in FILLERS]
    said = [word for word in said if IMPLIED.get(word, frozenset()).isdisjoint(said)]
    pairs = frozenset(pairwise(plain))
    places = tuple(word for word in plain if word in PLACES)
    yield Sense(tuple(said), read.persons, pairs, places)
    bearers = [word for word in said if word in BEARERS]
    if len(bearers) == 1:
        rest = tuple(word for word in said if word not in bearers)
        yield Sense(rest, read.persons, pairs, places, *bearers)


def same_sense(one: Sense, other: Sense) -> bool:
    """Whether two texts say the same: the same words but for fillers, none of them turned round."""
    if one.bag != other.bag or not _same_persons(one, other) or _elsewhere(one, other):
        return False
    mine, yours = (
        Counter(word for word in each.words if word in DIRECTIONS) for each in (one, other)
    )
    only = (mine - yours) + (yours - mine)
    if not only:
        return _moved(one, other, one.words, other.words)
    spare = next(iter(only))
    if only.total() > 1 or spare not in LOOSE or (spare in mine and spare in yours):
        return False
    ours, theirs = (tuple(word for word in each.words if word != spare) for each in (one, other))
    return _moved(one, other, ours, theirs)


def _elsewhere(one: Sense, other: Sense) -> bool:
    """Whether one says ``in`` where the other says ``on``."""
    mine, yours = Counter(one.places), Counter(other.places)
    return bool(mine - yours) and bool(yours - mine)


def _moved(one: Sense, other: Sense, ours: Words, theirs: Words) -> bool:
    """Whether at most one part of it has moved, past nothing of its own kind."""
    if ours == theirs:
        return True
    blocks = _exchanged(ours, theirs)
    if blocks is None or any(map(denies, ours)):
        return False
    first, second = blocks
    if first[-1] in DIRECTIONS or second[-1] in DIRECTIONS:
        return False
    if any(_akin(word, each) for word in first for each in second):
        return False
    if len(first) == len(second) == 1:  # "boat house" is not "house boat"
        pair = (first[0], second[0])
        if pair in one.pairs and pair[::-1] in other.pairs:
            return False
    return not _swapped(one, other, first[0], second[0])


def _swapped(one: Sense, other: Sense, first: str, second: str) -> bool:
    """Whether a small word stayed while its sides changed: brother of the bride, bride of his."""
    stayed = _before(one, second) & _before(other, first)
    return not stayed <= (_before(one, first) & _before(other, second))


def _before(one: Sense, word: str) -> set[str]:
    """Small words right before it."""
    return {small for small, next_ in one.pairs if next_ == word and small in LINKS}


def _exchanged(ours: Words, theirs: Words) -> tuple[Words, Words] | None:
    """The two parts, one behind the other, that have changed their places."""
    start = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), 0)
    end = len(ours)
    while len(ours) == len(theirs) and end > start and ours[end - 1] == theirs[end - 1]:
        end -= 1
    mine, yours = ours[start:end], theirs[start:end]
    for cut in range(1, len(mine)):
        if mine[cut:] + mine[:cut] == yours:
            return mine[:cut], mine[cut:]
    return None


def _akin(one: str, other: str) -> bool:
    if any(one in kind and other in kind for kind in KINDS):
        return True
    if one[-1:].isdigit() and other[-1:].isdigit():
        return True
    dated = any(word in kind for kind in KINDS for word in (one, other))  # April, May, June
    return is_given_name(one) and is_given_name(other) and not dated


def denies(word: str) -> bool:
    """Whether a word turns what is said into its opposite."""
    return word in DENIALS or word.endswith("n't")


def base_form(word: str) -> str:
    """A word without its ending, as far as what is left is a word."""
    known = ALIKE.get(word, word)
    if known in WHOLE or len(known) < 4 or not known.isalpha():
        return known
    base = next((each for each in _bases(known) if is_ordinary(each)), known)
    return ALIKE.get(base, base)


def _bases(word: str) -> Iterator[str]:
    if word.endswith(("ies", "ied")):
        yield f"{word[:-3]}y"
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            stem = word[: -len(ending)]
            yield from (f"{stem}e", stem)
            if stem[-1] == stem[-2]:
                yield stem[:-1]
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]
        if word.endswith("es"):
            yield word[:-2]
