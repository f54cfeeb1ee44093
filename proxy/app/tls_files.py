"""Whether the files of ``listen.tls`` can be read and fit each other, and until when they hold."""

import ssl
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from proxy.app.listeners import context
from proxy.config.schema import Tls

_NO_CERTIFICATE = "it is no PEM file with a certificate that can be read"
_NO_KEY = "it is no PEM file with a private key that can be read"
_ENCRYPTED = "the key is encrypted, and nobody is there to type its passphrase"
_OTHER_KEY = "it is not the key of listen.tls.certificate"


def mistakes(tls: Tls) -> Iterator[tuple[str, str]]:
    """What keeps a listener from speaking TLS: the setting, and what is wrong with its file."""
    chain, key = _certificates(tls.certificate), _key(tls.key)
    if not chain:
        yield "listen.tls.certificate", _NO_CERTIFICATE
    if isinstance(key, str):
        yield "listen.tls.key", key
    elif chain and key.public_key() != chain[0].public_key():
        yield "listen.tls.key", _OTHER_KEY
    elif chain and (reason := _refusal(tls)):
        yield "listen.tls.certificate", f"OpenSSL does not take it: {reason}"
    if tls.client_ca is not None and not _certificates(tls.client_ca):
        yield "listen.tls.client_ca", _NO_CERTIFICATE


def validity(tls: Tls) -> tuple[datetime, datetime] | None:
    """From when and until when the certificate of the listeners holds; None: it cannot be read."""
    chain = _certificates(tls.certificate)
    return (chain[0].not_valid_before_utc, chain[0].not_valid_after_utc) if chain else None


def _certificates(path: Path) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError):
        return []


def _key(path: Path) -> PrivateKeyTypes | str:
    """The private key, or why there is none."""
    try:
        return load_pem_private_key(path.read_bytes(), password=None)
    except TypeError:
        return _ENCRYPTED
    except (OSError, ValueError, UnsupportedAlgorithm):
        return _NO_KEY


def _refusal(tls: Tls) -> str:
    """Why OpenSSL does not take a pair that is well formed, such as a key that is too short."""
    try:
        context(tls, asks=False)
    except ssl.SSLError as error:
        return error.reason or "unknown reason"
    return ""
