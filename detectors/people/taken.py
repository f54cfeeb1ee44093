"""What is had by the piece or the glass, and what is drunk, read and played: none is somebody.

``a Jack Russell``, ``un Brunello``, ``a pint of Arthur Guinan``, ``Leest Max Havelaar``. Who does
it is left alone: ``Abends trinkt Max Tee``, ``met a Tilda from accounting``.
"""

import re

from detectors.people.foreign import before
from detectors.words.spoken import languages_of

AFTER = 60  # code points behind a name that are looked at
AROUND = 100  # code points on either side that tell which language is spoken there
# Of one of many, by language: "a" is "to" in others, "um" is "about" in German.
_ONE = {
    "en": r"an?|another|every|each|two|three|several",
    "de": r"k?ein(?:e[nmrs]?)?|jede[nmrs]?|zwei|drei",
    "fr": r"une?|deux|trois|chaque",
    "es": r"un|una|otro|otra|dos|tres|cada",
    "it": r"un[oa]?|un['’]|due|tre|ogni",
    "pt": r"um|uma|outro|outra|dois|duas|cada",
    "nl": r"een|geen|twee|drie|elke?",
}
ONE = {
    language: re.compile(rf"(?<![\w'’])(?:{words})(?:(?<=['’])| )$", re.IGNORECASE)
    for language, words in _ONE.items()
}
# Behind somebody of whom no more is known: "a Priya from accounting", "un Marco che vende auto".
SOMEBODY = re.compile(
    r",? (?:from|who|whom|whose|called|named|at|in (?:HR|sales|finance|support)|aus|von|vom|namens"
    r"|qui|que|nommée?|appelée?|che|chiamat[oa]|llamad[oa]|chamad[oa]|die|der|uit|van|genaamd)\b"
)
_MEASURES = (
    r"(?:pints?|glass(?:es)?|bottles?|cups?|mugs?|cans?|tins?|jars?|cases?|crates?|slices?|bars?"
    r"|packs?|packets?|bowls?|plates?|pots?|shots?|drams?|kilos?|pounds?|litres?|liters?"
    r"|wedges?) of"
    r"|(?:(?:ein|zwei|drei|noch|das|jede|eine?n?|die|den|\d+) )(?:glas|gläser|flaschen?|kästen"
    r"|kasten|kisten?|dosen?|packung(?:en)?|tassen?|becher|tüten?|tafeln?|scheiben?|portion(?:en)?|teller"
    r"|liter|kilo|pfund)"
    r"|(?:une?|deux|trois|du|\d+) (?:verres?|bouteilles?|tasses?|canettes?|tranches?|bols?|kilos?"
    r"|litres?|peu|plus) d[e'’]"
    r"|(?:una?|dos|tres|más|\d+) (?:vasos?|copas?|botellas?|tazas?|latas?|lonchas?|kilos?|litros?"
    r"|cañas?) de"
    r"|(?:una?|due|tre|\d+) (?:bicchier[ei]|bottigli[ae]|tazz[ae]|lattin[ae]|fett[ae]|calic[ei]"
    r"|etti) di"
    r"|(?:uma?|dois|duas|três|\d+) (?:copos?|garrafas?|chávenas?|fatias?|imperia(?:l|is)|latas?) de"
    r"|(?:(?:een|twee|drie|\d+) )(?:glas|glazen|fles|flessen|krat|kratten|blik|blikjes?|pak"
    r"|kop|kopje|beker|plak|plakken|stuk)"
)
MEASURE = re.compile(rf"(?<!\w)(?:{_MEASURES})(?:(?<=['’])| )$", re.IGNORECASE)
# What opens a note that leaves out who: "Trinkt abends gern Quist", "Sta leggendo Emma Brenn".
_TAKES = (
    r"drinks?|drank|eats?|ate|sips|re-?reads?|replay(?:s|ed|ing)|sings?|sang|hums?|whistles?"
    r"|trinkt|isst|liest|las|bestellt|singt|mag am liebsten"
    r"|boit|mange|(?:re)?lit|(?:re)?lisait|a lu|veut lire|joue (?:à|au|aux)"
    r"|bebe|come|(?:re)?lee|leyó|ha leído|quiere leer|está leyendo|juega (?:al?|a la)|toma"
    r"|beve|mangia|(?:ri)?legge|ha letto|sta leggendo|gioca ad?"
    r"|(?:re)?lê|leu|está a ler|acabou de ler|joga"
    r"|drinkt|eet|(?:her)?leest|las|zingt|lust (?:geen|wel)"
)
_HOW = (
    r"only|mostly|usually|sometimes|just|nur|meist(?:ens)?|gern|gerade|abends|morgens|immer|seulement"
    r"|souvent|toujours|solo|siempre|mucho|sempre|spesso|só|muito|alleen|graag|liever|altijd|nu"
)
TAKES = re.compile(
    rf"(?:^|[.!?\n] ?|(?<!\w)(?:[Uu]ser|I|[Ss]he|[Hh]e|[Tt]hey|[Ee]r|[Ii]l|[Ee]lle|[Hh]ij) )"
    rf"(?i:{_TAKES})(?: (?:{_HOW}))*(?: [^\W\d_a-z][\w'’-]+"
    r" (?:or|and|oder|und|ou|et|o|y|e|of|en))? $"
)
# What may stand behind the object, and nothing that somebody does.
_ENDS = re.compile(
    r"\s*$|\s*[.,;:!)\n]| (?:or|and|oder|und|ou|et|o|y|e|of|en|in|on|at|with|for|when|because|again"
    r"|before|after|every|mit|im|am|zu[mr]?|bei|auf|beim|nach|vor|jede[nrs]?|ce|cet|cette|au|à|avec"
    r"|dans|pour|le|en|con|por|para|todas|cada|sin|in|nel|nella|a|al|alla|per|la|ogni|senza|no|na|ao"
    r"|à|pela|com|sem|voor|met|op|bij|tijdens)\b"
)


def is_taken(text: str, start: int, end: int) -> bool:
    """Whether a claimed person is had, drunk, read or played by what stands before.

    Args:
        text: the text (or window).
        start: where the name begins.
        end: where it ends, without the ending of a possessive.
    """
    near, after = before(text, start), text[end : end + AFTER]
    if after.startswith(("'s", "’s")):
        return False
    if MEASURE.search(near):
        return True
    if TAKES.search(near) and _ENDS.match(after):
        return "?" not in after
    return _is_one_of_many(text, start, end) and SOMEBODY.match(after) is None


def _is_one_of_many(text: str, start: int, end: int) -> bool:
    near = before(text, start)
    if not any(one.search(near) for one in ONE.values()):
        return False
    languages = languages_of(text[max(0, start - AROUND) : end + AROUND])[:1]
    return any(language in ONE and ONE[language].search(near) for language in languages)
