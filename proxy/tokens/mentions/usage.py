"""Whether a name that is a word or a place too means somebody where it stands.

``Art drives a truck`` is about Art, ``Art is expensive`` is not; ``Grace said grace`` names Grace
once. Where the words around it tell nothing, a detector has to.
"""

import re
from collections.abc import Collection, Iterable
from functools import cache
from importlib.resources import files
from typing import Literal

from detectors.detection import Detection
from detectors.identity.keys import PERSON_TYPES
from detectors.identity.names import PARTICLES
from detectors.people.acting import HUMAN_VERB
from detectors.people.foreign import is_foreign
from detectors.words.calendar import DAYS, MONTHS
from detectors.words.folding import ascii_form, fold, without_possessive
from detectors.words.namelists import (
    is_given_name,
    is_name,
    is_ordinary,
    place_names,
    places,
    rarely_words,
    word_names,
)
from detectors.words.relations import PERSONAL, RELATION
from detectors.words.titles import BEFORE_NAMES, any_of
from proxy.tokens.forms.inflection import is_declined_given_name
from proxy.tokens.mentions.named_after import is_called_after, is_some_town
from proxy.tokens.mentions.specificity import EVERYDAY, NAME_WORDS, begins_sentence

Usage = Literal["person", "word"]

REACH = 60  # code points on either side
LEAST_PAST = 4  # letters of what somebody did, but no "red"
CALENDAR = DAYS | MONTHS
SEASONS = frozenset({"summer", "autumn", "winter", "spring", "dawn", "noel", "eve", "sunny"})
PEOPLES = frozenset({"christian", "norman", "german", "roman"})
TOWNS = place_names() | places() | {
    "memphis", "sierra", "sahara", "rio", "eden", "sienna", "cheyenne", "cleveland", "raleigh",
    "york", "lancaster", "arlington", "aspen", "camden", "tennessee", "america", "segovia",
}  # fmt: skip
MODALS = frozenset({"will", "may"})
ORDERS = frozenset(
    {"mark", "bill", "chase", "drew", "sue", "pat", "rob", "hope", "skip", "rose", "grant", "nick",
     "ray", "dean", "guy", "wade", "lance", "trip", "peg", "buck", "hunter", "frank", "jack",
     "carol", "reed", "ward", "gene", "bob", "tuck", "hank", "will", "pierce", "wren"}
)  # fmt: skip
IDEAS = frozenset(
    {"art", "hope", "faith", "joy", "love", "patience", "mercy", "charity", "justice", "honor",
     "dawn", "summer", "autumn", "winter", "spring", "storm", "rain", "forest", "stone", "gold",
     "peace", "karma", "destiny", "harmony", "melody"}
)  # fmt: skip


@cache
def _lists() -> list[str]:
    text = files("proxy.tokens.mentions").joinpath("usage.txt").read_text("utf-8")
    paragraphs = [part.splitlines() for part in text.split("\n\n")]
    return ["".join(line for line in each if line[:1] != "#") for each in paragraphs][1:]


(
    NAMES, DOES, DOES_OR_ARE, DID, DOES_ELSEWHERE, HAPPENED, EITHER, ARTICLES, EARNEST,
    IS_ELSEWHERE, HAS_ELSEWHERE, OF_THINGS,
) = _lists()  # fmt: skip

UNTOLD = {*EITHER.split("|"), *DOES_OR_ARE.split("|")}

# -- before ----------------------------------------------------------------------------------------

_TITLE = any_of(BEFORE_NAMES)
_ADDRESS = (
    "hi|hey|hello|dear|tell|told|ask|asked|texted|named|called|hola|ciao|salut|hallo|bonjour|"
    "liebe[rn]?"
)
_TO_SOMEBODY = (
    r"met|meet|meeting|call|text|phoned?|rang|ring|emailed|married|marry|dat(?:ed|ing)|hugged|"
    r"thanked?|thanks|invited?|gave|gives?|lent|sent|owes?|helped|hired|fired|kissed|picked up|"
    r"babysits?|promised|taught|congratulated?|remind(?:ed)?|warned|nursed?|with|without|than|like|"
    r"(?:talk|speak|write|listen|lie|belong|engaged|married)(?:s|ed|ing)? (?:to|with|about)|"
    r"(?:spoke|wrote|talked|gave it|sent it|lent it) (?:to|with|about)|"
    r"(?:heard|letter|gift|call|text|message|borrowed \w+(?: \w+)?|present|card|email|news) from|"
    r"(?:gift|present|letter|card|cake|party|jumper|message|parcel|package|flowers|looked after|"
    r"cares?|cook(?:s|ed)|works|waits|waited|waiting|bought \w+(?: \w+)?|made \w+(?: \w+)?) for|"
    r"mit|bei|von|für|traf|treffe|frage?|fragte|sagte?|sag|habe|grüße|con|avec|chez|pour|para|com|"
    r"met|aan|voor|bij|vroeg|vraag"
)
_SOMEBODY = re.compile(
    rf"(?<![\w’'-])(?:(?:{_TITLE})\.?|{_ADDRESS}|{_TO_SOMEBODY}|(?:{PERSONAL}|{RELATION})"
    r"(?:,? (?:is |was )?(?:called|named)|,|['’]s name is)?) $",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    rf"(?<![\w’'-])(?:{_TITLE}|{_ADDRESS}|"
    rf"(?:my|his|her|our|their|your) (?:\w+ )?(?:{RELATION}),?) $",
    re.IGNORECASE,
)
_ARTICLE = re.compile(rf"(?<![\w’'-])(?:{ARTICLES}) ?$", re.IGNORECASE)
_FAMILYS = re.compile(
    r"(?<!\w)(?:D[eo] (?:la|las|los)|Van (?:de|den|het)|Von de[rnm]) $"
)  # "De la Cruz"
_TIME = re.compile(
    r"(?<![\w’'-])(?:in|on|since|until|till?|by|last|next|this|every|each|early|late|mid|of|during|"
    r"from|through|throughout|before|after|between|and|or|to|around|over|for|is|was|"
    r"\d{1,2}(?:[a-z]{2})?\.?)[ -]$",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"(?<![\w’'-])(?:in|near|through|around|across|outside|via|over|visit(?:s|ed|ing)?|left|leave|"
    r"leaving|from|to|of|into|toured?|explored?|missed|between|and|at|towards?) $",
    re.IGNORECASE,
)
_IS_ONE = re.compile(
    r"\b(?:is|was|are|were|be|devout|practi[sc]ing|raised|born|became) $", re.IGNORECASE
)
_NOT_HIM = re.compile(rf"(?<![\w’'-])(?:{EARNEST}) $", re.IGNORECASE)
GERMAN = re.compile(r"\b(?:der|die|das|ist|und|ich|mit|nicht|eine?|hat|zu|auf|nimmt)\b")

# -- behind ----------------------------------------------------------------------------------------

_ADVERB = (
    "also|still|never|always|often|now|just|already|really|usually|rarely|sometimes|probably|once|"
    "secretly|recently|finally|hardly|almost|quickly|quietly|even|only|then|has|had"
)
_ONE = (
    rf"(?:{RELATION}|\w+ist|\w+ian|engineer|nurse|teacher|plumber|driver|cook|chef|baker|painter|"
    "writer|singer|dancer|actor|farmer|soldier|pilot|carpenter|waiter|waitress|vet|widow|smoker|"
    "runner|swimmer|lawyer|welder|roofer|surgeon|midwife|student|pupil|vegan|vegetarian)"
)
_AILS = (
    r"allerg|asthma|diabet|epilep|pregnan|ill\b|sick|unwell|late\b|away\b|back\b|tired|worried|"
    r"upset|angry|happy|sad\b|afraid|scared|vegan|vegetarian|retired|engaged|unemployed|"
    r"left-handed|married|single\b|divorced|widowed|bilingual|deaf|blind|lonely|jealous|proud|"
    r"nervous|anxious|busy|asleep|awake|hungry|thirsty|drunk|sober|shy|born|hired|fired|promoted|"
    r"adopted|raised|rude|kind\b|diagnosed|admitted|arrested|\d+ (?:years|and)|[a-z]+teen\b|"
    r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty\b|out of work|off sick|"
    r"(?:in|at) (?:hospital|school|work|home|rehab|prison|therapy|labou?r)|"
    r"on (?:leave|holiday|call|vacation|a diet|insulin|medication|parole|sick)|from\b|"
    rf"(?:my|our|her|his|their) (?:\w+ )?{_ONE}\b|an? (?:\w+ )?{_ONE}\b|"
    r"(?!coming|approaching|pending|missing|breaking|brewing|falling|rising|starting|ending)"
    r"\w{2,}ing\b"
)
_BE = r"(?:(?:is|was)(?:n['’]t)?|(?:has|had) been|will be)"
_VERY = r"(?: (?:also|still|not|now|very|so|quite|too|really))*"
_AUX = (
    r"has|had|does|did|(?:does|did|has|had|wo|ca|could|would|should|is|was)n?['’]t|cannot|can|could|"
    r"would|should|might|must"
)
_SAID = (
    "says?|said|thinks?|wants?|wanted|likes?|liked|called|told|asked|lived|bought|sold|studied|"
    "played|retired|died"
)
_HUMAN = re.compile(
    rf"(?:,? (?:who|whose|whom)\b|(?: (?:{_ADVERB}))* "
    rf"(?:{DOES}|{DID}|{HUMAN_VERB}|{_SAID}|{_AUX})\b(?! (?:is|are|was|were)\b)"
    rf"|(?: (?:{_ADVERB}))* {_BE}{_VERY} (?:{_AILS}))",
    re.IGNORECASE,
)
_DOES_IT = re.compile(
    rf"(?: (?:{_ADVERB}))* (?:{DOES_OR_ARE}) (?:the|an?|his|her|their|my|our|to|with|that|at|in|"
    r"on|from|for|as|well|badly|too|every|nights|days|hard|again|by|about|alone|and|\w+ly|\d+)\b"
)
_ALIVE = re.compile(r" \w+ (?:people|you|us|everyone|everybody|mountains)\b")
_HIS = re.compile(
    r" (?!from|in|to|with|of|for|at|on|by|all|is|was|and|or)[^\W\d_A-Z]+ (?:his|her)\b"
)
_TOGETHER = re.compile(
    r" (?:and|&|or|und|y|et|e|en) (?:I\b|(?:my|her|his|their|our) (?:[a-z]+ )?"
    rf"(?:{RELATION}|wife|husband|kids|partner|family|dog|cat|team)\b|"
    r"(?P<other>[^\W\d_a-z][^\W\d_A-Z]+))"
)
_OWNS = re.compile(
    rf"['’]s? (?:\w+ )?(?:{RELATION}|birthday|phone|house|flat|car|job|salary|address|wife|illness|"
    r"asthma|diabetes|allergy|doctor|laptop|wedding|handwriting|voice|knee|back|hair|eyes|dog|cat|"
    r"garden|boat|surgery|party|room|email|number|jacket|coat|bike|keys)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(r"['’]s?(?!\w)")
_IS_ELSEWHERE = "(?:est|ist|is|è|é|es|está|war|was|fue|foi|était|era)"
_ELSEWHERE = re.compile(
    r" (?:(?:no|ne|non|não|nicht|nie|niet|auch|noch|también|aussi|anche|também|ook|immer|altijd|"
    r"siempre|toujours|sempre|se|me|nos|[sn]['’]) ?)*"
    rf"(?:{DOES_ELSEWHERE}|a (?:{HAS_ELSEWHERE})|"
    rf"{_IS_ELSEWHERE} (?:[^\W\d_]+ )?(?:{IS_ELSEWHERE}))(?!\w)"
)
_THE_SAME = re.compile(r" (?:and|or|of|to|for|by|after|upon) ")
_THING = re.compile(
    rf" (?:{OF_THINGS})\b|[ -]\d|(?:-| ?/ ?)[^\W\d_]|"
    r" (?:and|or|y|et|und|e|o|en) (?:other |the )?[^\W\d_A-Z]"
)
_OBJECT = re.compile(
    r" (?:the|an?|my|his|her|your|our|their|this|that|these|those|me|him|us|it|them|all|some|any|"
    r"up|down|out|off|you|we|they|he|she|to|every|each|both|early|from|through|over|everybody|"
    r"everyone)\b",
    re.IGNORECASE,
)
_MODAL_USE = re.compile(
    r" (?:(?:not|never|probably|also|soon) )*(?:you|we|they|he|she|it|I|there|the|this|that|be|"
    r"have|my|his|her|your|our|their|(?![^\W\d_]+(?:ed|s)\b)[^\W\d_A-Z]+)\b|"
    r"(?: [^\W\d_a-z][\w’'-]+)+ [^\W\d_A-Z]+[^.!\n]*\?"
)
_NOUN = re.compile(r" ([^\W\d_A-Z][\w’'-]+)")
_TOWN = (
    "capital|city|cities|towns?|villages?|states?|country|countries|county|nation|republic|region|"
    "province|islands?|ports?|peninsula|kingdom|continent|place|suburb|borough|district|"
    "neighbou?rhood|resort|metropolis|municipality|destination|Hauptstadt|Stadt|capitale|ville|"
    "città|ciudad|cidade|hoofdstad|stad"
)
_HAD = (
    "languages|museums?|inhabitants|people|beach(?:es)?|airports?|streets?|restaurants?|rivers?|"
    "bridges|schools|hospitals|elections?|mountains|borders?|suburbs|castles?|cathedrals?|weather|"
    "harbou?r|theatres?|parks|winters?|summers?|traffic|metro|underground|trams?"
)
_IS_TOWN = re.compile(
    rf" (?:is|was|became|remains|ist|war|est|è|es|é) (?:\w+ ){{0,4}}(?:{_TOWN})\b|"
    r" (?:borders|neighbou?rs|lies (?:in|on|between|near)|sits (?:on|between)|hosted|hosts) "
    r"[^\W\d_a-z]|"
    r" lies (?:in|on|between|near) the\b|"
    rf" (?:has|had) (?:\w+ ){{0,3}}(?:{_HAD})\b"
)
_BESIDE_TOWN = re.compile(r"(?:,|(?P<far> to)) (?P<other>[^\W\d_a-z][^\W\d_]+)")
_LINKS = re.compile(
    r" (?:is|was|are|were|has|had|and|or|but|who|which|that|when|while|if|because|so|to|in|with|"
    r"from|by|about|will|would|can|could|should|may|might|must|today|tomorrow|yesterday|again|too|here|"
    r"there|now|then|soon|later|since|after|over|est|ist|es|está|è|é|och|og|und|et|y|e|a|à|en|seit)\b"
)
_IS_NO_ONE = re.compile(
    rf" (?:{_BE}|are){_VERY} (?:lovely|beautiful|expensive|cheap|hot|cold|wet|dry|an? virtue|all|"
    r"important|overdue|due|here|near|almost|full|crowded|closed|open|best|worst|red|blue|green|"
    r"short|long|over|pending|coming|approaching|breaking|missing|ending|good|great|nice|hard|"
    r"easy|better|enough|lost|unusual\w*|rainy|sunny|late this year|early this year)\b"
)
_IS_SOME = re.compile(r" (?:is|was|are|were) (?:an?|the|not|never|what|how|always|part|about)\b")


_SOME = re.compile(r"(?<!\w)(?:ein|eine[mnrs]?|das|un|une|uno|una|um|uma|een|het) $", re.IGNORECASE)
_THE = re.compile(r"(?<!\w)[Tt]he $")  # "the Rhine"; of "the Alva whom I know" the name tells


def _is_small(text: str, start: int, end: int, folded: str) -> bool:
    """A family name, or a word, in small letters among capitals: ``Das Haus ist klein``."""
    word = text[start:end]
    rarely = is_given_name(folded) and (not is_ordinary(folded) or folded in rarely_words())
    return word.isalpha() and word.islower() and not text.islower() and not rarely


def _may_open(text: str, start: int, end: int, folded: str) -> bool:
    """A family name where a word may have its capital: ``Klein ist das Haus``, ``Hill walks``.

    Behind ``ein`` any noun of another language has one, too. Where a script has no capitals, one
    tells nothing.
    """
    if not (text[start:end].isalpha() and text[start].isupper()):
        return False
    foreign = is_foreign(text) and not (is_given_name(folded) or is_declined_given_name(folded))
    if foreign and _SOME.search(text, max(0, start - REACH), start):
        return True
    is_word = foreign or (is_ordinary(folded) and folded not in rarely_words())
    return is_word and begins_sentence(text, start) and not acts(text[end : end + REACH])


def _are_words(text: str, start: int, end: int) -> bool:
    """A name of several words, each of which is a word, without their capitals: ``frank price``."""
    first, *more = text[start:end].split() or [""]
    if not more or not all(map(reads_as_word, (first, *more))):
        return False
    small = first.islower() or begins_sentence(text, start)
    return small and all(map(str.islower, more))


def reads_as_word(written: str) -> bool:
    """Whether a word of a name, as written, is one of the language too."""
    folded = fold(written)
    return written.isalpha() and (is_ordinary(folded) or may_be_a_word(folded))


def may_be_a_word(folded: str) -> bool:
    """Whether a folded name is a common word, a place or a people too."""
    return folded in _both() or ascii_form(folded) in _both()


@cache
def _both() -> frozenset[str]:
    small = {each for each in PARTICLES if len(each) > 1}
    return NAME_WORDS | EVERYDAY | TOWNS | {*word_names()} | {*NAMES.split("|")} | small


def means(text: str, start: int, end: int) -> Usage | None:
    """What a name stands for at [start, end): somebody, unless it is a word or a place too.

    The one rule of what is found, refused, hidden, checked and taken back. None where nothing in
    the text tells: then it is somebody where ``is_detected``.
    """
    bare = without_possessive(text, start, end)
    if is_called_after(text, start, bare) or is_some_town(text, start, end):
        return "word"
    folded = fold(text[start:bare])
    if may_be_a_word(folded):
        return usage(text, start, end)
    if _is_small(text, start, bare, folded) or _may_open(text, start, bare, folded):
        return None
    if _are_words(text, start, bare):
        before = text[max(0, start - REACH) : start]
        return "word" if _ARTICLE.search(before) and not text.islower() else None
    the = _THE.search(text, max(0, start - REACH), start)
    return "word" if the and " " not in folded and not is_name(folded) else "person"


def is_detected(
    start: int, end: int, found: Iterable[Detection], types: Collection[str] = PERSON_TYPES
) -> bool:
    """Whether detection takes what stands at [start, end) for somebody, or for one of ``types``."""
    named = (each for each in found if each.entity_type in types)
    return any(start < each.end and each.start < end for each in named)


def usage(text: str, start: int, end: int) -> Usage | None:
    """What a name that is a word too stands for at [start, end); None where nothing tells."""
    before = text[max(0, start - REACH) : start]
    owned = _OWNED.search(text, start, end)
    end = owned.start() if owned else end
    folded, after = fold(text[start:end]), text[end : end + REACH]
    if text[start].islower():
        return None if text.islower() or _ADDRESSED.search(before) else "word"
    if _doubled(folded, after) or (_ARTICLE.search(before) and not _FAMILYS.search(before)):
        return "word"
    if folded in TOWNS and _is_a_place(before, after):
        return "word"
    if begins_sentence(text, start):
        return _first(folded, after)
    for words, judge in ((CALENDAR, _dated), (PEOPLES, _of_a_people), (TOWNS, _placed)):
        if folded in words:
            return judge(before, after)
    return _inside(text, folded, before, after)


def _doubled(folded: str, after: str) -> bool:
    """``Miles and miles``."""
    joint = _THE_SAME.match(after)
    return joint is not None and fold(after[joint.end() :][: len(folded)]) == folded


def _is_a_place(before: str, after: str) -> bool:
    """``Jordan borders Israel``, ``Paris is the capital of France``, ``Paris, France``."""
    if _IS_TOWN.match(after):
        return True
    beside = _BESIDE_TOWN.match(after)
    if beside is None or fold(beside["other"]) not in TOWNS:
        return False
    return beside["far"] is not None or not _SOMEBODY.search(before)


def acts(after: str) -> bool:
    """Whether only people do, are or own what follows."""
    together = _TOGETHER.match(after)
    if together is not None:
        return fold(together["other"] or "") not in CALENDAR
    if _ALIVE.match(after):
        return False
    ways = (_HUMAN, _DOES_IT, _ELSEWHERE, _OWNS, _HIS)
    return any(way.match(after) for way in ways)


def _dated(before: str, after: str) -> Usage:
    """Months and days are written with a capital everywhere."""
    if re.match(r"[ ,]+\d", after) or re.search(r"\d[.]? $", before):
        return "word"
    if _SOMEBODY.search(before):
        return "person"
    return "person" if acts(after) and not _TIME.search(before) else "word"


def _of_a_people(before: str, after: str) -> Usage:
    """``Norman architecture``, ``He is Christian``; ``Told Norman``."""
    if _SOMEBODY.search(before) or acts(after):
        return "person"
    noun = _NOUN.match(after) and not _LINKS.match(after)
    return "word" if noun or _IS_ONE.search(before) else "person"


def _placed(before: str, after: str) -> Usage | None:
    """``Moved to Paris``; ``with Paris``."""
    if _SOMEBODY.search(before):
        return "person"
    if _WHERE.search(before):
        return "word"
    return "person" if acts(after) else None


def _inside(text: str, folded: str, before: str, after: str) -> Usage | None:
    """A common word with a capital within a sentence is a name, except where nouns have one."""
    if _SOMEBODY.search(before) or acts(after):
        return "person"
    if _goes_on(after):
        return "word"
    unclear = _NOUN.match(after) and not _LINKS.match(after)
    if unclear or re.match(r" [^\W\d_a-z]", after) or (folded in SEASONS and _TIME.search(before)):
        return None
    if GERMAN.search(text) is None:
        return "person"
    return "word" if _NOT_HIM.search(before) else None


def _goes_on(after: str) -> bool:
    """Whether it begins what a thing is called: ``Art History``, ``Rose Garden``."""
    following = re.match(r" ([^\W\d_a-z][^\W\d_A-Z]+)", after)
    folded = fold(following[1]) if following else ""
    return is_ordinary(folded) and not is_name(folded)


def _first(folded: str, after: str) -> Usage | None:
    """At the beginning of a sentence every word has a capital: what follows tells."""
    if _is_said_otherwise(folded, after):
        return "word"
    if acts(after):
        return "person"
    if _THING.match(after) or _goes_on(after) or (folded in IDEAS and _IS_SOME.match(after)):
        return "word"
    if folded in CALENDAR | SEASONS | TOWNS and re.match(r" (?:in|near|and|is|was)\b", after):
        return "word" if folded in CALENDAR | SEASONS or after.startswith(" in") else None
    noun = _NOUN.match(after)
    if noun is None or _LINKS.match(after) or noun[1] in UNTOLD:
        return None
    if noun[1] in HAPPENED.split("|"):
        return "word"
    return "person" if noun[1].endswith("ed") and len(noun[1]) > LEAST_PAST else "word"


def _is_said_otherwise(folded: str, after: str) -> bool:
    """``Will you come?``, ``Mark the date``, ``Hope is all we have``."""
    if folded in MODALS and _MODAL_USE.match(after) and not acts(after):
        return True
    return bool((folded in ORDERS and _OBJECT.match(after)) or _IS_NO_ONE.match(after))
