"""What stands where a secret could, and is none: words about it, types, placeholders, code."""

import re

from detectors.recognisers.base import words
from detectors.words.namelists import is_ordinary, stop_words

NO_PASSWORD = re.compile(
    r"(?:wrong|incorrect|required|expired?|weak|strong|invalid|not|too|the|a|an|being|set|needed"
    r"|missing|stored|hashed|salted|safe|secure|case[- ]sensitive|protected|encrypted|reset|changed"
    r"|empty|correct|ok|fine|long|short|never|always|only|at|in|on|for|same|good|bad|here|there"
    r"|visible|hidden|shared|lost|forgotten|unknown|valid|mandatory|optional|important|one|your|my"
    r"|his|her|what|still|now|sent|under|written|kept|managed|rotated|generated|no|null|none"
    r"|undefined|string|str|true|false|and|or|that|this|about|based|up|different|unique|old|new"
    r"|something|anything|everything|nothing|whatever|known|used|typed|checked|asked|case|to|by"
    r"|importante?|segura|larga|wichtig|lang|sicher|correcte|s[ûu]r"
    r"|falsch|abgelaufen|nicht|incorrecta?|fausse?|faux)[.!?,:;]*",
    re.IGNORECASE,
)
PLACEHOLDER = re.compile(
    r"[*•x.<>\[\]{}$_-]+|\$\{?\w+\}?|<[^>]*>|<[A-Za-z_]+|\{\{.*|your[_-].*|%s.*", re.IGNORECASE
)
NAMES_OF_METHODS = re.compile(
    r"(?:sha|md|oauth|aes|rfc|pbkdf|argon|iso|ipv|utf|base|http|tls|v|windows|office|web)-?\d.*"
    r"|[a-z]{3,9}\.?\d{1,2}(?:st|nd|rd|th)|[\W\d]*\d(?:st|nd|rd|th|k|m|h|am|pm|min|days?|x|%)|\d+-(?:day|bit|digit|character|char|letter)"
    r"|[^\W\d_]+[!?]+",
    re.IGNORECASE,
)
OTHER_VALUES = re.compile(
    r"(?:true|false|yes|no|on|off|ja|nein|oui|non|s[ií]|nil|null|none|undefined|nan|n/?a|tbd|todo"
    r"|str|string|text|int|integer|number|float|bool|boolean|bytes|object|array|uuid|any|char|enum"
    r"|(?:var)?char\s?\(\d+\)|optional\[\w+\]|secretstr|option<string>|(?:nvarchar|varchar2?)\(?.*"
    r"|password|passwort|passwd|secret|token|redacted|hidden|masked|removed|omitted|empty|value"
    r"|(?:type|format|title|description|value_?from|min_?length|max_?length|properties):"
    r"|auto|automatic|default|enabled|disabled|revoked|active|inactive|pending|failed|passed"
    r"|basic|bearer|digest|oauth|oauth2|oidc|saml|ldap|kerberos|mtls|jwt|sso|iam|apikey|api[_-]key"
    r"|client_credentials|authorization_code|refresh_token|ok|okay|first|second|third|last|next"
    r"|erforderlich|n[öo]tig|obligatoire|requise?|obligatori[oa]|requerid[oa]|obrigat[óo]ri[oa]|verplicht|vereist|necesari[oa]|ung[üu]ltig|invalide|inv[áa]lid[oa]|siehe|bitte|see|ask|enter|please|voir|ver|vea|falta|manque|fehlt|leer|vac[ií]o|vide"
    r"|https?://[^\s@]*)[.!?,:;]*",
    re.IGNORECASE,
)
WITHHELD = re.compile(
    r"[\[<({]{1,3}[^\[\]<>(){}]{0,60}[\])>}]{1,3}|\W+|(?:[*•x#.-]{3,})|change ?me"
    r"|(?:your|my|the|change|insert|enter|replace|dein|ihr|votre|tu)[_ -].{0,60}"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:PASSWORD|KEY|TOKEN|SECRET)",
    re.DOTALL,
)
REFERENCE = re.compile(
    r"[$%@#&]{1,2}[\w{(].*|[a-z_.]{3,}[A-Za-z_.]*\([\"'\w.,= ]*\)?|new\s.*"
    r"|[A-Za-z_][A-Za-z_.]*\[[\"'\w.]*\]?|[-?+=][A-Za-z]{1,40}\}?"
    r"|(?:self|this|args?|config|cfg|conf|settings?|env|os|process|req|request|ctx|context|options|opts"
    r"|params?|props|user|form|body|state|app|credentials|creds|secrets?|vars?|local|data|event)"
    r"\.[A-Za-z_]\w*(?:[.\[(].*)?"
    r"|[a-z_]\w*(?:\.[a-z_]\w*)+\(.*|[A-Za-z_.]{3,}\(.*\)|[A-Z][A-Za-z]+\[[\w, ]*\]?"
    r"|[a-z_]\w*(?:\.\w+)*\.\w*(?:key|token|secret|password|pwd)\w*"
    r"|(?:file|env|vault|secrets?|ref|arn|op|sops|ssm|aws|gcp):.*"
    r"|(?:\.{1,2}|~)?/(?:run|etc|var|home|usr|mnt|opt|secrets?|tmp)/.*",
    re.DOTALL,
)
PATH = re.compile(
    r"\.{1,2}/[\w./-]+|~?(?:/[A-Za-z_.-]{1,40}\d{0,2}){1,20}/?"
    r"|[A-Za-z]:(?:\\{1,2}[\w .-]{1,40}){1,20}"
)
# Words that tell what became of a password, how it is, or where it stands: by their endings,
# where these are those of participles, and one by one.
TOLD_BY_ENDING = re.compile(
    r"[^\W\d_]{3,}(?:ed|able|ible)|[^\W\d_]{4,}(?:[ai]d[oa]s?|ée?s?)|[^\W\d_]{5,}[aiu]t[oa]"
    r"|(?:ver|ge|abge|zur[üu]ckge|umge|einge|ausge|hinter)[^\W\d_]{3,}(?:t|en|d)",
    re.IGNORECASE,
)
TOLD_BY_WORD = re.compile(
    r"(?:mis)?match(?:es)?|fail(?:s|ure)?|errors?|denied|success|attempts?|checks?|hash|policy"
    r"|missing|pending|working|changing|broken|stolen|chosen|written|simple|easy|hard|static|dynamic"
    r"|random|obvious|identical|useless|terrible|trivial|personal|confidential|look(?:s|up)?|get|read|provide|supply|choose|pick|type|copy"
    r"|contact|call|check|follows|common|compromis[eo]?|inv[áa]lid[oa]?s?|obsol[eè]te"
    r"|fehler|fehlt|falsche?s?|fragen|frage?|siehe|liegt|steht|kommt|folgt|kurz|lang|einfach|schwach"
    r"|stark|sichere?[nrs]?|geheim|weg|unbekannt|bekannt|dasselbe|leer|gleich"
    r"|voir|demande[rz]?|consulte[rz]?|suit|trop|oubli|perdue?s?|court|faible|fort|vide|inconnue?|erron[ée]e?"
    r"|preguntar|consultar|pedir|sigue|muy|demasiado|corta|d[ée]bil|secreta|err[óo]nea|caduca"
    r"|perguntar|segue|muito|curta|fraca|forte|longa|errada|chiedere|vedi|veda|troppo|scadut[oa]"
    r"|pers[oa]|debole|lunga|segreta|errat[oa]|veja|zie|vraag|vragen|volgt|kort|zwak|sterk|onjuist"
    r"|onbekend|kwijt|fout|leeg",
    re.IGNORECASE,
)
# What keys are called: ``signing-key-2025``, ``staging_token_v2``.
_OF_KEYS = "keys?|tokens?|secrets?|certs?|certificates?|credentials?|signing|rotation|jwks?"
_KEY_NAME = re.compile(
    rf"(?=(?:[a-z]+[-_])*(?:{_OF_KEYS})(?:[-_]|$))[a-z]{{2,16}}(?:[-_][a-z]{{2,16}}){{1,4}}"
    r"(?:[-_](?:20\d\d|v?\d{1,2}))?"
)
_LETTERS = re.compile(r"[a-z]+")
NEXT_WORD = re.compile(r"[ \t]+(?P<word>[^\W\d_]+)(?!\w|\s?[:=/@])")
JOINS = words(
    r"and|by|und|et|y|e|en|or|oder|ou|o|but|aber|mais|pero|ma|maar|mas|for|on|at|in|f[üu]r|im|am|pour"
    r"|para|por|per|voor|bei|beim|sur|dans|na|no|su|op|now|btw|yesterday|today|since|as|with|mit|avec|con|com"
    r"|met|jetzt|gestern|heute|hier|ayer|hoy|ieri|oggi|ontem|hoje|gisteren|vandaag|maintenant|ahora|please|bitte"
)
PLAIN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)?")


def is_no_secret(value: str, *, quoted: bool) -> bool:
    """Whether a value is plainly no password, key or token.

    Args:
        quoted: it stands in quotes, and so is no program's expression.
    """
    if len(value) < 2 or value.startswith(("${", "{{", "$(")):
        return True
    if any(
        none.fullmatch(value) for none in (NO_PASSWORD, OTHER_VALUES, PLACEHOLDER, WITHHELD, PATH)
    ):
        return True
    return not quoted and REFERENCE.fullmatch(value) is not None


def is_key_name(value: str) -> bool:
    """Whether a value is what a key is called, and not the key: words, and a year or version."""
    if _KEY_NAME.fullmatch(value) is None:
        return False
    return all(
        is_ordinary(word) or re.fullmatch(_OF_KEYS, word)
        for word in _LETTERS.findall(value)
        if len(word) > 1
    )


def tells(word: str) -> bool:
    """Whether a word says what became of a password, how it is, or where to look for it."""
    return bool(TOLD_BY_ENDING.fullmatch(word) or TOLD_BY_WORD.fullmatch(word))


def is_sentence(text: str, start: int, end: int) -> bool:
    """Whether what stands without quotes behind a name is a word of a sentence about it.

    ``password: mismatch for user 17``, ``mot de passe : voir le coffre``; not ``password: tulip``.
    """
    value = text[start:end]
    if PLAIN.fullmatch(value) is None:
        return False
    if tells(value) or value.lower() in stop_words():
        return True
    goes_on = NEXT_WORD.match(text, end)
    return goes_on is not None and JOINS.fullmatch(goes_on["word"]) is None
