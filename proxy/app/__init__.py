"""How everything is built from the configuration, started, drained; the only constructor."""

from proxy.app.build import Services, build, ledger_url
from proxy.app.serve import Addresses, run, serve

__all__ = ["Addresses", "Services", "build", "ledger_url", "run", "serve"]
