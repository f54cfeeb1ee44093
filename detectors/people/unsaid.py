"""What the model takes for a person in a note of another language, and no list and no word does.

German writes all nouns with a capital, so that a model of English sees people everywhere.
"""

import re
from collections.abc import Mapping, Sequence
from enum import Enum, auto

from detectors.identity.names import PARTICLES
from detectors.people.before import begins_sentence
from detectors.people.foreign import before
from detectors.words.elision import bare, elision
from detectors.words.folding import WORD, fold
from detectors.words.namelists import is_name, is_ordinary, never_names, products
from detectors.words.relations import OTHER_LANGUAGES, OTHER_ROLES, RELATION
from detectors.words.spoken import languages_of, spoken
from detectors.words.titles import BEFORE_NAMES, any_of

_WORD = re.compile(WORD)
AROUND = 100  # code points on either side that tell which language is spoken there
ABROAD = re.compile("[^a-zäöüßéèêàâ'’-]")  # letters that no German noun has
LETTER = re.compile(r"[^\W\d_]")
TITLE = (
    rf"(?:{any_of(BEFORE_NAMES)}|familie|mw|st|pater|pastor|pfarrer|schwester|bruder|nonn[ao]"
    r"|abuel[ao])"
)
ROLE = rf"(?:{OTHER_ROLES}|patient|baby)"
CALLED = (
    r"(?:heißt|heisst|heißen|namens|genannt|nennt|laut|hallo|hi|(?-i:Liebe[rn]?)|danke|gruß|grüße"
    r"|s['’]appelle|appelé[es]?|nommé[es]?|salut|bonjour|selon|llama[ns]?|llamad[oa]|hola|según"
    r"|chiama(?:no)?|chiamat[oa]|ciao|secondo|chamad[oa]|olá|segundo|heet|heten|genaamd|hoi|volgens"
    r"|ma na imię|imieniem|cześć|named|called|hey|dear"
    r"|treffe|traf|kenne|frage|besuche|rencontré|vu|conocí a|vi a|incontrato|visto|conheci"
    r"|ontmoette|sprak|poznał\w*|spotkał\w*|zadzwoń do|dzwoni\w*)"
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
# Endings of nouns that names hardly have.
NOUN = re.compile(
    r"(?:ung|heit|keit|schaft|tion|tät|nis|tum|chen|lein|ismus|ment|[^l]age|erei|ling|[^jkt]e|[^s]en|eln"
    r"|ern|ter|ker|ler|cker|fer|ssel|ttel|ium|eur|ät|ät)$"
)
LEAST = 4  # letters before the end of a compound
FAMILY = re.compile(
    r".{2,}(?:huber|maye?r|meie?r|maier|meyer|berger|hofer|mann|ski|sky|ska|wicz|enko|vić|vic|ovic|qvist|quist"
    r"|ström|gren|dahl|opoulos|idis|escu|shvili|dottir|oglu|vald|hild|traud|fried|busch|hoff|kamp|brink"
    r"|horst|bach|berg|burg|dorf|feld|stein|wald|heim|th?al|hausen|inger)"
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
# "Rosa è un colore", "Pierre qui roule", "Gioia e dolore", "Mark und Pfennig".
DEFINED = re.compile(
    r" (?:(?:ist|war|sind|est|était|es|era|è|é|is|was|to) (?:d(?:er|ie|as)|eine?|une?|les?|la|una"
    r"|uno|um|uma|il|lo|gli|el|los|o|a|een|de|het|mijn|mi|mein|mon|ma)\b"
    r"|(?:comme|qui|que|de|del|della|da|do|di|du|des|und|oder|et|e|y|en|of|o) [a-zß-öø-ÿ]"
    r"|(?:und|oder|et|e|y|en) [A-Z])"
)
# What a verb that opens a note goes on with, and hardly a name; ``la``, ``lo`` may be pronouns.
OBJECTS = {
    "es": "el|los|las|un|una|mi|tu|su|del|al",
    "it": "il|gli|i|un|una|del|dei|delle|dall['’]",
    "pt": "o|os|as|um|uma|meu|minha|do|dos",
    "fr": "les|un|une|du|des|mon|ma|mes",
    "nl": "de|het|een|mijn|geen",
    "de": "d(?:ie|as|en|em|er|es)|k?eine?[nmrs]?|im|am|zu[mr]|nur|bitte|nicht|ab|auf|aus",
    "pl": "mi|mnie|się|mój|moją|moje",
}
PRONOUNS = {"es": "la|lo|le|me|te|de", "it": "la|lo|le|mi|ti|di", "pt": "a|me|te|de", "fr": "la|le"}
CASES = (1, 2, 3)  # letters of Polish endings: "Dockera", "Kubernetesie"
VERB_ONLY = re.compile("(?i:[jnmts])['’]")  # "J'aime"


class Kind(Enum):
    """What a word is in the language of its text."""

    NAME = auto()
    WORD = auto()
    EITHER = auto()
    UNKNOWN = auto()


def is_unsaid(text: str, start: int, end: int) -> bool:
    """Whether nothing says that a span names somebody, but that it looks so.

    A word that is written in the text's language and names nobody there is no person; one that is
    both a word and a name is one where a name must stand; one that no list has, where no noun does.
    """
    small = text[start].islower()
    if not (small and _has_capitals(text)) and is_told(text, start, end):
        return False
    languages = languages_of(text[max(0, start - AROUND) : end + AROUND])
    words = list(_WORD.finditer(text, start, end))
    if not languages or languages[0] == "en":
        return bool(languages) and not small and all(_is_proper(word[0]) for word in words)
    if not small:
        words = [word for word in words if _is_capital(text, word)] or words
    kinds = [_kind(text, word, languages) for word in words]
    if languages[0] == "de" and INDEFINITE.search(before(text, start)):
        return True
    if Kind.NAME in kinds:
        return False
    if not {Kind.EITHER, Kind.UNKNOWN} & {*kinds}:
        return True
    if _acts(text, start, end):
        return False
    if small and not _holds_name(text, words):
        return _has_capitals(text)
    return _is_rather_no_name(text, words, kinds, languages[0])


def _is_rather_no_name(
    text: str, words: Sequence[re.Match[str]], kinds: Sequence[Kind], language: str
) -> bool:
    """Whether words that may be a name look rather like something else there."""
    if Kind.EITHER in kinds:
        return _is_rather_a_word(text, words, kinds, language)
    start, end = words[0].start(), words[-1].end()
    if language == "de":
        return _is_german_thing(text, start, end)
    return _is_rather_a_verb(text, start, end, language)


def _is_capital(text: str, word: re.Match[str]) -> bool:
    return text[word.start() + elision(word[0])].isupper()


def is_word_there(text: str, start: int, end: int) -> bool:
    """Whether a word of a text that is not English is one of its language, and no name."""
    languages = languages_of(text[max(0, start - AROUND) : end + AROUND])
    word = _WORD.match(text, start, end)
    if word is None or not languages or languages[0] == "en":
        return False
    return _kind(text, word, languages) is Kind.WORD


def _kind(text: str, word: re.Match[str], languages: Sequence[str]) -> Kind:
    """What a word of a text is; a capital within a sentence makes a name of every word."""
    folded = bare(word[0])
    lists = [spoken(language) for language in languages]
    begin = word.start() + elision(word[0])
    if folded in never_names() or any(folded in one.proper for one in lists):
        return Kind.WORD
    if languages[0] == "pl" and any(folded[:-end] in products() for end in CASES):
        return Kind.WORD
    capital = text[begin].isupper() and not begins_sentence(text, word.start())
    if any(one.is_word(folded) for one in lists):
        return Kind.EITHER if capital and languages[0] != "de" else Kind.WORD
    if any(folded in one.either for one in lists):
        return Kind.EITHER
    return Kind.NAME if is_name(folded) and text[begin].isupper() else Kind.UNKNOWN


def _is_proper(word: str) -> bool:
    """Whether a word of an English text is the name of a place, a firm or a thing."""
    folded = bare(word)
    return folded in spoken("en").proper and not is_ordinary(folded)


def _holds_name(text: str, words: Sequence[re.Match[str]]) -> bool:
    """Whether a span goes on with a name: ``van Dijk``, ``d'Anna``."""
    begins = elision(words[0][0]) > 0 or fold(words[0][0]) in PARTICLES
    return begins and any(_is_capital(text, word) for word in words)


def _is_rather_a_word(
    text: str, words: Sequence[re.Match[str]], kinds: Sequence[Kind], language: str
) -> bool:
    """Whether of what may be a word and a name nothing makes a name."""
    if kinds.count(Kind.EITHER) > 1:
        return False
    start, end = words[0].start(), words[-1].end()
    if VERB_ONLY.match(words[0][0]):
        return True
    if not begins_sentence(text, start):
        return language == "de" and DETERMINED.search(before(text, start)) is not None
    return DEFINED.match(text, end) is not None or _goes_on(text, end, OBJECTS, language)


def _is_rather_a_verb(text: str, start: int, end: int, language: str) -> bool:
    """Whether an unknown word opens its sentence before what it is done to, as verbs do."""
    if not begins_sentence(text, start):
        return False
    return _goes_on(text, end, OBJECTS, language) or _goes_on(text, end, PRONOUNS, language)


def _goes_on(text: str, end: int, words: Mapping[str, str], language: str) -> bool:
    if language not in words:
        return False
    return re.match(rf" (?:{words[language]})\b", text[end : end + AROUND]) is not None


def _has_capitals(text: str) -> bool:
    first = LETTER.search(text)
    return first is not None and first[0].isupper()


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
        if _goes_on(text, last, OBJECTS, "de"):
            return True
        words = words[1:] or words
    return any(_is_german_noun(word[0]) for word in words)


def _is_german_noun(word: str) -> bool:
    folded, small = fold(word), word.lower()
    if ABROAD.search(small) or FAMILY.fullmatch(small):
        return False
    if len(small) > 3 and NOUN.search(small):
        return True
    ends = (folded[at:] for at in range(LEAST, len(folded) - 2))
    return any(spoken("de").is_word(end) and len(end) >= LEAST for end in ends)


def is_told(text: str, start: int, end: int) -> bool:
    """Whether a title, a role or what was done says that somebody is named there."""
    near = before(text, start)
    if SAID.search(near) or ENTITLED.match(text, start, end):
        return True
    return bool(text[start].isupper() and DONE.match(text, end) and not DETERMINED.search(near))


def _acts(text: str, start: int, end: int) -> bool:
    """Whether what only people do follows; no word acts: ``L'utilisateur préfère``."""
    following = _WORD.match(text, end + 1)
    acts = following is not None and following[0] in ACTS and text[end : end + 1] == " "
    return acts and text[start].isupper()
