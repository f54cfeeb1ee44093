"""Rows in which a name is an item and nobody: ``Apples: Elstar, Gala``, ``Trip: Ronda, Nerja``.

Unlike in a row of unknown words, what stands here may be somebody's name elsewhere; two in one row
that only people have are people.
"""

import re
from collections.abc import Iterator

from detectors.people.foreign import before
from detectors.people.turned import is_first
from detectors.people.unheard import MANY, is_somebody, parts, row_begin, row_of
from detectors.words.folding import WORD, fold
from detectors.words.namelists import is_given_name

_WORD = re.compile(WORD)
_KINDS = (
    r"apples?|pears|potato(?:es)?|tomato(?:es)?|roses|seeds|herbs|plants|cheeses?|wines?|beers?"
    r"|cocktails|dishes|desserts?|tapas|pizzas?|pasta|spices|teas?|coffees?|toppings|games?"
    r"|(?:board ?)?game night|pack(?:ing)?(?: list)?|gear|kit|shopping|groceries|brands?|fonts?"
    r"|themes?|colou?rs?|paints?|stack|tools?|libraries|models|guitars|bikes|shoes"
    r"|äpfel|birnen|kartoffeln|tomaten|rosen|samen|käse|weine?|biere?|kräuter|gewürze|spieleabend"
    r"|spiele|packliste|einkauf(?:sliste)?|liste|lista|bulbs|zwiebeln|marken|werkzeuge?|rezepte?|kuchen|torten"
    r"|pommes(?: de terre)?|poires|tomates|graines|fromages?|vins?|bières?|jeux|courses|marques"
    r"|recettes?|valise|plantes|gâteaux|desserts"
    r"|manzanas|peras|patatas|semillas|quesos?|vinos?|cervezas?|juegos|compra|marcas|recetas?|maleta"
    r"|plantas|postres"
)
_OF_THINGS = re.compile(
    rf"(?:^|[\n.;(]\s*|[-*•] )(?:\w+ )?(?:{_KINDS})(?: list| de la compra)? ?:\s*$", re.IGNORECASE
)
_WAYS = (
    r"trip|travel|itinerary|route|journey|road ?trip|stops|hikes?|walks?|tour|cruise|legs|excursion"
    r"|reise|reiseroute|route|wandern|wanderung|tour|ausflug|urlaub|etappen|rundreise|radtour"
    r"|voyage|week-?end|vacances|itinéraire|étapes|circuit|randonnée|trajet|séjour|escapade"
    r"|viaje|ruta|excursión|vacaciones|escapada|itinerario|etapas|viaggio|vacanze|gita"
)
# "Trip: Ronda and Nerja", "Week-end à Honfleur, puis Étretat"; from there on is the row.
_ON_THE_WAY = re.compile(
    rf"(?:^|[\n.;(!?]\s*|[-*•] )(?:\w+ )?(?:{_WAYS})(?: ?:| (?:à|en|nach|in|a|por|to|through|via"
    r"|round|around|über|durch|par|per)) (?P<row>[^.!?;:\n]*)$",
    re.IGNORECASE,
)
_ROUTE_ENDS = re.compile(r"[.!?;:\n]|$")
_THEN = re.compile(
    r"\s*(?:puis|then|dann|danach|luego|después|poi|(?:zurück|weiter) (?:über|nach)) "
)


# "Attendees: Bertil, Facilities, Finance": departments come, too.
_ATTENDING = re.compile(
    r"(?:^|[\n;•*-] ?)(?:attendees?|attending|participants?|present|apologies|absent|guests|invited"
    r"|invitees|reviewers?|volunteers?|anwesend|abwesend|entschuldigt|teilnehmer(?:innen)?|gäste"
    r"|eingeladen|présents?|présente?s|absents?|excusés|invités|participants|asistentes|ausentes"
    r"|invitados|presentes|aanwezig|afwezig|deelnemers)\s?:\s(?P<row>[^.;:!?\n]{2,200})",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_a-z][\w'’-]+(?: [^\W\d_a-z][\w'’-]+)?")


def attending(text: str) -> Iterator[tuple[int, int]]:
    """Spans of people in a row of who comes: known given names that are no words.

    Args:
        text: the text (or window).
    """
    for match in _ATTENDING.finditer(text):
        for name in _NAME.finditer(text, *match.span("row")):
            first = _folded(name[0])[0]
            if is_first(first):
                yield name.span()


def is_among_things(text: str, start: int, end: int) -> bool:
    """Whether a claimed person is a whole item of a row of things, and of one that is told so.

    Args:
        text: the text (or window).
        start: where the person begins.
        end: where they end.
    """
    if not _OF_THINGS.search(before(text, row_begin(text, start))):
        return False
    own, items = _folded(text[start:end]), [_folded(item) for item in row_of(text, start, end)]
    others = [item for item in items if item != own]
    return own in items and len(items) >= MANY and not any(map(is_somebody, others))


def is_on_route(text: str, start: int, end: int) -> bool:
    """Whether a claimed person whom no given name tells is a place of a journey."""
    lead = _ON_THE_WAY.search(before(text, start))
    if lead is None or any(map(is_given_name, _folded(text[start:end]))):
        return False
    close = _ROUTE_ENDS.search(text, end)
    items = parts(lead["row"] + text[start : close.start() if close else end])
    folded = [_folded(_THEN.sub("", item)) for item in items]
    own = _folded(text[start:end])
    others = [item for item in folded if item[: len(own)] != own]  # "Nerja en agosto"
    return len(others) < len(folded) and not any(is_given_name(item[0]) for item in others if item)


def _folded(item: str) -> list[str]:
    return [fold(word) for word in _WORD.findall(item)]
