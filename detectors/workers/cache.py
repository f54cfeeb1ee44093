"""Remembers recent results under keyed digests, so that the same text is not analysed twice."""

import hashlib
import secrets
from collections import OrderedDict

from detectors.detection import Analysis


class ResultCache:
    """A small least-recently-used map from (scope, text) to an analysis.

    Texts are kept as digests under a key that dies with the process. Scopes never see each
    other's entries, so the time an answer takes tells nothing about another tenant's texts.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._key = secrets.token_bytes(32)
        self._entries: OrderedDict[bytes, Analysis] = OrderedDict()

    def get(self, scope: str, text: str) -> Analysis | None:
        """The remembered analysis, if any."""
        digest = self._digest(scope, text)
        found = self._entries.get(digest)
        if found is not None:
            self._entries.move_to_end(digest)
        return found

    def put(self, scope: str, text: str, analysis: Analysis) -> None:
        """Remember an analysis; the longest unused one goes when the cache is full."""
        self._entries[self._digest(scope, text)] = analysis
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def _digest(self, scope: str, text: str) -> bytes:
        digest = hashlib.blake2b(key=self._key, digest_size=16)
        for part in (scope, text):
            encoded = part.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "big") + encoded)
        return digest.digest()
