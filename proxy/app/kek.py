"""The configured key provider."""

from proxy.config.schema import KeysSection
