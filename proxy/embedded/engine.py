"""One Mem0 library instance in one thread: its embedded vector store is not thread-safe."""

import asyncio
import logging
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from pydantic import ValidationError as WrongType

from proxy.embedded.settings import ModelEndpoint, StoreSettings, prepare_environment

T = TypeVar("T")
Call = Callable[[Any], T]

COLLECTION = "memories"
WRONG_TYPE = (
    "A filter value is of the wrong type: strings, integers and booleans can be equal, "
    "lists are of strings or of integers, and only gt, gte, lt and lte take other numbers."
)


class StoreRefused(Exception):
    """Mem0 refuses the input; ``reason`` is Mem0's own sentence, for the caller only."""

    def __init__(self, reason: str) -> None:
        super().__init__("refused by the store")
        self.reason = reason

    @property
    def absent(self) -> bool:
        """Whether the store says that it has no such memory."""
        return "not found" in self.reason.lower()


class StoreFailed(Exception):
    """Mem0 failed; what it wrote before is unknown."""


class StoreLocked(Exception):
    """Another process holds the data directory."""


class Engine:
    """Serialises every call into the library.

    Args:
        settings: where the data is and which models are used.
    """

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mem0")
        self._memory: Any = None

    @property
    def can_infer(self) -> bool:
        """Whether a language model is configured."""
        return self._settings.llm is not None

    async def open(self) -> None:
        """Load the models and open the files.

        Raises:
            StoreLocked: another process has them open.
        """
        prepare_environment(self._settings)
        loop = asyncio.get_running_loop()
        self._memory = await loop.run_in_executor(self._thread, _open_memory, self._settings)

    def submit(self, call: Call[T]) -> Future[T]:
        """Queue a call; calls run one at a time in the order they were queued."""
        return self._thread.submit(_guarded, call, self._memory)

    async def call(self, call: Call[T]) -> T:
        """Run a call and wait for it.

        Raises:
            StoreRefused: Mem0 refuses the input.
            StoreFailed: anything else went wrong in Mem0.
        """
        return await asyncio.wrap_future(self.submit(call))

    async def close(self) -> None:
        """Finish queued calls, then release the files."""
        if self._memory is not None:
            await asyncio.wrap_future(self._thread.submit(_close_memory, self._memory))
        self._thread.shutdown()


def _guarded(call: Call[T], memory: Any) -> T:
    from mem0.exceptions import ValidationError

    try:
        return call(memory)
    except WrongType:  # a ValueError whose words are those of the vector store's classes
        raise StoreRefused(WRONG_TYPE) from None
    except (ValueError, ValidationError) as failure:
        raise StoreRefused(str(failure)) from None
    except Exception as failure:
        raise StoreFailed from failure


def _open_memory(settings: StoreSettings) -> Any:
    from mem0 import Memory
    from mem0.utils.factory import EmbedderFactory, LlmFactory

    from proxy.embedded import models

    # Mem0 logs texts and entity names from warning level down.
    logging.getLogger("mem0").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module=r"mem0\.|qdrant_client\.")
    EmbedderFactory.provider_to_class["fastembed"] = models.EMBEDDER_PATH
    LlmFactory.register_provider("litellm", models.NO_MODEL_PATH)
    models.provide_language_pipelines()
    try:
        return Memory.from_config(_configuration(settings, models.EMBEDDING_DIMENSIONS))
    except RuntimeError as failure:
        if "already accessed" in str(failure):
            raise StoreLocked from None
        raise


def _configuration(settings: StoreSettings, dimensions: int) -> dict[str, Any]:
    return {
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "collection_name": COLLECTION,
                "path": str(settings.qdrant),
                "embedding_model_dims": dimensions,
                "on_disk": True,
            },
        },
        "embedder": {"provider": "fastembed", "config": {}},
        "llm": _llm(settings.llm),
        "history_db_path": str(settings.history),
    }


def _llm(endpoint: ModelEndpoint | None) -> dict[str, Any]:
    if endpoint is None:
        return {"provider": "litellm", "config": {"model": "none"}}
    return {
        "provider": "openai",
        "config": {
            "model": endpoint.model,
            "api_key": endpoint.key,
            "openai_base_url": endpoint.url,
        },
    }


def _close_memory(memory: Any) -> None:
    memory.close()
    memory.vector_store.client.close()
