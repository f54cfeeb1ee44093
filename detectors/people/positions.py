"""Who stands where only a person can, whatever the word: ``ran into Memory``, ``my cousin Blue``.

Words of the language are somebody there if they have a capital, and are no department, authority,
house, trade, time, firm or thing. Words that no list knows are, too, whatever a model thinks.
"""

import re
from collections.abc import Iterator

from detectors.people.before import begins_sentence
from detectors.people.foreign import is_foreign
from detectors.people.used import ADJECTIVE, ILLNESS, KIN, OWN, SUFFERS, WORKS
from detectors.words.calendar import SHORT_DAYS, SHORT_MONTHS, TIMES
from detectors.words.famous import famous_as
from detectors.words.folding import WORD, fold, without_possessive
from detectors.words.lexicons import find_groups, find_medical
from detectors.words.namelists import (
    is_given_name,
    is_ordinary,
    never_names,
    places,
    product_names,
    stop_words,
    towns,
    word_names,
)
from detectors.words.no_person import BRANDS, NO_ONE
from detectors.words.relations import RELATION, ROLES
from detectors.words.spoken import languages_of, spoken

CANDIDATE = re.compile(rf"(?<![\w@#$./\\'’-])(?=[^\W\d_a-z]){WORD}(?![\w@/\\(]|[.-]\w)")
NEAR, AFTER = 60, 80  # code points on either side of a word that are looked at
LEAST = 3  # letters of a word that may be somebody by its place alone
ROLE = re.compile(rf"{ROLES}|mama|papa|pops|ma|pa")
# What people are by trade, and what is thought, felt or done: no names but those that are listed.
MADE_BY_ENDING = re.compile(
    r"\w{3,}(?:[tsx]ion|ness|ment|[ae]nce|ity|ing|ly|ism|er|or|ist|[ae]nt|ian|ee|m[ae]n)"
)
NUMBER = (
    r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|\w+teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?"
)
RELATIVES = (
    rf"(?:{KIN}|aunt|uncle|cousin|grand(?:mother|father|ma|pa)|gran|nan|ex-?(?:wife|husband)|ex"
    rf"|kids"
    r"|toddler|newborn|in-laws|m[ou]m(?:my)?|daddy)"
)
# Whom one meets, writes to and misses; a capital behind it is somebody's.
_COMPANY = (
    r"(?:lunch|dinner|coffee|breakfast|brunch|supper|drinks|a drink|tea|date|picnic|sleepover"
    r"|hiking"
    r"|swimming|running|climbing|camping|cycling|shopping|dancing|went for a walk|living|moved in"
    r"|broke up"
    r"|broken up|split up|fell out|argued|argue|fight|fought|flirted|slept|hung out|hanging out"
    r"|hang"
    r" out|hangs out|catch up|caught up|chatted|talked|talking|spoke|spoken|speaking|in love"
    r"|friends"
    r"|married|play ?date|lives?|lived) with"
)
_TOWARDS = (
    r"(?:spoke|spoken|speak|talk(?:ed|ing)?|wrote|waved|apologi[sz]ed|lied|proposed"
    r"|introduced|engaged|married|related|say (?:hi|hello)|said (?:hi|hello)|sat next|next) to"
)
_ABOUT = (
    r"(?:birthday|funeral|wedding|mother|father|sister|brother|daughter|son|cousin|godmother"
    r"|godfather"
    r"|widow) of|(?:gift|present|birthday card|cake) for|jealous of|proud of|crush on|(?:waved"
    r"|smiled"
    r"|yelled|shouted) at|look(?:ed|ing)? after|sat beside|named (?:him|her|(?:the|our"
    r"|their) (?:baby"
    r"|son|daughter)|(?:our|their) (?:first|second) child)"
)
MET = re.compile(
    rf"(?<!\w)(?:{_COMPANY}|{_TOWARDS}|{_ABOUT}|met|bumped into|ran into|hugged|kissed|texted"
    rf"|phoned"
    r"|babysat|dated|dating|divorced|thanked|invited?|interviewed|(?:i|we|he|she|they"
    r"|really) miss(?:es)?|owe[sd]?|promised"
    r"|remind(?:ed)?|dropped off|asked|told) $",
    re.IGNORECASE,
)
WRITTEN_TO = re.compile(
    r"(?<!\w)(?:called|e?-?mailed|messaged|rang|ring|text|phone|e-?mail|message|write to|wrote to)"
    r" (?:back )?$",
    re.IGNORECASE,
)
WRITTEN = re.compile(
    r" (?:about|twice|again|back|to (?:say|ask|tell|thank|apologi[sz]e)|that|yesterday|today"
    r"|for (?:his"
    r"|her)|on (?:his|her))\b|[.!]?\s*$"
)
LENT = re.compile(
    r"(?<!\w)(?:lend|lent|owe[sd]?|promised?|handed|taught|sent|send|g[ai]ve|showed|bought) $",
    re.IGNORECASE,
)
WHAT = re.compile(
    rf" (?:the|an?|my|our|his|her|some|this|that|these|those|{NUMBER}|money|[€£$]\d+)\b"
    r"(?! (?:try|go|shot|chance|second|rest|miss|break|look|thought|day|week|boost)\b)"
)
# What is asked, done and wished with somebody in between.
AMONG = tuple(
    (re.compile(rf"(?<!\w)(?i:{before}) $"), re.compile(behind))
    for before, behind in (
        (r"pick(?:ed|ing)? up", r" (?:from|at) (?:the (?:airport|station|dentist|clinic)|nursery"
         r"|school|kindergarten|daycare|work|hospital|home|his|her)\b"),
        (r"help(?:ed|ing)?", r" (?:move|pack|paint|carry|clean|study|cook|choose|shop"
         r"|with (?:his|her))\b"),
        (r"visit(?:ed|ing)?", r" (?:and (?:his|her)|(?:in|at) (?:the )?(?:hospital"
         r"|care home|hospice|rehab|prison|his|her))\b"),
        (r"ask|tell", r" (?:whether|if|about|to|that|for)\b"),
        (r"hi|hey|hello|dear|thanks|thank you|happy birthday(?: to)?|congrat\w+(?: to)?", r"[,!.]"),
        (r"is", r" (?:coming|still at|joining|bringing|home|awake|asleep|feeling)\b[^.!\n]*\?"),
        (r"(?:when|why|how|what time) (?:does|did|will)", r" (?:arrive|get (?:back|home|in)"
         r"|come (?:home|back|over)|leave (?:for|the)|turn \d|finish (?:work|school))\b[^.!\n]*\?"),
        (r"i['’]?m|i am|this is", r" (?:from (?:accounting|payroll|work|the|HR|IT|[A-Z])\w*"
         r"|, (?:the|your) new)\b"),
        (r"my name is|my name['’]s|call me|calls? (?:him|her)", r"[.,!]|\s*$| and\b"),
        (r"(?:the|my|our|his|her) (?:twins|kids|children|sons|daughters|brothers|sisters"
         r"|cousins|nieces|nephews|grandkids)(?:,| are| called| named)?", r" (?:and|&) [A-Z]"
         r"|, [A-Z]\w+ and [A-Z]"),
        (r"borrow(?:ed)?|stole|found|fixed|repaired|returned", r"['’]s (?:\w+ )?[a-z]+\b"),
        (r"that|because|when|if|since", r" (?:called|rang|texted|phoned|died|cried"
         r"|is (?:ill|sick))(?: again| back| today|[.,!]|\s*$)"),
    )
)  # fmt: skip
RELATED = re.compile(
    rf"(?<!\w){OWN} (?:{ADJECTIVE} ){{0,2}}"
    rf"(?!(?:employer|client|tenant|sponsor|assistant)s? $)(?:{RELATION})"
    r"(?:,|['’]s name is| is called| called| named)? $",
    re.IGNORECASE,
)
GOES_ON_AS_A_THING = re.compile(
    r"[ -](?:teams?|people|staff|folks|guys|department|desk|office|app|accounts?|group|meetup"
    r"|users?"
    r"|customers?|issues?|problems?|errors?|bugs?|class|club|school|course|lessons?"
    r"|\d(?!\d?(?:[:.]\d\d)? ?(?:am|pm|o['’]clock)\b))\b",
    re.IGNORECASE,
)
# What only people do, are, have and are beside; the word need not be a name at all.
_WHOM = r"(?:me|us|him|her|my|our|the kids|the children)"
_DOES = (
    rf"(?:(?:just|also|often|always|never|still|once|finally) )?(?:(?:told|asked|texted|called"
    rf"|phoned"
    rf"|rang|emailed|messaged|invited|visited|hugged|kissed|lent|owes|promised|married|begged"
    rf"|teased"
    rf"|dumped|met) {_WHOM}\b"
    r"|(?:hates|loves|adores|misses|enjoys|forgot|quit|lost|broke|sprained|dyed|misplaced|resents"
    r"|celebrated) (?:his|her) (?:\w+ )?(?:job|birthday|passport|keys?|phone|wallet|purse|glasses"
    r"|hair|leg|arm|ankle|wrist|knee|nose|temper|husband|wife|mother|father|m[ou]m|dad|sister"
    r"|brother"
    r"|boss|colleagues|flatmates?|dog|cat|bike|twins|kids)\b"
    r"|(?:said|says) (?:that )?(?:he|she)\b|(?:thinks|believes|hopes) (?:that )?(?:i|I|we|he|she)\b"
    r"|(?:doesn['’]t|does not|never) (?:eat|drink|smoke|drive|swim|dance|answers? (?:his|her|my)"
    r"|(?:listens? to|calls?|texts?|forgets?|pays?) (?:me|us|his|her|my))\b"
    r"|lives? (?:alone|next door|upstairs|downstairs|with (?:his|her)|(?:in"
    r"|near) [A-Z]\w+ (?:with|and)\b)"
    r"|(?:prefers|drinks) (?:\w+ )?(?:tea|coffee|milk|wine|beer|water)\b"
    r"|(?:joined|left) (?:the|our) (?:team|company|firm|department|choir|band|gym|book club)\b"
    r"|wants to (?:learn|become|marry|retire|quit|study|be an?)\b"
    r"|will (?:babysit|pick (?:me|us|up)|drive (?:me|us)|call (?:me|us|back)|bring (?:the|an?"
    r"|some|his|her)"
    r" (?:cake|salad|wine|beer|drinks|guitar|kids|dessert|pizza|games|food|snacks|plates|keys"
    r"|tent))\b"
    r"|needs (?:a (?:lift|ride|hug|babysitter|visa|new job)|(?:new |reading )?glasses|surgery)\b"
    r"|from (?:work|school|church|HR|accounting|the (?:gym|office|choir|club)) (?:lent|asked|told"
    r"|called"
    r"|texted|brought) (?:me|us)\b"
    r"|snores|sleepwalks|babysits|yawned|overslept|apologi[sz]ed|eloped|smokes\b"
    r"|drives (?:a|the|our) (?:\w+ )?(?:bus|taxi|cab|lorry|truck|tram|van|ambulance)\b"
    rf"|(?:works|worked|trained) as an? (?:\w+ )?{WORKS}\b"
    r"|teaches (?:my|our|his|her|me|at|\w+ at)\b"
    rf"|turned {NUMBER}(?: (?:on|in|last|this|yesterday|today)\b|[.,!]|$)"
    r"|(?:can['’]?t|cannot|won['’]?t|couldn['’]?t) (?:make it|come) (?:to|on|tonight|today"
    r"|tomorrow)\b)"
)
_IS = (
    r"(?:is|was|got|has been) (?:also |now |again |still |newly )?(?:(?:\w+ (?:months"
    r"|weeks) )?pregnant"
    r"|engaged (?:in|to|last|on)|promoted|fired|laid off|born on \d|divorced|widowed|asthmatic"
    r"|diabetic|epileptic|autistic|bisexual|lesbian|allergic to"
    r"|unemployed"
    r"|(?:back )?in (?:the )?hospital|on (?:maternity|sick|paternity|parental) leave"
    r"|getting (?:divorced|married)|diagnosed with|(?:vegan|vegetarian) and (?:hates|loves|likes"
    r"|allergic|eats|cooks)|\d{1,2} (?:years old )?and (?:single|married|lives|works|plays|studies"
    rf"|starts|has|wants|loves|already)|an? (?:\w+ )?{WORKS}\b"
    rf"|{OWN} (?:{ADJECTIVE} ){{0,2}}(?:{RELATION})\b(?! (?:company|firm|site|project)))"
)
ACTS = re.compile(
    rf" (?:{_DOES}|{_IS}|and (?:his|her) {RELATIVES}\b"
    r"|and I (?:are|were|have|had|went|go|met|broke|split|share|live|lived|got|moved|both|will"
    r"|argued"
    r"|talked|spoke|drove|decided|plan|work|worked|play|fell|grew|spent|cooked|used)\b)"
    rf"|, (?:my|our|his|her) (?:{ADJECTIVE} )?(?:{RELATION}),| \((?:my|our|his"
    rf"|her) (?:{RELATION})\)"
    rf"|['’]s (?:(?:new|late|older|younger|little|elder) )?(?:{RELATIVES}"
    r"(?! (?:company|firm|site|class|project))|birthday|(?:phone|mobile) number|funeral|pregnancy"
    r"|wedding|flight|graduation|divorce|diagnosis"
    r"|due date|fianc[ée]e?)\b"
)
# "Love, Ketut" on a line of its own, and "See you Monday, Fionn."
SIGNED = re.compile(
    r"(?:^|\n|[.!?] )(?:(?:with )?(?:much |lots of |all my )?love|best|best wishes|(?:kind|best"
    r"|warm)"
    r" regards|regards|cheers|sincerely|yours(?: (?:sincerely|truly|faithfully))?|hugs|kisses"
    r"|xoxo|take"
    r" care|all the best|greetings|yours ever)[,.!]?\s$",
    re.IGNORECASE,
)
SIGN_ENDS = re.compile(r"(?: [^\W\d_a-z][\w'’-]*)?[ .!x]{0,4}(?:\n|$)")
SPOKEN_TO = re.compile(
    r"(?:^|[.!?\n] )(?:see (?:you|ya)|thanks?|thank you|hi|hello|hey|bye|good (?:night|morning"
    r"|luck)"
    r"|welcome|sorry|congrat\w+|happy \w+|well done|take care|get well)\b[^.!?,\n]{0,40}, $",
    re.IGNORECASE,
)
SPOKEN_ENDS = re.compile(r"\s*(?:[.!?]|\n|$)")
CLAUSE = re.compile(r"(?:, (?:and |but |so )?|; | [-–—] |\b(?:that|because|when|if|while) )$")
_NEXT = re.compile(rf" (?P<name>{WORD})")


def placed(text: str) -> Iterator[tuple[int, int]]:
    """Spans of words that are somebody by where they stand."""
    for match in CANDIDATE.finditer(text):
        start, end = match.start(), without_possessive(text, *match.span())
        if is_placed(text, start, end):
            yield start, _whole(text, end)


def is_placed(text: str, start: int, end: int) -> bool:
    """Whether a word stands where only a person can.

    Args:
        text: the text (or window).
        start: where the word begins.
        end: where it ends, without the ending of a possessive.
    """
    word = text[start:end]
    if not word[0].isupper() or not may_be_called(word):
        return False
    near = text[max(0, start - NEAR) : start]
    return _stands(text, near, start, end) and _is_english(text, near + text[start : end + AFTER])


def _is_english(text: str, around: str) -> bool:
    """Not ``Betaalt met Tikkie``, where the Dutch word is an English one too."""
    return not is_foreign(text) and languages_of(around)[:1] in ((), ("en",))


def _stands(text: str, near: str, start: int, end: int) -> bool:
    if SIGNED.search(near) and SIGN_ENDS.match(text, end):
        return True
    if begins_sentence(text, start):
        return _acts(text, end)
    if GOES_ON_AS_A_THING.match(text, end):
        return False
    if RELATED.search(near) or MET.search(near) or _is_written_to(text, near, end):
        return True
    if SPOKEN_TO.search(near):
        return SPOKEN_ENDS.match(text, end) is not None
    if any(said.search(near) and goes_on.match(text, end) for said, goes_on in AMONG):
        return True
    return CLAUSE.search(near) is not None and _acts(text, end)


def _acts(text: str, end: int) -> bool:
    """Whether what only people do, are or suffer from follows."""
    if ACTS.match(text, end):
        return True
    suffers = SUFFERS.match(text, end)
    what = text[suffers.end() : suffers.end() + ILLNESS] if suffers else ""
    return any(one.start == 0 for one in find_medical(what))


def may_be_called(word: str) -> bool:
    """Whether somebody may be called by a word that stands where people do."""
    folded = fold(word)
    if len(folded) < LEAST or word.isupper() or not folded.isalpha():
        return False
    if ROLE.fullmatch(folded) or any(folded in words for words in _nobody()):
        return False
    if famous_as(word) or next(iter(find_groups(word)), None) or find_medical(word):
        return False
    if is_given_name(folded) or folded in word_names():
        return True
    if not is_ordinary(folded):
        return folded not in spoken("en").proper
    return MADE_BY_ENDING.fullmatch(folded) is None and not _is_plural(folded)


def _nobody() -> tuple[frozenset[str], ...]:
    lists = (stop_words(), never_names(), places(), towns(), product_names())
    return (*lists, NO_ONE, TIMES, BRANDS, SHORT_DAYS, SHORT_MONTHS)


def _is_plural(folded: str) -> bool:
    return folded.endswith("s") and not folded.endswith("ss") and is_ordinary(folded[:-1])


def _is_written_to(text: str, near: str, end: int) -> bool:
    if WRITTEN_TO.search(near):
        return WRITTEN.match(text, end) is not None
    return LENT.search(near) is not None and WHAT.match(text, end) is not None


def _whole(text: str, end: int) -> int:
    """Where the name ends that goes on with a family name."""
    following = _NEXT.match(text, end)
    if following is None or not following["name"][0].isupper():
        return end
    return following.end() if may_be_called(following["name"]) else end
