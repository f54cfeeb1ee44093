"""What the name model takes for a person, though the words beside it say place, firm or thing."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from detectors.detection import Detection
from detectors.people.abroad import acting_abroad
from detectors.people.coupled import coupled
from detectors.people.families import families
from detectors.people.feasts import is_feast
from detectors.people.firms import firms
from detectors.people.foreign import before
from detectors.people.labels import CALLED_AFTER, GIVEN_WHAT, is_labelled
from detectors.people.makes import is_model
from detectors.people.nobody import is_hardly_anybody, is_nobody, is_somewhere
from detectors.people.nouns import is_noun_of
from detectors.people.positions import ACTS, MET, is_placed
from detectors.people.shops import is_shop
from detectors.people.technologies import is_technology
from detectors.people.times import LISTED_AFTER, LISTED_BEFORE, SEASONS, is_among_months
from detectors.people.turned import turned
from detectors.people.unheard import is_unheard
from detectors.people.unsaid import ENTITLED
from detectors.people.used import is_used
from detectors.people.whole import whole
from detectors.recognisers.secret_names import secret_name
from detectors.words.famous import famous, famous_as, phrases
from detectors.words.folding import WORD, fold
from detectors.words.namelists import (
    is_given_name,
    is_name,
    never_names,
    place_names,
    product_names,
    products,
)
from detectors.words.relations import RELATION
from detectors.words.titles import ALONE

_WORD = re.compile(WORD)
AFTER = 80  # code points behind a name that are looked at
FIRM = (
    "Inc|Ltd|LLC|LLP|PLC|GmbH|Corp|Corporation|Orchestra|Ensemble|Associates|Group|Partners|"
    "Foundation|Society|University|College|Bank|Company|Holdings|Systems|Technologies|Labs|"
    "Industries|Bros|Brewery|Records|Airlines|Motors"
)
ENDS_AS_FIRM = re.compile(rf"\b(?:{FIRM})\.?$")
FIRM_FOLLOWS = re.compile(rf",? (?:{FIRM})\b")
# What firms and programs do, and somebody called by one name in a note hardly does.
FIRM_ACTS = re.compile(
    r" (?:released|ships|launche[sd]|acquired|invested heavily|outsources|went public|"
    r"(?:was|were) (?:founded|acquired)|is the brainchild|generates|compiles|"
    r"is an? (?:\w+ ){0,2}(?:agency|company|firm|startup|library|framework|film|band|brand)\b)"
)
AT_A_FIRM = re.compile(
    r"\b(?:(?:work(?:s|ed|ing)?|year|months?|job|interview|studied|intern(?:s|ed)?) at|"
    r"shares (?:of|in)|account with|insured with) $",
    re.IGNORECASE,
)
TO_A_PLACE = re.compile(
    r"\b(?:moved|relocated|emigrated|flew|flies|travel(?:s|l?ed)|returned|arrived|originally|"
    r"hails|commutes|ferry|train|bus|flight|trip) (?:here |back |over )?(?:to|from|at) (?:the )?$"
    r"|\b(?:vuelos?|tren|autobús|viaje) (?:a|para|hasta) $"
    r"|\b(?:vols?|train|voyage) (?:pour|à|vers) $"
    r"|\b(?:flug|zug|bus|fahrt|fähre) nach $",
    re.IGNORECASE,
)
# The town behind a flat, a box or a house number of an address, on its line or the next.
TOWN_BEFORE = re.compile(
    r"(?:\b(?:suite|apt\.?|unit|box|postbox|floor|flat) \d+[a-z]?|"
    r"\b(?:lives?|located|address|offices?|offered)\b[^.\n]{0,24}\d[^.\n]{0,50}(?=[,\n]))"
    r"[,\s>?]*(?:cite )?$",
    re.IGNORECASE,
)
STATE_FOLLOWS = re.compile(r"\s*,\s*[A-Z]{2}\s+(?:[A-Z][a-z]+ )?\d{4,5}\b")
STREET = re.compile(
    r"\b(?:gateway|turnpike|highway|boulevard|parkway|crossing|plaza|crescent|terrace|terrasse|"
    r"stra(?:ss|ß)e|square|route|extensions?|country club|nevis)\b",
    re.IGNORECASE,
)
LANE = re.compile(r"Lane|Court|Grove|Hill|Heath|Close|Green|Row|Wharf|Gate")
CALLED_LANE = re.compile(r"(?<!^)(?<![.!?\n] )\b[A-Z][a-z]+ $")  # "Church Lane", not "Met Heath"
# "Through Hyde Park", but Jihoon Park, met in Leeds.
PARK = re.compile(r"\s(?:park|gardens?|falls|springs)$", re.IGNORECASE)
WHERE = re.compile(
    r"\b(?:through|in|at|near|around|across|outside|close to|next to|past|to) $", re.IGNORECASE
)
LAW = re.compile(
    r"['’]s? (?:laws?(?! firm| school| office| degree| practice)|theorem|razor|paradox|equations?"
    r"|Day|box)\b"
)
OWNED = re.compile(
    r"\b(?:drives?|drove|rides?|rode|owns?|bought|sold|sells?|rents?|wants?|plays?|uses?|needs?|"
    r"wears?) (?:an?|the|(?:his|her|their|my) (?:old|new)) (?:old |new |used |classic )?$",
    re.IGNORECASE,
)
WITH_A_TOOL = re.compile(
    r"\b(?:deploy|debug|plot|compile|mock|sync|lint|monitor)(?:s|ed|ging|ting|ing)? (?:\w+ )?"
    r"(?:with|in|on|to|via) $"
    r"|\b(?:use[sd]?|using|installs?|installed|replaced?|bundled?|transpiled?|linted|provisioned"
    r"|(?:rendered|powered|replaced|served) by|built (?:with|on)|written in|hosted on"
    r"|(?:switch|migrate)[sd]? (?:from \w+ )?to) $",
    re.IGNORECASE,
)
# What people pay with, are insured with, watch, read, play and call things.
_PAYS = r"pay(?:s|ing)?|paid|pago|pagar?|paie|paye\w*|betaal\w*|(?:be)?zahl\w*|płac\w*"
_BOUGHT = (
    r"bought|ordered|ordering|orders?|subscri\w+|bestel\w*|achète|acheté|compro|compré|comprei|kupuję"
    r"|kupił\w*|koop|gekocht|kauf\w*|gekauft"
)
_CONTRACT = (
    r"account|insurance|insured|pension|mortgage|broadband|contract|tickets?|deliver(?:y|ies)|parcels?"
    r"|konto|rachunek|conto|contratto|cuenta|seguro|compte|contrat|forfait|abonnement|conta|passe"
    r"|verzekerd|versichert|rekening|boots|clothes|shoes|ropa|libros|libri|livros|books"
)
_SHOWN = (
    r"watch(?:es|ed|ing)?|reading|reads?|plays?|playing|veo|viendo|regarde|guardo|guarda|vejo"
    r"|oglądam?|kijkt? (?:graag )?naar|schaut?(?: gerade)?|lit|lee|leest|liest|legge"
    r"|streaming|loves?"
)
_MADE = (
    r"file|project|server|cluster|branch|repo|repository|app|boat|band|team|song|game|show|film|movie"
    r"|book|bot|model|script|tool|library|service|company|firm|release|projekt|proyecto|projet|projeto"
    r"|progetto|datei|gruppe"
)
CALLED_A_THING = re.compile(
    rf"\b(?:(?:{_MADE}|vacuum|robot|roomba|car|van|wifi|printer|plant|laptop|hoover)"
    r" (?:is |was )?(?:called|named|heißt|se llama|s['’]appelle|si chiama|heet) "
    r"|project )$",
    re.IGNORECASE,
)
INSURED = re.compile(
    r"\b(?:account|insurance|insured|pension|mortgage|broadband|contract|konto|conto|cuenta|seguro"
    r"|compte|forfait|versichert|verzekerd) (?:is )?(?:with|bei|bij|con|chez|avec|da) $",
    re.IGNORECASE,
)
BELONGS_TO_FIRM = re.compile(
    rf"\b(?:(?:{_PAYS}) (?:\w+ ){{0,2}}(?:with|con|com|avec|met|mit|par|via) "
    rf"|(?:{_BOUGHT}) (?:\w+ ){{0,3}}(?:from|at|de|en|chez|bei|bij|na|w|em|da|alla) "
    rf"|(?:{_CONTRACT}) (?:\w+ ){{0,2}}(?:with|from|by|at|con|com|avec|chez|bei|bij|bij de"
    rf"|da|na|w|en|é da|is from|is with|is by|is at) "
    rf"|(?:{_SHOWN}) |(?:{_MADE}) "
    rf"|(?:beat|against|lost to|versus|vs|gegen|contre|contra|contro|tegen|verloor van"
    rf"|przegrała z) )$",
    re.IGNORECASE,
)
PREFERRED = re.compile(r" (?:over|instead of|rather than) (?P<other>[A-Z]\w*)")
PREFERRED_TO = re.compile(r"\bprefers? (?P<other>\w+) (?:over|to|instead of) $", re.IGNORECASE)
BUILDING = re.compile(
    r" (?:market|station|road|street|palace|airport|theatre|theater|stadium|festival|museum|beach"
    r"|hotel|bridge|castle|cathedral|square|county|valley|island|line|hall)\b",
    re.IGNORECASE,
)
RELEASED = re.compile(r" to v?\d+\.\d")
SETTING = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)+")
BY_RELATION = re.compile(rf"\b(?i:{RELATION})(?:,|'s name is| is called| named)? $")
PERSONAL = re.compile(
    r"(?:['’]s)? (?:called|calls|said|says|told|asked|texted|wrote to|wants|needs|thinks|forgot|"
    r"lives|moved|works|(?:is|was) (?:my|our|her|his|coming|late|sick|ill|moving|visiting))\b"
)
OF_KIND = re.compile(r"(?<!\w)(?:the|an?|my|our|two|old|new) $", re.IGNORECASE)  # "the Nikon"
IS_OURS = re.compile(rf" (?:is|was) (?:my|our|her|his) (?:\w+ )?(?:{RELATION})\b")
TOOL_SAYS = re.compile(r" (?:says|said|needs|wants|works|forgot)\b")  # gadgets and services, too
TOGETHER = re.compile(
    r"\b(?:with|met|meet|told|tell|ask(?:ed)?|call(?:ed)?|text(?:ed)?|invited?|dating|married|"
    r"miss(?:es)?|visit(?:ed|ing)?|hi|hey|dear|thanks|mr\.?|mrs\.?|ms\.?|dr\.?) $",
    re.IGNORECASE,
)
WITH = re.compile(r"\bwith $", re.IGNORECASE)


# ``l'amoxicillina``, and what a model leaves of ``dell'ibuprofene``.
_ELIDED = re.compile(
    r"(?i:[ld]|un|qu|(?:d|n|su|que)?[ae]ll)(?:['’](?P<noun>[^\W\d_A-ZÀ-Þ][^\W\d_]*)|(?=['’]))"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in its surroundings.

    Args:
        name: as it is written.
        near: what stands before it.
        after: what stands behind it.
        given: whether one of its words is known as a given name.
    """

    name: str
    near: str
    after: str
    given: bool


def without_things(text: str, spans: Sequence[Detection]) -> list[Detection]:
    """The same detections, people who are none made places or organisations, or left out.

    Args:
        text: the text (or window) that the spans refer to.
        spans: what model and rules found.
    """
    known = [*(match.span() for match in phrases().finditer(text)), *firms(text)]
    names = frozenset(
        chain.from_iterable(
            tells(text) for tells in (whole, families, coupled, turned, acting_abroad)
        )
    )
    judged = (
        _judged(text, span, known, names) if span.entity_type == "PERSON" else span
        for span in spans
    )
    return [span for span in judged if span is not None]


def _judged(
    text: str,
    span: Detection,
    known: Sequence[tuple[int, int]],
    names: Collection[tuple[int, int]],
) -> Detection | None:
    if firm := _within(text, span, known):
        return firm
    mention = _mention(text, span)
    if (span.start, span.end) in names:
        return span
    if _is_no_name(text, span) or _is_season(text, span, mention):
        return None
    if BY_RELATION.search(mention.near):
        return span
    if is_feast(text, span.start, span.end):
        return None
    if _is_named_thing(text, span, mention):
        return replace(span, entity_type="ORGANIZATION")
    if _stands_as_person(text, span):
        return span
    if is_nobody(text, span.start, span.end) or never_names().issuperset(_words(mention.name)):
        return None
    kind = _kind(text, span, mention)
    return kind if kind is None else replace(span, entity_type=kind)


def _within(text: str, span: Detection, known: Sequence[tuple[int, int]]) -> Detection | None:
    """The firm or phrase in which a claimed person stands; of two names neither is the firm."""
    for start, end in known:
        if start <= span.start and span.end <= end and not _is_called_so(text, start, end):
            start, end = (start, end) if "&" in text[start:end] else (span.start, span.end)
            text = text[start:end]
            return replace(span, start=start, end=end, text=text, entity_type="ORGANIZATION")
    return None


def _mention(text: str, span: Detection) -> Mention:
    name = text[span.start : span.end]
    given = any(is_given_name(word) and word not in place_names() for word in _words(name))
    return Mention(name, before(text, span.start), text[span.end : span.end + AFTER], given=given)


def _words(name: str) -> list[str]:
    words = [fold(match[0]) for match in _WORD.finditer(name) if match[0].isalpha()]
    return words or [name]


def _is_season(text: str, span: Detection, mention: Mention) -> bool:
    """Whether a month or season stands in a list with another, and nobody acts there."""
    listed = is_among_months(text, span.start, span.end)
    return listed and not (BY_RELATION.search(mention.near) or _is_met(mention))


def _is_named_thing(text: str, span: Detection, mention: Mention) -> bool:
    technology = is_technology(mention.name, mention.near, mention.after)
    place = span.start, span.end
    return technology or is_labelled(text, *place) or is_noun_of(text, *place)


def _is_called_so(text: str, start: int, end: int) -> bool:
    """Whether somebody has the name of a firm: ``Jack Daniels is our new manager``."""
    return "&" not in text[start:end] and IS_OURS.match(text, end) is not None


def _stands_as_person(text: str, span: Detection) -> bool:
    place = span.start, span.end
    if ENTITLED.match(text[span.start : span.end]):
        return not is_shop(text, *place)  # "the restaurant Nonna Rosa"
    return is_used(text, *place) or is_placed(text, *place)


def _is_no_name(text: str, span: Detection) -> bool:
    """Whether a single word is a title, a secret's name or an elided noun."""
    name = text[span.start : span.end]
    if any(map(str.isspace, name)):
        return False
    return fold(name) in ALONE or bool(secret_name(name)) or _is_elided(text, span)


def _is_elided(text: str, span: Detection) -> bool:
    """Whether it is an article that lost its vowel, alone or with a noun of no capital."""
    said = _ELIDED.match(text, span.start)
    if said is None or said.end() != span.end:
        return False
    return said["noun"] is None or not is_name(fold(said["noun"]))


def _kind(text: str, span: Detection, mention: Mention) -> str | None:
    """What a claimed person is, by what nobody who was met is beside."""
    met, season = _is_met(mention), fold(mention.name) in SEASONS
    told = met and TOOL_SAYS.match(mention.after) is None
    what = famous_as(mention.name) or is_model(mention.name)
    alone = not {" ", "-"} & {*mention.name}  # "Saint-Joseph" and "Hoka Clifton" are nobody
    if mention.given and alone and not (what == "things" and OF_KIND.search(mention.near)):
        what = None
    if told and not (
        what == "things" and WITH.search(mention.near) and not MET.search(mention.near)
    ):
        what = None  # but "home insurance with Hiscox"
    if what:
        return None if what == "people" else "ORGANIZATION"
    if not met and is_hardly_anybody(text, span.start, span.end):
        return None if season else "ORGANIZATION"
    if not met and is_somewhere(text, span.start, span.end):
        return "LOCATION"
    kind = next((kind for kind, tells in KINDS if tells(mention)), "PERSON")
    unheard = kind == "PERSON" and not met and is_unheard(text, span.start, span.end)
    return None if unheard else kind


def _is_met(mention: Mention) -> bool:
    acts = PERSONAL.match(mention.after) or ACTS.match(mention.after)
    return bool(acts or TOGETHER.search(mention.near))


def _is_place(mention: Mention) -> bool:
    if LANE.fullmatch(mention.name) and CALLED_LANE.search(mention.near):
        return True
    if STREET.search(mention.name) or STATE_FOLLOWS.match(mention.after):
        return True
    if PARK.search(mention.name) and WHERE.search(mention.near):
        return True
    if mention.given or mention.after.startswith(("'s", "’s")):
        return False
    if BUILDING.match(mention.after):
        return True
    return bool(TOWN_BEFORE.search(mention.near) or TO_A_PLACE.search(mention.near))


def _is_firm(mention: Mention) -> bool:
    if ENDS_AS_FIRM.search(mention.name) or FIRM_FOLLOWS.match(mention.after):
        return True
    if INSURED.search(mention.near):
        return True
    acts = FIRM_ACTS.match(mention.after) or AT_A_FIRM.search(mention.near)
    acts = acts or BELONGS_TO_FIRM.search(mention.near)
    return not mention.given and acts is not None


def _is_product(mention: Mention) -> bool:
    """A setting, or what stands in a list with a program, if that may be one by its name."""
    if SETTING.fullmatch(mention.name):
        return True
    words = [fold(match[0]) for match in _WORD.finditer(mention.name)]
    if product_names().issuperset(words) and _is_preferred(mention):
        return True
    if (mention.given and not product_names().issuperset(words)) or PERSONAL.match(mention.after):
        return False
    if product_names().issuperset(words) and not TOGETHER.search(mention.near):
        around = f"{mention.near} {mention.after}"
        if any(_is_program(match[0]) for match in _WORD.finditer(around)):
            return True
    beside = (LISTED_BEFORE.search(mention.near), LISTED_AFTER.match(mention.after))
    return any(match is not None and _is_program(match["other"]) for match in beside)


def _is_preferred(mention: Mention) -> bool:
    """Whether one program is told to be better than another: ``Prefer Zod over Joi``."""
    told = PREFERRED.match(mention.after) or PREFERRED_TO.search(mention.near)
    other = fold(told["other"]) if told else ""
    return other in product_names() or other in products()


def _is_program(word: str) -> bool:
    return fold(word) in products() or famous().get(word) == "things"


def _is_thing(mention: Mention) -> bool:
    if LAW.match(mention.after) or RELEASED.match(mention.after):
        return True
    if CALLED_A_THING.search(mention.near):
        return True
    if not mention.given and (PREFERRED.match(mention.after) or PREFERRED_TO.search(mention.near)):
        return True
    if CALLED_AFTER.match(mention.after):
        return GIVEN_WHAT.search(mention.near) is None
    if OWNED.search(mention.near):
        return PERSONAL.match(mention.after) is None
    return not mention.given and WITH_A_TOOL.search(mention.near) is not None


KINDS: tuple[tuple[str, Callable[[Mention], bool]], ...] = (
    ("LOCATION", _is_place),
    ("ORGANIZATION", _is_firm),
    ("ORGANIZATION", _is_product),
    ("ORGANIZATION", _is_thing),
)
