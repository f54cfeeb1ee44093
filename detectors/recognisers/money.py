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
MONEY = re.compile(
    rf"(?<![\w.,])(?:(?:US|CA|A|NZ|HK|S)?[{SYMBOLS}]\s?{AMOUNT}{SCALE}(?!\w)"
    rf"|(?:{CODES})\s?{AMOUNT}{SCALE}(?!\w)"
    rf"|{AMOUNT}{SCALE}\s?(?:[{SYMBOLS}](?!\d)|(?:{CODES}|{NAMES})(?!\w))"
    rf"|{SPELLED}(?:{NAMES})(?!\w))",
    re.IGNORECASE,
)
TRIGGERS = (rf"[{SYMBOLS}]", rf"\b(?:{CODES})", NAMES)

RECOGNISERS = (Recogniser("money", TRIGGERS, matches("MONEY", "money", MONEY, 0.8)),)
