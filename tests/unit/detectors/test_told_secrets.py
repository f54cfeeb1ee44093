"""A secret told in a sentence is hidden in every language; a sentence about secrets stays."""

import json
from itertools import product

import pytest

from detectors.engine import Detector
from detectors.recognisers.told_secrets import find_told_secrets
from detectors.settings import DetectorSettings

GENERATED = ["Otter-Lake!5821", "walrus58", "pinkY4fox", "q7Vd2LxT9b", "Herbst2031?x"]
JOINED = ["purple-canoe-lantern"]
PLAIN = ["rumpelfish", "opensezme"]
# A plain word is taken for a secret in the first list only.
UNMISTAKABLE = """
My password is {}.
My new password is now {}.
I changed my password to {} yesterday.
I have set the password to {}.
Set my cinema password to {}.
Password reset to {} by the help desk.
The wifi password at home is {}
The password for the printer was {}.
password: {}
The password of the garden gate reads {}.
Use {} as the password for the tablet.
Take {} as your new password.
Mein Passwort ist {}.
Das WLAN-Passwort zu Hause lautet {}
Das Passwort vom Drucker lautet jetzt {}.
Mein neues Kennwort heißt {}
Passwort: {}
Nimm {} als Passwort.
Mon mot de passe est {}.
Le mot de passe du wifi est {}
Utilise {} comme mot de passe.
Mi contraseña es {}.
La contraseña del wifi es {}
Usa {} como contraseña.
La mia password è {}.
Usa {} come password.
A minha senha é {}.
A senha do wifi é {}
Mijn wachtwoord is {}.
Gebruik {} als wachtwoord.
我的密码是{}。
密码改成{}了
パスワードは{}です。
パスワードを{}に変更しました。
제 비밀번호는 {}입니다.
""".strip().split("\n")
AMBIGUOUS = """
The password changed from {} to something else.
password {}
My password used to be {}
The cellar password would be {}
My hint is the kettle and the password {}.
Log in with admin and {}.
Log in as admin with password {}.
My login is admin / {}
credentials are admin and {}
creds: admin {}
user admin, pass {}
admin:{}
Ich habe mein Passwort auf {} geändert.
Passwort {}
Zugangsdaten: admin / {}
J'ai changé mon mot de passe en {}.
Cambié mi contraseña a {}.
La clave del wifi es {}
Ho cambiato la password in {}.
Ik heb mijn wachtwoord veranderd in {}.
Mudei minha senha para {}.
Moje hasło to {}.
Mitt lösenord är {}.
Мой пароль {}.
Şifrem {}.
we rotated the db password, it's now {}
Is that my bank password? It's {}
{} is the password for my laptop
The password I use everywhere is {}.
username: bob password: {}
Ich nutze {} als Passwort für alles.
{} ist mein Passwort.
Passwort geändert: {}
Melde dich mit admin und {} an.
Mon mot de passe, c'est {}
{} est mon mot de passe.
Connecte-toi avec admin et {}.
{} es mi contraseña.
Ho impostato la password su {}.
{} è la mia password
{} é a minha senha
{} is mijn wachtwoord
我把密码改成了{}
我用{}当密码
""".strip().split("\n")
KEYS = ["3f9ac27be01d4586", "k7Qd-91xLw_20vTz"]
OF_KEYS = """
I changed the api key to {} today.
Our subscription-key is {}.
The stripeKey for billing is {}.
use "{}" as the client_secret
Der API-Schlüssel lautet {}.
La clé API est {}.
La clave de API es {}.
""".strip().split("\n")
NAMES = ["dbPassword", "WLAN-Schlüssel", "wachtwoord", "contraseña", "пароль", "API key", "apiKey"]
PLACES = {
    "csv": "host,{}\ndb1,{}\n",
    "csv, first": "{},host\n{},db1\n",
    "semicolons": "host;{}\ndb1;{}\n",
    "quoted cells": 'host,"{}"\n"d,b1","{}"\n',
    "tabs": "host\t{}\ndb1\t{}\n",
    "table": "| host | {} |\n|---|---|\n| db1 | {} |\n",
    "definition": "<dt>{}</dt><dd>{}</dd>",
    "row": "<tr><th>{}:</th><td><code>{}</code></td></tr>",
    "property list": "<key>{}</key>\n  <string>{}</string>",
    "next line": "{}\n{}\n",
    "line after a blank one": "## {}\n\n`{}`\n",
}
STATES = {
    "The password is {}.": "wrong expired forgotten rejected required stolen written broken pending"
    " case-sensitive optional readable random rotated",
    "The password for the tablet was {} yesterday.": "changed refused accepted printed leaked",
    "Das Passwort ist {}.": "abgelaufen vergessen falsch gesperrt zurückgesetzt geheim",
    "Mon mot de passe est {}.": "oublié expiré refusé incorrect perdu trop faible changée",
    "Mi contraseña es {} corta.": "demasiado muy",
    "Mi contraseña está {}.": "olvidada caducada compartida",
    "La mia password è {}.": "scaduta dimenticata sbagliata debole",
    "A senha é {}.": "fraca compartilhada esquecida",
    "Mijn wachtwoord is {}.": "verlopen vergeten gewijzigd kwijt",
    "Reset your password to {}.": "continue proceed unlock",
    "password: {} for user 23": "mismatch failure attempt rejected check",
    "Passwort: {} im Tresor": "siehe liegt",
    "mot de passe : {} le coffre": "voir demander",
    "contraseña: {} a la oficina": "preguntar pedir",
    "wachtwoord: {} kluis": "zie",
    "password {}": "manager reset policies hint",
    "Use {} as the password hash.": "bcrypt argon2id scrypt",
    "I reset my password on {}.": "server22 node-3 iPhone15 Windows11 2026-11-29",
    "{}": "admin:read user:email root:x:0:0 test:unit guest:1000",
}
PAGES = ["next_token", "nextPageToken", "page_token", "continuation-token", "sync_token", "cursor"]
PLACES_IN_LISTS = ["eyJvZmZzZXQiOjQwMH0", "CBQQAB", "Zm9yd2FyZDo0MDA1MTIzNA9x"]
PATHS = ["/srv/shop", "/home/dev/shop", "/app", "./shop", "C:\\\\work\\\\shop"]
CODE = """
JWT is header.payload.signature, each part base64url.
pin: GPIO27
pin: PA5
"integrity": "sha512-5Rth85cXwGFHfvRgZWszZSvdo+0Xsqmw8k8ZwxScfcBneNUraK+dxR5sLE7ZCLlw=="
digest: sha256-TFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc=
run_xyz987ABC654jkl321 has finished
const form = y.object({ password: y.string().min(10), token: y.string().nullable() });
API_KEY = settings["api_key"]
PASSWORD = input("Password: ")
DB_PASSWORD=${DB_PASSWORD:?unset}
kubectl create secret generic web --from-file=password=./secret.txt
Password string `json:"password"`
interface Login { apiKey: string; password: string | null }
password_hash varchar(200) not null,
api_key char(36),
token text default ''
<form><label>Password</label><input type="password" name="pwd"><button>Go</button></form>
<input type="password" name="password" placeholder="Password">
<tr><th>Password</th><th>Role</th></tr>
| Method | Password | Token |\\n|---|---|---|\\n| REST | optional | bearer |
username\\npassword\\nemail
$ pwd\\n/srv/shop
def login(user, password):\\n    check(user, password)
SELECT name, password\\nFROM people, roles
Enter name, password\\nThen, continue
{"kty": "RSA", "e": "AQAB", "use": "sig"}
My password manager is Bitwarden2024.
I set my password manager to German.
Set the pin of the chart to top-left-corner.
Log in with SSO and MFA-2024 rules.
The login and password pages moved to v2.3.1.
token bucket size is 50req/s
Das Passwort ist seit 2019 dasselbe.
secret santa is on Dec24th
Her secret ingredient is vitaminB12.
Passwort auf Wunsch geändert am 12.03.2026.
The jwt is signed with RS256.
The most common password is a number.
密码是必填的。
パスワードはbcryptで保存します。
비밀번호는 admin 페이지에서 바꿉니다.
""".strip().split("\n")
TYPES = [
    "string",
    "str",
    "number",
    "z.string()",
    "String?",
    "text",
    "varchar(80)",
    "Optional[str]",
    "SecretStr",
]
DECLARED = [
    "password: {}",
    "apiKey: {},",
    "secret?: {};",
    "  client_secret: {} = None",
    "token: {}",
]

OF_SECRETS = [
    "password",
    "DB_PASSWORD",
    "apiKey",
    "client-secret",
    "Kennwort",
    "contraseña",
    "refresh_token",
]
NO_VALUES = [
    "${VALUE}", "${VALUE:?unset}", "{{ value }}", "<redacted>", "********", "None", "null",
    "required", "os.environ['VALUE']", "getenv('VALUE')", "config.value", "settings['value']",
    "/run/secrets/value", "./value.txt", "z.string().min(10)", "string",
]  # fmt: skip
JOINED_BY = ["{} = {}", "{}: {}", "{}={}", "  {}: {},"]


@pytest.fixture(scope="module")
def detector() -> Detector:
    """Patterns alone."""
    return Detector(DetectorSettings(tier="structured"))


def _stays(detector: Detector, rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The forms whose value was not found whole, with it."""
    texts = [form.format(value) for form, value in rows]
    return [
        (form, value)
        for (form, value), text, analysis in zip(rows, texts, detector.analyse(texts), strict=True)
        if not any(
            found.start <= text.index(value)
            and text.index(value) + len(value.rstrip("?!")) <= found.end
            for found in analysis.detections
        )
    ]


def test_a_password_told_in_a_sentence_is_hidden(detector: Detector) -> None:
    """Whatever the language and the words; a plain word where nothing else can be meant."""
    rows = [
        *product(UNMISTAKABLE, GENERATED + JOINED + PLAIN),
        *product(AMBIGUOUS, GENERATED + JOINED),
    ]
    assert _stays(detector, rows) == []


def test_a_key_told_in_a_sentence_is_hidden(detector: Detector) -> None:
    """Keys look generated, and so need no other sign."""
    assert _stays(detector, [*product(OF_KEYS, KEYS)]) == []


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_below_or_beside_its_name_is_hidden(detector: Detector, place: str) -> None:
    """In a column, in the next element, on the next line."""
    form = PLACES[place]
    rows = [(form.replace("{}", name, 1), "q7Vd2LxT9b58wE3k") for name in NAMES]
    assert _stays(detector, rows) == []


def test_what_is_said_about_secrets_stays(detector: Detector) -> None:
    """States, places in lists, paths, digests, types, code and the heads of tables."""
    texts = [form.format(word) for form, words in STATES.items() for word in words.split()]
    texts += [f"{name}={value}" for name, value in product(PAGES, PLACES_IN_LISTS)]
    texts += [json.dumps({name: value}) for name, value in product(PAGES, PLACES_IN_LISTS)]
    texts += [f"{name}: {value}" for name, value in product(PAGES, PLACES_IN_LISTS)]
    texts += [f"{name}={path}" for name, path in product(["PWD", "OLDPWD", "pwd"], PATHS)]
    texts += [f'{{"pwd": "{path}"}}' for path in PATHS]
    texts += [form.format(kind) for form, kind in product(DECLARED, TYPES)]
    texts += [form.format(*row) for form, *row in product(JOINED_BY, OF_SECRETS, NO_VALUES)]
    texts += [text.replace("\\n", "\n") for text in CODE]
    analyses = detector.analyse(texts)
    secrets = {"PASSWORD", "API_KEY", "PRIVATE_KEY"}
    found = [
        (text, each.text)
        for text, analysis in zip(texts, analyses, strict=True)
        for each in analysis.detections
        if each.entity_type in secrets
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ssh user:web@host", []),
        ("admin:ops@db.example", []),
        ("root:Sommer31!@db", ["Sommer31!@db"]),
        ("admin:Quay7!moor", ["Quay7!moor"]),
    ],
)
def test_who_is_where_is_no_password(text: str, found: list[str]) -> None:
    told = [text[one.start : one.end] for one in find_told_secrets(text)]

    assert told == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("token signing-key-2025", []),
        ("The token signing-key-2025 expired", []),
        ("rotate the api key staging_token_v2 soon", []),
        ("token hunter2-falk-88", ["hunter2-falk-88"]),
        ("The token sk-signing-4417 expired", ["sk-signing-4417"]),
        ("the password is now reset-key-2024", ["reset-key-2024"]),
    ],
)
def test_what_a_key_is_called_is_no_key(text: str, found: list[str]) -> None:
    """Words of keys with a year or version; people do choose passwords like it."""
    told = [text[one.start : one.end] for one in find_told_secrets(text)]

    assert told == found
