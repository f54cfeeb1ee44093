"""What the demo does as an ordinary application: the unchanged Mem0 client, nothing of ours."""

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from mem0 import MemoryClient
from mem0.exceptions import MemoryNotFoundError

from proxy.demo.conversation import Conversation, Utterance
from proxy.demo.stage import Side

logging.getLogger("mem0").setLevel(logging.CRITICAL)  # it prints every refusal; we count them
_PAGE = 100
_HISTORY_TEXTS = ("old_memory", "new_memory", "input")


def connect(side: Side) -> MemoryClient:
    """The client of ``mem0ai``; only its host differs between the two sides."""
    return MemoryClient(api_key=side.key, host=side.url)


def write(client: MemoryClient, conversation: Conversation) -> Iterator[tuple[Utterance, str]]:
    """Write every utterance, declaring what it was distilled from; yields it with its memory id."""
    for utterance in conversation.utterances:
        provenance = {"ref": utterance.ref, "derived_from": list(utterance.sources)}
        reply = client.add(
            [{"role": "user", "content": utterance.text}],
            user_id=utterance.owner,
            metadata={"kind": utterance.kind, "expunge": provenance},
            infer=False,
        )
        yield utterance, reply["results"][0]["id"]


def everything(client: MemoryClient, owner: str) -> dict[str, str]:
    """Every page of ``get_all``: memory id to text."""
    found: dict[str, str] = {}
    page: dict[str, Any] = {"next": True}
    number = 0
    while page["next"]:
        number += 1
        page = client.get_all(filters={"user_id": owner}, page=number, page_size=_PAGE)
        found |= {item["id"]: item["memory"] for item in page["results"]}
    return found


def search(client: MemoryClient, owner: str, queries: Iterable[str]) -> list[str]:
    """Texts that come back for any of the queries."""
    hits = []
    for query in queries:
        reply = client.search(query, filters={"user_id": owner}, top_k=20, threshold=0.0)
        hits += [item["memory"] for item in reply["results"]]
    return hits


def history(client: MemoryClient, memory_ids: Iterable[str]) -> list[str]:
    """Old and new texts of every history entry; ids that are unknown by now count as empty."""
    texts = []
    for memory_id in memory_ids:
        try:
            entries = client.history(memory_id)
        except MemoryNotFoundError:
            continue
        texts += [str(entry.get(key) or "") for entry in entries for key in _HISTORY_TEXTS]
    return texts
