"""What the model takes for a person in a note of another language, and no list and no word does.

German writes all nouns with a capital, so that a model of English sees people everywhere.
"""

import re

from detectors.folding import WORD, fold
from detectors.namelists import (
    foreign_nouns,
    is_name,
    never_names,
)
from detectors.names_foreign import before, is_foreign
from detectors.relations import OTHER_LANGUAGES, RELATION

_WORD = re.compile(WORD)
AROUND = 100  # code points on either side that tell which language is spoken there
# Function words that German has and the other languages have not, or hardly.
_GERMAN = """
aber alle als am auch auf aus bei beim bis bitte das dem den der des die durch ein eine einem einen
einer es euch für gegen habe haben hat ich ihm ihn ihr ihre im immer ins ist jede jeden jetzt kein
keine lieber mein meine mit nach nicht noch nur oder ohne schon sehr sein seine seit sich sie sind
statt und uns unser vom von vor wegen wenn werden wie wir wird zu zum zur zwei zwischen über
"""
GERMAN = frozenset(_GERMAN.split())
_OTHER = """
a al and au con da de del di do e een el em en est et for het il is la las le les lo los na não o of
op os per por que the to un una une van voor with y è i my he she we you it that this his her our
they are be was at in so
"""
OTHER = frozenset(_OTHER.split())
ABROAD = re.compile("[^a-zäöüßéèêàâ'’-]")  # letters that no German noun has
LETTER = re.compile(r"[^\W\d_]")
UMLAUT = re.compile("[äöüßÄÖÜ]")
TITLE = (
    r"(?:herrn?|frau|fräulein|familie|dr|prof|professor|onkel|tante|oma|opa|madame|monsieur|mme|mlle"
    r"|señora?|sra?|don|doña|signora?|sig|dona|senhora?|meneer|mevrouw|mw|dhr|mevr|tío|tía|zio|zia"
    r"|oom|nonna|nonno|abuela|abuelo|mr|mrs|ms|miss|sir|st|pater|schwester|bruder|pastor|pfarrer)"
)
ROLE = (
    r"(?:kolleg(?:e|en|in)|nachbar[ns]?|nachbarin|ärztin|arzt|lehrer(?:in)?|trainer(?:in)?|chef(?:in)?"
    r"|freund(?:e|in)?|vermieter(?:in)?|anwalt|anwältin|hebamme|zahnarzt|mitbewohner(?:in)?|mieter(?:in)?"
    r"|kund(?:e|en|in)|patient(?:in)?|partner(?:in)?|enkel(?:in)?|cousine?|vetter|verlobter?|baby"
    r"|collègue|voisine?|amie?|médecin|prof|patronne?|colega|vecin[oa]|amig[oa]|jef[ea]|médic[oa]"
    r"|collega|vicin[oa]|amic[oa]|cap[oa]|vizinh[oa]|chefe|buurman|buurvrouw|baas|dokter)"
)
CALLED = (
    r"(?:heißt|heisst|heißen|namens|genannt|nennt|laut|hallo|hi|(?-i:Liebe[rn]?)|danke|gruß|grüße"
    r"|s['’]appelle|appelé[es]?|nommé[es]?|salut|bonjour|selon|llama[ns]?|llamad[oa]|hola|según"
    r"|chiama(?:no)?|chiamat[oa]|ciao|secondo|chamad[oa]|olá|segundo|heet|heten|genaamd|hoi|volgens"
    r"|named|called|hey|dear)"
)
SAID = re.compile(
    rf"(?<!\w)(?:{TITLE}|{ROLE}|{CALLED}|{OTHER_LANGUAGES}|{RELATION})[.,:]? $", re.IGNORECASE
)
ENTITLED = re.compile(rf"(?:{TITLE}|{ROLE})\.? \w", re.IGNORECASE)
# Verbs of people only; what also plans, machines and the weather do is left out.
_ACTS = """
mag isst trinkt wohnt arbeitet studiert liebt hasst schläft lernt ruft rief sagt sagte meint meinte
fragt fragte erzählt erzählte schreibt schrieb möchte kennt feiert heiratet vergisst kocht lacht
weint glaubt denkt unterrichtet telefoniert wartet singt tanzt liest raucht
aime déteste habite travaille étudie dort mange boit parle pense préfère écrit dit veut adore
vive trabaja estudia duerme come bebe habla piensa prefiere escribe dice quiere odia
abita lavora studia dorme mangia beve parla pensa preferisce scrive vuole odia ama
mora trabalha estuda come bebe fala pensa prefere escreve diz quer gosta
woont werkt studeert slaapt eet drinkt praat denkt schrijft zegt wil houdt
"""
ACTS = frozenset(_ACTS.split())


def is_unsaid(text: str, start: int, end: int) -> bool:
    """Whether nothing says that a span of a foreign note names somebody, but that it looks so."""
    small = text[start].islower()
    if small and not _has_capitals(text):
        return False
    near = text[max(0, start - AROUND) : end + AROUND]
    words = [match[0] for match in _WORD.finditer(text, start, end)]
    if _is_told(text, start, end) or not (_is_foreign(near) or all(map(_is_noun, words))):
        return False
    if any(_is_known(word) for word in words):
        return False
    return small or words[-1][0].islower() or is_german(near) or all(map(_is_noun, words))


def is_german(text: str) -> bool:
    """Whether a text's function words are German ones."""
    words = [match[0].lower() for match in _WORD.finditer(text)]
    german, other = (sum(word in said for word in words) for said in (GERMAN, OTHER))
    return german > other or (german == other and _has_umlaut(text))


def _is_foreign(text: str) -> bool:
    told = any(match[0].lower() in GERMAN for match in _WORD.finditer(text))
    return is_foreign(text) or (told and _has_umlaut(text) and is_german(text))


def _has_umlaut(text: str) -> bool:
    return UMLAUT.search(text) is not None


def _has_capitals(text: str) -> bool:
    first = LETTER.search(text)
    return first is not None and first[0].isupper()


def _is_known(word: str) -> bool:
    folded = fold(word)
    if word[0].islower() or folded in GERMAN or folded in foreign_nouns() | never_names():
        return False
    return is_name(folded) or ABROAD.search(word.lower()) is not None


def _is_noun(word: str) -> bool:
    folded = fold(word)
    return folded in foreign_nouns() and not is_name(folded)


def _is_told(text: str, start: int, end: int) -> bool:
    if SAID.search(before(text, start)) or ENTITLED.match(text, start, end):
        return True
    following = _WORD.match(text, end + 1)
    acts = following is not None and following[0] in ACTS and text[end : end + 1] == " "
    return acts and text[start].isupper()
