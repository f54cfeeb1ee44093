"""Words that lead to a number or a date that identifies somebody: ``tel.``, ``b. 1980``."""

import re

from proxy.erasure.texts.mentions import Span

LABEL = (
    r"(?:tel(?:e(?:ph|f)on[eo]?)?|t[ée]l(?:[ée](?:ph|f)ono?e?)?|phone|mobile?|móvil|mob|handy|cell|"
    r"fax|portable|e-?mail|mail|correo|courriel|ext(?:ension|ensión)?|durchwahl|apparat|poste|"
    r"\w*n(?:umber|ummer|uméro|úmero|umero)|no|nr|n[°º]|b|born|geb(?:oren)?|née?|nacid[oa]|nat[oa]|"
    r"aged?|address|adresse?|anschrift|dirección|iban|account|konto|cuenta|compte|passport|passe?|"
    r"pasaporte|plate|kennzeichen|licence|license|handle|user(?:name)?|profile?|id|zip|plz|"
    r"home|work|office|private?|direct)"
)
ADJUNCT = (
    r"(?:on|at|under|via|by|from|to|in|with|through|unter|auf|per|über|an|bei|mit|von|am|im|au|sous|"
    r"par|sur|à|chez|al|en|por|con|bajo)"
)
LINK = r"(?:is|ist|est|es|the|a|der|die|das|dem|den|le|la|el|on|at|under|in|unter|am|au|à|al|en)"
BORN = re.compile(
    r"(?:\b(?:b|born|geb|geboren|née?|nacid[oa]|nat[oa])\b\.?|\*)\s*(?:(?:on|in|am|le|el|il|the)\s+)?"
    r"(?P<said>\d{1,2}[./ -]*(?:\w+[./ ,-]*){1,3}\b\d{4}|\d{1,2}\.\d{1,2}\.\d{2}|"
    r"\w+ \d{1,2},? \d{4}|\d{4})\b",
    re.IGNORECASE,
)
EXTENSION = re.compile(
    r"\b(?:ext(?:ension|ensión)?|extn|durchwahl|dw|poste|interno)\b\.?\s*(?P<said>\d{2,6})\b",
    re.IGNORECASE,
)
NUMBERED = re.compile(
    r"\b(?:\w*number|no|nr|\w*nummer|numéro|número|id)\b\.?:?\s*(?P<said>(?=[\w/-]*\d{3})\w[\w/-]*)",
    re.IGNORECASE,
)
# Behind a name: what is said of its bearer, not to them.
IDENTIFIED = re.compile(
    rf",\s+(?:(?:{LABEL})\b[.:]*\s*)*(?:\+\d|\(?\d[\d ()/.-]{{6,}}\d|[^\s@,]*@\w|https?:|"
    r"(?:Phone|Email|Address|Handle|Link|Birthday|Card|Iban|Account)_[0-9a-f]{6})|"
    rf",\s+(?:{LABEL})\b[.:]*\s*\d",
    re.IGNORECASE,
)


def worded(text: str) -> tuple[list[Span], list[Span]]:
    """What a word before it makes an identifier: sure ones (``b. 1980``) and loose ones."""
    sure = [Span(*m.span("said")) for p in (BORN, EXTENSION) for m in p.finditer(text)]
    return sure, [Span(*match.span("said")) for match in NUMBERED.finditer(text)]
