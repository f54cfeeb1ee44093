"""By what words attributes are spoken of, in seven languages, and which of them tell nobody's."""

import re

ATTRIBUTE = "ATTRIBUTE"  # the entity type of needles that are an attribute's words
THINGS = (
    r"surveys?|stud(?:y|ies)|statistics|index(?:es)?|reports? (?:on|was|were|is|are|came)|report|"
    r"laws?|legislation|polic(?:y|ies)|transparency|gaps?|calculators?|benchmarks?|fields?|columns?|"
    r"formats?|forms?|labels?|validation|bars?|books?|groups?|limits?|ratings?|verification|"
    r"portability|discrimination|fraud|paradox|scouts?|scouting|services|header|industry|readers?|"
    r"terminals?|negotiations|trends?|(?:in)?equality|caps?|associations?|unions?"
)
OTHER_THINGS = (
    r"umfragen?|studien?|gesetze?|statistik(?:en)?|felder|feld|format|enquêtes?|études?|sondages?|"
    r"lois?|champs?|formats?|encuestas?|estudios?|ley(?:es)?|estadísticas?|campos?|formatos?|sondaggi?o?|"
    r"studi?o?|leggi?e?|statistiche|campi?o?|formati?o?|pesquisas?|inquéritos?|leis?|enquête|onderzoek|"
    r"wet(?:ten)?|statistieken|veld(?:en)?"
)
LINKS = (
    r"of|on|about|for|over|into|zum|zur|zu|über|von|vom|für|de|des|du|sur|sobre|del|do|dos|das|da|su|sui|"
    r"sugli|sulle|sul|degli|dei|delle|dello|della|van|voor|naar"
)
ARTICLES = r"the|a|an|die|den|der|das|les|le|la|los|las|el|il|lo|gli|i|os|as|o|het|de"
MINE = (
    r"my|his|her|their|our|your|mein\w{0,2}|sein\w{0,2}|ihr\w{0,2}|unser\w{0,2}|mon|ma|mes|son|sa|"
    r"ses|notre|nos|leurs?|mi|mis|sus|nuestr\w{2}|mi[oa]|suo[i]?|sua|sue|meus?|minhas?|seus?|suas?|"
    r"mijn|zijn|haar|onze|hun"
)
SOMEBODY = re.compile(
    rf"\b(?:{MINE}|i|me|we|us|he|him|she|they|them|you|user|ich|wir|er|sie|je|nous|il|elle|yo|"
    r"nosotros|io|noi|eu|nós|ik|wij)\b|\w['’]s\b",
    re.IGNORECASE,
)
AFTER = re.compile(rf"[\s-]+(?:{THINGS}|{OTHER_THINGS})\b", re.IGNORECASE)
BEFORE = re.compile(
    rf"\b(?:{THINGS}|{OTHER_THINGS})\s+"
    rf"(?:(?:{LINKS})\s+(?:(?:{ARTICLES})\s+)?|(?:de |su)?l['’]|d['’])$",
    re.IGNORECASE,
)
OWNED = re.compile(rf"\b(?:{MINE})\s+(?:\w+\s+){{0,2}}$", re.IGNORECASE)
SEVERAL = re.compile(
    r"(?:salaries|wages|salaires|salarios|sueldos|stipendi|salários|salarissen|lonen|gehälter|löhne|"
    r"employers|workplaces|employeurs|empleadores|datori di lavoro|empregadores|werkgevers)$",
    re.IGNORECASE,
)
AGES = re.compile(r"\b(?:stone|bronze|iron|ice|middle|golden|digital|new)\s+$", re.IGNORECASE)
AGE_OF = re.compile(
    r"\s+of\s+(?!\d|\w+(?:ty|teen)\b|(?:one|two|three|five|six|nine)\b)", re.IGNORECASE
)
AGED = (
    r"bridge|house|building|castle|church|cathedral|tower|tree|oak|company|firm|city|town|village|"
    r"country|wine|whisky|car|bike|boat|ship|train|laptop|phone|computer|server|code|codebase|"
    r"software|school|university|museum|theatre|club|tradition|road|tunnel|wall|book|painting|film|"
    r"song|law|machine|sofa|roof|brücke|haus|kirche|turm|baum|firma|stadt|maison|église|ville|"
    r"puente|casa|iglesia|ponte|chiesa"
)
OF_A_THING = re.compile(
    rf"\b(?:the|this|that|an?|der|die|das|le|la|el|il|o|a|het|de)\s+(?:\w+\s+)?(?:{AGED})\s+"
    r"(?:is|was|turns|turned|ist|war|est|es|è|é)\s+(?:\w+\s+)?(?:[\d.,]+\s*)?$",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"[^.!?;,\n]*")

NAME = r"(?-i:[A-ZÀ-Þ])[\w&.’'-]*\w(?:\s+(?:&\s+)?(?-i:[A-ZÀ-Þ])[\w&.’'-]*\w)*"
FIRM = (
    rf"(?:{NAME}|(?:(?:a|an|the|einer?|einem|der|dem|une?|le|la|un|una|il|o|a|um|uma|een|het|de)\s+)"
    r"(?:\w+\s+){0,2}(?:hospital|clinic|company|firm|school|university|bank|bakery|shop|store|"
    r"agency|factory|restaurant|krankenhaus|klinik|firma|schule|universität|bank|bäckerei|hôpital|"
    r"entreprise|école|banque|empresa|escuela|banco|ospedale|azienda|scuola|banca|escola|ziekenhuis|"
    r"bedrijf))"
)
TRADES = (
    r"nurse|engineer|developer|manager|teacher|cook|chef|doctor|lawyer|designer|analyst|accountant|"
    r"assistant|director|consultant|technician|driver|clerk|editor|researcher|scientist|professor|"
    r"baker|carpenter|electrician|plumber|programmer|architect|intern|apprentice|trainee|partner|"
    r"associate|officer|specialist|cashier|waiter|waitress|librarian|journalist|pharmacist|dentist|"
    r"lead|ceo|cto|cfo|president|job|position|role|internship|career"
)
AS = r"(?:\s+(?!(?:and|or|but|und|et|y|e|en)\b)[\w-]+){0,5}?"
EMPLOYED = re.compile(
    rf"\b(?:work(?:s|ed|ing)?|jobs?){AS}\s+(?:at|for)\s+{FIRM}"
    rf"|\b(?:employed|hired)\s+(?:by|at)\s+{FIRM}|\bemployees?\s+(?:of|at)\s+{FIRM}"
    rf"|\b(?:joined|left|quit|was\s+fired\s+from|retired\s+from|started\s+at)\s+{NAME}"
    r"(?=\s+(?:as|in|after|last|this)\b|[.;,!?]|$)"
    rf"|\b(?:{TRADES})\s+(?:at|with)\s+{FIRM}"
    rf"|\bemployer(?:['’]s\s+name)?(?:\s+(?:is|was)|:)?\s+{FIRM}"
    rf"|\b(?:arbeitet|arbeite|arbeitete){AS}\s+(?:bei|für|in|an)\s+{FIRM}"
    rf"|\b(?:angestellt|beschäftigt)\s+bei\s+{FIRM}"
    rf"|\b(?:arbeitgeber(?:in)?|employeur|empleador|datore\s+di\s+lavoro|empregador|werkgever)"
    rf"(?:\s+(?:ist|est|es|è|é|is)|:)?\s+{FIRM}"
    rf"|\b(?:travaille|travaillait){AS}\s+(?:chez|pour|à)\s+{FIRM}"
    rf"|\b(?:trabaj[ao]|trabajaba){AS}\s+(?:en|para)\s+{FIRM}"
    rf"|\b(?:lavor[ao]|lavorava){AS}\s+(?:in|per|presso|da|alla)\s+{FIRM}"
    rf"|\b(?:trabalh[ao]|trabalhava){AS}\s+(?:na|no|em|para)\s+{FIRM}"
    rf"|\b(?:werkt?|werkte){AS}\s+(?:bij|voor)\s+{FIRM}",
    re.IGNORECASE,
)


def tells_nobodys(text: str, start: int, end: int) -> bool:
    """Whether a word of an attribute speaks of the thing in general: ``the salary survey``.

    Whose it is may stand before it (``my salary report``): then it tells somebody's.
    """
    before, word = text[max(0, start - 60) : start], text[start:end]
    if OWNED.search(before):
        return False
    if AFTER.match(text, end) or BEFORE.search(before) or OF_A_THING.search(before):
        return True
    if word.casefold() == "age" and (AGES.search(before) or AGE_OF.match(text, end)):
        return True
    return SEVERAL.search(word) is not None and not _of_somebody(text, start, end)


def _of_somebody(text: str, start: int, end: int) -> bool:
    first = max(text.rfind(mark, 0, start) for mark in ".!?;,\n") + 1
    clause = CLAUSE.match(text, first)
    said = clause[0] if clause and clause.end() >= end else text[start:end]
    return SOMEBODY.search(said) is not None
