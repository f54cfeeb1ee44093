"""What can be configured, where each value came from, and how mistakes are reported."""

from proxy.config.errors import AddressTaken, ConfigError, ConfigIssue
from proxy.config.load import Loaded, load
from proxy.config.schema import Config
from proxy.config.types import Secret
from proxy.config.upstream import UpstreamConfig

__all__ = [
    "AddressTaken",
    "Config",
    "ConfigError",
    "ConfigIssue",
    "Loaded",
    "Secret",
    "UpstreamConfig",
    "load",
]
