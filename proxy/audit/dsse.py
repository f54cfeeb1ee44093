"""Signed statements: an in-toto Statement in a DSSE envelope."""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from proxy.audit.leaf import canonical
from proxy.audit.offline import PAYLOAD_TYPE, pae
from proxy.audit.signer import Signer

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"


def statement(
    subject: str, subject_digest: str, predicate_type: str, predicate: Mapping[str, Any]
) -> dict[str, Any]:
    """An in-toto Statement.

    Args:
        subject: what it is about, e.g. the reference of an erasure; never personal data.
        subject_digest: SHA-256 in hexadecimal, e.g. of the plan.
        predicate_type: URI of the predicate's type.
    """
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": subject, "digest": {"sha256": subject_digest}}],
        "predicateType": predicate_type,
        "predicate": dict(predicate),
    }


def envelope(document: Mapping[str, Any], signer: Signer) -> bytes:
    """The signed envelope of a statement; store and pass on these bytes unchanged."""
    payload = canonical(document)
    signature = signer.sign(pae(PAYLOAD_TYPE, payload))
    signed = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [{"keyid": signer.key_id, "sig": base64.b64encode(signature).decode()}],
    }
    return json.dumps(signed, separators=(",", ":")).encode()


def digest(signed: bytes) -> str:
    """How the log names an envelope: the audit field ``certificate`` holds this."""
    return f"sha256:{hashlib.sha256(signed).hexdigest()}"
