"""What the name model takes for a person by its capitals, and its form or its company says is none.

``J'ai``, ``OOMKilled``, ``SM-S921B``; ``at the Hilton``, ``Since June``, ``Austin has great tacos``
"""

import re

from detectors.people.coupled import is_korean
from detectors.people.foreign import before
from detectors.people.rows import is_among_things, is_on_route
from detectors.people.shops import is_shop
from detectors.people.taken import is_taken
from detectors.people.times import is_time
from detectors.people.unsaid import WORKER
from detectors.people.works import is_work
from detectors.words.called import is_called
from detectors.words.elision import elision
from detectors.words.folding import WORD, fold
from detectors.words.namelists import (
    is_given_name,
    is_name,
    never_names,
    place_names,
    places,
    product_names,
    products,
    towns,
)
from detectors.words.relations import HOUSEHOLD, ROLES

AFTER = 80  # code points behind a name that are looked at
# A capital behind a small letter, or a word behind capitals, unless it is a prefix of names.
CAMEL = re.compile(r"[A-Z]{2,}[a-z]{3,}|[a-z][A-Z]")
PREFIX = re.compile(r"(?:Ma?c|De|Du|Di|Da|La|Le|Van|Von|Fitz|St|San|El|Al|Jo|Mary|Ann|Lu|Te)[A-Z]")
ACRONYM = re.compile(r"[A-Z]{3,4}")
# "Travis CI", but Falk III and Brenn MD.
ENDS_IN_CAPITALS = re.compile(
    r" (?!(?:I{2,3}|IV|VI{0,3}|JR|SR|MD|JD|RN|DDS|DO|PHD|MBA|CPA|ESQ|OBE|MBE|CBE|QC|KC)$)"
    r"[A-Z]{2,4}$"
)
PLACE = re.compile(r"\w{3,}(?:platz|straße|strasse|allee|gasse|ufer|brücke|plein|straat|gracht)")
PET = re.compile(
    r"(?<!\w)(?:dog|cat|puppy|kitten|hamster|parrot|horse|pony|rabbit|hund|hündin|katze|kater"
    r"|chien|chienne|(?:notre|mon|ton|son) chat|chatte|perr[oa]|gat[oa]|cane|gatt[oa]|cachorro"
    r"|cadela|hond"
    r"|kat|poes)(?:,|['’]s name is| is called| named| called| is| heißt| s['’]appelle| se llama"
    r"| si chiama| se chama| heet)? $",
    re.IGNORECASE,
)
# "Mark Winter as done" is an order about what is called so.
MARKED = re.compile(
    r" as (?:done|read|unread|completed?|resolved|closed|paid|sent|spam|important|duplicate"
    r"|shipped)\b"
)
TOOL = re.compile(
    r" (?:library|compiler|interpreter|framework|linter|parser|plugin|driver|algorithm|protocol"
    r"|template|unit tests?|runtime|extensions?|shortcuts?|snippets?|dish|keyboard|CLI|API|SDK)\b"
)
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
CODE = re.compile(r"[A-Z0-9]+(?:-[A-Z0-9]+)+")
BY_THE = re.compile(r"\b(?:at|in|to|from|near|of|outside|opposite|behind) the $", re.IGNORECASE)
THE = re.compile(r"\bthe $", re.IGNORECASE)
OPENS = re.compile(r" (?:has|had|is|was|opens?|closes?|shows?|reopens?)\b")
FAMILY = re.compile(
    rf"['’]?s?['’]? (?:{HOUSEHOLD}|girls|boys|residence|wedding|funeral|home|house|baby)\b"
)
LANDMARK = re.compile(
    r" (?:Opera|Monument|Cathedral|Museum|Stadium|Arena|Festival|Marathon|Tower|Gallery|Library"
    r"|Theatre|Theater|Zoo|Airport|Castle|Palace|cup|Cup|Open|Derby|Grand Prix)\b"
)
NAMED_SO = re.compile(
    r"\b(?:[Pp]roject|[Oo]peration|[Cc]ode ?name[d]?|[Pp]ackage|[Ll]ibrary|[Mm]icroservice"
    r"|(?:the|our|a|this) (?:\w+ )?(?:service|app|tool|cluster|framework|repo|repository|chatbot"
    r"|branch|namespace|plugin|pipeline))(?: called| named| is)? $"
)
IS_A_THING = re.compile(
    r" (?:is|es|est|è|ist) (?:our|the|an?|una?|une?|eine?) (?:[\w-]+ ){0,3}?(?:bus|service|project"
    r"|code ?name|tool|app|queue|database|cluster|framework|library|platform|repo|repository"
    r"|chatbot|pipeline|gateway|api|API|package|brand|marca|marque|Marke|broker|planet|moon|river"
    r"|font)\b"
    r"(?! (?:manager|lead|owner|engineer|designer|developer|admin\w*|architect|expert|maintainer))"
)
SCORED = re.compile(
    r" (?:(?:beat|drew with|lost to|vs\.?|v\.?|versus|against|won|lost)\b[^.!?\n]{0,24}"
    r"\b\d{1,2} ?[-–:] ?\d{1,2}\b)"
)
CLOSED = re.compile(
    r"['’]s (?:is|was|are) (?:closed|shut|open|packed|full(?! of)|busy|overpriced|delivering"
    r"|hiring)\b"
)
MADE = re.compile(r"-(?:rigged|built|style|like|based|shaped)\b")
# Of words that name places as often as people.
IS_THERE = re.compile(
    r"(?: (?:(?:is|was|gets) (?:\w+er than [A-Z]|(?:north|south|east|west)\b"
    r"|(?:so |very |too )?(?:humid|crowded|touristy|walkable|sunny|rainy)\b"
    r"|(?:so |very |far |way )?too (?:hot|cold|humid|crowded|expensive|touristy|big)\b"
    r"|in (?P<where>(?:North |South |West |East |New )?[A-Z]\w+))"
    r"|has (?:great|good|nice|the best|amazing|many|lots of|better|cheap|terrible)"
    r" (?!hair|eyes|taste|memory|friends|grades|manners|kids|skin|teeth)\w+"
    r")|, both the (?:state|country|city)\b|,? [A-Z]{1,2}\d{1,2}[A-Z]? ?\d[A-Z]{2}\b)"
)
TRAVEL = re.compile(
    r"\b(?:(?:park(?:s|ed|ing)?|change[sd]?|arriv(?:es|ed)|g[eo]ts? off|stop(?:s|ped)?) at $"
    r"|(?:flights?|trips?|fly|flying|flew|travel(?:l?ing|l?ed)?|trains?|buses|bus|ferry|road trip"
    r"|drive|driving|moving|relocat\w+|weather|hotels?|holiday|based|offices?) (?:to|in)"
    r" (?:\w+(?:,| and| or) )?$"
    r"|(?:change|alight|get off)[^.!?\n]{0,30} (?:for|to) $"
    r"|(?:fl(?:y|ying|ew|ights?) (?:in|into|out of|via|over)|(?:flug|flüge|zug|züge|bus|fahrt|reise"
    r"|fähre) nach|(?:vuelos?|tren|trenes|autobús|viajes?|escala) (?:a|para|hasta|en)|(?:vols?"
    r"|trains?|voyages?|escale) (?:pour|à|vers)|(?:voli|volo|treno|viaggio) (?:per|a)) $)",
    re.IGNORECASE,
)
LISTED = re.compile(rf"(?:,| and| or| &) (?P<other>{WORD})")
LISTED_BEFORE = re.compile(rf"(?P<other>{WORD})(?:,| and| or| &) $")
# Of words that are programs, or services that one talks to.
AS_A_PROGRAM = re.compile(
    r" (?:(?:is|was|went|keeps going) (?:down|up again|slow|offline|deprecated|unavailable)\b"
    r"|to (?:refactor|summari[sz]e|generate|debug|translate|review the|draft|write (?:a|the|some)"
    r" (?:test|script|function|module))"
    r"|(?:gave|gives|returned|returns) (?:me )?(?:an? |the )?(?:wrong|empty|bad|error|5\d\d)\b"
    r"|(?:API|SDK|CLI|Code|GraphQL|Sonnet|Opus|Haiku|Pro|Flash|Studio)\b"
    r"|helped me (?:write|code|debug|draft)\b)"
)
# What a chatbot is asked for: "Asked Claude for a summary", but "for his mother's number".
CHATBOTS = frozenset({"claude", "gemini", "bard", "jasper", "siri", "alexa"})
ASKED_FOR = re.compile(
    r" (?:for|to (?:write|give me|make|suggest)) (?:an? |some |the )?(?:\w+ )?(?:summary"
    r"|translation"
    r"|outline|drafts?|regex|snippet|script|code|ideas|synonyms|prompts?|recipes?|explanation"
    r"|weather"
    r"|forecast|directions|timer|alarm|list of)\b"
)
SWAPPED = re.compile(
    r"\b(?:swap|replace|ditch|drop|exchange)(?:p?ed|d|s)? (?:\w+ (?:for|with|by|against) )?$",
    re.IGNORECASE,
)
SWAPPED_WITH = re.compile(rf" (?:for|with|by|against) (?P<other>{WORD})")
SWAPPED_FROM = re.compile(rf"(?P<other>{WORD}) (?:for|with|by|against) $")
USES = re.compile(
    r"\b(?:use[sd]?|bump(?:s|ed)?|upgrade[sd]?|pin(?:s|ned)?|patch(?:es|ed)?|import(?:s|ed)?"
    r"|using|via|with|install(?:s|ed)?|(?:runs?|failed|crashed|deployed) on"
    r"|migrat\w+ to|built (?:with|on)|written in"
    r"|powered by) (?:\w+(?:,| and| or) )?$",
    re.IGNORECASE,
)


def is_nobody(text: str, start: int, end: int) -> bool:
    """Whether a claimed person is none, whatever they are said to do: by form, or as a thing.

    Args:
        text: the text (or window).
        start: where the person begins.
        end: where they end.
    """
    name, after = text[start:end], text[end : end + AFTER]
    if (
        _is_role(name)
        or _is_elided(name)
        or any(map(_is_code, name.split()))
        or is_time(text, start, end)
    ):
        return True
    if IS_A_THING.match(after) or LANDMARK.match(after) or MADE.match(after):
        return True
    if MARKED.match(after) and name.startswith("Mark "):
        return fold(name.removeprefix("Mark ")) in never_names()
    if ENDS_IN_CAPITALS.search(name) and not name.isupper():
        return True
    if fold(name) in CHATBOTS and ASKED_FOR.match(after):
        return True
    return fold(name) in product_names() and AS_A_PROGRAM.match(after) is not None


def is_hardly_anybody(text: str, start: int, end: int) -> bool:
    """Whether the words beside a claimed person, whom nobody met, say thing, season or title."""
    name, near, after = fold(text[start:end]), before(text, start), text[end : end + AFTER]
    if any(tells.match(after) for tells in (SCORED, CLOSED, TOOL)) or PET.search(near):
        return True
    if NAMED_SO.search(near) or is_work(text, start, end) or is_shop(text, start, end):
        return True
    if is_among_things(text, start, end) or is_taken(text, start, end):
        return True
    if is_called(text, start, end):
        return True
    if " " in name:
        return False
    if ACRONYM.fullmatch(text, start, end) and any(map(str.islower, near + after)):
        return True
    if BY_THE.search(near) or (THE.search(near) and OPENS.match(after)):
        return FAMILY.match(after) is None
    if name not in product_names():
        return False
    return USES.search(near) is not None or _is_swapped(near, after)


def _is_swapped(near: str, after: str) -> bool:
    """Whether one program takes another's place: ``Swap Winston for Pino``."""
    if SWAPPED.search(near) is None:
        return False
    beside = (SWAPPED_WITH.match(after), SWAPPED_FROM.search(near))
    known = products() | product_names()
    return any(found is not None and fold(found["other"]) in known for found in beside)


def is_somewhere(text: str, start: int, end: int) -> bool:
    """Whether a single word names a place there, though it names people elsewhere."""
    word, near, after = fold(text[start:end]), before(text, start), text[end : end + AFTER]
    if is_on_route(text, start, end) or _is_park(word):
        return True
    if word in towns() or PLACE.fullmatch(word):
        return text[start].isupper()
    if word not in place_names():
        return False
    there = IS_THERE.match(after)
    if there is not None:
        where = there["where"] or ""
        return not where or " " in where or _is_place(where)
    if TRAVEL.search(near) and not after.startswith(("'s", "’s")):
        return True
    beside = (LISTED.match(after), LISTED_BEFORE.search(near))
    return any(found is not None and _is_place(found["other"]) for found in beside)


def _is_park(name: str) -> bool:
    """``Park Lane``, and not ``Park Jihoon``."""
    family, _, given = name.partition(" ")
    return family == "park" and " " not in given and bool(given) and not is_korean(family, given)


def _is_role(name: str) -> bool:
    """Whether somebody is called by what they are: ``Steuerberater wants the receipts``."""
    folded = fold(name)
    if " " in name or is_name(folded):
        return False
    return re.fullmatch(rf"{ROLES}|{WORKER}", folded) is not None


def _is_elided(name: str) -> bool:
    """``J'ai``, ``Qu'il``, ``L'utilisateur``: names go on with a capital, but ``D'angelo`` may."""
    return name[:1].isupper() and not name.startswith("D") and elision(name) > 0


def _is_code(word: str) -> bool:
    if CODE.fullmatch(word):
        return word.count("-") > 1 or any(map(str.isdigit, word))
    if PREFIX.match(word) or CAMEL.search(word) is None:
        return False
    return not (is_name(fold(word)) or all(is_name(fold(part)) for part in PART.findall(word)))


def _is_place(word: str) -> bool:
    folded = fold(word)
    return (folded in places() or folded in towns()) and not is_given_name(folded)
