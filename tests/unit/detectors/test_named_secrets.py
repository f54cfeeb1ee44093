"""A value behind a secret's name is a secret, whatever notation joins the two; nothing else is."""

import json
from collections.abc import Callable

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

PASSWORDS = [
    "password", "passwd", "db_password", "dbPassword", "db-password", "DB_PASSWORD_PROD", "pwd",
    "passphrase", "PASSWORT", "Kennwort", "contraseña", "mot_de_passe", "senha", "wachtwoord",
    "user_pass", "mdp",
]  # fmt: skip
KEYS = [
    "api_key", "apiKey", "api-key", "x-api-key", "client_secret", "clientSecret", "access_token",
    "accessToken", "refresh_token", "auth_token", "private_token", "secret_key", "secretKey",
    "encryption_key", "signing_key", "webhook_secret", "aws_secret_access_key", "clave_api",
]  # fmt: skip
LOOSE = ["pass", "pin", "token", "secret", "auth", "clave", "session_key"]
NOTATIONS: dict[str, Callable[[str, str], str]] = {
    "json": lambda name, value: json.dumps({"host": "a", name: value, "n": 1}, ensure_ascii=False),
    "json twice": lambda name, value: json.dumps({"j": json.dumps({name: value})}),
    "json thrice": lambda name, value: json.dumps(json.dumps({"j": json.dumps({name: value})})),
    "json indented": lambda name, value: json.dumps({name: value, "host": "a"}, indent=2),
    "name and value": lambda name, value: json.dumps({"name": name, "type": "x", "value": value}),
    "python": lambda name, value: f"{{'{name}': '{value}', 'n': 1}}",
    "keyword": lambda name, value: f"client = Client({name}='{value}')",
    "index": lambda name, value: f"settings['{name}'] = '{value}'",
    "ruby": lambda name, value: f":{name} => '{value}',",
    "typed": lambda name, value: f"const {name}: string = '{value}'",
    "call": lambda name, value: f'cfg.{name}("{value}")',
    "define": lambda name, value: f"define('{name}', '{value}');",
    "env": lambda name, value: f"export {name.upper()}={value}",
    "toml": lambda name, value: f'{name} = "{value}"',
    "ini": lambda name, value: f"[db]\n{name}={value}",
    "yaml": lambda name, value: f"db:\n  {name}: {value}\n  host: a",
    "yaml block": lambda name, value: f"{name}: |\n  {value}\nhost: a",
    "kubernetes": lambda name, value: f"- name: {name}\n  value: {value}",
    "next line": lambda name, value: f"{name}:\n{value}",
    "xml": lambda name, value: f"<cfg><{name}>{value}</{name}></cfg>",
    "cdata": lambda name, value: f"<a:{name} x='1'><![CDATA[{value}]]></a:{name}>",
    "attribute": lambda name, value: f'<db {name}="{value}"/>',
    "xml add": lambda name, value: f'<add key="{name}" value="{value}"/>',
    "xml entry": lambda name, value: f'<entry key="{name}">{value}</entry>',
    "table": lambda name, value: f"| {name} | {value} |\n|---|---|\n",
    "tabs": lambda name, value: f"{name}\t{value}",
    "bold": lambda name, value: f"- **{name}:** {value}",
    "option": lambda name, value: f"run --{name} {value} --verbose",
    "query": lambda name, value: f"https://api.example.org/x?{name}={value}&y=1",
    "connection": lambda name, value: f"Server=x;{name}={value};Database=z",
    "header": lambda name, value: f"X-{name.title()}: {value}",
    "curled quotes": lambda name, value: f"{name}: “{value}”",
}
WEAK = {
    "PASSWORD": ["Blue-Kettle!4706", "swordfish"],
    "API_KEY": ["3f9ac27be01d4586", "k-Tern_41.x"],
}
HARMLESS = """
password: required
{"password": {"type": "string", "description": "The password of the account"}}
{"password": true, "token": null, "secret": false}
{"password": ""}
{"password": "********", "api_key": "<redacted>", "token": "[api_key]"}
{"password": "string", "email": "string"}
{"password": "Enter your password"}
{"password": "Mot de passe oublié"}
{"token": "https://auth.example.org/token"}
{"max_tokens": 512, "temperature": 0.2}
{"token": "cat", "pos": "NOUN"}
{"auth": "oauth2"}
{"pin": 17, "mode": "out"}
token_count = 12000
pass: 12 tests
pin: top left
key: value
author: Cormorant Press
password: ${DB_PASSWORD}
password = os.environ["DB_PASSWORD"]
password = config.password
password = getpass()
api_key: str | None = None
token = get_token()
password VARCHAR(255) NOT NULL,
| name | password | role |
| password | required |
<password></password>
<xs:element name="password" type="xs:string"/>
required: ["username", "password", "email"]
--password-file /run/secrets/db
POSTGRES_PASSWORD_FILE=/run/secrets/pg
min_password_length=12
secretName: db-credentials
password:\\n  type: string\\n  minLength: 8
auth:\\n  type: oauth2\\n  flow: implicit
primary_key = user_id
public_key: ssh
monkey: banana
mountain pass: closed
render_pass: shadow
compass: north
pad_token = "<pad>"
token_type: bearer
credentials: same-origin
the password is wrong
The password policy asks for fourteen characters.
The API key goes into the header.
@param password the password to check
Das Passwort ist falsch.
Passwort: erforderlich
Kennwort: bitte ändern
Der Schlüssel liegt unter der Matte.
Das Geheimnis ist gute Butter.
Le mot de passe est incorrect.
mot de passe : obligatoire
La clé est sous le tapis.
La contraseña debe tener doce caracteres.
contraseña: obligatoria
La clave está en la paciencia.
""".strip().split("\n")


@pytest.fixture(scope="module")
def detector() -> Detector:
    """Patterns alone."""
    return Detector(DetectorSettings(tier="structured"))


def _hidden(detector: Detector, texts: list[str]) -> list[str]:
    """The texts without what was found."""
    left = []
    for text, analysis in zip(texts, detector.analyse(texts), strict=True):
        for found in reversed(analysis.detections):
            text = text[: found.start] + "[]" + text[found.end :]
        left.append(text)
    return left


@pytest.mark.parametrize("notation", NOTATIONS)
def test_no_value_behind_a_secrets_name_stays(detector: Detector, notation: str) -> None:
    """A name that says it clearly hides every value; one of many meanings what looks like one."""
    write = NOTATIONS[notation]
    rows = [(name, value) for name in PASSWORDS for value in WEAK["PASSWORD"]]
    rows += [(name, value) for name in KEYS for value in WEAK["API_KEY"]]
    rows += [(name, "4706" if name == "pin" else "Blue-Kettle!4706") for name in LOOSE]
    left = _hidden(detector, [write(name, value) for name, value in rows])
    assert [row for row, text in zip(rows, left, strict=True) if row[1] in text] == []


def test_what_only_looks_like_a_name_with_a_value_stays(detector: Detector) -> None:
    """Switches, types, placeholders, references, code, counts, and sentences in four languages."""
    texts = [text.replace("\\n", "\n") for text in HARMLESS]
    analyses = detector.analyse(texts)
    secrets = {"PASSWORD", "API_KEY"}
    found = [
        (text, each.text)
        for text, analysis in zip(texts, analyses, strict=True)
        for each in analysis.detections
        if each.entity_type in secrets
    ]
    assert found == []


def test_the_notation_around_a_value_stays(detector: Detector) -> None:
    """Quotes, marks, further names and their values are no part of the secret."""
    texts = [
        '{"host": "a", "password": "Blue-Kettle!4706", "n": 1}',
        "Server=x;pwd=Blue-Kettle!4706;Database=z",
        "user=a&api_key=3f9ac27be01d4586&y=1",
        "{'passwd': 'grey tulip ocean', 'host': 'a'}",
        "<pwd>Blue-Kettle!4706</pwd>",
        "db:\n  password: Ab,c4'706\n  host: a",
    ]
    assert _hidden(detector, texts) == [
        '{"host": "a", "password": "[]", "n": 1}',
        "Server=x;pwd=[];Database=z",
        "user=a&api_key=[]&y=1",
        "{'passwd': '[]', 'host': 'a'}",
        "<pwd>[]</pwd>",
        "db:\n  password: []\n  host: a",
    ]
