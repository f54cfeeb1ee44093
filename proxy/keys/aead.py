"""AES-256-GCM with length-delimited associated data: a sealed value opens only where it belongs."""

import hashlib
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from proxy.keys.errors import SealBroken

KEY_BYTES = 32
NONCE_BYTES = 12
VERSION = 1


def new_key() -> bytes:
    """32 random bytes."""
    return os.urandom(KEY_BYTES)


def fingerprint(key: bytes) -> str:
    """The first 16 hexadecimal digits of the key's SHA-256: names a key, opens nothing."""
    return hashlib.sha256(key).hexdigest()[:16]


def bind(*parts: str | bytes) -> bytes:
    """Associated data of several parts, unambiguous whatever they contain."""
    encoded = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(4) + part for part in encoded)


def seal(key: bytes, plaintext: bytes, aad: bytes) -> bytes:
    """Version byte, random nonce, ciphertext and tag."""
    nonce = os.urandom(NONCE_BYTES)
    head = bytes([VERSION])
    return head + nonce + AESGCM(key).encrypt(nonce, plaintext, head + aad)


def unseal(key: bytes, blob: bytes, aad: bytes) -> bytes:
    """The plaintext; raises ``SealBroken`` if key, associated data or a byte differ."""
    if len(blob) < 1 + NONCE_BYTES + 16 or blob[0] != VERSION:
        raise SealBroken("not a sealed value of this version")
    nonce, ciphertext = blob[1 : 1 + NONCE_BYTES], blob[1 + NONCE_BYTES :]
    try:
        return AESGCM(key).decrypt(nonce, ciphertext, blob[:1] + aad)
    except InvalidTag:
        raise SealBroken("the sealed value does not belong here") from None
