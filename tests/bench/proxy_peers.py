"""The nearest peers of the hop: what stands in front of models instead of memory stores."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CHAT = "/v1/chat/completions"
SAID = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "The ferry leaves at eight."}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 6, "total_tokens": 15},
}  # fmt: skip
PEER = "llm-shield-proxy==1.7.0"
LEFT_OUT = {"attestmcp 0.1.0": "not installable: wants a newer Python; and it speaks MCP only"}


def question(text: str) -> str:
    """A request with something personal in it."""
    said = f"{text} Write to alva.brenn@example.org or call 555-0142."
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": said}]})


def installed() -> Path:
    """A privacy proxy for chats with models, in an environment of its own.

    Raises:
        CalledProcessError: it cannot be installed.
    """
    folder = Path(tempfile.gettempdir()) / f"expunge-bench-{PEER.replace('==', '-')}"
    command = folder / "bin" / "llm-shield-proxy"
    if not command.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", PEER]
        subprocess.run(pip, check=True, capture_output=True, timeout=600)
    return command
