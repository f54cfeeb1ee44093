"""Words that no list of names holds, which a model takes for people: where the note says nobody.

``Togarashi``, ``Failover``, ``Piscine mercredi``; ``Doing: Muxer``, ``no Lookahead``, and what
stands in a list of things. Somebody whose name no list holds stays wherever people stand.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from detectors.detection import Detection
from detectors.people.foreign import before, given_to, is_dated
from detectors.people.unsaid import is_told
from detectors.words.calendar import SHORT_DAYS, WEEK
from detectors.words.elision import bare
from detectors.words.famous import famous, famous_as
from detectors.words.folding import WORD, fold
from detectors.words.namelists import is_name, is_ordinary, names_by_use, never_names, word_names
from detectors.words.spoken import is_spoken

_WORD = re.compile(WORD)
LEAST = 3  # letters of a word that says what it is
SURE = 6  # letters of a word of another language than English
HALF = 3  # letters of either half of a compound
MANY = 3  # items that make a row of words a list
# "Failover", "Standup", "Dataloader": how makers of programs join a word to another.
_PARTS = (
    "over|ahead|up|out|off|down|back|loader|base|set|point|flow|stack|hook|board|log|lock|kit|lab"
    "|path|map|ware|script|case|list|load|link|sync|cast|hub|box|desk|mesh|proxy|store|cache|queue"
    "|host|net|type|code|bot|bit|pod|app|chain|works|shift|space|force|wise|check"
)
COMPOUND = re.compile(rf"(?P<front>[^\W\d_]{{{HALF},}}?)(?:{_PARTS})")
ARTICLES = frozenset({"The", "Der", "Die", "Das"})
ACRONYMS = re.compile(r"[A-Z]{2,5}s|[A-Z]{5}")
NO_ONES = re.compile(
    r"(?<![\w'’-])(?:no|some|more|less|extra|much|every|each|another|per|via|without|any"
    r"|the (?:best|worst|new|latest|whole|same|default|right|wrong)|plus de|pas de|sin"
    r"|(?:an?|the|this|that|old|new) (?:new|old|used|second-hand|vintage|cheap|spare|broken|big"
    r"|small|red|blue|black|white|green|grey|silver|last|first|other|nice|good|great|proper|real)"
    r"|(?:le|la|du|au) (?:dernier|dernière|nouveau|nouvelle|vieux|vieille)|second-hand"
    r"|(?:de[rmn]|das|die|ein|eine[nmr]?) (?:neue|alte|letzte|gebrauchte)[nrms]?"
    r"|(?:el|la|un|una) (?:nuev[oa]|viej[oa]|últim[oa])) $",
    re.IGNORECASE,
)
# "Doing: Muxer", "- Next: Demuxer", `"runtime": "Quistform"`: what things are told of.
_LABELS = (
    r"did|doing|done|todo|next|goal|topic|project|stack|tools?|models?|version|apps?|brand|language"
    r"|lang|dish|recipe|starter|main|dessert|book|title|film|movie|series|song|album|game|status|env"
    r"|environment|region|service|runtime|framework|library|database|db|provider|backend|frontend"
    r"|lock|cache|queue|broker|cloud|vendor|bank|airline|hotel|carrier|shop|store|font|theme|editor"
    r"|browser|shell|os|fix|cause|error|langage|lenguaje|sprache|gericht|rezept|buch|titel|livre"
    r"|libro|film|plat|plato|marque|marca|marke|outil|herramienta|werkzeug|proyecto|projet|projekt"
)
LABEL = re.compile(
    rf"(?:^|[\n{{,;|(])[\s*•\"'-]{{0,8}}(?:{_LABELS})(?: (?:for|für|pour|para) [\w ]{{1,24}})?"
    rf"[\"'*]{{0,3}} ?[:=] ?[\"'*]{{0,3}}$",
    re.IGNORECASE,
)
VALUE_ENDS = re.compile(r"[\"'*]{0,3}[.,;|})]{0,2}(?:\s*(?:\n|$)|(?<=[\"'],)|(?<=[\"']}))")
# What is read, watched, bought and cooked, all of it in a row behind the word.
ROWS = re.compile(
    r"(?:books?|read(?:ing)?|watch(?:ing|ed)?|listen\w*|podcasts?|films?|movies|series|shows|albums?"
    r"|games|playlist|groceries|shopping|ingredients|recipes?|menu|dishes|plants|stack|tools?|apps?"
    r"|brands?|wish ?list|gear|env vars|alternatives|lesen|bücher|filme|serien|spiele|einkauf\w*"
    r"|zutaten|rezepte?|(?:à|a) (?:lire|voir|leer|ver)|livres|courses|ingrédients|recettes?|jeux"
    r"|leer|ver|libros|compra|ingredientes|recetas?|juegos|marques?|marcas|marken|outils"
    r"|herramientas|werkzeuge)(?: list| queue| next)? ?:\s*$",
    re.IGNORECASE,
)
# Of whom there are lists: guests, not groceries.
PEOPLES_LIST = re.compile(
    r"(?:attend|particip|invit|guest|team|people|present|absent|apologies|anwesend|teilnehm|gäste"
    r"|asist|présents|cc|kids|children|friends|family|winners?|authors?|review|contact|owner|who)"
    r"\w*\W*$",
    re.IGNORECASE,
)
_DAY_FOLLOWS = re.compile(rf" (?i:{'|'.join(sorted(WEEK))})\b")
_BULLET = re.compile(r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+(?:\[[ x]\] )?", re.MULTILINE)
_ROW_BEGINS = re.compile(r"[.:;!?\n(]")
ITEM_ENDS = re.compile(r"\s*(?:[,;.)\n]|$)|\s+(?:and|or|&|und|oder|et|ou|y|o|e)\s")
_PARTED = re.compile(r"[^\s,][^,\n]*")
_AND = re.compile(r"\s+(?:and|or|&|und|oder|et|ou|y|o|e)\s+")
REACH = 200  # code points of a row on either side


def is_unheard(text: str, start: int, end: int) -> bool:
    """Whether a claimed person, whom no list of names knows, is none by what is written there.

    Args:
        text: the text (or window).
        start: where the person begins.
        end: where they end.
    """
    words = _said(text, start, end)
    if _is_planned(text, start, end):
        return True
    if not words or any(map(_is_known, words)) or is_told(text, start, end):
        return False
    if any(first < end and start < last for first, last in given_to(text)):
        return False
    small = words[0].islower()
    if len(words) > 1 and small and all(map(str.islower, words)) and any(map(_is_written, words)):
        return True
    if not small and all(map(_is_written, words)):
        return True
    near = before(text, start)
    if NO_ONES.search(near) or (LABEL.search(near) and VALUE_ENDS.match(text, end)):
        return True
    return not small and bool(ITEM_ENDS.match(text, end)) and _is_listed(text, start, end)


def _is_planned(text: str, start: int, end: int) -> bool:
    """Whether it is a word before a day in a row of such: ``Tempo Tue, Hills Thu, Long Sun``."""
    if not is_ordinary(fold(text[start:end])) or not _DAY_FOLLOWS.match(text, end):
        return False
    items = [item.split() for item in row_of(text, start, end)]
    planned = [words for words in items if len(words) > 1 and fold(words[-1]) in WEEK]
    return len(planned) >= MANY and not any(is_somebody(map(fold, each)) for each in planned)


def is_certainly_none(text: str, start: int, end: int) -> bool:
    """Whether a word that was once taken for somebody is a word or a thing wherever it is not told.

    Weaker than ``is_unheard``: where a word stands alone in a list tells nothing against somebody
    who is known.
    """
    words = _WORD.findall(text, start, end)
    alone = not (text[:start].strip() or text[end:].strip())
    if len(words) != 1 or alone or is_told(text, start, end):
        return False
    folded = fold(words[0])
    if is_dated(text, folded, start, end):
        return True
    if _is_known(words[0]):
        return False
    return _is_written(words[0]) or folded in _things() or bool(NO_ONES.search(before(text, start)))


def _said(text: str, start: int, end: int) -> list[str]:
    """The words that tell: those with a capital, if any has one, without an article."""
    words = _WORD.findall(text, start, end)
    words = [word for word in words if not word[0].islower()] or words
    return words[1:] if len(words) > 1 and words[0] in ARTICLES else words


def apart(text: str, span: Detection) -> list[Detection]:
    """What a comma parts, unless that is one: ``Sun, Garmin``; not ``Falk, Orla``, ``Bath, UK``."""
    parts = list(_PARTED.finditer(text, span.start, span.end))
    if len(parts) < 2 or not _is_several(span, _WORD.findall(text, span.start, span.end)):
        return [span]
    return [replace(span, start=each.start(), end=each.end(), text=each[0]) for each in parts]


def _is_several(span: Detection, words: Sequence[str]) -> bool:
    """Whether a word of a claim tells that not all of it is one name, or one place."""
    if span.entity_type == "LOCATION":
        return any(fold(word) in SHORT_DAYS or famous_as(word) == "things" for word in words)
    told = any(
        famous_as(word) == "things" or (_is_written(word) and not _is_known(word)) for word in words
    )
    return span.entity_type == "PERSON" and told


def _is_known(word: str) -> bool:
    folded = fold(word)
    return len(folded) > 1 and (is_name(folded) or folded in word_names())


def _is_written(word: str) -> bool:
    """Whether a word is one of some language, made of such, or an acronym of several things."""
    folded = bare(word)
    if len(folded) < LEAST or folded in never_names() or is_ordinary(folded):
        return True
    if ACRONYMS.fullmatch(word) or (len(folded) >= SURE and is_spoken(folded)):
        return True
    compound = COMPOUND.fullmatch(folded)
    return compound is not None and is_ordinary(compound["front"])


def _is_listed(text: str, start: int, end: int) -> bool:
    """Whether it is an item of a list in which another is a thing and none is somebody."""
    if ROWS.search(before(text, row_begin(text, start))):
        return True
    items = _bullets(text, start, end) or row_of(text, start, end)
    if len(items) < MANY:
        return False
    said = [[fold(word) for word in _WORD.findall(item)] for item in items]
    return any(map(_is_thing, said)) and not any(map(is_somebody, said))


def _bullets(text: str, start: int, end: int) -> list[str]:
    """The lines of the list whose item it is, alone or with small words: ``- Malm drawers``."""
    begin = text.rfind("\n", 0, start) + 1
    sign = _BULLET.match(text, begin)
    if sign is None or sign.end() != start:
        return []
    lines = text[max(0, start - REACH) : end + REACH].splitlines()
    head = text[:start].rpartition(":")[0][-REACH:].splitlines()
    if head and PEOPLES_LIST.search(head[-1]):
        return []
    return [line[found.end() :] for line in lines if (found := _BULLET.match(line))]


def row_begin(text: str, start: int) -> int:
    """Where the row between signs begins in which a word stands."""
    signs = _ROW_BEGINS.finditer(text, max(0, start - REACH), start)
    return max((sign.end() for sign in signs), default=max(0, start - REACH))


def row_of(text: str, start: int, end: int) -> list[str]:
    """The items between commas among which it stands."""
    front = row_begin(text, start)
    if PEOPLES_LIST.search(before(text, front)):
        return []
    close = _ROW_BEGINS.search(text, end, end + REACH)
    return parts(text[front : close.start() if close else end + REACH])


def parts(row: str) -> list[str]:
    """The items of a row of words."""
    return [part for item in row.split(",") for part in _AND.split(item) if part.strip()]


def _is_thing(words: Sequence[str]) -> bool:
    return 0 < len(words) <= MANY and all(
        word in _things() or (is_ordinary(word) and not is_name(word)) for word in words
    )


def is_somebody(words: Iterable[str]) -> bool:
    """Whether one of some folded words is a name, no other word and no thing."""
    return any(is_name(word) and not is_ordinary(word) and word not in _things() for word in words)


@cache
def _things() -> frozenset[str]:
    known = (fold(word) for word, kind in famous().items() if kind == "things")
    return (never_names() - names_by_use()).union(known)
