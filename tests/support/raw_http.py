"""Bytes sent over a socket as they are, and what comes back."""

import asyncio
from urllib.parse import urlsplit


async def raw_exchange(url: str, sent: bytes, *, wait: float) -> bytes:
    """What comes back until the other side closes: half a request is soon given up.

    Args:
        wait: seconds for all of it.

    Raises:
        TimeoutError: the answer has no end by then.
    """
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    found = b""
    try:
        writer.write(sent)
        async with asyncio.timeout(wait):
            while chunk := await reader.read(1 << 16):
                found += chunk
    except ConnectionError:
        pass  # what had come is kept
    finally:
        writer.close()
    return found
