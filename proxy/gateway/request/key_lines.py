"""Private keys whose lines are strings of their own: a list of lines, or fields, or messages."""

import re
from collections.abc import Collection
from dataclasses import replace

from detectors.recognisers.private_keys import END, find_private_keys
from proxy.gateway.exchange import Text

ROLES = frozenset({"content", "query", "value"})
# Base64 in whatever quotes, with nothing else; the words of a sentence stay, wherever it stands.
LINE = re.compile(
    r"[^\w+/]*(?:[A-Za-z0-9+/]|\\+/)+={0,2}(?:\\{1,32}[nrt]|\W)*+|[A-Z][\w-]{3,12}: [^\n]{1,120}"
)


def find_key_lines(texts: Collection[Text]) -> None:
    """Add to each string its share of a private key that goes on in the next one."""
    told = [text for text in texts if text.role in ROLES]
    if not any(_shows_key(text) for text in told):
        return
    keys = list(find_private_keys("\n".join(text.text for text in told)))
    at = 0
    for text in told:
        end = at + len(text.text)
        for key in keys:
            if key.start < end and at < key.end and LINE.fullmatch(text.text):
                share = replace(key, start=0, end=len(text.text), text=text.text)
                text.detections = (*text.detections, share)
        at = end + 1


def _shows_key(text: Text) -> bool:
    found = any(found.entity_type == "PRIVATE_KEY" for found in text.detections)
    return found or END.search(text.text) is not None
