"""Amounts of money."""

import re

from detectors.recognisers.base import Recogniser, matches

SYMBOLS = "$€£¥₹₽₩₪₺₴₦"
CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|KRW|TRY|RUB"
NAMES = (
    r"dollars?|euros?|pounds?\s+sterling|quid|bucks?|cents?|francs?|rupees?|yen|yuan|rubles?|zloty"
    r"|kronor|kroner|pesos?|reais|rand"
)
AMOUNT = r"\d{1,12}(?:[.,' \u00a0]\d{2,3}){0,5}"
SCALE = r"(?:\s?(?:k|m|bn|mn|thousand|million|billion|mio\.?|tsd\.?|mille|mil|millones))?"
SPELLED = (
    r"(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty"
    r"|sixty|seventy|eighty|ninety|hundred|thousand|million|a|half|few)[\s-]+(?:and\s+)?){1,6}"
)
FORMS = {
    rf"[{SYMBOLS}]\s?\d": rf"(?:US|CA|A|NZ|HK|S)?[{SYMBOLS}]\s?{AMOUNT}{SCALE}(?!\w)",
    rf"\b(?:{CODES})\s?\d": rf"(?:{CODES})\s?{AMOUNT}{SCALE}(?!\w)",
    rf"\d(?:\s?[a-z]{{1,8}}\.?)?\s?(?:[{SYMBOLS}]|(?:{CODES}|{NAMES})\b)": (
        rf"{AMOUNT}{SCALE}\s?(?:[{SYMBOLS}](?!\d)|(?:{CODES}|{NAMES})(?!\w))"
    ),
    rf"[a-z][\s-](?:{NAMES})\b": rf"{SPELLED}(?:{NAMES})(?!\w)",
}

RECOGNISERS = tuple(
    Recogniser(
        "money",
        (trigger,),
        matches("MONEY", "money", re.compile(rf"(?<![\w.,])(?:{form})", re.IGNORECASE), 0.8),
    )
    for trigger, form in FORMS.items()
)
