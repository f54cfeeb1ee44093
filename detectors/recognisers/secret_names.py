"""Names that programs and people give to passwords, keys and tokens, in every way to join words."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

import re2


class SecretName(NamedTuple):
    """What a name says of its value.

    Args:
        entity_type: ``PASSWORD`` or ``API_KEY``.
        sure: the name has no other meaning; else the value must look like a secret as well.
        mostly: it has another meaning in sentences only, not where names and values are marked.
    """

    entity_type: str
    sure: bool
    mostly: bool = False


_BREAK = re.compile(r"[\W_]+|(?<=[a-zß-ÿ0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Behind the name and no part of it: ``DB_PASSWORD_PROD``, ``apiKey2``.
_WHICH = (
    r"(?: ?\d{1,3}| (?:prod|production|dev|development|test|stage|staging|live|local|old|new"
    r"|current|value|val|plain|plaintext|default|primary|secondary|main|backup|base64|b64|confirm"
    r"|confirmation|admin|root|db)){0,2}"
)
_PASSWORDS = (
    r"pass? ?wor[dt]s?|passw[öo]e?rter|passwr?d|pass ?phrases?|pass ?codes?|pswd|pwd"
    r"|kenn(?:wort|w[öo]e?rter)|contrase[nñ]as?|senhas?|wachtwoord(?:en)?|mots? ?de ?passe"
    r"|(?:^| )(?:mdp|has[lł]o|heslo|salasana)|palavra ?passe|parola (?:d ordine|chiave)"
    r"|adgangskoden?|passord(?:et)?|l[öo]senord(?:et)?|şifre(?:m|mi|si|niz)?|пароль?(?:я|ем"
    r"|ю)?|密码|密碼|パスワード|비밀번호"
    r"|(?:^| )(?:db|database|user|smtp|imap|ftp|e?mail|mysql|pg|postgres|redis|wi ?fi|wlan|admin"
    r"|root|login|ldap|ssh|vpn|proxy|sql|http|basic|auth|my)[ ]?pass"
    r"|(?:w ?lan|wi ?fi|netzwerk|router|netz) ?(?:schl[üu]e?ssel|key|sleutel)"
    r"|(?:cl[ée]|clave|chiave|chave) (?:de |d |del |della |do |du )?(?:la |le )?"
    r"(?:w ?lan|wi ?fi|router|box)"
)
_OF_KEYS = (
    r"api|secret|access|private|encryption|decryption|encrypt|signing|auth|authentication|oauth"
    r"|master|hmac|jwt|webhook|crypto|cipher|aes|subscription"
)
_OF_TOKENS = (
    r"api|access|auth|oauth|refresh|bearer|private|session|security|bot|deploy|secret|service"
    r"|personal|csrf|xsrf|github|gitlab|slack|(?:^| )(?:id|client|admin)"
)
_OF_SECRETS = r"client|api|app|shared|consumer|webhook|jwt|session|signing|oauth|hmac|auth|totp"
_KEYS = (
    rf"(?:{_OF_KEYS}) ?key|(?:{_OF_TOKENS}) ?token|(?:{_OF_SECRETS}) ?secret|secret key base"
    r"|(?:api|geheim|geheimer|privater|zugriffs|zugangs) ?schl[üu]e?ssel"
    r"|(?:zugriffs|zugangs) ?token"
    r"|cl[ée] (?:d )?(?:api|secr[eè]te|priv[ée]e|acc[eè]s|de chiffrement)|jeton d acc[eè]s"
    r"|clave (?:de )?(?:api|secreta|privada|acceso|cifrado)|token d[ei] acc?es+o"
    r"|chave (?:de )?(?:api|secreta|privada|acesso)|chiave (?:api|segreta|privata)"
    r"|(?:api|geheime|priv[eé]) ?sleutel"
)
_MOSTLY_PASSWORDS = r"^(?:pass|passe|pw|psw|clave)"
_MOSTLY_KEYS = r"^(?:secret|secreto)"
_MAYBE_PASSWORDS = (
    r"(?:^| )(?:pass|passe|pw|psw|clave|pin|pin ?(?:code|nummer|number)|puk|t?otp|cvv2?|cvc2?"
    r"|parola|zugangscode|geheimzahl|code secret|(?:unlock|access|security) code)"
)
_MAYBE_KEYS = (
    r"(?:^| )(?:\w{0,24} ?token|jeton|secret|secreto|geheimnis|auth|authorization|bearer|jwt"
    r"|credentials?|zugangsdaten"
    r"|(?:licen[sc]e|service|account|stripe|openai|anthropic|azure|google"
    r"|maps|gemini|mistral|cohere|twilio|sendgrid"
    r"|mailgun|datadog|sentry|algolia|firebase|pinecone|qdrant|mem0|cloudflare|paypal|mapbox"
    r"|deepl|hugging ?face"
    r"|storage|session|app|client|shared|ssh|pgp|recovery) key"
    r"|wiederherstellungs ?schl[üu]e?ssel|herstel ?sleutel|cl[ée] de (?:r[ée]cup[ée]ration|secours)"
    r"|clave de recuperaci[óo]n|chiave di (?:ripristino|recupero)|chave de recupera[cç][ãa]o"
    r"|phpsessid|jsessionid|connect sid|asp net session id|laravel session|(?:amz|goog) signature)"
)
_KINDS = tuple(
    (re.compile(rf"(?:{pattern}){_WHICH}$"), name)
    for pattern, name in (
        (_PASSWORDS, SecretName("PASSWORD", sure=True)),
        (_KEYS, SecretName("API_KEY", sure=True)),
        (_MOSTLY_PASSWORDS, SecretName("PASSWORD", sure=False, mostly=True)),
        (_MOSTLY_KEYS, SecretName("API_KEY", sure=False, mostly=True)),
        (_MAYBE_PASSWORDS, SecretName("PASSWORD", sure=False)),
        (
            rf"(?:(?:{_KEYS})s|(?:{_MAYBE_KEYS})s?)",
            SecretName("API_KEY", sure=False),
        ),
    )
)
# A place in a list, and no key to anything.
_PAGING = re.compile(
    r"(?:^| )(?:next|prev|previous|page|paging|pagination|continuation|continue|sync|delta|skip"
    r"|resume|start|starting|scroll|list|watch|batch|last|first)(?: ?page| ?list| ?sync)? ?token$"
)
LONGEST = 80
# Something of every such name, so that the text need not be read word by word.
CORE_WORDS = (
    r"pass|pasw|pswd|psw|pwd|pw\b|kennw|contrase|senha|wachtw|mdp|has[lł]o|heslo|salasana|parola"
    r"|ordine|adgangsk|l[öo]senord|şifre|парол|密[码碼]|パスワード|비밀번호|pin|puk|otp|cvv|cvc|clave"
    r"|geheim|code|key|token|secret|schl[üu]e?ssel|jeton|chave|chiave|sleutel|auth|bearer|jwt"
    r"|credential|zugang|zugriff|api\b|privad|privat|priv[ée]e|segreta|secr[eè]te|acc?[eè]s+o?\b"
    r"|cifrado|chiffrement|phpsess|jsession|connect\.sid|net_session|laravel_s|(?:amz|goog)-sig"
)
_CORE = re.compile(CORE_WORDS, re.IGNORECASE)
CORE = re2.compile(f"(?i){CORE_WORDS}")  # for whole texts, which must be encodable as UTF-8
REACH = 64  # code points of a name before and behind its core

# The words of a name as they stand: in a row, joined, or a few with a space between them.
# What stands before the core is read backwards.
_NAME_BEFORE = re.compile(r"(?:[ \u00a0]?(?:[\w.$-]*[\w$]|['’][ld](?!\w))){0,5}")
_NAME_AFTER = re.compile(
    rf"(?:[\w.$-]{{0,{REACH}}}\w)?(?:[ _](?i:prod|production|dev|test|staging|live)(?!\w))?"
)


def name_words(name: str) -> str:
    """A name as lower-case words: ``apiKey``, ``API_KEY`` and ``api-key`` are ``api key``."""
    composed = unicodedata.normalize("NFC", name[-LONGEST:])
    return " ".join(filter(None, _BREAK.split(composed))).lower()


def secret_name(name: str) -> SecretName | None:
    """What a name says of its value, if it is a secret's: ``author``, ``token_count`` are none."""
    if _CORE.search(name) is None:
        return None
    said = name_words(name)
    if _PAGING.search(said):
        return None
    return next((kind for pattern, kind in _KINDS if pattern.search(said)), None)


def find_names(
    text: str, wanted: Callable[[str, int, int], bool] = lambda *_: True
) -> Iterator[tuple[int, int, SecretName]]:
    """Where secrets' names stand in a text, and what they say.

    Args:
        wanted: looks at the text, where a name's core begins and where the name ends, before the
            name is read; it is asked often.
    """
    done = 0
    for core in CORE.finditer(text):
        after = _NAME_AFTER.match(text, core.end())
        end = after.end() if after else core.end()
        if end <= done:
            continue
        done = end
        if not wanted(text, core.start(), end):
            continue
        start = core.start()
        if before := _NAME_BEFORE.match(text[max(0, start - REACH) : start][::-1]):
            start -= before.end()
        said = text[start:end]
        name = secret_name(said)
        if name and not name.sure:
            name = secret_name(said[said.rfind(" ") + 1 :]) or name  # ``const pass = "…"``
        if name:
            yield start, end, name
