"""The signing key of log and certificates: a file only we may read, a verifier key for everyone."""

import base64
import os
import stat
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from proxy.audit.offline import ED25519, note_key_id, signed_by
from proxy.problems import Problem

VERIFIER_SUFFIX = ".vkey"


class Signer:
    """An Ed25519 key and the name of the log it signs.

    Args:
        origin: the log's name: a URL without scheme, without spaces and plus signs.
    """

    def __init__(self, key: Ed25519PrivateKey, origin: str) -> None:
        if not origin or any(char.isspace() or char == "+" for char in origin):
            raise ValueError("an origin has neither spaces nor plus signs")
        self._key, self.origin = key, origin
        self._raw = key.public_key().public_bytes(
            serialization.Encoding.Raw, serialization.PublicFormat.Raw
        )

    @classmethod
    def open(cls, path: Path, origin: str) -> "Signer":
        """The key kept at ``path``, made when absent; its verifier key is published as ``.vkey``.

        Raises:
            Problem: ``keys-sealed`` if the file is damaged, or readable by others.
        """
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            _create(path)
        signer = cls(_load(path), origin)
        path.with_suffix(VERIFIER_SUFFIX).write_text(signer.verifier_key + "\n")
        return signer

    @property
    def public_key(self) -> bytes:
        """32 raw bytes."""
        return self._raw

    @property
    def key_id(self) -> str:
        """Names the key in envelopes: hexadecimal note key id."""
        return note_key_id(self.origin, self._raw).hex()

    @property
    def verifier_key(self) -> str:
        """``name+hash+key`` (C2SP signed-note): what an auditor is given."""
        return f"{self.origin}+{self.key_id}+{base64.b64encode(ED25519 + self._raw).decode()}"

    @property
    def public_pem(self) -> str:
        """The public key for openssl."""
        return (
            self._key.public_key()
            .public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
            .decode()
        )

    def has_signed(self, note: str) -> bool:
        """Whether a signed note carries this key's signature."""
        return signed_by(note, self._key.public_key())

    def sign(self, message: bytes) -> bytes:
        """64 bytes of signature."""
        return self._key.sign(message)

    def sign_note(self, text: str) -> str:
        """A signed note of ``text``, whose first line is the origin."""
        key_id = note_key_id(self.origin, self._raw)
        signature = base64.b64encode(key_id + self.sign(text.encode())).decode()
        return f"{text}\n— {self.origin} {signature}\n"

    def checkpoint(self, size: int, root: bytes) -> str:
        """The signed tree head (C2SP tlog-checkpoint)."""
        return self.sign_note(f"{self.origin}\n{size}\n{base64.b64encode(root).decode()}\n")


def _create(path: Path) -> None:
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as target:
        target.write(pem)
        target.flush()
        os.fsync(target.fileno())
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass  # another process was first: its key counts
    finally:
        fresh.unlink()


def _load(path: Path) -> Ed25519PrivateKey:
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise Problem("keys-sealed", "The signing key is readable by others than its owner.")
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError):
        raise Problem("keys-sealed", "The signing key is damaged.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise Problem("keys-sealed", "The signing key is not an Ed25519 key.")
    return key
