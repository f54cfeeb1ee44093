"""Passwords and keys told in sentences: ``I changed my password to …``, ``Nimm … als Passwort``.

A value that looks generated is a secret behind any such phrase; a plain word only behind one that
names it without doubt, at the end of its clause.
"""

import re
from collections.abc import Iterator
from itertools import islice

import re2

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser
from detectors.recognisers.no_secrets import is_key_name, is_no_secret, is_sentence, tells
from detectors.recognisers.secret_names import CORE_WORDS, SecretName, find_names, secret_name
from detectors.recognisers.secret_values import is_compound, looks_generated, may_be_chosen

RECOGNISER = "told_secret"
SCORE = 0.85
REACH = 120  # code points behind a name in which its value may follow
REACH_BACK = 60  # and before it, for the verb
LONGEST = 128
MOST_SAYINGS = 6  # words such as "is" in that reach

_VALUE = (
    rf"(?P<quote>[\"'`“„«])?(?P<value>(?(quote)[^\"'`“”„»\n]{{3,{LONGEST}}}(?=[\"'`”“»])"
    rf"|[^\s\"'`,;<>|，。、；]{{3,{LONGEST}}}))"
)
_FILLER = (
    r"(?:(?:now|still|currently|simply|just|jetzt|nun|noch|maintenant|d[ée]sormais|ahora|adesso"
    r"|ora|agora|nu|the following|following|folgendes)\s+)?"
)
_IS = (
    r"is|was|are|reads|equals|becomes|became|be|been|ist|war|lautet|heißt|heisst|wird|wäre|est"
    r"|était"
    r"|sera|devient|es|era|será|è|sarà|é|foi|fica|ficou|luidt|wordt|werd|är|jest|je|stays|remains"
    r"|bleibt|queda|reste|blijft|it's|it’s|c'est|c’est"
)
# With a verb of change these say the same.
_TO = (
    r"to|from|into|auf|von|in|zu|nach|en|à|par|pour|de|a|por|para|con|da|di|naar|van|op|na|z|till"
    r"|til|från|fra|su|changed|reset|updated|geändert|zur[üu]ckgesetzt|chang[ée]e?|cambiad[oa]"
    r"|cambiat[oa]|alterad[oa]|gewijzigd"
)
_SAYS_IT = frozenset(_IS.split("|"))
_MAYBE = ("to", "on", "er")  # "is" in Polish, Finnish and Danish
_CLEAR = _SAYS_IT | {"to", "naar", "from"}
_SAYS = re.compile(
    rf"(?<!\S)(?P<says>{_IS}|{_TO}|on|er)\s*:?\s+(?={_FILLER}{_VALUE})", re.IGNORECASE
)
_NEXT = re.compile(rf"(?:(?:['’]s)?,?|[\"'’])[ \t]+(?={_VALUE})")
_CHANGED = re.compile(
    r"(?<!\w)(?:chang|set|reset|updat|switch|rotat|made|renew|replac|mov|turn|revert|assign|choose"
    r"|chose|picked|ge?änder|änder|setz|gesetzt|zur[üu]ck|umge?stell|gestell|stell|wechs|gewechs"
    r"|modifi|mis|mets|remplac|d[ée]fini|r[ée]initialis|cambi|actualiz|establec|puse|puesto|pon"
    r"|restablec|reinici|impost|aggiorn|mess[oa]|reimpost|mud|alter|atualiz|redefin|troqu|coloq"
    r"|verander|wijzig|gewijzig|gezet|zet|ingesteld|zmieni|ustawi|ändra|bytt|satt|endre|skift"
    r"|ændre)\w{0,10}",
    re.IGNORECASE,
)
# What a sentence ends a thought with; a value behind it belongs to another thing.
_BREAKS = re.compile(
    r"\n|(?<=\s)\(|[.;!?](?=\s(?!it['’]s|it\sis|c['’]est)|\Z)"
    r"|,(?!\s*(?:it|it['’]s|which|new|now|es|er|das|il|elle|c['’]est|ora|ahora|jetzt)(?!\w))"
    r"|(?<!\w)(?:because|but|weil|aber|denn|porque|parce|mais|pero|perché|omdat|when|if|until"
    r"|wenn|bis)(?!\w)",
    re.IGNORECASE,
)
# Behind the name these are what is spoken of: the manager of the passwords, not one of them.
_OTHER = re.compile(
    r"\s+(?:managers?|polic(?:y|ies)|fields?|hints?|hash(?:es)?|pages?|length|generators?"
    r"|files?|vault|app|stores?|bucket|type|count|rules?|provider|algorithm|santa|ingredient"
    r"|sauce|recipe|agent|garden|pad|limit|budget|size|review|rotation|holder|ring)(?!\w)",
    re.IGNORECASE,
)
# Between a name and what is said of it: what the secret opens.
_PURPOSE = re.compile(
    r"['’\"]{0,2}s?(?:\s+(?:for|to|of|on|at|in|from|f[üu]r|zum|zur|zu|im|am|von|vom|bei|beim|auf"
    r"|pour|du|de|des|del|della|dello|di|do|da|dos|das|chez|à|au|sur|en|a|al|per|no|na|van|voor"
    r"|bij|op|thuis)(?:\s+[\w.'’-]{1,30}){0,4})?(?:\s+(?:would|will|should|must|has|used\s+to))?"
)
_LATER = (
    r"yesterday|today|tonight|now|again|btw|last|this|and|for|on|to|by|since|then|in|at|an"
    r"|f[üu]r|pour|para|per|voor|von|vom|zum|de|del|du|da|do|geändert|gesetzt"
    r"|gestern|heute|und|hier|ayer|hoy|et|y|e|en|ieri|oggi|ontem|hoje|gisteren"
)
_ENDS = re.compile(
    rf"[\"'`”»]?(?:[.,;:!?)\]]|\s\(|\s*(?:\n|\Z)|\s*[。、，]|\s(?:{_LATER})(?!\w))", re.IGNORECASE
)
# What one does after a change: "Reset your password to continue."
_DO = re.compile(
    r"continue|proceed|finish|start|begin|unlock|enter|register|activate|confirm|join|log-?in"
    r"|access|sign|avoid|protect|comply|regain|something|settings",
    re.IGNORECASE,
)
_AS = re.compile(
    r"\s(?:as|als|comme|como|come|jako|som"
    r"|(?P<said>is|ist|est|es|è|é)(?=\s+(?:my|the|our|his|her|mein|das|unser|mon|le|notre|mi|la"
    r"|nuestra|a|minha|nossa|mijn|het|ons)\s))\s+",
    re.IGNORECASE,
)
_USED = re.compile(
    r"(?<!\w)(?:use|using|used|set|take|took|chose|choose|pick|enter|type|nimm|nimmt|nehme|nutze"
    r"|verwende|benutze|utilise[rz]?|prends|choisi[st]?|usa|uso|usar|utiliza|utilizza|pon|metti"
    r"|gebruik|neem|użyj|använd)\s+\Z",
    re.IGNORECASE,
)
_NAME_WORD = re.compile(r"[\w.$-]*[\w$]")
_EASTERN_NAMES = "密码|密碼|口令|パスワード|パスコード|暗証番号|비밀번호|암호"
_EASTERN_NAME = re2.compile(_EASTERN_NAMES)
_EASTERN = re.compile(
    rf"(?:{_EASTERN_NAMES})(?:[^\S\n]|[一-鿿ぁ-ん가-힣]){{0,8}}?"
    r"(?:是|为|為|成|到|了|：|:|は|を|が|는|은|를|을|로)\s{0,2}[「『“\"']?"
    r"(?P<value>[!-~]{4,64}?)(?=[」』”\"']|[^!-~]|[.,;!?]?(?:\s|\Z))"
)
_EASTERN_AS = re.compile(
    r"(?<![!-~])(?P<value>[!-~]{4,64})\s{0,2}[」』”]?\s?"
    r"(?:(?:作为|作為|当作?|當作?|做)[一-鿿]{0,4}(?:密码|密碼|口令)"
    r"|をパスワード|を暗証番号|[를을] 비밀번호)"
)
_EASTERN_ENDS = re.compile(
    r"\s?(?:[」』”\"'。、，.,;!?)\n]|です|でした|だ(?!\w)|に|作|当|當|を|입니다|이에요|예요|이야|야|으?로|[를을]"
    r"|了|吧|\Z)"
)
_USER = r"[\w.@+-]{2,40}"
_CREDENTIALS = (
    r"credentials?|creds|zugangsdaten|anmeldedaten|logindaten|identifiants?|credenciales"
    r"|credenziali|credenciais|inloggegevens"
)
_LOGIN = (
    r"log(?:ged|s)?[\s-]?(?:in|on)|sign(?:ed)?[\s-]?in|einloggen|anmelden|anmeldung|connexion"
    r"|connecte[rz]?(?:-toi|-vous)?|meld(?:e|et)? (?:dich|mich|euch|je|u)|inicia(?:r)? sesi[óo]n"
    r"|inloggen|accedi|entra"
)
_ACCOUNT_OF = (
    r"user(?:\s?name)?|account|benutzer(?:name)?|konto|utilisateur|usuario|utente|gebruiker"
)
_SAYS_PAIR = (
    r"(?:\s*:|\s+(?:is|are|with|as|mit|als|avec|con|com|met|sind|ist|sont|son|sono|são|zijn))"
)
_AND = r"\s*[/|,:]\s*|\s+(?:and|und|et|y|e|en|with|mit|avec|con|com|met)\s+"
_CALLED = r"(?:pass|pw|pwd|password|passwort|mdp|mot de passe|contraseña|senha|wachtwoord)"
_PAIR = re.compile(
    rf"(?<!\w)(?:(?:{_CREDENTIALS}){_SAYS_PAIR}\s+{_USER}(?:{_AND}|\s+)"
    rf"|(?:{_LOGIN}|{_CREDENTIALS})(?!\w){_SAYS_PAIR}?\s+{_USER}(?:{_AND})(?:{_CALLED}\s*:?\s+)?"
    rf"|(?:{_ACCOUNT_OF}|{_LOGIN})(?!\w){_SAYS_PAIR}?\s+{_USER}(?:{_AND}){_CALLED}\s*:?\s+)"
    rf"{_VALUE}",
    re.IGNORECASE,
)
_ACCOUNTS = (
    r"admin|administrator|root|user|guest|test|postgres|mysql|sa|sysadmin|operator|demo|ubuntu|pi"
    r"|service|support|backup|deploy|dbuser|dbadmin|superuser"
)
# "user:web@host" says who is where, no password is so short.
_ACCOUNT = re.compile(
    rf"(?<![\w/.:@-])(?:{_ACCOUNTS}):(?![a-z]{{1,5}}@[\w.-]+(?!\S))(?P<value>[^\s\"'`,;<>|/:]{{6,{LONGEST}}})",
    re.IGNORECASE,
)
_BOTH = r"user ?name|user(?: ?name)? ?[/&] ?pass(?: ?word)?"
_ACCESS = r"zug[aä]nge?|access|acc[eè]s|acceso|accesso|acesso|toegang"
# ``credentials: admin / Welcome1``: with a slash or a colon between them it is a pair.
_BESIDE = re.compile(
    rf"(?<!\w)(?:{_CREDENTIALS}|{_LOGIN}|log[\s-]?ins?|{_ACCESS}|{_BOTH})(?!\w)[^\n/|:]{{0,32}}?"
    rf"{_SAYS_PAIR}\s*(?P<user>(?=[\w.@+-]*[^\W\d_]){_USER})\s?[/|:]\s?"
    rf"(?P<value>[^\s\"'`,;<>|/]{{4,{LONGEST}}})",
    re.IGNORECASE,
)
_DEFAULT_USER = re.compile(
    rf"(?:{_ACCOUNTS}|gast|invit[ée]|invitado|ospite|beheer(?:der)?|[\w.+-]+@[\w.-]+)",
    re.IGNORECASE,
)
_DEFAULTS = frozenset({"changeme", "password", "passwort", "secret", "geheim", "toor"})
# What else stands beside a role: another one.
_ROLES = re.compile(
    rf"(?:{_ACCOUNTS}|editor|viewer|member|owner|manager|moderator|staff|agent|employee|customer|clients?"
    r"|public|private|read-?only|users|guests|admins|everyone|nobody|gast|g[äa]ste|kunden?|benutzer|nutzer"
    r"|mitarbeiter|redakteur|utilisateurs?|invit[ée]s?|usuarios?|invitados?|utenti|utente|ospiti)",
    re.IGNORECASE,
)
_LEAD = re2.compile(
    rf"(?i){_CREDENTIALS}|{_LOGIN}|log[ -]?in|{_ACCESS}|{_ACCOUNT_OF}|(?:{_ACCOUNTS}):"
)
_TAIL = ".,;:!?)]}>。、，"


def find_told_secrets(text: str) -> Iterator[Detection]:
    """Values that a sentence names, behind the name and before it, and beside a user's name."""
    for start, end, name in find_names(text, _may_tell):
        yield from _behind(text, start, end, name)
    for match in _AS.finditer(text):
        yield from _before(text, match)
    if _EASTERN_NAME.search(text):
        for match in (*_EASTERN.finditer(text), *_EASTERN_AS.finditer(text)):
            start, end = _span(text, match)
            if _is_odd(text[start:end]) or _EASTERN_ENDS.match(text, end):
                yield from _secret(text, start, end, "PASSWORD")
    for lead in _LEAD.finditer(text):
        yield from _paired(text, lead.start())


def _paired(text: str, at: int) -> Iterator[Detection]:
    """The password of a pair that begins with a word for a login."""
    if pair := _PAIR.match(text, at) or _ACCOUNT.match(text, at):
        start, end = _span(text, pair)
        if _is_odd(text[start:end]) and _ENDS.match(text, end):
            yield from _secret(text, start, end, "PASSWORD")
    if beside := _BESIDE.match(text, at):
        yield from _beside(text, beside)


def _beside(text: str, pair: re.Match[str]) -> Iterator[Detection]:
    """The password of a pair: a usual one beside any user, any word beside a usual user."""
    start, end = _span(text, pair)
    value, user = text[start:end], pair["user"]
    usual = _DEFAULT_USER.fullmatch(user) is not None
    if usual and user.lower() != "user" and value.lower() in {*_DEFAULTS, user.lower()}:
        yield Detection("PASSWORD", start, end, SCORE, RECOGNISER)
    elif _is_odd(value) or may_be_chosen(value) or (usual and _is_word(text, start, end)):
        yield from _secret(text, start, end, "PASSWORD")


def _is_word(text: str, start: int, end: int) -> bool:
    """Whether it ends its clause, is no role, and says nothing of a password."""
    value = text[start:end]
    role = _ROLES.fullmatch(value) is not None or is_sentence(text, start, end)
    return not role and end - start >= 4 and _ENDS.match(text, end) is not None


def _may_tell(text: str, _start: int, end: int) -> bool:
    """Whether a word of a sentence may follow a name."""
    return any(char.isspace() for char in text[end : end + 3])


def _behind(text: str, start: int, end: int, name: SecretName) -> Iterator[Detection]:
    """What follows a name and a word such as ``is`` or ``to``, or stands right behind it."""
    if _OTHER.match(text, end):
        return
    reach = min(len(text), end + REACH)
    if said := _NEXT.match(text, end):
        yield from _told(text, said, name, plain=False)
    broken = _BREAKS.search(text, end, reach)
    stop = broken.start() if broken else reach
    sayings = list(islice(_SAYS.finditer(text, end, stop), MOST_SAYINGS))
    changed = sayings and _CHANGED.search(text, max(0, start - REACH_BACK), reach)
    password = name.sure and name.entity_type == "PASSWORD"
    for said in sayings:
        word = said["says"].lower()
        if word in _SAYS_IT or changed:
            between = text[end : said.start()].rstrip()
            plain = (
                word in _CLEAR
                and password
                and (word not in _SAYS_IT or _PURPOSE.fullmatch(between))
            )
            yield from _told(text, said, name, plain=bool(plain))
        elif word in _MAYBE:
            yield from _told(text, said, name, plain=False)


def _told(text: str, said: re.Match[str], name: SecretName, *, plain: bool) -> Iterator[Detection]:
    """A value, if it looks generated, or is a plain word at the end of a clause.

    Args:
        plain: what stands before it leaves no doubt that even a plain word is the secret.
    """
    start, end = _span(text, said)
    value = text[start:end]
    taken = looks_generated(value)
    if name.entity_type == "PASSWORD" and (name.mostly or name.sure):
        taken = taken or is_compound(value)
    if not taken and plain:
        taken = _is_plain(text, start, end, quoted=said["quote"] is not None)
        taken = taken and (said["says"].lower() != "from" or text.startswith(" to ", end))
    if taken:
        yield from _secret(text, start, end, name.entity_type, quoted=said["quote"] is not None)


def _is_plain(text: str, start: int, end: int, *, quoted: bool) -> bool:
    """Whether a word, or what stands in quotes, can be a secret told at the end of a clause."""
    value = text[start:end]
    if quoted:
        return not any(map(tells, value.split()))
    ends = len(value) >= 5 and value.isalpha() and _ENDS.match(text, end) is not None
    return ends and _DO.fullmatch(value) is None and not is_sentence(text, start, end)


def _before(text: str, match: re.Match[str]) -> Iterator[Detection]:
    """What is used as a password: before ``as`` and the name."""
    name = _name_at(text, match.end())
    said = text[max(0, match.start() - LONGEST) : match.start()].rsplit(maxsplit=1)
    if name is None or not said:
        return
    value = said[-1].strip("\"'`“”„«»(")
    start = text.rindex(value, 0, match.start()) if value else match.start()
    before = text[max(0, start - REACH_BACK) : start].rstrip("\"'`“”„«»(")
    if match["said"] and not (name.sure or name.mostly):
        return
    plain = name.sure and len(value) >= 5 and _USED.search(before)
    if _is_odd(value) or (plain and not is_sentence(value, 0, len(value))):
        yield from _secret(text, start, start + len(value), name.entity_type)


def _name_at(text: str, start: int) -> SecretName | None:
    """The name that begins within a few words, if no other noun follows it."""
    said: list[str] = []
    for match in list(_NAME_WORD.finditer(text, start, start + 80))[:5]:
        said.append(match[0])
        if name := secret_name(" ".join(said)):
            return name if _ENDS.match(text, match.end()) else None
    return None


def _secret(
    text: str, start: int, end: int, kind: str, *, quoted: bool = False
) -> Iterator[Detection]:
    value = text[start:end]
    if kind == "API_KEY" and is_key_name(value):
        return  # people choose passwords like it, and programs no key
    if value and not is_no_secret(value, quoted=quoted):
        yield Detection(kind, start, end, SCORE, RECOGNISER)


def _span(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Where the value stands, without the marks of the sentence behind it."""
    start, end = match.span("value")
    while end > start and text[end - 1] in _TAIL:
        end -= 1
    return start, end


def _is_odd(value: str) -> bool:
    return looks_generated(value) or is_compound(value)


RECOGNISERS = (
    Recogniser(
        RECOGNISER,
        (
            CORE_WORDS,
            _CREDENTIALS,
            _LOGIN,
            _ACCESS,
            _ACCOUNT_OF,
            rf"(?:{_ACCOUNTS}):",
            _EASTERN_NAMES,
        ),
        find_told_secrets,
    ),
)
"""Found in sentences; what stands in a notation is found by ``named_secrets``."""
