"""Books, films, songs and games that are called like somebody: ``reading Emma``, ``the film Lucy``.

Who is read to, minded or seen stays somebody: ``read Emma a story``, ``the book Emma lent me``.
"""

import re

from detectors.people.foreign import before
from detectors.words.famous import listed
from detectors.words.folding import fold

AFTER = 80  # code points behind a title that are looked at
REACH = 200  # code points before it in which its row begins
MANY = 3  # items that make a row of words a list
_KINDS = (
    r"films?|movies?|books?|novels?|novella|musical|opera|ballet|sitcom|series|(?:tv )?show|biopic"
    r"|audiobook|soundtrack|trilogy|sequel|remake|adaptation|comic|manga|anime|podcast|album|song"
    r"|(?:video ?)?game|play"
)
_NAME = r"[^\W\d_a-z][\w'’-]*(?: (?:of |the |de )?[^\W\d_a-z][\w'’-]*){0,3}"
_JOINS = r"(?:,|,? (?:and|or|then|und|et|y|e|o)| &)"
_FIRST = rf"(?:{_NAME}{_JOINS} ){{0,4}}"  # the items of a row before this one
# "Her favourite author is Tilda Brenn", "the novel Emma", "a copy of Emma".
KIND = re.compile(
    rf"\b(?i:the|an?|this|that|their|her|his|my|our|your|favou?rite|new|old)(?: [\w-]+){{0,2}}"
    rf" (?:{_KINDS})(?: called| named| is| was)?,? [\"'“]?{_FIRST}$"
    r"|\b(?:copy|copies|DVD|Blu-ray|episodes?|season|finale|trailer|soundtrack|audiobook|sequel"
    rf"|adaptation|production|screening|reruns?|lyrics) (?:of|to) {_FIRST}$"
)
FAVOURITE = re.compile(
    rf"\bfavou?rite (?:{_KINDS}|author|writer|poet|singer|band|artist|actor|actress|composer"
    rf"|painter"
    r"|perfume|brand|designer|character|comedian|director) (?:is|was|has always been) $",
    re.IGNORECASE,
)
OF_WORK = re.compile(
    r"\b(?:film|movie|book|novel|song|album|musical|series|show|podcast|game|película|pel[ií]cula"
    r"|libro|canción|livre|roman|chanson|canzone|buch|lied|boek|liedje|serie|filme|livro)"
    r"(?: (?:préféré|favori|favorit[ao]|preferit[ao]|preferid[ao]))?e?"
    r" (?:is|was|est|es|è|é|ist|war) $",
    re.IGNORECASE,
)
READ = re.compile(
    r"\b(?i:(?:re-?)?read(?:s|ing)?(?: through)?|re-?watch(?:ed|es|ing)?|binged?|bingeing"
    rf"|binge-?watch\w*|streamed|streaming|(?:re)?lire|leer|leyendo|leggere|lezen) {_FIRST}$"
)
READ_INSIDE = re.compile(r"(?:Re-?watch(?:ed|ing)|Re-?read(?:ing)?|Binge?d|Stream(?:ed|ing)) ")
WATCHED = re.compile(rf"\b(?i:watch(?:es|ed|ing)) {_FIRST}$")
FINISHED = re.compile(
    rf"\b(?i:finish(?:es|ed|ing)?(?: (?:watching|reading))?|started (?:watching|reading)) {_FIRST}$"
    rf"|\b(?i:finish\w*|read) {_NAME}, (?:then |now )?(?:starting|started|on to) $"
)
PLAYED = re.compile(rf"\b(?i:play(?:s|ed|ing)?) {_FIRST}$")
# Said of people as well.
SEEN = re.compile(
    r"\b(?i:watch|see|saw|seen|loves?|loved|hated|enjoyed|recommends?|recommended"
    rf"|watch(?:es|ed|ing)|started) {_FIRST}$"
)
LISTENED = re.compile(
    rf"\b(?i:listen(?:s|ed|ing)? to) {_FIRST}$"
    r"|\b(?i:tickets?|karten|billets?|entradas|biglietti|concerts?|konzert) (?:for|to|by|für|pour"
    rf"|para|per|von|de|di) (?:{_NAME}(?:,|,? (?:and|or|not)) (?:for )?){{0,3}}$"
)
# What goes on behind a title; behind somebody a verb or a thing does.
_TIME = (
    r"(?:week|weekend|month|year|winter|summer|spring|autumn|fall|morning|evening|time|afternoon"
    r"|night"
    r"|day|Christmas|Easter)"
)
_ENDS = (
    rf"(?:\s*$|\s*\n|[.,;:!?)\]”\"](?!\w)|\s(?:with|on|at|in|again|yesterday|today|tonight|last"
    rf"|for|but"
    rf"|by|twice|to|before|after|because|so|from|when|while|once|instead|aloud|together|until|over"
    rf"|(?:this|every|all) {_TIME}|(?:is|was) (?!\w+ing\b|my\b|our\b|her\b|his\b)\w+)\b)"
)
ENDS = re.compile(rf"(?:{_JOINS} (?:the )?(?!I\b){_NAME})*{_ENDS}")
CLEARLY_SHOWN = re.compile(
    r" (?:again )?(?:with (?:\w+ )?(?:subtitles|captions)|for the \w+ time|on (?:Netflix|TV|telly"
    r"|DVD"
    r"|Blu-ray|Disney|Prime|HBO|Hulu|iPlayer|Mubi|YouTube|Apple TV)|in (?:one|two|three) (?:days"
    r"|sittings?"
    r"|weeks|evenings|nights))\b"
)
SHOWS = re.compile(r",? the (?:musical|opera|ballet|biopic|sitcom)\b|, the (?:film|movie|novel)\b")
# Not "watched Emma on Friday, while her mother slept".
JUST_SHOWN = re.compile(
    r"(?:\s*$|\s*\n|[.,;!?)]| (?:again|twice|with|together|last night|instead)\b)"
    r"(?![^.!?\n]{0,60}\b(?:her|his|she|he|him|hours?|while|(?:kid|child|baby|toddler)s?)\b)"
)
ON_AIR = re.compile(
    r" (?:is|was) (?:back )?on (?:(?P<when>at|again|tonight)|TV|telly|Netflix|BBC|ITV)\b"
)
GIVEN = re.compile(r"\b(?:g[ai]ve|len[dt]|show(?:ed)?|bought|t[eo]ld) $", re.IGNORECASE)
ROWS = re.compile(
    r"(?:(?:book|reading|watch|film|movie)[ -]?list|playlist|to (?:read|watch)|watched|films|movies"
    r"|albums|series|podcasts"
    r"|gelesen|gesehen|bücher|filme|serien|lu|vu|à (?:lire|voir)|livres|leído|visto|libros|pelis)"
    r"(?: (?:queue|next|so far))? ?:\s*$",
    re.IGNORECASE,
)
_BREAKS = re.compile(r"[.:;!?\n(]")


def is_work(text: str, start: int, end: int) -> bool:
    """Whether a claimed person is a book, a film or the like, or who made it, by what is said.

    Args:
        text: the text (or window).
        start: where the name begins.
        end: where it ends.
    """
    opened = READ_INSIDE.match(text, start, end)
    start = opened.end() if opened else start
    near, after = before(text, start), text[end : end + AFTER]
    if after.startswith(("'s", "’s")):
        return False
    if FAVOURITE.search(near) or OF_WORK.search(near) or _is_in_row(text, start, end):
        return True
    if SHOWS.match(after):
        return GIVEN.search(near) is None
    if aired := ON_AIR.match(after):
        return fold(text[start:end]) in listed("works" if aired["when"] else "titles")
    if not ENDS.match(after):
        return False
    return bool(KIND.search(near) or READ.search(near)) or _is_known(text[start:end], near, after)


def _is_known(name: str, near: str, after: str) -> bool:
    """Whether a name that titles or musicians are known by is taken in as these are."""
    folded = fold(name)
    if LISTENED.search(near):
        return folded in listed("artists")
    if WATCHED.search(near):
        told = CLEARLY_SHOWN.match(after) or (
            folded in listed("titles") and JUST_SHOWN.match(after)
        )
        return told is not None or folded in listed("works")
    if FINISHED.search(near):
        return folded in listed("titles") | listed("works")
    if PLAYED.search(near):
        return folded in listed("games")
    return SEEN.search(near) is not None and folded in listed("works")


def _is_in_row(text: str, start: int, end: int) -> bool:
    """Whether it is a whole item of a row of books, films or music of some length."""
    breaks = list(_BREAKS.finditer(text, max(0, start - REACH), start))
    if not breaks or not ROWS.search(before(text, breaks[-1].end())):
        return False
    close = _BREAKS.search(text, end, end + REACH)
    row = text[breaks[-1].end() : close.start() if close else end + REACH]
    items = [item.strip() for item in re.split(r",|\b(?:and|und|et|y)\b|&", row)]
    return len(items) >= MANY and text[start:end] in items
