"""What the model takes for a person in a note of another language, and no list and no word does.

German writes all nouns with a capital, so that a model of English sees people everywhere.
"""

import re

from detectors.people.before import begins_sentence
from detectors.people.foreign import before, is_foreign
from detectors.words.folding import WORD, fold
from detectors.words.namelists import (
    foreign_nouns,
    german_nouns,
    is_name,
    never_names,
)
from detectors.words.relations import OTHER_LANGUAGES, RELATION

_WORD = re.compile(WORD)
AROUND = 100  # code points on either side that tell which language is spoken there
# Function words that German has and the other languages have not, or hardly.
_GERMAN = """
aber alle als am auch auf aus bei beim bis bitte das dem den der des die durch ein eine einem einen
einer es euch für gegen habe haben hat ich ihm ihn ihr ihre im immer ins ist jede jeden jetzt kein
keine lieber mein meine mit nach nicht noch nur oder ohne schon sehr sein seine seit sich sie sind
statt und uns unser unsere unserem unseren unserer meinem meinen meiner seinem seinen seiner ihrem
ihren ihrer vom von vor wegen wenn werden wie wir wird zu zum zur zwei zwischen über
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
    r"|kund(?:e|en|in)|patient(?:in)?|partner(?:in)?|enkel(?:in)?|schwägerin|schwiegersohn|schwiegertochter|cousine?|vetter|verlobter?|baby"
    r"|collègue|voisine?|amie?|médecin|prof|patronne?|colega|vecin[oa]|amig[oa]|jef[ea]|médic[oa]"
    r"|collega|vicin[oa]|amic[oa]|cap[oa]|vizinh[oa]|chefe|buurman|buurvrouw|baas|dokter)"
)
CALLED = (
    r"(?:heißt|heisst|heißen|namens|genannt|nennt|laut|hallo|hi|(?-i:Liebe[rn]?)|danke|gruß|grüße"
    r"|s['’]appelle|appelé[es]?|nommé[es]?|salut|bonjour|selon|llama[ns]?|llamad[oa]|hola|según"
    r"|chiama(?:no)?|chiamat[oa]|ciao|secondo|chamad[oa]|olá|segundo|heet|heten|genaamd|hoi|volgens"
    r"|named|called|hey|dear)"
)
# "Hausmeister", "Rechtsanwältin": who does the work is named behind it.
WORKER = (
    r"\w{2,20}(?:meister|berater|lehrer|leiter|händler|führer|pfleger|techniker|fahrer|maler|trainer"
    r"|betreuer|vertreter|makler|schüler|ärztin|arzt|anwalt|anwältin)(?:in)?"
)
MET = (
    r"(?:termin|treffen|essen|gespräch|telefonat|verabredung|besprechung|meeting|date|besuch|kino"
    r"|urlaub|ausflug|grüße?|brief|mail|nachricht|anruf|geschenk|rendez-vous|dîner|cena|almuerzo"
    r"|pranzo|jantar|almoço|afspraak|lunch) (?:mit|bei|von|für|an|avec|con|com|chez|met|with)"
)
SAID = re.compile(
    rf"(?<!\w)(?:{TITLE}|{ROLE}|{WORKER}|{MET}|{CALLED}|{OTHER_LANGUAGES}|{RELATION})[.,:]? $",
    re.IGNORECASE,
)
# What one does to people: "habe gestern Thorvald im Zug getroffen".
DONE = re.compile(
    r"[^.!?\n]{0,60}\b(?:getroffen|kennengelernt|gesprochen|telefoniert|eingeladen|geheiratet|umarmt"
    r"|gefragt|angerufen|besucht|verabredet|befreundet|verwandt|verheiratet|begegnet|gratuliert)\b"
)
DETERMINED = re.compile(
    r"\b(?:d(?:er|ie|as|en|em|es)|(?:k|m|s|d)?eine?[nmrs]?|ihre?[nmrs]?|unsere?[nmrs]?|im|am|[zv]om|ins"
    r"|zu[mr]|beim|jede[nmrs]?|alle[nmrs]?|viele?|wenig|mehr|etwas|genug|ohne|statt|beide|einige|pro|je"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w+zehn|\w+zig|\d+ ?k?m?g?"
    r"|neue[nmrs]?|alte[nmrs]?|gute[nmrs]?|frische[nmrs]?"
    r"|\w*(?:ische|liche|ige|zweite|dritte)[nmrs]?) $",
    re.IGNORECASE,
)
# Nobody is called so: "ein Schneider", "jeder Richter".
INDEFINITE = re.compile(
    r"\b(?:k?eine?[nmrs]?|jede[nmrs]?|alle|viele|manche[nmrs]?) $", re.IGNORECASE
)
ARTICLE = re.compile(
    r" (?:d(?:ie|as|en|em|er|es)|eine?[nmrs]?|im|am|zu[mr]|nur|bitte|nicht|ab|auf|aus)\b"
)
# Endings of nouns that names hardly have.
NOUN = re.compile(
    r"(?:ung|heit|keit|schaft|tion|tät|nis|tum|chen|lein|ismus|ment|[^l]age|erei|ling|[^jkt]e|[^s]en|eln"
    r"|ern|ter|ker|ler|cker|fer|ssel|ttel|ium|eur|ät|ät)$"
)
LEAST = 4  # letters before the end of a compound
FAMILY = re.compile(
    r".{2,}(?:huber|maye?r|meie?r|maier|meyer|berger|hofer|mann|ski|sky|ska|wicz|enko|vić|vic|ovic|qvist|quist"
    r"|ström|gren|dahl|opoulos|idis|escu|shvili|dottir|oglu|vald|hild|traud|fried|busch|hoff|kamp|brink|horst)"
)
ENTITLED = re.compile(rf"(?:{TITLE}|{ROLE}|{WORKER})\.? \w", re.IGNORECASE)
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
    german = is_german(near)
    if german and INDEFINITE.search(before(text, start)):
        return True
    if any(_is_known(word) for word in words):
        return False
    if german:
        return _is_german_thing(text, start, end)
    return small or words[-1][0].islower() or all(map(_is_noun, words))


def is_german(text: str) -> bool:
    """Whether a text's function words are German ones."""
    words = [match[0].lower() for match in _WORD.finditer(text)]
    german, other = (sum(word in said for word in words) for said in (GERMAN, OTHER))
    return german > other or (german == other and _has_umlaut(text))


def _is_foreign(text: str) -> bool:
    if is_foreign(text):
        return True
    words = {match[0].lower() for match in _WORD.finditer(text)}
    told = len(words & GERMAN)
    plainly = told > 1 and words.isdisjoint(OTHER)
    return plainly or (told > 0 and _has_umlaut(text) and is_german(text))


def _has_umlaut(text: str) -> bool:
    return UMLAUT.search(text) is not None


def _has_capitals(text: str) -> bool:
    first = LETTER.search(text)
    return first is not None and first[0].isupper()


def _is_known(word: str) -> bool:
    folded = fold(word)
    if word[0].islower() or folded in GERMAN or folded in foreign_nouns() | never_names():
        return False
    return is_name(folded) or bool(ABROAD.search(word.lower()) or FAMILY.fullmatch(word.lower()))


def _is_german_thing(text: str, start: int, end: int) -> bool:
    """Whether an unknown span holds a noun by its form or by what stands before, or none at all."""
    words = list(_WORD.finditer(text, start, end))
    while words and words[0][0][0].islower():
        words = words[1:]
    while words and words[-1][0][0].islower():
        words = words[:-1]
    if not words or any(word[0][0].islower() for word in words):
        return True
    first, last = words[0].start(), words[-1].end()
    if DETERMINED.search(before(text, first)):
        return True
    if begins_sentence(text, first):
        if ARTICLE.match(text, last):
            return True
        words = words[1:] or words
    return any(_is_german_noun(word[0]) for word in words)


def _is_german_noun(word: str) -> bool:
    folded, small = fold(word), word.lower()
    if len(small) > 3 and NOUN.search(small):
        return True
    ends = (folded[at:] for at in range(LEAST, len(folded) - 2))
    nouns = german_nouns() | foreign_nouns()
    return folded in nouns or any(end in german_nouns() for end in ends)


def _is_noun(word: str) -> bool:
    folded = fold(word)
    return folded in foreign_nouns() and not is_name(folded)


def _is_told(text: str, start: int, end: int) -> bool:
    near = before(text, start)
    if SAID.search(near) or ENTITLED.match(text, start, end):
        return True
    if text[start].isupper() and DONE.match(text, end) and not DETERMINED.search(near):
        return True
    following = _WORD.match(text, end + 1)
    acts = following is not None and following[0] in ACTS and text[end : end + 1] == " "
    return acts and text[start].isupper()
