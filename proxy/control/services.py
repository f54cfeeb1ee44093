"""What the control plane calls; the application builds it once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from policies import Policy
from proxy.audit.log import AuditReader
from proxy.clock import Clock
from proxy.control.credentials import Credentials
from proxy.control.routing import Caller
from proxy.erasure.service import ErasureService
from proxy.erasure.target import Actor
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
