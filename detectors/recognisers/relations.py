"""Words that say how a person is related to somebody: "my ex-wife", "ihr Bruder"."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, matches

MODIFIER = (
    r"(?:(?:ex|late|former|estranged|step|half|older|younger|elder|little|big|baby|twin|best|new"
    r"|current"
    r"|future|adoptive|adopted|foster|biological|birth|great|grand|god|close|childhood|ex-)[\s-]?)"
)
NOUN = (
    r"(?:wife|wives|husband|spouse|fianc[ée]e?|partner|girlfriend|boyfriend|lover|mistress|mother"
    r"|mom|mum"
    r"|mama|mommy|father|dad|daddy|papa|parents?|son|sons|daughters?|child|children|kids?|babies"
    r"|twins?"
    r"|brothers?|sisters?|siblings?|grand(?:mother|father|ma|pa|parents?|son|daughter|child"
    r"|children|kids?)"
    r"|aunt(?:ie|y)?s?|uncles?|cousins?|nephews?|nieces?|in-laws?|friends?|bestie|roommate|flatmate"
    r"|neighbou?rs?|boss|manager|colleagues?|co-?workers?|therapist|doctor|lawyer|landlord"
    r"|teacher|coach"
    r"|godmother|godfather|stepmother|stepfather|stepmom|stepdad|stepson|stepdaughter|widow|widower"
    r"|bride|groom|guardian|ex)(?:-in-law)?"
)
ENGLISH = re.compile(
    r"(?<!\w)(?:my|his|her|their|our|your|user['’]?s|\w+['’]s|whose)\s+"
    rf"(?P<relation>{MODIFIER}{{0,2}}{NOUN})(?!\w)",
    re.IGNORECASE,
)
OTHERS = re.compile(
    r"(?<!\w)(?:(?:mein|dein|sein|ihr|unser)(?:e[rmns]?)?\s+(?P<de>(?:Ex-?|Schwieger|Stief|Groß"
    r"|Halb)?"
    r"(?:Frau|Mann|Mutter|Vater|Eltern|Sohn|Tochter|Kind(?:er)?|Bruder|Schwester|Tante|Onkel"
    r"|Cousine?|Neffe"
    r"|Nichte|Oma|Opa|Freund(?:in)?|Partner(?:in)?|Chef(?:in)?|Kolleg(?:e|in)|Nachbar(?:in)?))"
    r"|(?:mon|ma|mes|ton|ta|son|sa|ses|leur|notre)\s+(?P<fr>(?:ex-?|beau-|belle-|grand-"
    r"|petite?-)?(?:femme"
    r"|épouse|mari|époux|mère|père|parents|fils|fille|enfants?|frère|sœur|soeur|tante|oncle"
    r"|cousine?|neveu"
    r"|nièce|amie?|copine?|copain|compagne|compagnon|patronne?|collègue|voisine?))"
    r"|(?:mi|tu|su|mis|sus|nuestr[oa]s?)\s+(?P<es>(?:ex-?\s?)?(?:esposa|mujer|marido|esposo|madre"
    r"|padre|hij[oa]s?"
    r"|herman[oa]s?|ti[oa]s?|tí[oa]s?|prim[oa]s?|abuel[oa]s?|novi[oa]|pareja|amig[oa]s?|jef[ea]"
    r"|suegr[oa]|cuñad[oa]"
    r"|sobrin[oa]|niet[oa]))"
    r"|(?:mi[oae]i?|tu[oa]|su[oa]|mie[i]?|nostr[oa])\s+(?P<it>(?:ex\s)?(?:moglie|marito|madre"
    r"|padre|figli[oa]?"
    r"|fratell[oi]|sorell[ae]|zi[oa]|cugin[oa]|nonn[oa]|amic[oa]|fidanzat[oa]|compagn[oa]"
    r"|suocer[oa]|cognat[oa]))"
    r"|(?:meu|minha|seu|sua|nosso|nossa)\s+(?P<pt>(?:ex-?\s?)?(?:esposa|mulher|marido|mãe|pai"
    r"|filh[oa]s?|irmão"
    r"|irmã|ti[oa]|prim[oa]|avó|avô|namorad[oa]|amig[oa]|chefe|sogr[oa]|cunhad[oa]))"
    r"|(?:mijn|zijn|haar|jouw|onze|ons)\s+(?P<nl>(?:ex-?|schoon|stief|groot)?(?:vrouw|man|moeder"
    r"|vader|ouders|zoon"
    r"|dochter|kind(?:eren)?|broer|zus|tante|oom|neef|nicht|oma|opa|vriend(?:in)?|partner|baas"
    r"|collega|buurman"
    r"|buurvrouw)))(?!\w)",
    re.IGNORECASE,
)


def find_others(text: str) -> Iterator[Detection]:
    """Relations in the other languages; the recogniser's name tells which."""
    for match in OTHERS.finditer(text):
        language = str(match.lastgroup)
        yield Detection("RELATIONSHIP", *match.span(language), 0.75, f"relation_{language}")


RECOGNISERS = (
    Recogniser(
        "relation",
        (r"['’]s\s|\b(?:my|his|her|their|our|your|users?|whose)\s",),
        matches("RELATIONSHIP", "relation", ENGLISH, 0.75, "relation"),
    ),
    Recogniser(
        "relation_others",
        (
            r"\b(?:mein|dein|sein|ihr|unser)(?:e[rmns]?)?\s|\b(?:mon|ma|mes|ton|ta|son|sa|ses"
            r"|leur|notre)\s"
            r"|\b(?:mi|tu|su|mis|sus|nuestr[oa]s?|mio|mia|miei|mie|tuo|tua|suo|sua|nostr[oa])\s"
            r"|\b(?:meu|minha|seu|nosso|nossa|mijn|zijn|haar|jouw|onze|ons)\s",
        ),
        find_others,
    ),
)
