"""What stands where a secret could, and is none: words about it, types, placeholders, code."""

import re

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
    r"[*•x.<>\[\]{}$_-]+|\$\{?\w+\}?|<[^>]*>|\{\{.*|your[_-].*|%s.*", re.IGNORECASE
)
NAMES_OF_METHODS = re.compile(
    r"(?:sha|md|oauth|aes|rfc|pbkdf|argon|iso|ipv|utf|base|http|tls|v|windows|office|web)-?\d.*"
    r"|.*\d(?:st|nd|rd|th|k|m|h|am|pm|min|days?|x|%)|[^\W\d_]+[!?]+",
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
    r"|(?:self|this|args?|config|cfg|conf|settings?|env|os|process|req|request|ctx|context|options|opts"
    r"|params?|props|user|form|body|state|app|credentials|creds|secrets?|vars?|local|data|event)"
    r"\.[A-Za-z_]\w*(?:[.\[(].*)?"
    r"|[a-z_]{2,}(?:\.[a-z_]+)+\(.*|[A-Za-z_.]{3,}\(.*\)|[A-Z][A-Za-z]+\[[\w, ]*\]?"
    r"|[a-z_]\w*(?:\.\w+)*\.\w*(?:key|token|secret|password|pwd)\w*"
    r"|(?:file|env|vault|secrets?|ref|arn|op|sops|ssm|aws|gcp):.*"
    r"|(?:\.{1,2}|~)?/(?:run|etc|var|home|usr|mnt|opt|secrets?|tmp)/.*",
    re.DOTALL,
)


def is_no_secret(value: str, *, quoted: bool) -> bool:
    """Whether a value is plainly no password, key or token.

    Args:
        quoted: it stands in quotes, and so is no program's expression.
    """
    if len(value) < 2 or value.startswith(("${", "{{", "$(")):
        return True
    if any(none.fullmatch(value) for none in (NO_PASSWORD, OTHER_VALUES, PLACEHOLDER, WITHHELD)):
        return True
    return not quoted and REFERENCE.fullmatch(value) is not None
