"""How everything is built from the configuration, started, drained; the only constructor."""

from proxy.app.build import Services, build
from proxy.app.genesis import accept_ledger, ledger_url
from proxy.app.serve import Addresses, run, serve, stop_on_signals

__all__ = [
    "Addresses",
    "Services",
    "accept_ledger",
    "build",
    "ledger_url",
    "run",
    "serve",
    "stop_on_signals",
]
