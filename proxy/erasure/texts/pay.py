"""What somebody is paid, as it is said in seven languages: ``earns 90k``, ``Cobro 2.100 euros``."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, is_ordinary
from proxy.erasure.texts.attribute_words import FIRM, tells_nobodys

CLAUSE = re.compile(r"(?:[^.!?;,\n]|[.,](?=\d))+")
CURRENCY = (
    r"(?:[$€£¥]|(?:euros?|eur|usd|dollars?|pounds?|gbp|sek|nok|dkk|kr|kronor|chf|francs|franken"
    r"|reais|pesos|yen|bucks)(?!\w))"
)
MANY = r"(?:hundred|thousand|grand|million)"
PER_ENGLISH = r"(?:an?|per|each|every|/)\s?(?:year|month|week|day|hour|annum|yr|mo|hr)\b"
PER_OTHERS = (
    r"(?:(?:im|pro|je|die|in der|par|de l['’]|al|a la|all['’]|l['’]|por|per|a|op de)\s?"
    r"(?:monat|jahr|woche|tag|stunde|mois|an|année|semaine|jour|heure|mes|año|semana|día|hora"
    r"|mese|anno|settimana|giorno|ora|mês|ano|maand|jaar|week|dag|uur)\b"
    r"|(?:monatlich|jährlich|brutto|netto|mensuels?|bruts?|nets?|mensuales|anuales|brutos|netos"
    r"|mensili|annui|lordi|netti|mensais|líquidos|bruto)\b)"
)
PER = rf"(?:{PER_ENGLISH}|{PER_OTHERS})"
COUNTED = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty|seventy|"
    r"eighty|ninety|hundred|a"
)
DIGITS = r"(?<![\w.,])(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+|\d[\d.,']{0,20}(?<=\d))(?![\d])"
AMOUNT = re.compile(
    rf"[$€£¥]\s?{DIGITS}(?:\s?(?:k|m|{MANY})\b)?|{DIGITS}\s?(?:(?:k|m|{MANY})\b\s?)?{CURRENCY}"
    rf"|{DIGITS}\s?(?:k|{MANY})\b|{DIGITS}(?=\s{PER})"
    r"|(?<!\bin )(?<!\bsince )(?<![\w.+-])(?<![\d)] )\d{3,9}(?![\w%-]| \d)"
    rf"|\b(?:(?:{COUNTED})[ -]){{1,3}}{MANY}\b",
    re.IGNORECASE,
)
WHOSE = (
    r"(?:my|his|her|their|our|your|\w+['’]s|yearly|annual|monthly|hourly|base|gross|net|starting)"
)
# What speaks of somebody's pay without an amount.
PAID = re.compile(
    rf"\b{WHOSE} pay\b|\bpay (?:rise|raise|cut|grade|slip|review|is|was|went)\b"
    r"|\bbonus(?:es)?\b(?! track)"
    r"|\b(?:an?|the|my|his|her|their|no|another|next|last|pay|got|big|small) (?:raise|pay rise)\b",
    re.IGNORECASE,
)
# What does only with an amount in its clause, whatever it is for.
EARNS = re.compile(
    r"\bearn(?:s|ed|ing)?\b"
    r"|\b(?:am|is|are|was|were|be|been|being|gets?|got|getting)(?: \w+)? paid\b"
    r"|\bpa(?:y|ys|id|ying) (?:me|him|her|them|us|you)\b"
    r"|\b(?:pa(?:y|ys|id|ying)|transfer(?:s|red)?)\b[^.!?;]{0,40} to (?:me|him|her|them|us)\b"
    r"(?! for (?!(?:my|his|her|their|our) (?:work|job)\b))"
    r"|\bverdien(?:e|st|t|en|te|test|ten|tet|de|den)?\b|\bguadagn\w{1,6}\b",
    re.IGNORECASE,
)
# Words that tell of pay where the amount is one per month or hour: "win", "make", "I get".
GETS = re.compile(
    r"\b(?:make[sn]?|made|making"
    r"|bekomme|kriege|(?:be)?zahl(?:t|en|te|ten) (?:mir|ihm|ihr|ihnen|uns|euch)"
    r"|gagn(?:e|es|ons|ez|ent|ais|ait|aient|é|er)|touch(?:e|ais|ait)"
    r"|(?:me|te|lui|nous|vous|leur) (?:paie|paye|verse)(?:nt)?"
    r"|gan(?:o|as|a|amos|an|aba|aban|é|ó|ar)|cobr(?:o|as|a|amos|aba)|(?:me|te|le|nos|les) pagan?"
    r"|prend(?:o|evo)|percepisco|ricevo|(?:mi|ti|gli|le|ci) paga(?:no)?"
    r"|ganh(?:o|as|a|amos|am|ava|avam|ar)|recebo|(?:me|te|lhe|nos|lhes) pagam?"
    r"|krijg|ontvang|betaal(?:t|de|den)? (?:mij|me|hem|haar|ons))\b"
    rf"(?=.{{0,80}}{PER})",
    re.IGNORECASE,
)
# What a firm pays is somebody's pay; what is paid for something, or by a person, is not.
REACH = 120  # code points before an amount
PAYER = re.compile(
    rf"(?P<who>{FIRM}|(?:my|his|her|our|their) (?:new |old )?(?:company|firm|boss|job))\s+"
    r"(?:pays|offers|offered|(?:would|will) pay)\s+(?:me\s+)?"
    r"(?:(?:about|around|up to|almost|nearly|over|only|just)\s+)?$",
    re.IGNORECASE,
)
AS_PAY = re.compile(
    rf"\s*(?:{PER}|(?:gross|net|before tax|after tax|plus|and|but|monthly|yearly|annually)\b|$)",
    re.IGNORECASE,
)


def stated_pay(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where a text states what somebody is paid, clause by clause.

    A clause that only spends (``paid 20 euro for lunch``) states nobody's pay.

    Args:
        words: the attribute's own words, such as ``salary``; with one in it a clause's amounts
            are pay.
    """
    for clause in CLAUSE.finditer(text):
        yield from _in_clause(text, clause, words)


def _in_clause(text: str, clause: re.Match[str], words: Sequence[str]) -> Iterator[tuple[int, int]]:
    first, last = clause.span()
    amounts = [match.span() for match in AMOUNT.finditer(text, first, last)]
    said = [match.span() for match in PAID.finditer(text, first, last)]
    earned = amounts and any(each.search(text, first, last) for each in (EARNS, GETS))
    told = any(
        not tells_nobodys(text, *match.span())
        for match in _any_of(tuple(words)).finditer(text, first, last)
    )
    if said or earned or told or _pays(text, clause, amounts):
        yield from sorted({*said, *amounts})


def _pays(text: str, clause: re.Match[str], amounts: Sequence[tuple[int, int]]) -> bool:
    """Whether a firm pays an amount, and nobody says for what: ``Norvane pays 92,000 dollars``."""
    for start, end in amounts:
        payer = PAYER.search(text, max(clause.start(), start - REACH), start)
        if payer is None or AS_PAY.match(text, end, clause.end()) is None:
            continue
        first = fold(payer["who"].split()[0])
        if " " in payer["who"] or not (is_ordinary(first) or is_given_name(first)):
            return True
    return False


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for any of these words, whole."""
    longest = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest)})\b", re.IGNORECASE)
