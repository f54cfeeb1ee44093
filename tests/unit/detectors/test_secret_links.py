"""Cookies of a session, signatures of links, keys of wallets and networks' passwords are hidden."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from detectors.engine import Detector
from detectors.settings import DetectorSettings

SECRETS = {"PASSWORD", "API_KEY", "PRIVATE_KEY"}
OPENS = "7e2j1i6g8d0s3a5p9oqk"
NAMES_OF_COOKIES = """
sessionid session_id sid connect.sid PHPSESSID JSESSIONID ASP.NET_SessionId ASPSESSIONIDABCD
laravel_session _shop_session __Host-session auth_token SSID SAPISID remember_token _gh_sess
user_session .AspNetCore.Cookies cf_clearance li_at wordpress_logged_in_1a jwt
__Secure-next-auth.session-token
"""
COOKIES = NAMES_OF_COOKIES.split()
IN_COOKIES = [
    "Cookie: theme=dark; {}={}; lang=de",
    "Set-Cookie: {}={}; Path=/; HttpOnly",
    "curl -b '{}={}' https://shop.example.org",
    'document.cookie = "{}={}"',
    'cookies = {{"{}": "{}"}}',
]
NAMED_BY_FRAMEWORKS = COOKIES[3:7] + COOKIES[8:9]
LINKS = """
https://shop.blob.core.example.org/c?sv=2023-01-03&sig={}%3D%3D
https://shop.s3.example.org/k?X-Amz-Signature={}
https://storage.example.org/k?X-Goog-Algorithm=a&X-Goog-Signature={}
https://cdn.example.org/k?Expires=1&Signature={}&Key-Pair-Id=K2
AccountName=shop;SharedAccessSignature=sv=2023-01-03&sp=rl&sig={}%3D
Authorization: AWS4-HMAC-SHA256 Credential=X/1, SignedHeaders=host, Signature={}
X-Amz-Security-Token={}
""".strip().split("\n")
SIGNED = "3e1a8b6c0d4e7f50627182a3b4c5d6e7f80a"
CHAIN = "0x4b404ec321ba40027acf98bb4e7b309cc3b0d103de73afec0ad05cfa0a11959f"
NETWORKS = [
    "wifi: {}",
    "WLAN: {}",
    "Wi-Fi = {}",
    "wifi: RowanNet / {}",
    "WIFI:S:RowanNet;T:WPA;P:{};;",
]
STAYS = f"""
tx {CHAIN} confirmed
The transaction hash is {CHAIN}
"blockHash": "{CHAIN}"
https://scan.example.org/tx/{CHAIN}
bytes32 constant ROLE = {CHAIN}
topics: ["{CHAIN}"]
sha256 {CHAIN[2:]}
{CHAIN[2:]}
0x7fff5fbff8c0 is an address of memory
3045022100{CHAIN[2:]}02201a{CHAIN[2:]}
3082010a0282010100{CHAIN[2:]}{CHAIN[2:]}
Public-Lines: 1
kill -s sig=SIGTERM 1
https://shop.example.org/?signature=required&sig=3
The signature=valid flag
Cookie: theme=dark; lang=de; consent=2026-11-29
Set-Cookie: session=; Max-Age=0
Set-Cookie: session=deleted; Expires=Thu, 01 Jan 1970 00:00:00 GMT
Cookie: _ga=GA1.2.1234567890.1612345678; cart=12
A cookie recipe: sugar=200g; token=none
cookies: sessionid, csrftoken
cookie: session=<value>
sort -b file1234 out5678
wifi: off
wifi: 802.11ac
wifi: 2.4GHz
WLAN: FRITZ!Box 7590
wifi: Vodafone-1A2B
wifi: wpa2-psk
wifi: -67dBm
wifi: 300Mbps
wifi: connected to RowanNet
wifi: RTL8821CE
wlan: wlan0
WLAN: eduroam
The JSESSIONID cookie is set by Tomcat
PHPSESSID is the default name
session_id: sess_42
""".strip().split("\n")


@pytest.fixture(scope="module")
def detector() -> Detector:
    """Patterns alone."""
    return Detector(DetectorSettings(tier="structured"))


def _left(detector: Detector, texts: list[str], secret: str) -> list[str]:
    """The texts in which some of the secret would stay."""
    left = []
    for text, analysis in zip(texts, detector.analyse(texts), strict=True):
        found = [each.text for each in analysis.detections if each.entity_type in SECRETS]
        if not any(secret in each for each in found):
            left.append(text)
    return left


def test_a_cookie_of_a_session_is_hidden(detector: Detector) -> None:
    """By every usual name, in headers, commands and code."""
    texts = [form.format(name, OPENS) for form in IN_COOKIES for name in COOKIES]
    texts += [f"{name}={OPENS}" for name in NAMED_BY_FRAMEWORKS]
    texts += [f'{{"{name}": "{OPENS}"}}' for name in NAMED_BY_FRAMEWORKS]
    assert _left(detector, texts, OPENS) == []


def test_the_signature_of_a_link_is_hidden(detector: Detector) -> None:
    """Whoever has it may read what the link leads to."""
    assert _left(detector, [link.format(SIGNED) for link in LINKS], SIGNED) == []


@pytest.mark.parametrize("value", ["Otter9xLake", "otter-canoe-lantern"])
def test_the_password_of_a_network_is_hidden(detector: Detector, value: str) -> None:
    """Behind nothing but the network's kind."""
    assert _left(detector, [form.format(value) for form in NETWORKS], value) == []


def test_a_private_key_in_hexadecimal_digits_is_hidden(detector: Detector) -> None:
    """DER of every kind, in one row, in pairs, in lines; and the number that a wallet keeps."""
    keys = (
        ec.generate_private_key(ec.SECP256R1()),
        rsa.generate_private_key(65537, 2048),
    )
    formats = (PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL)
    rows = [
        key.private_bytes(Encoding.DER, form, NoEncryption()) for key in keys for form in formats
    ]
    edwards = ed25519.Ed25519PrivateKey.generate()
    rows.append(edwards.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
    for row in rows:
        digits = row.hex()
        lines = "\n".join(digits[at : at + 64] for at in range(0, len(digits), 64))
        for said in (digits, digits.upper(), row.hex(":"), row.hex(" "), lines):
            assert _left(detector, [f"key {said}"], said) == []
    assert _left(detector, [CHAIN, f"my wallet {CHAIN}"], CHAIN) == []


def test_the_private_lines_of_a_putty_key_are_hidden(detector: Detector) -> None:
    """Also where the end of the file is missing or was shortened."""
    secret = "mQ4xW7vT2kJ8sZ9nB6yR3pL5cH1dF0gA8uE2iO7tS4vX"
    part = f"Private-Lines: 1\n{secret}"
    whole = f"PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nAAAAC3\n{part}\nPrivate-MAC: ab1"
    assert _left(detector, [part, whole], secret) == []


def test_what_opens_nothing_stays(detector: Detector) -> None:
    """Hashes of transactions, public keys, settings of cookies, names of networks."""
    found = [
        (text, each.text)
        for text, analysis in zip(STAYS, detector.analyse(STAYS), strict=True)
        for each in analysis.detections
        if each.entity_type in SECRETS
    ]
    assert found == []
