"""Where a sentence has its joints: conjunctions, and finite verbs, in seven languages.

Verbs are known by a list of the frequent ones and by endings that few other words have; a clause
whose verb is not known belongs to the next.
"""

import re

_JOINED_BY = (
    r"and|but|while|whereas|although|though|because|that"
    r"|und|aber|weil|während|obwohl|denn|dass"
    r"|et|mais|parce que|car(?= (?:ils?|elles?|on|je|tu|nous|vous|l[ae]s?|son|sa|ses|[A-ZÉ]\w+)\b)"
    r"|tandis que|que|qu(?=['’])"
    r"|y|pero|porque|aunque|mientras|ma|perché|mentre|che|mas|enquanto|embora"
    r"|maar|omdat|terwijl|hoewel|dat"
)
# Where somebody is named before it, too, they are several: "our friends Jon and Alva are ill".
_BOTH = (
    r"(?:and|und|et|y|e|en)\s+(?:[A-Z][\w’'-]*\s+)+"
    r"(?:are|were|have|both|sind|waren|haben|sont|ont|son|están|tienen|sono|hanno|zijn|hebben)\b"
)
_SUBJECT = r"(?:he|she|they)\b"
_SUBORDINATE = r"when|whenever|after|since|so|as|where|if|before|until|once|unless"
_NO_VERB = (
    r"and|or|but|at|in|on|with|without|for|from|to|near|of|by|as|until|he|she|they|we|you|it|who|"
    r"whose|which|where|when|mit|und|the|an|this|last|next|every|each|because|so|that|if"
)
# What tells something that is so without the clause before: "since Jon moved out".
_TELLING = (
    r"(?:since|when|once|after|before)"
    rf"(?=\s+(?-i:[A-Z][\w’'-]*\s+){{1,4}}(?!{_NO_VERB}\b)(?-i:[a-z]){{2,}})"
)
CLAUSE = re.compile(
    rf"(?<=[;,])\s+|(?<!\s)\s++(?!{_BOTH})(?=(?:{_JOINED_BY})[\s'’])"
    rf"|(?<!\s)\s++(?=(?:{_SUBORDINATE})\s+(?:{_SUBJECT}|(?:his|her|their)\b))"
    rf"|(?<!\s)\s++(?={_TELLING})"
    rf"|(?<!\s)\s++(?={_SUBJECT})|(?<=:)\s+(?=(?:his|her|their)\b)"
)
LEADING = re.compile(rf"^(?:{_JOINED_BY}|{_TELLING})\s+", re.IGNORECASE)

_ENGLISH = (
    r"is|are|was|were|has|have|had|does|did|do|will|would|can|could|should|may|might|must|"
    r"met|went|took|gave|told|said|paid|got|left|saw|ran|came|began|bought|made|spoke|wrote|felt|"
    r"found|knew|thought|sold|lost|won|taught|built|sent|kept|held|sat|ate|drove|fell|grew|heard|"
    r"became|broke|brought|caught|chose|drank|drew|fed|fled|flew|forgot|hid|hurt|lent|meant|rode|"
    r"rang|rose|shook|spent|stood|stole|struck|swore|threw|understood|woke|"
    r"earn|get|make|own|owe|hate|prefer|enjoy|"
    r"hit|beat|let|fought|tore|led|bled|sought|blew|"
    r"put|read|sang|slept|swam|wore|play|work|live|like|love|want|plan|need|[a-z]{3,}(?:ed|(?<!s)s)"
)
_OTHERS = (
    # German
    r"ist|sind|war|waren|hat|haben|hatten?|wird|werden|wurden?|kann|können|konnten?|soll|sollten?|"
    r"muss|müssen|mussten?|wollten?|darf|geht|gehen|ging|kommt|kommen|kam|gibt|gab|nimmt|nahm|sagt|"
    r"hilft|lebt|wohnt|arbeitet|macht|liebt|isst|trinkt|fährt|fuhr|spielt|lernt|freut|bekommt|bekam|"
    r"verdient|studiert|heißt|zog|traf|leidet|mag|schläft|singt|besucht|pflegt|kennt|weiß|hasst|"
    r"[a-zäöü]{3,}iert|"
    # French; "a" only where no English article stands
    r"est|sont|étai(?:t|ent)|ont|avai(?:t|ent)|a(?= (?:l[ea]s?|une?|des|du|été)\b| l['’])|"
    r"fait|va|vont|vient|veut|peut|doit|prend|vit|habite|travaille|aime|souffre|joue|dort|dit|voit|sait|connaît|"
    r"reste|aide|mange|boit|étudie|gagne|[a-zàâéèêîôûç]{3,}(?:ait|aient)|"
    # Spanish, Portuguese, Italian
    r"es|está|están|era|eran|fue|fueron|tiene|tienen|tenía|hay|viene|quiere|puede|debe|vive|"
    r"trabaja|sufre|toma|ayuda|habla|dice|sabe|juega|come|bebe|estudia|gana|lleva|conoció|"
    r"é|são|estão|foi|tem|têm|tinha|vai|vem|quer|pode|deve|mora|trabalha|sofre|ajuda|fala|diz|joga|"
    r"è|sono|erano|ha|hanno|aveva|vuole|può|abita|lavora|soffre|prende|ama|aiuta|parla|gioca|mangia|"
    r"beve|guadagna|[a-záéíóúãç]{3,}(?:aba|aban|ava|avano|íam?|ían)|"
    # Dutch
    r"zijn|waren|heeft|hebben|wordt|werd|kan|kon|moet|moest|wil|wilde|gaat|komt|kwam|geeft|gaf|"
    r"neemt|nam|zegt|zei|helpt|woont|werkt|houdt|eet|drinkt|speelt|leert|krijgt|kreeg|studeert|lijdt"
)
FINITE = re.compile(rf"\b(?:{_ENGLISH}|{_OTHERS})\b")
VERBS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|will|would|can|could|wants?|likes?|loves?|lives?|"
    rf"works?|plans?|earns?|makes?|needs?|uses?|\w{{3,}}(?:ed|s)|{_OTHERS})\b",
    re.IGNORECASE,
)
# Two people and what they do, whatever the verb: "Alva and Jon run a bakery".
PLURAL = re.compile(
    r"\b(?:and|und|et|y|e|en)\s+(?:(?![A-Z]{2,}\b)[A-Z][\w’'-]*\s+)+"
    r"(?!(?:a[st]|in|on|with|without|for|from|to|near|of|by|und|and|or|who|whose|which|where|when|"
    r"mit|aus|von|bei|avec|de|du|des|chez|con|por|em|com|van|met|bij|both|also|then)\b)"
    r"[^\W\d_A-Z]{2,}\b"
)


_ADVERB = (
    r"never|now|then|still|often|always|also|just|only|soon|later|already|sometimes|seldom|even|"
    r"once|again|(?!family|italy|july|reply|supply|ally|bully|fly|jelly|belly)[a-z]{2,}ly"
)
_ADVERBS = re.compile(rf"(?:(?:{_ADVERB})\s+)*")
_DENIED = re.compile(
    r"(?:is|are|was|were|has|have|had|does|did|do|ca|could|wo|would|should|must)n['’]t\b|cannot\b"
)


def says_something(clause: str) -> bool:
    """Whether a clause has a verb of its own."""
    return any(each.search(clause) for each in (FINITE, _DENIED, PLURAL))


def verb_first(said: str) -> str:
    """The verb that a clause begins with, behind adverbs; empty if it begins with anything else.

    An adverb without any verb leaves one out: ``Currently unemployed``.
    """
    said = said[:1].lower() + said[1:]
    adverbs = _ADVERBS.match(said)
    start = adverbs.end() if adverbs else 0
    verb = _DENIED.match(said, start) or FINITE.match(said, start)
    if verb is not None:
        return verb[0]
    return said[:start].strip() if start and not FINITE.search(said, start) else ""
