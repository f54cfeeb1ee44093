"""The demo: one long conversation, one person forgotten, beside a bare Mem0."""

import os

os.environ.setdefault("MEM0_TELEMETRY", "False")  # mem0 reads it once, when it is first imported
