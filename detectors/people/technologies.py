"""Programming languages with the name of somebody, where the text is about technologies.

``Drei Jahre Rust und Haskell``, ``five years of Ada``, ``je code en Pascal``; a person elsewhere.
"""

import re

from detectors.people.unheard import ITEM_ENDS
from detectors.words import word_set
from detectors.words.folding import WORD, fold
from detectors.words.namelists import product_names, products

# People are called so, too.
NAMES = word_set("ada crystal dart elm haskell julia nim pascal ruby scala swift")
SURE = word_set(
    "c cobol css delphi fortran go golang html java javascript js kotlin lisp matlab ocaml perl "
    "php postgresql postgres prolog python rust sql tailwindcss typescript vuejs zig"
)
_AND = r"(?:and|or|&|und|oder|et|ou|y|o|e|of|en|i|then|dann|danach|puis|luego|poi)"
_BEFORE = re.compile(rf"(?P<other>{WORD}|C\+\+|C#)(?:,| {_AND}|, {_AND}) $")
_AFTER = re.compile(rf"(?:,| {_AND}|, {_AND}) (?P<other>{WORD})")
_ITEMS = rf"(?:{WORD}(?:, | {_AND} )){{0,6}}"
# How long somebody has worked with it, and what it is written, taught or asked for in.
_YEARS = r"years?|yrs|Jahren?|ans|années|años|anni|anos|jaar|lata?|months|Monaten?|mois|meses|mesi"
_CODES = (
    r"cod(?:e[ds]?|ing|ez|ons)|program(?:s|med|ming|me|o|a|ar)?"
    r"|programmier\w*|développe\w*|developp\w*|develops?|developed|developing"
    r"|entwickel\w*|written|geschrieben|écrit|escrito|scritto|geschreven|rewr(?:ote|itten)"
)
_WORKED = re.compile(
    rf"(?<!\w)(?:(?:{_YEARS})(?: (?:of|de|di))?"
    r"|(?:experience|erfahrung|expérience|experiencia|esperienza|kenntnisse)"
    r" (?:of|de|di|with|mit|met|avec|con|com|in|en)"
    rf"|(?:{_CODES}) (?:\w+ )?(?:in|en|em|w)"
    rf"|(?:fluent|proficient|experienced|beginner|expert) in) {_ITEMS}$",
    re.IGNORECASE,
)
# "Learning Elm this month, then Haskell": whom one learns from has a word before.
_LEARNT = re.compile(
    r"(?<!\w)(?:learn(?:s|t|ed|ing)?|lern(?:e|en|t|te)|appren(?:d|ds|dre|ons)|aprend(?:o|e|er|iendo)"
    rf"|impar(?:o|a|are)|leert?) {_ITEMS}(?:[^.!?\n]{{0,40}}, {_AND} )?$",
    re.IGNORECASE,
)
# "Prefers Julia for numerics", "I write Pascal and Ruby for a living."
_USED = re.compile(
    rf"(?<!\w)(?:write[sn]?|writing|prefer(?:s|red)?|know(?:s|n)?|use[sd]?|using) {_ITEMS}$",
    re.IGNORECASE,
)
_USED_FOR = re.compile(
    rf"(?:(?:,| {_AND}|, {_AND}) {WORD})? (?:for (?:a living|numeric\w*|tooling|scripts?|scripting"
    r"|the (?:backend|frontend|server|api|client|cli|parser)|(?:web|data|systems?|embedded|backend"
    r"|frontend)\b)|at work|in production|on the (?:backend|server))",
    re.IGNORECASE,
)


def is_technology(name: str, near: str, after: str) -> bool:
    """Whether a claimed person is a technology by what stands beside the name.

    Args:
        name: as it is written.
        near: what stands before it.
        after: what stands behind it.
    """
    if fold(name) not in NAMES:
        return False
    if _USED_FOR.match(after) and _USED.search(near):
        return True
    if not ITEM_ENDS.match(after):
        return False
    if _WORKED.search(near) or _LEARNT.search(near):
        return True
    beside = (_BEFORE.search(near), _AFTER.match(after))
    return any(found is not None and _is_sure(found["other"]) for found in beside)


def _is_sure(word: str) -> bool:
    folded = fold(word)
    if folded in product_names():
        return False
    return word[0].isupper() and (folded in SURE or folded in products())
