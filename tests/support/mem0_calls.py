"""Short calls of the open-source server's routes, for tests of what the store keeps."""

from typing import Any

import httpx


async def remember(client: httpx.AsyncClient, text: str, **fields: Any) -> str:
    """Store one text over the open-source routes; gives the memory's id."""
    body = {"messages": [{"role": "user", "content": text}], "infer": False, **fields}
    answer = await client.post("/memories", json=body)
    answer.raise_for_status()
    (result,) = answer.json()["results"]
    return str(result["id"])


def texts(answer: httpx.Response) -> set[str]:
    """The memories of a list or search answer."""
    answer.raise_for_status()
    body = answer.json()
    return {item["memory"] for item in (body["results"] if isinstance(body, dict) else body)}
