"""Imports the Mem0 library as our processes do: silent, with its files out of the way."""

import os
import tempfile

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("MEM0_DIR", tempfile.mkdtemp(prefix="mem0-tests-"))

from mem0 import AsyncMemoryClient, MemoryClient
from mem0.memory.storage import SQLiteManager

__all__ = ["AsyncMemoryClient", "MemoryClient", "SQLiteManager"]
