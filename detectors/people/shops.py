"""Eateries, shops, hotels and accounts called like somebody: ``a table at Luigi's``.

Who lives there stays somebody: ``lunch at Luigi's place``, ``staying at Mario's``.
"""

import re

from detectors.people.foreign import before
from detectors.people.works import ENDS
from detectors.words.famous import listed
from detectors.words.folding import fold

AFTER = 80  # code points behind a name that are looked at
# What one has at an eatery as well as at somebody's, and what only there.
_MEAL = (
    r"lunch|dinner|breakfast|brunch|supper|coffee|drinks|ate|eat|eats|eating|eaten|pizzas?|burgers?"
    r"|pasta|curry|sushi|tacos?|ramen|noodles|steaks?|ice cream|cake|meal|bite|food"
)
_SERVED = (
    r"table|reservation|booking|booked|reserved|order(?:s|ed|ing)?|takeaway|takeout|deliver(?:y|ed)"
    r"|vouchers?|gift card|menu|buffet|shops?|shopped|shopping|groceries|haircut|happy hour"
)
_AT = r"(?: [\w-]+){0,2} (?:at|from|in) $"
MEAL = re.compile(rf"\b(?:{_MEAL}){_AT}", re.IGNORECASE)
SERVED = re.compile(rf"\b(?:{_SERVED}){_AT}", re.IGNORECASE)
AT = re.compile(r"\b(?:at|from|in|to|near|opposite) $", re.IGNORECASE)
OWNS = re.compile(r"['’]s(?![\w’'])")
# No thing of theirs follows: not "Luigi's place".
ENDS_THERE = re.compile(
    r"\s*$|\s*\n|[.,;:!?)]|\s(?:on|at|for|with|in|near|after|before|and|or|by|every|this|next|last"
    r"|tonight|tomorrow|yesterday|today|again|around|then|when|but|because|to|is|was|opposite"
    r"|off)\b"
)
SERVES = re.compile(
    r",? (?:(?:and|but) )?(?:a )?table for\b|[^.!?\n]{0,30}[.,] the (?:food|service|waiter"
    r"|waitress|menu"
    r"|pasta|pizza|carbonara|soup|fish|steak|wine|staff|bill|dessert|burger|sushi"
    r"|curry)\w* (?:was|is)\b",
    re.IGNORECASE,
)
LIVES_THERE = re.compile(
    r"[^.!?\n]{0,60}\b(?:place|house|flat|home|he|she|his|her|hers|him|they|their|parents|moved"
    r"|birthday"
    r"|garden|kitchen|party|cook(?:s|ed|ing)?|invited)\b",
    re.IGNORECASE,
)
_HOUSES = (
    r"restaurant|pizzeria|trattoria|osteria|bistro|brasserie|bakery|caf[eé]|bar|pub|diner|deli"
    r"|hotel"
    r"|inn|salon|barber ?shop|boutique|store|shop|supermarket|brand|label|perfume|airline|insurer"
)
HOUSE = re.compile(
    rf"\b(?i:the|an?|this|that|our|my|new|old)(?: [\w-]+){{0,2}} (?:{_HOUSES})"
    r"(?: called| named|,)? $"
    r"|\b(?:Hotel|Hôtel|Café|Restaurant|Ristorante|Trattoria|Pizzeria|Osteria|Bistro|Brasserie"
    r"|Gasthaus|Gasthof|Auberge|Pension) $"
)
BEGINS_AS_HOUSE = re.compile(
    r"(?:Hotel|Hôtel|Gasthof|Gasthaus|Auberge|Project|Projekt|Projet|Café|Restaurant|Ristorante) "
)
ACCOUNT = re.compile(
    r" (?:(?:health|car|home|travel|life|pet) insurance|(?:bank |savings )?account|app|(?:debit "
    r"|credit )"
    r"?card|subscription|membership|mortgage|loan|API|SDK|IBAN)\b(?! for\b)"
)
OF_ONES_OWN = re.compile(
    r"\b(?:my|our|their|his|her|the|an?|new|old|via|through|into) $", re.IGNORECASE
)


# "Savings at Marcus", "acheter du pain chez Paul": where one orders and has accounts.
_GOODS = (
    r"commander|commandes?|commandé|sushis?|pizzas?|fleurs|acheter|achat|achète|pain|baguettes?|croissants?|viande|surgelés|livraison"
    r"|mutuelle|forfait|box|abonnement|bestell\w*|gekauft|konto|depot|versichert|tarif|vertrag"
    r"|savings|isa|current account|credit card|pension|broadband|mobile|order|groceries|pedir"
    r"|pedido|compra|comprar|seguro|cuenta|tarifa"
)
ORDERED_AT = re.compile(
    rf"(?<!\w)(?i:{_GOODS}) (?:[\w'’]+ ){{0,2}}?(?:at|chez|bei|con|by)"
    r" (?:[^\W\d_a-z][\w'’-]+ (?:et|ou|and|or|und|oder|y|o) )?$"
)


def is_shop(text: str, start: int, end: int) -> bool:
    """Whether a claimed person is an eatery, a shop, a hotel or a bank by what is said of it.

    Args:
        text: the text (or window).
        start: where the name begins.
        end: where it ends, without the ending of a possessive.
    """
    near, after = before(text, start), text[end : end + AFTER]
    if BEGINS_AS_HOUSE.match(text, start, end) or (HOUSE.search(near) and ENDS.match(after)):
        return True
    if ORDERED_AT.search(near) and not after.startswith(("'s", "’s", " is ")):
        return True
    if ACCOUNT.match(after):
        return OF_ONES_OWN.search(near) is not None
    owns = OWNS.match(after)
    return owns is not None and _is_eatery(fold(text[start:end]), near, after[owns.end() :])


def _is_eatery(folded: str, near: str, after: str) -> bool:
    """Whether what is had at somebody's is had at an eatery or a shop, and nobody lives there."""
    if not ENDS_THERE.match(after) or LIVES_THERE.match(after):
        return False
    if SERVED.search(near) or (folded in listed("chains") and AT.search(near)):
        return True
    meal = MEAL.search(near) is not None
    return meal and (folded in listed("eateries") or SERVES.match(after) is not None)
