"""Verify a certificate of erasure without us: standard library and ``cryptography`` only.

An auditor needs the certificate (a DSSE envelope), its proof (C2SP tlog-proof) and the log's public
key, obtained from elsewhere than the certificate. References: RFC 6962 section 2.1 and RFC 9162
section 2.1 (Merkle trees), https://c2sp.org/signed-note, https://c2sp.org/tlog-checkpoint,
https://c2sp.org/tlog-proof, https://github.com/secure-systems-lab/dsse.
"""

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PROOF_HEADER = "c2sp.org/tlog-proof@v1"
ED25519 = b"\x01"
LONGEST_DELAY = timedelta(days=1)  # between the claimed completion and its entry in the log
CLOCK_SKEW = timedelta(minutes=5)


class NotValid(Exception):
    """What is wrong, in a sentence for the auditor."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked; ``message`` says what is wrong if it failed."""

    name: str
    passed: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A tree head: the log's name, its size and root, and the note with the signatures."""

    origin: str
    size: int
    root: bytes
    note: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Proof:
    """That one entry is in the log."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: Checkpoint
    leaf: bytes = field(repr=False)


UNPROVEN = "No proof was given: nothing shows that the log holds it, or when it was signed."


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks of one certificate; ``logged`` is False if no proof was given."""

    checks: tuple[Check, ...]
    statement: dict[str, Any]
    logged: bool
    checkpoint: Checkpoint | None = None

    @property
    def valid(self) -> bool:
        """Whether every check passed."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def body(self) -> dict[str, Any]:
        """The verdict as JSON: checks by name, what is wrong, and against which tree head."""
        head = self.checkpoint
        return {
            "valid": self.valid,
            "logged": self.logged,
            "checks": {check.name: check.passed for check in self.checks},
            "messages": self.messages,
            "checkpoint": {"origin": head.origin, "size": head.size} if head else None,
            "statement": self.statement,
        }

    @property
    def messages(self) -> list[str]:
        """What is wrong."""
        return [check.message for check in self.checks if not check.passed]


# -- the whole -------------------------------------------------------------------------------------


def verify(
    certificate: bytes,
    proof: bytes | None,
    public_key: bytes | str,
    *,
    reference: str | None = None,
) -> Verdict:
    """Check a certificate and, if given, that the log holds it.

    Args:
        certificate: the DSSE envelope.
        proof: the tlog-proof; without it nothing shows when it was signed, so it is not valid.
        public_key: verifier key (``name+hash+key``), PEM, or 32 raw bytes.
        reference: of the erasure that it must be of; None: of any.
    """
    checks: list[Check] = []
    statement: dict[str, Any] = {}
    found: Proof | None = None
    try:
        key = load_public_key(public_key)
        payload = open_envelope(certificate, key)
        checks.append(Check("signature", passed=True))
        statement = _statement(payload)
        checks.append(Check("statement", passed=True))
        if proof is None:
            checks.append(Check("proof", passed=False, message=UNPROVEN))
        else:
            found = parse_proof(proof.decode("utf-8", "replace"))
            checks += _proof_checks(certificate, statement, found, key)
        if reference is not None:
            checks.append(_of_reference(statement, reference))
    except NotValid as failure:
        name = ("signature", "statement", "proof")[min(len(checks), 2)]
        checks.append(Check(name, passed=False, message=str(failure)))
    checkpoint = found.checkpoint if found else None
    return Verdict(tuple(checks), statement, proof is not None, checkpoint)


def _proof_checks(
    certificate: bytes, statement: dict[str, Any], proof: Proof, key: Ed25519PublicKey
) -> list[Check]:
    root = root_from_inclusion(leaf_digest(proof.leaf), proof)
    leaf = _leaf(proof.leaf)
    logged = leaf["fields"].get("certificate")
    return [
        _check(
            "checkpoint",
            signed_by(proof.checkpoint.note, key),
            "The checkpoint is not signed by this key.",
        ),
        _check(
            "inclusion",
            root == proof.checkpoint.root,
            "The log entry is not in the tree of the checkpoint, or was changed.",
        ),
        _check(
            "certificate",
            logged == f"sha256:{hashlib.sha256(certificate).hexdigest()}",
            "The log entry is about another certificate.",
        ),
        _dates(statement, leaf),
    ]


def _of_reference(statement: dict[str, Any], reference: str) -> Check:
    said = statement["predicate"].get("reference")
    message = f"The certificate is of another erasure: of {said}, not of {reference}."
    return _check("reference", said == reference, message)


def _dates(statement: dict[str, Any], leaf: dict[str, Any]) -> Check:
    times = statement["predicate"].get("times")
    signed = _instant(times.get("signed")) if isinstance(times, dict) else None
    logged = _instant(leaf.get("at"))
    if signed is None or logged is None:
        return Check("dates", passed=False, message="The certificate or its entry has no date.")
    if logged - signed > LONGEST_DELAY:
        message = "The certificate is back-dated: it was logged long after it says it was signed."
        return Check("dates", passed=False, message=message)
    message = "The certificate says that it was signed after it was logged."
    return _check("dates", signed - logged <= CLOCK_SKEW, message)


def _check(name: str, passed: bool, message: str) -> Check:
    return Check(name, passed, "" if passed else message)


def _statement(payload: bytes) -> dict[str, Any]:
    try:
        statement = json.loads(payload)
    except (ValueError, RecursionError):
        raise NotValid("The signed payload is not JSON.") from None
    if not isinstance(statement, dict) or not isinstance(statement.get("predicate"), dict):
        raise NotValid("The signed payload is not an in-toto statement.")
    return statement


def _leaf(data: bytes) -> dict[str, Any]:
    try:
        leaf = json.loads(data)
    except (ValueError, RecursionError):
        raise NotValid("The log entry is not JSON.") from None
    if not isinstance(leaf, dict) or not isinstance(leaf.get("fields"), dict):
        raise NotValid("The log entry is not one of ours.")
    return leaf


def _instant(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo else None


# -- keys and signatures ---------------------------------------------------------------------------


def load_public_key(key: bytes | str) -> Ed25519PublicKey:
    """An Ed25519 key from a verifier key, PEM or 32 raw bytes; raises ``NotValid``."""
    raw = key.encode() if isinstance(key, str) else key
    try:
        if b"-----BEGIN" in raw:
            loaded = serialization.load_pem_public_key(raw)
            if isinstance(loaded, Ed25519PublicKey):
                return loaded
        elif len(raw) == 32:
            return Ed25519PublicKey.from_public_bytes(raw)
        else:
            return _from_verifier_key(raw.decode().strip())
    except (ValueError, UnsupportedAlgorithm, binascii.Error):
        raise NotValid("The public key cannot be read.") from None
    raise NotValid("The public key is not an Ed25519 key.")


def _from_verifier_key(text: str) -> Ed25519PublicKey:
    name, key_id, rest = ([*text.split("+", 2), "", ""])[:3]  # base64 may hold more of them
    raw = base64.b64decode(rest, validate=True)
    if raw[:1] != ED25519 or key_id != note_key_id(name, raw[1:]).hex():
        raise NotValid("The verifier key is damaged.")
    return Ed25519PublicKey.from_public_bytes(raw[1:])


def note_key_id(name: str, raw_key: bytes) -> bytes:
    """The four bytes by which a signed note names its key."""
    return hashlib.sha256(name.encode() + b"\n" + ED25519 + raw_key).digest()[:4]


def pae(payload_type: str, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: what is really signed."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def open_envelope(envelope: bytes, key: Ed25519PublicKey) -> bytes:
    """The payload of a DSSE envelope signed by ``key``; raises ``NotValid``."""
    try:
        document = json.loads(envelope)
        kind = document["payloadType"]
        payload = base64.b64decode(document["payload"], validate=True)
        signatures = [base64.b64decode(each["sig"]) for each in document["signatures"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NotValid("The certificate is not a DSSE envelope.") from None
    if kind != PAYLOAD_TYPE:
        raise NotValid("The certificate's payload is of another type.")
    if not any(_is_signed(key, signature, pae(kind, payload)) for signature in signatures):
        raise NotValid("The certificate is not signed by this key, or was changed.")
    return payload


def signed_by(note: str, key: Ed25519PublicKey) -> bool:
    """Whether a signed note carries a signature of ``key`` under the name of its first line."""
    text, separator, lines = note.partition("\n\n")
    text += "\n"
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    origin = text.partition("\n")[0]
    wanted = note_key_id(origin, raw)
    for line in lines.splitlines() if separator else ():
        mark, name, encoded = ([*line.split(" "), "", ""])[:3]
        blob = _decode(encoded)
        if mark == "—" and name == origin and blob[:4] == wanted:
            return _is_signed(key, blob[4:], text.encode())
    return False


def _is_signed(key: Ed25519PublicKey, signature: bytes, message: bytes) -> bool:
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _decode(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError:
        return b""


# -- checkpoints and proofs ------------------------------------------------------------------------


def parse_checkpoint(note: str) -> Checkpoint:
    """A checkpoint; its signatures are not checked here. Raises ``NotValid``."""
    lines = note.partition("\n\n")[0].split("\n")
    try:
        origin, size, root = lines[0], int(lines[1]), base64.b64decode(lines[2], validate=True)
    except (IndexError, ValueError):
        raise NotValid("The checkpoint cannot be read.") from None
    if not origin or size < 0 or str(size) != lines[1] or len(root) != 32:
        raise NotValid("The checkpoint cannot be read.")
    return Checkpoint(origin, size, root, note)


def parse_proof(text: str) -> Proof:
    """A ``tlog-proof@v1``, with the log entry in its ``extra`` line; raises ``NotValid``."""
    head, _, note = text.partition("\n\n")
    lines = head.split("\n")
    if lines[0] != PROOF_HEADER or len(lines) < 3 or not lines[1].startswith("extra "):
        raise NotValid("The proof is not a tlog-proof with a log entry.")
    number = lines[2].removeprefix("index ")
    path = tuple(_decode(line) for line in lines[3:])
    if not number.isdecimal() or any(len(digest) != 32 for digest in path):
        raise NotValid("The proof cannot be read.")
    return Proof(int(number), path, parse_checkpoint(note), _decode(lines[1][6:]))


# -- Merkle trees ----------------------------------------------------------------------------------


def leaf_digest(data: bytes) -> bytes:
    """The digest of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_digest(left: bytes, right: bytes) -> bytes:
    """The digest of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_from_inclusion(leaf: bytes, proof: Proof) -> bytes | None:
    """The root that an inclusion path leads to, None if the path does not fit the tree."""
    index, last, digest = proof.index, proof.checkpoint.size - 1, leaf
    if not 0 <= index <= last:
        return None
    for sibling in proof.path:
        if last == 0:
            return None
        if index & 1 or index == last:
            digest = node_digest(sibling, digest)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            digest = node_digest(digest, sibling)
        index, last = index >> 1, last >> 1
    return digest if last == 0 else None


def is_consistent(old: Checkpoint, new: Checkpoint, path: list[bytes]) -> bool:
    """Whether the new tree only adds to the old one (RFC 9162 section 2.1.4.2)."""
    if old.size == new.size:
        return old.root == new.root and not path
    if old.size == 0:
        return not path
    if old.size > new.size or not path:
        return False
    steps = [old.root, *path] if old.size & (old.size - 1) == 0 else list(path)
    index, last = old.size - 1, new.size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    older = newer = steps[0]
    for digest in steps[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            older, newer = node_digest(digest, older), node_digest(digest, newer)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            newer = node_digest(newer, digest)
        index, last = index >> 1, last >> 1
    return older == old.root and newer == new.root and last == 0
