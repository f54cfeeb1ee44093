"""What the erasure engine works with; built once by the application."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from detectors.workers.pool import Detecting
from policies import Policy
from proxy.audit.log import AuditLog
from proxy.audit.signer import Signer
from proxy.clock import Clock
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.vault import TokenVault
from proxy.upstreams.store import Store

Encode = Callable[[Sequence[str]], Any]  # unit vectors, one row per text


@dataclass(frozen=True, slots=True)
class Means:
    """The collaborators of an erasure."""

    ledger: Ledger
    keyring: KeyRing
    vault: TokenVault
    blocklist: Blocklist
    stores: Mapping[str, Store]
    policies: Callable[[str], Policy]
    audit: AuditLog
    signer: Signer
    clock: Clock
    detectors: Detecting
    encode: Encode | None = None  # sentences to vectors; None: nothing is found by meaning
