"""What the embedded store is started with."""

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """An OpenAI-compatible endpoint that extracts facts (``infer=True``).

    Args:
        url: base address including ``/v1``.
        model: name of the model.
        key: credential; many local servers take any text.
    """

    url: str
    model: str
    key: str = field(default="none", repr=False)


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where the store keeps its data and how it is reached.

    Args:
        data_dir: holds ``qdrant/``, ``history.db`` and ``mem0/``.
        host: address to listen on.
        port: 0 takes a free one.
        api_key: what callers must send.
        llm: without one, ``infer=True`` is refused.
    """

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 0
    api_key: str = field(default_factory=lambda: "m0-" + secrets.token_urlsafe(24), repr=False)
    llm: ModelEndpoint | None = None

    @property
    def qdrant(self) -> Path:
        """Directory of the vector collections."""
        return self.data_dir / "qdrant"

    @property
    def history(self) -> Path:
        """Mem0's SQLite file: the history and the last raw messages."""
        return self.data_dir / "history.db"


def prepare_environment(settings: StoreSettings) -> None:
    """Set what Mem0 reads while it is imported: no telemetry, no foreign keys, its files here.

    Must run before the first import of ``mem0`` in this process.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = str(settings.data_dir / "mem0")
    for name in ("OPENROUTER_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        os.environ.pop(name, None)
