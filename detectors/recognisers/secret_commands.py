"""Passwords where programs expect them: in commands, in statements of SQL, in files of accounts."""

import re
from collections.abc import Iterator

from detectors.detection import Detection
from detectors.recognisers.base import Recogniser, matches
from detectors.recognisers.no_secrets import is_no_secret
from detectors.recognisers.secret_values import is_compound, looks_generated

RECOGNISER = "secret_command"
SCORE = 0.85

_BARE = r"[^\s\"'`;|&<>()]{3,128}"
_VALUE = rf"(?P<quote>[\"'])?(?P<value>(?(quote)[^\"'\n]{{3,128}}(?=(?P=quote))|{_BARE}))"
_USER = r"[\w.@$+-]{1,64}"
_PAIR = rf"[\"']?{_USER}[:%](?!//)(?P<value>{_BARE})"
# Programs with how their line goes on up to a password; the case of an option tells.
_COMMANDS = {
    r"mysql\w{0,12}|mariadb(?:-\w{1,12})?|mycli|xtrabackup|7z[arz]?|rar|unrar": (
        rf"-p(?!ort\b|lugin){_VALUE}"
    ),
    r"sshpass|mongo\w{0,12}|(?:docker|podman|helm|skopeo|oc|cf|az)\s(?:\w+\s)?login|twine"
    r"|rabbitmqadmin|psexec|beeline|snowsql": rf"-p\s?{_VALUE}",
    r"sqlcmd|bcp|osql|tsql|mosquitto_(?:pub|sub)|zip|unzip|ipmitool": rf"-P\s?{_VALUE}",
    r"redis-cli|valkey-cli": rf"-a\s{_VALUE}",
    r"plink|pscp|psftp|putty": rf"-pw\s{_VALUE}",
    r"ldap(?:search|modify|add|delete|passwd|whoami|modrdn)": rf"-w\s?{_VALUE}",
    r"smbclient|rpcclient|smbget": rf"-U\s?{_PAIR}",
    r"curl|wget|https?|xh|lftp": rf"(?:-[uaU]|--(?:proxy-)?user|--auth)[ =]?{_PAIR}",
    r"openssl": rf"(?:-pass(?:in|out)?\s[\"']?pass:|-k\s[\"']?)(?P<value>{_BARE})",
    r"htpasswd": rf"-[a-zA-Z]{{0,6}}b[a-zA-Z]{{0,6}}\s\S{{1,200}}\s{_USER}\s{_VALUE}",
    r"rabbitmqctl": rf"(?:add_user|change_password)\s{_USER}\s{_VALUE}",
    r"net": rf"(?:user\s{_USER}|use\s[^\n]{{1,120}}?)\s(?!/){_VALUE}(?=\s/(?:add|user:))",
}
_STDIN = r"[\w.-]+\s[^\n|;]{0,120}?--(?:password|passphrase)-(?:stdin|fd)"
_FED = (
    rf"[\"']?(?:{_USER}:)(?P<value>{_BARE}?)(?:\\n)?[\"']?\s*\|\s*(?:sudo\s+)?chpasswd",
    rf"chpasswd(?:\s+-\S+)*\s*<<<\s*[\"']?{_USER}:(?P<value>{_BARE})",
    rf"(?:echo|printf)\s+(?:-n\s+)?[\"']?(?P<value>{_BARE}?)(?:\\n)?[\"']?\s*\|\s*"
    rf"(?:sudo\s+-\w{{0,4}}S|(?:sudo\s+)?(?:passwd\s+--stdin|{_STDIN}))",
    rf"--pass(?:word|phrase|wd)?[ =]{_VALUE}",
    rf"ConvertTo-SecureString\s+(?:-String\s+)?{_VALUE}",
)
_PATTERNS = (
    *(
        re.compile(rf"(?<![\w.-])(?:{program})(?:\.exe)?\s(?:[^\n|;]{{0,200}}?\s)?{option}")
        for program, option in _COMMANDS.items()
    ),
    *(re.compile(rf"(?<![\w-]){form}") for form in _FED),
)
_STATEMENT = re.compile(
    r"(?<!\w)(?:CREATE|ALTER|GRANT|SET)\s(?:[^;]{0,200}?\s)??(?:"
    r"IDENTIFIED\s+(?:WITH\s+\S{1,40}\s+)?(?P<by>BY|AS)(?:\s+(?:VALUES|PASSWORD))?\s*(?![:@?])"
    rf"|PASSWORD\s*[=(]?\s*(?:PASSWORD\()?(?=[\"'])){_VALUE}",
    re.IGNORECASE,
)
# Calls that take a user and a password: ``auth=("otter", "…")``.
_CALL = re.compile(
    r"(?:PasswordAuthentication|Credentials?|BasicAuth\w{0,16}|basic_auth|(?<!\w)auth|getConnection)"
    r"\s?=?\s?\(\s*(?:[^()\n\"']{1,80},\s*|[\"'][a-z]+:[^\"'\n]{1,200}[\"'],\s*)?[\"'][^\"'\n]{1,64}[\"']\s*,"
    r"\s*(?P<quote>[\"'])(?P<value>[^\"'\n]{3,128})(?P=quote)"
)
# ``host:port:database:user:password`` (libpq, "The Password File").
_PASS_FILE = re.compile(
    r"(?m)^(?:[\w.-]{1,253}|\*):(?P<port>\d{4,5}|\*):(?:[\w.-]{1,64}|\*):[\w.@-]{1,64}:"
    r"(?P<value>[^\s:]{3,128})[ \t]*$"
)
_SALTED = r"[\w./=,+-]{0,80}"
# crypt(5), RFC 2307, Django, Werkzeug, MySQL, PostgreSQL, SAM.
_HASH = re.compile(
    r"(?<![\w$])(?:\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|md5|sha1|P|H|S|argon2(?:id|[id])|scrypt"
    rf"|pbkdf2[\w-]{{0,12}}|bcrypt[\w-]{{0,10}})\$(?:{_SALTED}\$){{0,4}}[A-Za-z0-9./+=]{{20,200}}"
    rf"|(?:pbkdf2|bcrypt|argon2|scrypt)[\w:]{{0,40}}\$(?:{_SALTED}\$){{1,5}}[A-Za-z0-9./+=]{{20,200}}"
    r"|SCRAM-SHA-\d+\$\d+:[\w+/=]{8,80}\$[\w+/=]{20,100}(?::[\w+/=]{20,100})?"
    r"|\*[0-9A-F]{40}(?![\w])|[0-9a-fA-F]{32}:[0-9a-fA-F]{32}(?=:::))"
    r"|\{(?:S?(?:SHA|MD5)(?:256|384|512)?|CRYPT|BCRYPT|ARGON2|PBKDF2[\w-]{0,12})\}[\w./+=$,-]{16,300}"
)


def find_in_commands(text: str) -> Iterator[Detection]:
    """What programs are given as a password, however weak it is."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield from _found(match, quoted=match.groupdict().get("quote") == "'")


def find_in_statements(text: str) -> Iterator[Detection]:
    """Passwords of users in SQL: ``CREATE USER app IDENTIFIED BY '…'``."""
    for match in _STATEMENT.finditer(text):
        if match["quote"] or match["by"] == "BY" or _is_odd(match["value"]):
            yield from _found(match, quoted=False)


def find_in_calls(text: str) -> Iterator[Detection]:
    """What stands behind a user's name in a call that logs in."""
    for match in _CALL.finditer(text):
        yield from _found(match, quoted=True)


def find_in_pass_files(text: str) -> Iterator[Detection]:
    """Lines of ``.pgpass``."""
    for match in _PASS_FILE.finditer(text):
        if match["port"] in ("*", "5432") or _is_odd(match["value"]):
            yield from _found(match, quoted=False)


def _found(match: re.Match[str], *, quoted: bool) -> Iterator[Detection]:
    if not is_no_secret(match["value"], quoted=quoted):
        yield Detection("PASSWORD", *match.span("value"), SCORE, RECOGNISER)


def _is_odd(value: str) -> bool:
    return looks_generated(value) or is_compound(value)


RECOGNISERS = (
    Recogniser(
        RECOGNISER,
        (
            r"\b(?:mysql|mariadb|mycli|xtrabackup|7z|rar\s|unrar|mongo|login|twine|rabbitmq|psexec"
            r"|beeline|snowsql|sqlcmd|bcp\s|osql|tsql|mosquitto_|ipmitool|redis-cli|valkey-cli"
            r"|plink|pscp|psftp|putty|ldap[a-z]|smbclient|rpcclient|smbget|wget|https?\s|xh\s|lftp"
            r"|openssl|htpasswd|net(?:\.exe)?\suse)|curl|sshpass|zip\s[^\n]{0,200}-p",
            r"chpasswd|--pass|--stdin|-stdin|sudo\s-|securestring",
        ),
        find_in_commands,
    ),
    Recogniser(
        RECOGNISER,
        (r"identified\s|(?:create|alter|set)\s[^;]{0,200}password\s{0,3}[=(]?\s{0,3}[\"'p]",),
        find_in_statements,
    ),
    Recogniser(RECOGNISER, (r"(?:auth\w*|credentials?|connection)\s?=?\s?\(",), find_in_calls),
    Recogniser(RECOGNISER, (r":(?:\d{4,5}|\*):[^\s:]+:[^\s:]+:",), find_in_pass_files),
    Recogniser(
        "password_hash",
        (
            r"\$[\w-]{1,16}\$",
            r"(?:pbkdf2|scrypt|argon2|bcrypt)",
            r"scram-sha",
            r"\*[0-9a-f]{40}",
            r"\}[\w./+]{16}",
            r"[0-9a-f]{32}:::",
        ),
        matches("PASSWORD", "password_hash", _HASH, 0.9),
    ),
)
