"""Who is a person by how a word is used, whatever else it names: ``Herr Winter``, ``my son Ash``.

A title, a relation, what only people do or have, and a label such as ``first_name`` decide; what
follows a program's name (``Julia 1.9``, ``Ruby on Rails``) does not.
"""

import re
from collections.abc import Iterator

from detectors.people.times import is_time
from detectors.people.unsaid import DETERMINED, ROLE
from detectors.words.folding import WORD, fold, without_possessive
from detectors.words.lexicons import find_medical
from detectors.words.namelists import (
    is_given_name,
    is_name,
    is_ordinary,
    names_by_use,
    never_names,
    place_names,
    places,
    product_names,
    rarely_words,
    stop_words,
)
from detectors.words.no_person import DEPARTMENTS
from detectors.words.relations import FAMILY, FRIENDS, OTHER_LANGUAGES, RELATION
from detectors.words.titles import as_written

_BY_USE = "|".join(sorted(names_by_use()))
CANDIDATE = re.compile(
    rf"(?<![\w@#$./\\'’-])(?=[^\W\d_a-z]|(?:{_BY_USE})\b){WORD}(?![\w@/\\(]|[.-]\w)"
)
TITLE = rf"(?:{as_written()}|Familie)"
PARTICLES = (
    r"(?:(?:von|van|vom|zu|de|del|della|di|da|dos|du|ten|ter|bin|ibn)"
    r"(?: (?:der|den|dem|la|las|los|het))? )"
)
TITLED = re.compile(
    rf"(?<!\w){TITLE}\.?(?: (?:Dr|Prof|Professor)\.?){{0,2}} (?P<particles>{PARTICLES}?)$"
)
# Whom a title speaks to without a name: "Mr President", "Frau Doktor".
_OFFICES = """
president speaker chairman minister ambassador judge mayor director doctor doktor professor
präsident präsidentin kanzler kanzlerin direktor direktorin lehrer lehrerin ober gott président
directeur presidente und oder and or who le la
"""
OFFICES = frozenset(_OFFICES.split())
OWN = (
    r"(?:my|our|his|her|their|your|user['’]?s|\w+['’]s|mein|dein|sein|ihr|unser|euer|mon|ma|mes|sa"
    r"|notre|votre|mi|tu|su|mio|mia|suo|sua|meu|minha|seu|mijn|onze)(?:e[rmns]?)?"
)
ADJECTIVE = (
    r"(?:new|old|late|older|younger|eldest|youngest|elder|little|big|ex|former|best|twin|only|dear"
    r"|good|close|first|second|neue[rnms]?|alte[rnms]?|beste[rnms]?|kleine[rnms]?|ältere[rnms]?)"
)
CALLED = (
    r"(?:,|['’]s name is|s name is| is called| is named| called| named| is| heißt| heisst|"
    r" s['’]appelle| se llama| si chiama| se chama| heet)?"
)
RELATED = re.compile(
    rf"(?<!\w)(?:{OWN} (?:{ADJECTIVE} ){{0,2}}(?:{RELATION}|{OTHER_LANGUAGES}|{ROLE}"
    r"|cleaner|gardener|barber|electrician|builder|surgeon)"
    rf"|(?<!\bthe )(?<!\ba )(?<!\ban )(?:{FAMILY}|{FRIENDS}|{OTHER_LANGUAGES}|{ROLE})){CALLED} $",
    re.IGNORECASE,
)
MET = re.compile(
    r"(?<!\w)(?:met|meet|married|marry|dated|dating|hugged|kissed|my name is|call me|called me"
    r"|i am called|(?:lunch|dinner|coffee|breakfast|brunch|drinks|married|engaged|lives?|lived"
    r"|living|broke up|slept|flirted|argued) (?:to|with)"
    r"|ich heiße|mein name ist|je m['’]appelle|me llamo|mi chiamo|ik heet"
    r"|(?:frage?|triff|besuche?|grüße?|rufe?|heiratet|vermisse|grüße von|gruß von)"
    r"(?: bitte| mal| doch)?) $",
    re.IGNORECASE,
)
# "My surname is Winter", "Elle s'appelle April": what names people, and neither months nor tools.
NAMED = re.compile(
    rf"(?<!\w)(?:(?:{OWN}|the (?:user|patient|customer|client|caller|child|baby)['’]s)"
    r" (?:first |last |family |full |given |middle |maiden )?(?:sur)?names?(?: is| was|:)"
    r"|(?:first |last |family |given |maiden |middle |sur)name,?(?: is| was)?"
    r"|(?:patient|man|woman|girl|boy|guy|lady|person|baby|nurse|candidate|someone|somebody)"
    r" (?:called|named)|(?:the|a|our) patient|(?:birthday|funeral|wedding) of|(?:gift|present) for)"
    r" $|(?:^|[.!?,;\n] )(?:(?:elle|il) s['’]appelle|se llama|si chiama|se chama|(?:sie|er) heißt)"
    r" $",
    re.IGNORECASE,
)
# "I am April" and no more, or who she is besides.
SELF = re.compile(
    r"(?:^|[.!?,;:\n\"“] ?)(?:hi,? )?(?:i am|i['’]m|ich bin|je suis|soy|sono|eu sou|ik ben) $",
    re.IGNORECASE,
)
SELF_ENDS = re.compile(
    r"[.!?]?\s*$|,| and (?:i|my)\b| from [A-Z]| und (?:ich|wohne|komme|arbeite)\b| et (?:je|j['’])",
    re.IGNORECASE,
)
TOGETHER = re.compile(r"(?<!\w)mit $", re.IGNORECASE)
DONE = re.compile(
    r"[^.!?\n]{0,40} (?:telefoniert|gesprochen|gestritten|getroffen|verabredet|befreundet"
    r"|verheiratet)\b"
)
# They are asked and called as programs are; what follows decides.
ASKED = re.compile(
    r"(?<!\w)(?:ask|tell|call|text|phone|ring|remind|thank|invite|visit|asked|told"
    r"|(?<!is )(?<!was )(?<!are )called|texted"
    r"|phoned|thanked|invited|visited|miss|missed|dear|hi|hey|hello|hallo|salut|hola|ciao"
    r"|(?:talk(?:ed)?|spoke|speak|appointment|meeting) (?:to|with))(?: (?:to|up))? $",
    re.IGNORECASE,
)
BELONGS = (
    rf"(?:{ADJECTIVE} )?(?:{FAMILY}|{FRIENDS}|birthday|wedding|divorce|marriage|pregnancy|funeral"
    r"|flat|apartment|rent|salary|landlord|boss|leg|arm|knee|back|hip|wrist|ankle|nose|hair|mother"
    r"|therapy|therapist|illness|surgery|operation|diagnosis|lawyer|visa|homework|grief|pension)"
)
ABOUT = re.compile(
    rf" about (?:the |her |his |my |our )?{BELONGS}\b| (?:about|at|on|for|after) (?:her|his)\b"
    r"| (?:and [A-Z]\w+ )?to (?:the |my |our |a )?(?:party|wedding|dinner|lunch|funeral|picnic"
    r"|barbecue)\b"
    r"|(?: at| around| before| after| by) \d{1,2}(?::\d\d)?(?: ?(?:am|pm|h|o['’]clock))?"
    r"[,.!?]?(?: |$)"
    r"|(?: back| again)?(?: (?:tomorrow|today|tonight|yesterday|this|last|next) ?\w*)?[,.!?;]?$"
    r"| that\b| for (?:lunch|dinner|coffee|drinks)\b| and (?:her|his)\b| anrufen\b| an\b[.!]?$"
)
# Nobody asks a month, a season or a language about anything.
GIVEN_FIRST = frozenset({"april", "ash", "august", "julia", "ruby"})
ABOUT_ANYTHING = re.compile(r" about (?:the|my|our|her|his|this|that|what|how|when|why|a)\b")
STATE = (
    r"(?:(?:\w+ (?:months|weeks) )?pregnant|divorced|married|engaged|single|widowed|ill"
    r"|sick|asthmatic|diabetic|epileptic|autistic|vegan|vegetarian|depressed|allergic|retired"
    r"|unemployed|expecting|bisexual|gay"
    r"|(?:back )?in (?:the )?hospital|on (?:maternity|sick) leave|getting (?:divorced|married)"
    r"|\d{1,2} years old|an? (?:nurse|teacher|doctor|lawyer|widow|widower|vegan|vegetarian)"
    r"|schwanger|krank|geschieden|verheiratet|arbeitslos|gestorben|\d{1,2} Jahre alt"
    r"|enceinte|malade|embarazada|enferm[oa]|incinta|malat[oa]|grávida|doente|zwanger|ziek)"
)
WORKS = (
    r"(?:nurse|midwife|teacher|doctor|dentist|lawyer|waiter|waitress|student|carer|cleaner|plumber"
    r"|cook|chef|baker|driver|pilot|therapist|accountant|hairdresser|engineer|widow|widower|vegan"
    r"|vegetarian|(?:police officer|social worker|single (?:mum|mom|dad|mother|father)))"
)
# What befalls people only, or what they do with others or for themselves.
LIFE = (
    r"(?:(?:was|is|got|has been) (?:(?:re|mis)?diagnosed with|born on|hospitali[sz]ed with|widowed"
    r"|adopted by|arrested|convicted|assaulted|baptised|buried|sober|in (?:rehab|prison|jail"
    r"|labou?r)"
    r"|(?:HIV|COVID|hep\w*)[ -]?(?:positive|negative)|on (?:sick|maternity|parental) leave)\b"
    r"|(?:is|was) (?:HIV|hep\w* [ABC])[ -](?:positive|negative)\b"
    rf"|(?:works?|worked|trained|retired) as an? (?:\w+ )?{WORKS}\b"
    r"|(?:lives?|lived) at \d|votes? (?:for )?(?:Green|Labour|Tory|Republican|Democrat"
    r"|Conservative)\w{0,2}\b"
    r"|(?:will |can |could )?(?:picks?|picked|drops?|dropped) (?:up |off )?(?:the kids"
    r"|the children|my|her|his)\b"
    r"|from (?:HR|accounting|payroll|school|church|work|next door|downstairs|upstairs)\b"
    r"|(?:hates?|likes?|loves?|prefers?|drinks?|eats?) (?:oat milk|milk|tea|coffee|cilantro"
    r"|onions|mushrooms"
    r"|meat|fish|cheese|chocolate|wine|beer|spicy food|cats|dogs|hiking|gardening)\b"
    r"|(?:does|sends|brings|pays|buys|cooks|cleans|returns|collects|organi[sz]es|covers) (?:the "
    r"|my |our |his |her )?(?:taxes|invoices?|kids|children|tent|cakes?|salad|snacks|drinks|keys"
    r"|rent|bills?|shopping|dishes|dog|cat|bins|dinner|lunch|minutes|slides|on-?call|shift)\b"
    r"|(?:miscarried|relapsed|overdosed|committed suicide|attempted suicide)\b|is waiting (?:in"
    r"|for the)\b"
    r"|here[,.!]? (?:please|calling|again)|hat (?:Krebs|Depressionen|Diabetes)\b)"
)
APPOSED = (
    rf"(?:,? \((?:(?:my|her|his|our|their|the) )?(?:{RELATION})\)|, (?:my|our|his|her|their)"
    rf" (?:{ADJECTIVE} )?(?:{RELATION}|{ROLE})\b|, an? (?:\w+ )?{WORKS}\b)"
)
WHOM = r"(?:me|us|him|her|my|our|his)"
ACTS = re.compile(
    rf" (?:(?:called|calls|texted|phoned|rang|visited|invited|asked|told|tells|married|hugged"
    rf"|kissed|thanked|owes?|loves?|hates?|met|dated|lent|drove|divorced) {WHOM}\b"
    r"|moved (?:in|out|away|back|here)\b|moved to (?P<to>[A-Z][a-z]+)\b(?! ?\d)"
    r"|(?:lives?|lived) (?:with|alone|together|next|(?:in|at|near|on) [A-Z])|grew up\b"
    r"|was (?:raised|fired|hired)\b|gave birth\b|died\b|passed away\b"
    rf"|(?:is|was) {OWN} (?:{ADJECTIVE} )?(?:{RELATION})\b"
    rf"|(?:is|was|got|gets|has been|ist|est|está|è) (?:\w+ly |wieder |très )?{STATE}\b"
    r"|(?:ist|est|es|è|is) (?:mein|unser|ma|mon|mi|mia|mio|mijn)e?r? (?:"
    rf"{OTHER_LANGUAGES}|{ROLE})\b"
    rf"|has (?:\w+ )?(?:kids|children|sons?|daughters?)\b"
    rf"|\w+(?:ed|s|t|ke|ok) (?:[\w']+ ){{0,3}}(?:with|about|from|to|on )?\s?(?:his|her) {BELONGS}\b"
    r"|(?:cried|laughed|smiled|snores|sulks|yawned|apologi[sz]ed|babysits|eloped|graduated"
    r"|emigrated|commutes|smokes|smoked|drank|overslept|jogs|resigned)\b"
    r"|and I\b"
    r"|(?:wohnt|heiratet|schuldet|zahlt|isst|trinkt|raucht|feiert|telefoniert|erzählte?|sagte?"
    r"|meinte|rief|hat Geburtstag|hat gekündigt|zieht (?:nach|zu|aus)|habite|vive en|abita|mora em"
    r"|woont)\b)"
    rf"|['’]s {BELONGS}\b| {LIFE}|{APPOSED}",
)
SUFFERS = re.compile(r" (?:has|had|got|suffers from|hat|hatte|a|tiene|ha|heeft) (?=\w)")
ILLNESS = 30  # code points behind such a verb in which the illness stands
# "customer: Ruby", "first_name=Julia": some labels say it wherever they stand.
LABELS = (
    r"(?:(?:first|last|given|family|middle|maiden|full|nick)[ _-]?name|surname|forename|vorname"
    r"|nachname|zuname|familienname|pr[ée]nom|nom de famille|nombre|apellidos?|cognome|sobrenome"
    r"|voornaam|achternaam|patient(?:in)?|kund(?:e|in)|mieter(?:in)?|ansprechpartner(?:in)?)"
)
ROLES = (
    r"(?:name|nom|nome|naam|customer|client|contact|kontakt|user|owner|assignee|author|reporter"
    r"|spouse|partner|colleague|child|doctor|therapist|speaker|person|nick|participants?|actor"
    r"|(?:created|updated"
    r"|signed|written|reviewed|approved|requested)[ _-]by|caller|sender|recipient|employee|tenant"
    r"|guest|member|manager|driver)(?:[ _-]?name)?"
)
KIN = (
    r"(?:wife|husband|spouse|girlfriend|boyfriend|daughter|son|sister|brother|mother|father|mom|mum"
    r"|dad|niece|nephew|fianc[ée]e?)"
)
LABELLED = re.compile(
    rf"(?:[\"'](?:first|last|given|family)(?=[\"'])|(?<![^\W_]){KIN}"
    rf"|(?<![^\W_]){LABELS}(?:[ _-]name)?|(?:^|[\n{{,;(|>]\s*[\"']?){ROLES})"
    r"[\"']?\s{0,2}[:=]\s{0,2}[\"']?$",
    re.IGNORECASE,
)
LABEL_ENDS = re.compile(r"\s*(?:[\"',;|<)}\n]|\.?$)")
NEAR = 60  # code points before a word that are looked at
ASSISTANTS = frozenset({"alexa", "siri"})  # are spoken to by everybody
THING_FOLLOWS = re.compile(r"[ -](?:v?\d|on Rails|lang\b)")
LISTED_AFTER = re.compile(rf" (?:and|&|und|et|y|e|en) (?P<other>{WORD})")
LISTED_BEFORE = re.compile(rf"(?P<other>{WORD}) (?:and|&|und|et|y|e|en) $")
_NEXT = re.compile(rf" (?P<name>{WORD})")


def used(text: str) -> Iterator[tuple[int, int]]:
    """Spans of words that are somebody by what stands beside them."""
    for match in CANDIDATE.finditer(text):
        start, end = match.start(), without_possessive(text, *match.span())
        if is_used(text, start, end):
            yield start - _particles(text, start, match[0]), _whole(text, end)


def _particles(text: str, start: int, word: str) -> int:
    """How long what belongs to a titled family name before it is: ``Mr. van Dyke``."""
    titled = TITLED.search(text[max(0, start - NEAR) : start])
    return len(titled["particles"]) if titled and not is_given_name(fold(word)) else 0


def is_used(text: str, start: int, end: int) -> bool:
    """Whether what stands beside a word says that it names somebody."""
    word = text[start:end]
    folded, near = fold(word), text[max(0, start - NEAR) : start]
    by_use = folded in names_by_use()
    if word[0].isupper() and TITLED.search(near):
        return folded not in OFFICES and re.fullmatch(TITLE, word) is None
    if not by_use and not (word[0].isupper() and _may_be_somebody(folded)):
        return False
    if RELATED.search(near):
        return True
    if LABELLED.search(near) and LABEL_ENDS.match(text, end):
        return True
    if is_time(text, start, end) or (word[0].islower() and not is_name(folded)):
        return False
    if is_given_name(folded) and _is_beside_somebody(text, near, end):
        return True
    return _is_met(text, near, folded, end) or _acts(text, near, end)


def _is_beside_somebody(text: str, near: str, end: int) -> bool:
    """Whether a first name is joined to it that is no other word: ``Julia und Jonas``."""
    beside = (LISTED_AFTER.match(text, end), LISTED_BEFORE.search(near))
    return any(found is not None and _is_only_a_name(found["other"]) for found in beside)


def _is_only_a_name(word: str) -> bool:
    folded = fold(word)
    if not (word[0].isupper() and is_given_name(folded)):
        return False
    if is_ordinary(folded) and folded not in rarely_words():
        return False
    return not any(folded in words() for words in (never_names, product_names, place_names, places))


def _may_be_somebody(folded: str) -> bool:
    return is_name(folded) and folded not in never_names() and folded not in stop_words()


def _is_met(text: str, near: str, folded: str, end: int) -> bool:
    if folded in ASSISTANTS or folded in DEPARTMENTS:
        return False
    if SELF.search(near):
        return SELF_ENDS.match(text, end) is not None
    if MET.search(near) or NAMED.search(near):
        return THING_FOLLOWS.match(text, end) is None
    if TOGETHER.search(near):
        return DONE.match(text, end) is not None
    if ASKED.search(near) is None:
        return False
    what = ABOUT_ANYTHING if folded in GIVEN_FIRST else ABOUT
    return what.match(text, end) is not None or ABOUT.match(text, end) is not None


def _acts(text: str, near: str, end: int) -> bool:
    if DETERMINED.search(near):
        return False
    acts = ACTS.match(text, end)
    if acts:
        return fold(acts["to"] or "") not in never_names()
    suffers = SUFFERS.match(text, end)
    if suffers is None:
        return False
    what = text[suffers.end() : suffers.end() + ILLNESS]
    return any(one.start == 0 for one in find_medical(what))


def _whole(text: str, end: int) -> int:
    """Where the name ends that goes on with words of its kind: ``Dr. Julia Winter``."""
    following = _NEXT.match(text, end)
    if following is None or not following["name"][0].isupper():
        return end
    folded = fold(following["name"])
    goes_on = folded in names_by_use() or _may_be_somebody(folded)
    return following.end() if goes_on else end
