"""Other forms of one word that mean the same: ``diabetes``, ``diabetic``; ``leukemia``,
``leukaemic``. Words are made by their endings, so ``measles`` is not ``measly``."""

import re
from collections.abc import Iterable, Iterator

LEAST_WORD = 5
LEAST_STEM = 3
LEAST_WHOLE = 6  # letters of a word to which an ending is joined
ENDINGS = (  # each of them with an "s" too
    ("etes", "etic"),
    ("ism", "istic", "ist"),
    ("holism", "holic"),
    ("epsy", "eptic"),
    ("ma", "matic", "matous"),
    ("emia", "emic"),
    ("ia", "ic", "iac"),
    ("sis", "tic", "ses"),
    ("itis", "itic"),
    ("pathy", "pathic", "pathies"),
    ("rgy", "rgic", "rgies"),
    ("ophy", "ophic", "ophies"),
    ("ysm", "ysmal"),
    ("ssion", "ssive", "ssed"),
    ("nsion", "nsive"),
    ("tion", "tive", "ted"),
    ("ility", "ile", "ilities"),
    ("inence", "inent"),
    ("gnancy", "gnant", "gnancies"),
    ("pause", "pausal"),
    ("icide", "icidal"),
)
WORDS = (
    ("obesity", "obese"),
    ("insanity", "insane"),
    ("anxiety", "anxious", "anxieties"),
    ("syphilis", "syphilitic"),
    ("tuberculosis", "tubercular", "tuberculous"),
    ("dementia", "demented"),
    ("paranoia", "paranoid", "paranoiac"),
    ("anorexia", "anorexic", "anorectic"),
    ("rheumatism", "rheumatic", "rheumatoid"),
    ("leprosy", "leprous"),
    ("herpes", "herpetic"),
    ("deafness", "deaf"),
    ("blindness", "blind"),
)
JOINED = ("s", "es", "ed", "ing", "ism", "ist", "ic", "al", "ity", "ous", "ary")
RESPELLED = tuple(
    (re.compile(one), other)
    for one, other in (
        (r"ae(?=m)|(?<=h)ae(?=m)", "e"), (r"(?<=[^a])em(?=i[ac])", "aem"), (r"^hem(?=o)", "haem"),
        (r"^oe(?=[ds])", "e"), (r"^edema", "oedema"), (r"rrhoea", "rrhea"), (r"rrhea", "rrhoea"),
        (r"^coel", "cel"), (r"^celiac", "coeliac"), (r"umour", "umor"), (r"umor(?!o)", "umour"),
    )
)  # fmt: skip


def pattern_of(words: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for every form of single words; None where none has another one."""
    found = {form for word in words for form in forms(word.strip().lower())}
    if not found:
        return None
    longest = "|".join(sorted(found, key=lambda form: (-len(form), form)))
    return re.compile(rf"(?<!\w)(?:{longest})(?!\w)", re.IGNORECASE)


def forms(word: str) -> set[str]:
    """A word in lower case and its other forms; nothing for one that is short, or several."""
    if not word.isalpha() or not word.isascii() or len(word) < LEAST_WORD:
        return set()
    spelled = {word, *(pattern.sub(other, word) for pattern, other in RESPELLED)}
    made = {form for each in spelled for form in _forms(each)}
    made |= {f"{form}s" for form in made if form not in spelled and not form.endswith("s")}
    return made | {pattern.sub(other, each) for each in made for pattern, other in RESPELLED}


def _forms(word: str) -> Iterator[str]:
    yield word
    yield from _counted(word)
    if len(word) >= LEAST_WHOLE:
        yield from (word + ending for ending in JOINED)
    yield from (other for family in WORDS if word in family for other in family)
    for family in ENDINGS:
        for ending in family:
            if word.endswith(ending) and _may_end(word, ending, family):
                yield from (word.removesuffix(ending) + other for other in family)


def _may_end(word: str, ending: str, family: tuple[str, ...]) -> bool:
    """Whether enough is left to tell the word; short endings say something of names only."""
    long = len(word) - len(ending) >= LEAST_STEM
    return long and (len(ending) > 2 or ending == family[0])


def _counted(word: str) -> Iterator[str]:
    """One and several of it."""
    if word.endswith("ies"):
        yield word[:-3] + "y"
    elif word.endswith("y"):
        yield word[:-1] + "ies"
    elif word.endswith("s") and not word.endswith(("ss", "is", "us")):
        yield word[:-1]
