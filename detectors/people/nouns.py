"""Nouns before or behind a name that make it a house's, a law's or a dish's, in seven languages.

``el hospital Gregorio Marañal``, ``the Tilda Brenn pool``, ``quiche Lorraine``, ``Casa Lucia``; but
``en la escuela Lucia juega`` is about Lucia.
"""

import re

from detectors.people.foreign import before
from detectors.people.positions import ACTS
from detectors.people.unsaid import ACTS as VERBS
from detectors.words.folding import WORD, fold
from detectors.words.spoken import languages_of, spoken

AFTER = 60  # code points behind a name that are looked at
AROUND = 100  # code points on either side that tell which language is spoken there
_WORD = re.compile(WORD)
_HOUSES = (
    r"hôpital|clinique|lycée|collège|école|crèche|université|gymnase|piscine|stade|bibliothèque"
    r"|médiathèque|théâtre|musée|résidence|aéroport|pont|parc|fondation|prix|boulangerie|pâtisserie"
    r"|boucherie|pharmacie|librairie|hospital|clínica|colegio|escuela|instituto|universidad"
    r"|residencia|biblioteca|teatro|museo|aeropuerto|puente|parque|estadio|fundación|premio"
    r"|panadería|farmacia|librería|ospedale|clinica|scuola|liceo|istituto|asilo|università|aeroporto"
    r"|ponte|parco|stadio|fondazione|panificio|pasticceria|libreria|gelateria|escola|colégio|creche"
    r"|universidade|estádio|museu|fundação|prémio|padaria|pastelaria|farmácia|livraria|ziekenhuis"
    r"|school|basisschool|kliniek|zwembad|museum|prijs|bakkerij|slagerij|boekhandel|apotheek|winkel"
    r"|klinik|krankenhaus|grundschule|gymnasium|kita|bäckerei|metzgerei|konditorei|buchhandlung"
    r"|apotheke|brauerei|weingut|domaine|château|quinta|bodegas?|cantina|tenuta|cave"
)
_LAWS = (
    r"loi|ley|legge|lei|wet|gesetz|lex|plan|réforme|reforma|riforma|decreto|théorème|teorema"
    r"|stelling|satz|índice|scala|escala|échelle|méthode|método|metodo|methode|prueba"
)
_FOOD = (
    r"quiche|tarte|gratin|salade|sauce|crêpes?|galettes?|soupe|gâteau|pêches?|poires?|pommes?|cerises?"
    r"|fromage|rosiers?|tulipes?|tarta|salsa|ensalada|tortilla|sopa|queso|galletas?|insalata|torta"
    r"|pizza|risotto|spaghetti|penne|filetto|bistecca|formaggio|mele|bolo|queijo|bife|bacalhau|molho"
    r"|kip|kaas|saus|taart|soep|torte|kuchen|soße|salat|schnitzel|birne|käse|wodka|vodka|gin|rum|bier"
    r"|birra|bière|cerveza|cerveja"
)
# Of which languages are they, so that "at school Tilda plays" stays Tilda.
BEFORE_NAME = re.compile(rf"(?<!\w)(?i:{_HOUSES}|{_LAWS}|{_FOOD}) $")
# Begins a house's name wherever it stands, with a capital.
HOUSE_BEFORE = re.compile(
    r"(?<!\w)(?:Casa|Taberna|Taverna|Tasca|Mesón|Asador|Locanda|Enoteca|Osteria|Trattoria|Cantina"
    r"|Bodegas?|Château|Domaine|Quinta|Weingut|Tenuta|Maison|Bar|Bistrot?|Cervecería|Cervejaria"
    r"|Churrasqueira|Eiscafé|Café|Bäckerei|Metzgerei|Brasserie|Boulangerie) $"
)
HOUSE_BEGINS = re.compile(
    r"(?:Casa|Taberna|Taverna|Tasca|Mesón|Asador|Locanda|Enoteca|Osteria|Trattoria|Cantina|Bodegas?"
    r"|Ristorante|Restaurant|Hotel|Hôtel|Château|Domaine|Quinta|Weingut|Tenuta|Maison|Bar|Bistrot?|Cervecería|Cervejaria"
    r"|Churrasqueira|Eiscafé|Brasserie|Boulangerie|Bäckerei|Pizzeria|Chez) [^\W_]"
)
# "Bella Napoli": a town that is praised.
PRAISED = re.compile(r"(?:Bella|Bel|Vecchia|Antica|Piccola|Nuova|Buena|Vieja|Belle) (?P<town>\w+)")
_BEHIND = (
    r"hospital|clinic|infirmary|surgery|school|elementary|academy|high school|college|university"
    r"|institute|pool|library|playground|park|stadium|arena|bridge|hotel|church|chapel|cent(?:re|er)"
    r"|theat(?:re|er)|museum|airport|terminal|shelter|foundation|trust|award|prize|medal|scholarship"
    r"|trophy|test|scale|score|effect|principle|method|diet|technique|matrix|biopic|exhibition|statue"
    r"|memorial|trail|tunnel|marathon|terrier|spaniel|setter|retriever|hound|collie|puppy|edition|menu"
    r"|burger|cocktail|mural|doll|costume|mug|poster|playlist|audiobook|trilogy|books?|films?|movies?"
)
BEHIND = re.compile(rf" (?:{_BEHIND})(?![\w'’-])")
CAPITAL_BEHIND = re.compile(
    r" (?:Hospital|Clinic|Infirmary|Surgery|School|Elementary|Primary|Academy|High School|High"
    r"|Institute|Library|Stadium|Arena|Bridge|Hotel|Inn|Arms|Centre|Center|Theatre|Theater|Museum"
    r"|Airport|Terminal|Station|Square|Boulevard|Avenue|Street|Road|Lane|Drive|Way|Pool|Trust"
    r"|Award|Prize|Medal|Trophy|Trail|Terrier|Spaniel|Setter|Retriever)(?![\w'’-])"
)
CAPITAL_ENDS = re.compile(
    r"\S+ .*\b(?:Hospital|Clinic|Infirmary|Elementary|Academy|Institute|Library|Stadium|Arena|Hotel"
    r"|Theatre|Theater|Museum|Airport|Terminal|Boulevard|Avenue|Award|Prize|Medal|Trophy|Terrier"
    r"|Spaniel|Setter|Retriever|Station|Square|School)"
)
BEGINS = re.compile(rf"(?i:{_HOUSES}|{_LAWS}) (?=[^\W\d_a-z])")
LAW_BEFORE = re.compile(rf"(?<!\w)(?i:{_LAWS}) $")
THE = re.compile(r"(?<!\w)(?:the|an?|our|this|that|new|old|his|her|my|their) $", re.IGNORECASE)
LAW_BEHIND = re.compile(r"['’]s? (?:Laws?|Rules?|Act|Theorem|Principle|Paradox)\b")
_ENDS = re.compile(
    r"\s*$|\s*[.,;:!?)\n]| (?:e|y|et|und|en|ou|o|and|a|à|al|ao|au|avec|com|con|da|dal|de|del|do"
    r"|dans|em|en|in|na|no|nel|op|bij|met|mit|auf|per|por|para|pour|sin|sans|sem|ohne|zonder)\b"
)


def is_noun_of(text: str, start: int, end: int) -> bool:
    """Whether a noun beside a claimed person says that it is a house, a law or a dish.

    Args:
        text: the text (or window).
        start: where the name begins.
        end: where it ends, without the ending of a possessive.
    """
    name, near, after = text[start:end], before(text, start), text[end : end + AFTER]
    if LAW_BEHIND.match(after):
        return True
    if after.startswith(("'s", "’s")):
        return False
    if HOUSE_BEFORE.search(near) or _is_house(name):
        return True
    if " " in name and (CAPITAL_BEHIND.match(after) or _is_behind(near, after)):
        return True
    return BEFORE_NAME.search(near) is not None and _is_named_so(text, start, end)


def _is_house(name: str) -> bool:
    begins = HOUSE_BEGINS.match(name) or BEGINS.match(name) or CAPITAL_ENDS.fullmatch(name)
    return begins is not None or _is_praised(name)


def _is_praised(name: str) -> bool:
    town = PRAISED.fullmatch(name)
    return town is not None and any(
        fold(town["town"]) in spoken(language).proper for language in ("en", "it", "es", "fr")
    )


def _is_behind(near: str, after: str) -> bool:
    return BEHIND.match(after) is not None and THE.search(near) is not None


def _is_named_so(text: str, start: int, end: int) -> bool:
    """Whether nobody acts behind a noun that is no English one."""
    if languages_of(text[max(0, start - AROUND) : end + AROUND])[:1] in ((), ("en",)):
        return False
    after = text[end : end + AFTER]
    if _ENDS.match(after):
        return True
    following = _WORD.match(after, 1)
    acts = ACTS.match(after) or (following is not None and following[0] in VERBS)
    known = " " in text[start:end] or LAW_BEFORE.search(before(text, start))
    return bool(known) and not acts
