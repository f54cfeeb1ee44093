"""Titles before names, one list: what is no part of a name, and what tells that a name follows."""

from detectors.words import word_set

# By how they are written within a sentence.
CAPITALISED = word_set(
    "mr mrs ms mx miss dr prof professor herr herrn frau fräulein mme mlle sr sra fru uncle aunt "
    "auntie tante onkel bayan bayın"
)
EITHER = word_set(
    "monsieur madame señor señora doña signor signora sig senhor senhora meneer mevrouw dhr mevr "
    "pan pani"
)
# Those that a capital tells nothing of.
KIN = word_set("grandma grandpa nana oma opa oom tía tío tia")
RANKS = word_set(
    "sir dame lord lady rev reverend fr father srta señorita don hr dott dona coach captain capt "
    "judge rabbi imam sheikh haji hajji sri shri smt"
)

HONORIFICS = CAPITALISED | EITHER | KIN | RANKS  # no part of the name
FIRST_NAMES_TOO = word_set("don")  # a title before more than one word: "Don Diego Falk"
# Nobody is called so, where a full stop parts it from the name.
ALONE = word_set(
    "mr mrs ms mx dr prof mme mlle sr sra srta dhr mevr hr dott fr capt smt herr herrn frau "
    "monsieur madame señora doña"
)
BEFORE_NAMES = HONORIFICS | word_set("nan sister brother seu zia zio")  # a name follows


def any_of(titles: frozenset[str]) -> str:
    """A pattern for titles in small letters."""
    return "|".join(sorted(titles, key=lambda each: (-len(each), each)))


def as_written() -> str:
    """A pattern for titles with the capitals that they have within a sentence."""
    either = (f"[{each[0].upper()}{each[0]}]{each[1:]}" for each in sorted(EITHER))
    return "|".join([*sorted(map(str.capitalize, CAPITALISED)), *either])
