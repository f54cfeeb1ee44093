"""Mem0 must not call home from tests; it reads this when it is imported."""

import os

os.environ["MEM0_TELEMETRY"] = "False"
