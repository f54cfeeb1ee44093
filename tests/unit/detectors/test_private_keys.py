"""A private key goes as a whole, whatever kind it is and however its line breaks are written."""

import base64
import json
import textwrap
from collections.abc import Callable
from functools import cache

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

PKCS8, TRADITIONAL, OPENSSH = (
    PrivateFormat.PKCS8,
    PrivateFormat.TraditionalOpenSSL,
    PrivateFormat.OpenSSH,
)
Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
KINDS: dict[str, tuple[Callable[[], Key], PrivateFormat]] = {
    "rsa": (lambda: rsa.generate_private_key(65537, 2048), PKCS8),
    "rsa-pkcs1": (lambda: rsa.generate_private_key(65537, 2048), TRADITIONAL),
    "rsa-openssh": (lambda: rsa.generate_private_key(65537, 2048), OPENSSH),
    "ec": (lambda: ec.generate_private_key(ec.SECP256R1()), PKCS8),
    "ec-384": (lambda: ec.generate_private_key(ec.SECP384R1()), PKCS8),
    "ec-sec1": (lambda: ec.generate_private_key(ec.SECP256R1()), TRADITIONAL),
    "ed25519": (ed25519.Ed25519PrivateKey.generate, PKCS8),
    "ed25519-openssh": (ed25519.Ed25519PrivateKey.generate, OPENSSH),
}
PROTECTED = ("rsa", "rsa-pkcs1", "ec")


@cache
def pem(kind: str) -> str:
    """A key of that kind, made for this run; ``…-protected`` under a passphrase."""
    make, form = KINDS[kind.removesuffix("-protected")]
    guard: KeySerializationEncryption = NoEncryption()
    if kind.endswith("-protected"):
        guard = BestAvailableEncryption(b"x1")
    return make().private_bytes(Encoding.PEM, form, guard).decode()


def body(text: str) -> list[str]:
    """The base64 lines of a PEM text."""
    return [line for line in text.split("\n") if line and "-" not in line and ":" not in line]


def _broken(sign: str) -> Callable[[str], str]:
    return lambda text: text.replace("\n", sign)


def _indented(prefix: str) -> Callable[[str], str]:
    return lambda text: f"see below\n{textwrap.indent(text, prefix)}thanks"


FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "crlf": _broken("\r\n"),
    "one line": _broken(" "),
    "no breaks": _broken(""),
    "escaped": _broken("\\n"),
    "escaped twice": _broken("\\\\n"),
    "escaped crlf": _broken("\\r\\n"),
    "escaped points": _broken("\\u000a"),
    "html": _broken("<br>\n"),
    "setting": lambda text: f'KEY="{_broken(chr(92) + "n")(text)}"',
    "service account": lambda text: json.dumps(
        {"type": "service_account", "private_key": text, "client_id": "1"}, indent=2
    ),
    "json in json": lambda text: json.dumps({"note": json.dumps({"k": text})}),
    "escaped slashes": lambda text: json.dumps({"k": text}).replace("/", "\\/"),
    "quoted mail": _indented("> "),
    "quoted twice": _indented("> > "),
    "table": _indented("| "),
    "comment": _indented("# "),
    "code comment": _indented("// "),
    "items": _indented("- "),
    "yaml": _indented("      "),
    "json list": lambda text: json.dumps(text.split("\n")),
    "long json list": lambda text: json.dumps({"lines": text.split("\n")}, indent=4),
    "python list": lambda text: 'key = ["' + "'\",\n'\"".join(text.split("\n")) + '"]',
    "added strings": lambda text: '"' + '\\n" +\n    "'.join(text.split("\n")) + '"',
    "spaced dashes": lambda text: text.replace("-----BEGIN", "----- BEGIN"),
    "long dashes": lambda text: text.replace("-----", "—–-"),
    "no end": lambda text: "\n".join(text.split("\n")[:-2]),
    "no end, escaped": lambda text: "k: " + "\\n".join(text.split("\n")[:-2]) + '"}',
    "no end, quoted": lambda text: textwrap.indent("\n".join(text.split("\n")[:-2]), "> "),
    "no begin": lambda text: "\n".join(text.split("\n")[1:]),
    "no begin, escaped": lambda text: "\\n".join(text.split("\n")[1:]),
    "lines only": lambda text: "\n".join(body(text)),
    "lines only, escaped": lambda text: "\\n".join(body(text)),
    "lines only, quoted": lambda text: textwrap.indent("\n".join(body(text)), "> "),
    "lines of 76": lambda text: "\n".join(textwrap.wrap("".join(body(text)), 76)),
    "one long line": lambda text: f'k = "{"".join(body(text))}"',
}


CASES = [
    (form, kind)
    for form in FORMS
    for kind in [*KINDS, *(f"{kind}-protected" for kind in PROTECTED)]
    # Encrypted through and through: without its frame nothing shows what it is.
    if kind != "rsa-pkcs1-protected" or not form.startswith(("lines", "one long"))
]


@pytest.mark.parametrize(("form", "kind"), CASES)
def test_nothing_of_a_key_stays(
    form: str, kind: str, values_of: Callable[[str, str], list[str]]
) -> None:
    """Every line of the key lies in what is taken for a private key."""
    key = pem(kind)
    text = FORMS[form](key)
    for found in values_of("PRIVATE_KEY", text):
        text = text.replace(found, "")
    left = text.replace("\\/", "/")
    assert [line for line in body(key) if line in left or line[:16] in left] == []


def _public(text: str) -> list[str]:
    key = rsa.generate_private_key(65537, 2048).public_key()
    point = ec.generate_private_key(ec.SECP256R1()).public_key()
    return [
        key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
        key.public_bytes(Encoding.PEM, PublicFormat.PKCS1).decode(),
        point.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
        key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode(),
        text,
    ]


HARMLESS = [
    *_public("MIIC certificates are long"),
    base64.encodebytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 2).decode(),
    base64.encodebytes(b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256)) * 2).decode(),
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQ\n",
    "Store the private key in the vault and rotate it.",
    "The PRIVATE KEY of the load balancer ends in May.",
    "Managementinformationssystem und Donaudampfschiff",
]


@pytest.mark.parametrize("text", HARMLESS, ids=lambda text: text[:32])
def test_what_is_no_private_key_is_none(
    text: str, values_of: Callable[[str, str], list[str]]
) -> None:
    """Public keys, certificates, images and talk about keys are no private keys."""
    assert values_of("PRIVATE_KEY", text) == []


def test_what_stands_around_a_key_stays(values_of: Callable[[str, str], list[str]]) -> None:
    """Only the key is taken: not the sentence before, the member behind, or the next paragraph."""
    for form in ("setting", "service account", "quoted mail", "no end"):
        text = f"Keep this safe.\n{FORMS[form](pem('ec'))}\nSee you on the quay, the boat leaves."
        left = text
        for found in values_of("PRIVATE_KEY", text):
            left = left.replace(found, "…")
        assert left.startswith("Keep this safe.")
        assert left.endswith("See you on the quay, the boat leaves.")


WEB_KEY = {"kty": "RSA", "n": "x4n2Qz" * 20, "e": "AQAB", "kid": "2031-a"}
PRIVATE = {member: f"tern-wharf_oslo-{member * 4}" for member in ("d", "p", "q", "dp", "dq", "qi")}


@pytest.mark.parametrize("nested", [False, True])
def test_the_private_members_of_a_web_key_are_taken(
    values_of: Callable[[str, str], list[str]], nested: bool
) -> None:
    """In a set and in a string of JSON; the public members stay, and so does what has no type."""
    text = json.dumps({"keys": [WEB_KEY | PRIVATE, {"kty": "oct", "k": "tern-wharf_oslo-4"}]})
    text = json.dumps({"file": text}) if nested else text
    assert values_of("PRIVATE_KEY", text) == [*PRIVATE.values(), "tern-wharf_oslo-4"]
    assert values_of("PRIVATE_KEY", json.dumps(WEB_KEY)) == []
    assert values_of("PRIVATE_KEY", json.dumps(PRIVATE)) == []
