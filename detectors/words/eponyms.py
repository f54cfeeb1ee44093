"""Illnesses that bear a doctor's name: ``has Parkinson``, ``Morbus Basedow``.

The list is made by ``detectors/training/things.py`` of ICD-10-CM. People are called so as well: a
word of it counts only where somebody has it, and another name only behind ``Morbus`` or a syndrome.
"""

import re
from collections.abc import Iterator

from detectors.words.folding import WORD, fold
from detectors.words.namelists import eponyms

NEAR = 40  # code points before a name that are looked at
SYNDROME = re.compile(
    r"(?<!\w)(?:morbus|(?:syndrome|s[ií]ndrome|syndroom|syndrom)"
    r"(?: (?:de|di|del|da|van|von)| d['’])) ?$",
    re.IGNORECASE,
)
HAS = re.compile(
    r"(?<!\w)(?:ha[sd]|have|having|suspected|possible|early(?:-onset)?|diagnosed (?:with|as)"
    r"|diagnosis of|signs of|living with|suffers from|because of|due to|against|mild|severe"
    r"|hatte?|habe|leidet an|verdacht auf|diagnose:?|wegen|gegen|für"
    r"|atteinte? d[e'’]|souffre d[e'’]|suivie? pour|diagnostic d[e'’]|il a|elle a|pour|contre"
    r"|tiene|tengo|tenía|padece|sufre|diagnosticad[oa] (?:con|de)|ha|ho|soffre di|affett[oa] da"
    r"|diagnosi di|tem|tenho|sofre de|heeft|heb|lijdt aan|vanwege"
    r"|(?:maladie|enfermedad|mal|malattia|morbo|doença|ziekte|thyréoïdite|tiroiditis|tiroidite)"
    r" (?:de|di|del|da|van))"
    r"(?: (?:an?|the|une?|una|um|uma|een|early|mild|severe|suspected|possible|le|la|el|il|o))? ?$",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"(?:['’]s)?(?:[ -](?:disease|syndrome|krankheit|syndroom|syndrom))?(?![\w'’-])", re.IGNORECASE
)
_NEXT = re.compile(r" [^\W\d_a-z]")
_WORD = re.compile(WORD)


def find_eponyms(text: str) -> Iterator[tuple[int, int]]:
    """Spans of illnesses that are called like somebody.

    Args:
        text: in any script.
    """
    syndrome = "yndro" in text or "ndrome" in text or "orbus" in text
    for match in _WORD.finditer(text):
        if not match[0][0].isupper():
            continue
        known = fold(match[0]) in eponyms()
        if known or syndrome:
            near = text[max(0, match.start() - NEAR) : match.start()]
            kind = _KIND.match(text, match.end())
            if said := SYNDROME.search(near):
                yield match.start() - len(said[0]), match.end()
            elif known and kind and HAS.search(near) and not _NEXT.match(text, kind.end()):
                yield match.start(), kind.end()
