"""Logs, metrics and traces that cannot carry content: keys pass an allow-list, text does not."""

from proxy.telemetry.logs import configure, get_logger

__all__ = ["configure", "get_logger"]
