"""The command line: each command parses, makes one call, renders."""

from proxy.cli.root import main

__all__ = ["main"]
