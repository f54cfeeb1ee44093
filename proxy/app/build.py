"""Construct every service from the configuration, and release it again in reverse."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from detectors.errors import DetectionError
from detectors.pool import DetectorPool
from detectors.settings import DetectorSettings
from proxy.app.credentials import ensure_tenants, ensure_tokens
from proxy.app.kek import open_kek
from proxy.app.policies import Policies
from proxy.app.readiness import Readiness
from proxy.audit.log import AuditLog
from proxy.clock import Clock
from proxy.config import Config
from proxy.config.schema import UpstreamConfig
from proxy.control.credentials import Credentials
from proxy.control.openapi import document
from proxy.control.routes import ROUTES
from proxy.control.services import ControlServices, Front
from proxy.erasure.service import ErasureService
from proxy.gateway.identify import Authenticator
from proxy.gateway.limits import Limits
from proxy.gateway.services import GatewayServices
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.vault import TokenVault
from proxy.upstreams.binding import UpstreamBinding, connect
from proxy.upstreams.layers import from_config
from proxy.upstreams.transport import Timeouts
