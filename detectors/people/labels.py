"""What a noun beside a name says that it is: ``room Ada``, ``Storm Isha``, ``the Daisy branch``.

Only nouns of things, which nobody is called by. ``The room Ada booked`` is booked by Ada, ``Team
Anna`` is hers, and ``gave Anna roses`` is about Anna.
"""

import re
from collections.abc import Sequence

from detectors.people.foreign import before
from detectors.people.unheard import ITEM_ENDS
from detectors.words.famous import famous_as
from detectors.words.folding import WORD, fold
from detectors.words.namelists import is_given_name, is_ordinary, product_names, rarely_words
from detectors.words.spoken import languages_of

AFTER = 60  # code points behind a name that are looked at
_ROOMS = (
    r"(?:meeting |conference |seminar )?rooms?|lecture hall|salles?|salas?|aulas?|(?:besprechungs"
    r"|konferenz|seminar|meeting)?raum|hörsaal|zaal|auditorium|printer|drucker|imprimante|impresora"
)
_STORMS = (
    r"(?:tropical )?storm|hurricane|typhoon|cyclone|orkan(?:tief)?|sturm(?:tief)?|hurrikan|taifun"
    r"|tempestade|temporal|depressão|furacão|bufera|ciclone|tief|cycloon|storm"
    r"|tiefdruckgebiet|temp[êe]te|ouragan|cyclone|borrasca|hurac[áa]n|tormenta|uragano|tempesta"
)
_STOPS = (
    r"(?:bus |tram |metro |tube )?(?:stop|station)|m[ée]tro|u-?bahn(?:hof)?|s-bahnhof|haltestelle"
    r"|bahnhof|gare|arr[êe]t|parada|estaci[óo]n|fermata|stazione|halte"
)
_STYLES = (
    r"fonts?|typeface|schriftart|police|(?:colou?r )?theme|colou?r scheme|wallpaper"
    r"|(?:paint )?colou?r|farbe|couleur|shade|cocktail|apple|tomato|potato|rose|wine|cheese|apfel"
    r"|kartoffel|tomate|pomme"
    r"|cheese|grape|rebsorte|cépage|variety|sorte|variét[ée]"
)
_STREETS = (
    r"rue|avenue|av\.|boulevard|bd\.?|quai|impasse|allée|calle|avenida|avda\.|plaza|paseo|viale|piazza"
    r"|corso|rua|avenida|praça|gasth(?:of|aus)|pension|hotel|hôtel|auberge|trattoria|pizzeria"
)
_WORK = (
    r"sprint|milestone|epic|code ?name(?:d)?|feature flag|release train|release|branch|cluster"
    r"|server|node|host|shelf|regal|\w+-regal|étagère|estantería|satellite|rover|probe|locomotive"
)
_NOUN = rf"(?:{_ROOMS}|{_STORMS}|{_STOPS}|{_STYLES}|{_STREETS}|{_WORK}|squad|tribe|guild)"
_NAMED = re.compile(
    rf"(?P<whose>(?<!\w)(?:the|an?|this|that|any|which) )?(?<!\w){_NOUN} $", re.IGNORECASE
)
_NOUN_INSIDE = re.compile(rf"(?i:{_NOUN}|(?:l['’])?équipe|equipo) [^\W\d_a-z]")
_TEAMS = re.compile(
    r"(?<!\w)(?:teams?|crew|(?:l['’])?équipe|equipo|mannschaft|squadra|class|klasse|classe|clase"
    r"|house) $",
    re.IGNORECASE,
)
# "Bajar en Gregorio Marañón": a stop, whoever it is called after.
_GOT_OFF = re.compile(
    r"(?<!\w)(?:\w+ line|follow(?:ing)?(?: the)? signs) (?:to|for|towards) $|"
    r"(?<!\w)(?:bajar(?:se)?|baja|cambiar|transbordo|descendre|descends|changer|change|correspondance"
    r"|scendere|cambiare|aussteigen|umsteigen|aussteigen) (?:en|à|a|in|an)(?: [^\W\d_a-z]\w+,)? $",
    re.IGNORECASE,
)
# "The cron job on Hermes fails": what runs on a machine.
_RUNS_ON = re.compile(
    r"(?<!\w)(?:cron ?jobs?|jobs?|backups?|containers?|process(?:es)?|service|daemon|deploy\w*|ssh"
    r"|reboot(?:ed)?|disk|logs?|fan|uptime)(?: (?:runs?|fails?|failed|running))? (?:on|to|into) $"
    r"|(?<!\w)(?:reboot(?:ed)?|restart(?:ed)?) $",
    re.IGNORECASE,
)
# "Order a Margherita", "plant the Charlotte": one of many that are called so.
_ONE_OF_MANY = re.compile(
    r"(?<!\w)(?:order(?:ed)?|mix|bake|drink|grow|make|had|have|try|tried) (?:an?|two|three|some) $"
    r"|(?<!\w)(?:plant|prune|repot|sow|harvest|dig up)(?:ed)? (?:the|some|more)? ?$",
    re.IGNORECASE,
)
# "The Turing cluster", "Brita filters": what things are, and is nobody's by a name before it.
_IS_WHAT = (
    r"(?:meeting |conference )?rooms?|clusters?|branch(?:es)?|endpoints?|queues?|dashboards?|epic"
    r"|repo(?:sitory)?|microservice|pipeline|namespace|codebase|server|release|milestone|sprint|lens"
    r"|lenses|theme|typeface|fonts?|line|tube|stop|exhibition|paintings?|bike|drill|sander|fridge"
    r"|dishwasher|vacuum|hoover|mixer|blender|kettle|toaster|printer|laptop|router|speakers?"
    r"|headphones|backpack|rucksack|tent|stove|jacket|boots|trainers|sneakers|jeans|razor|toothpaste"
    r"|shampoo|soap|sofa|shel(?:f|ves)|drawers|mattress|pots|pans|knife|knives|pens?|notebooks?"
)
_FOOD = (
    r"roses|tulips|seeds|tomato(?:es)?|potato(?:es)?|lettuce|apples?|pears?|plums|peppers|beans|rice"
    r"|flour|syrup|chocolate|biscuits|crisps|sauce|pasta|noodles|mustard|ketchup|mayo\w*|cheese|jam"
    r"|honey|gin|rum|whisky|whiskey|vodka|beer|ale|lager|wine|champagne|tea|coffee|tart|cake|mess"
)
_MADE = r"filters?|tablets|capsules|cartridges?|batter(?:y|ies)|pads|liquid|wipes|bags|bulbs|tyres"
_BEHIND = re.compile(rf"(?: (?!\w+(?:ed|s|t)\b)\w+)? (?:{_FOOD}|{_IS_WHAT}|{_MADE})(?![\w'’-])")
_THING = re.compile(rf"{_FOOD}|{_MADE}")
# A name in front of what is called after it, where nobody owns it: "Granny Smith apples".
CALLED_AFTER = re.compile(
    r" (?:pizza|salad|dressing|sponge|sandwich|burger|sauce|apples|potatoes|pears|plums|tomatoes"
    r"|roses|lilies|tea|bulbs"
    r"|mattress|guitar|piano|shelf|sofa|jeans|camera|lens|vacuum|boiler|fridge|yoga|station|theorem|sequence|"
    r"award|prize|concerto|sonata|(?:\w+ )?symphony|keyboard|firmware|dashboard|plugin|cluster)\b"
)
GIVEN_WHAT = re.compile(
    r"\b(?:g[eio]ts?|gave|gives?|br[io](?:ng|ught)s?|brings?|buys?|bought|ma[dk]es?|sends?|sent|owes?|"
    r"orders?|ordered|cooks?|cooked|lends?|lent|t(?:each|aught)|fe?eds?|offers?|with|and) $",
    re.IGNORECASE,
)
_OF_IT = re.compile(r"(?<!\w)(?:the|an?|our|this|that|new|old|\d+) $", re.IGNORECASE)
_RENAMED = re.compile(rf"(?<!\w)renam\w* [^.!?\n]{{0,40}}(?:{_IS_WHAT}) to $", re.IGNORECASE)
# Nobody is given anything by these: "buy Anna boots" is for Anna.
_NEEDED = re.compile(
    r"(?:^|[.!?,;:\n(] ?)(?:need|return|replace|clean|wash|restock|renew|repot|prune|plant|refill"
    r"|out of|low on)(?: new| more| the| some| two| \d+)? $",
    re.IGNORECASE,
)
_BOUGHT = re.compile(
    r"(?:^|[.!?,;:\n(] ?|(?<!\w)(?:to|and|the|some|more|new|need|of|my|our|a) )"
    r"(?:(?:buy|order|get|need|return|restock|plant|prune|repot|sell|replace|clean|wash|fill|try|pick"
    r" up|pack|bring|use|repair|renew|out of|low on|bought|ordered|need new|cheap(?:er)?|old|more"
    r"|new) )?$",
    re.IGNORECASE,
)
_TOOLS = re.compile(
    r" (?:quer(?:y|ies)|jobs?|tables?|buckets?|clusters?|instances?|pipelines?|stack|topics?"
    r"|consumers?|containers?|images?|builds?|tests|config(?:uration)?|modules?|packages?|versions?"
    r"|upgrades?|release|endpoints?|schemas?|migrations?|models?|pods?|charts?|costs|docs)(?![\w'’-])"
)


def is_labelled(text: str, start: int, end: int) -> bool:
    """Whether a noun right before or behind a claimed person says that it is a thing.

    Args:
        text: the text (or window).
        start: where the name begins.
        end: where it ends, without the ending of a possessive.
    """
    name, near, after = text[start:end], before(text, start), text[end : end + AFTER]
    if after.startswith(("'s", "’s")):
        return False
    words = [fold(word) for word in re.findall(WORD, name)]
    known = famous_as(name) != "things" and any(map(is_given_name, words))
    if named := _NAMED.search(near):
        return named["whose"] is None or not known or not _is_english(text, start, end)
    if _TEAMS.search(near):
        return not known or all(map(_is_rather_a_word, words))
    if _RENAMED.search(near) or _GOT_OFF.search(near) or _NOUN_INSIDE.match(name):
        return True
    return _is_one_of_many(name, near, after) or _is_what_follows(words, near, after, known=known)


def _is_english(text: str, start: int, end: int) -> bool:
    """Not ``A tempestade Leslie``, where the article is of another language."""
    languages = languages_of(text[max(0, start - AFTER) : end + AFTER])
    return languages[:1] in ((), ("en",))


def _is_one_of_many(name: str, near: str, after: str) -> bool:
    """``Order a Margherita``; and a program before what programs have: ``Athena queries``."""
    if _ONE_OF_MANY.search(near) and ITEM_ENDS.match(after):
        return True
    if fold(name) not in product_names():
        return False
    return _TOOLS.match(after) is not None or _RUNS_ON.search(near) is not None


def _is_what_follows(words: Sequence[str], near: str, after: str, *, known: bool) -> bool:
    """Whether a thing is called by the words: ``Bomba rice``, ``the Turing cluster``."""
    if len(words) > 1 and _THING.fullmatch(words[-1]):
        return not any(map(is_given_name, words[:-1]))
    if _BEHIND.match(after) is None:
        return False
    if not known or re.match(rf" (?:{_MADE})", after):
        return bool(_BOUGHT.search(near) or _NEEDED.search(near))
    return bool(_OF_IT.search(near) or _NEEDED.search(near))


def _is_rather_a_word(folded: str) -> bool:
    """Whether a team may be called by a word, and is not somebody's: ``Team Osprey``."""
    return is_ordinary(folded) and folded not in rarely_words()
