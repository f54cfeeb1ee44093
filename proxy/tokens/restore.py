"""Put clear words back for tokens, in plain text, in JSON inside of text, and in streams."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from proxy.tokens import surrogate

DEEPEST = 8
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')

Words = Mapping[tuple[str, int], str]


@dataclass(frozen=True, slots=True)
class Restored:
    """A text with clear words; ``erased`` counts tokens whose key is destroyed."""

    text: str
    changed: bool
    erased: int


def restore_text(text: str, words: Words) -> Restored:
    """Replace the tokens that ``words`` knows, by (stem, form); others stay as they are.

    Where the text is JSON, also inside of strings of JSON, words are escaped as deep as they stand,
    so that what was valid JSON stays valid JSON.
    """
    restored = _restore(text, words, DEEPEST)
    erased = sum(
        words.get((found.code, found.form)) == surrogate.ERASED for found in surrogate.find(text)
    )
    return Restored(restored, restored != text, erased)


def _restore(text: str, words: Words, depth: int) -> str:
    if depth and _is_json(text):
        return _LITERAL.sub(lambda literal: _restore_literal(literal[0], words, depth - 1), text)
    return _replace(text, words, str)


def _restore_literal(literal: str, words: Words, depth: int) -> str:
    if "_" not in literal:
        return literal
    inner = json.loads(literal, strict=False)
    wanted = _restore(inner, words, depth)
    if wanted == inner:
        return literal
    simple = _replace(literal, words, _escape)
    if json.loads(simple, strict=False) == wanted:
        return simple
    return json.dumps(wanted, ensure_ascii=literal.isascii())


def _replace(text: str, words: Words, spell: Callable[[str], str]) -> str:
    parts, last = [], 0
    for found in surrogate.find(text):
        word = words.get((found.code, found.form))
        if word is not None:
            parts += [text[last : found.start], spell(word)]
            last = found.end
    return "".join([*parts, text[last:]])


def _escape(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)[1:-1]


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


class RestoringStream:
    """Restores a text that arrives in pieces; holds back only what may become a token.

    Args:
        restore: turns a piece of text into its restored form.
    """

    def __init__(self, restore: Callable[[str], Awaitable[str]]) -> None:
        self._restore = restore
        self._held = ""

    @property
    def unfinished(self) -> bool:
        """Whether a token was begun and not ended."""
        return surrogate.has_begun(self._held)

    async def feed(self, piece: str) -> str:
        """What can be passed on after this piece; may be empty."""
        text = self._held + piece
        held = surrogate.held_back(text)
        ready, self._held = text[: len(text) - held], text[len(text) - held :]
        return await self._restore(ready) if ready else ""

    async def finish(self) -> str:
        """The rest, once the stream has ended."""
        rest, self._held = self._held, ""
        return await self._restore(rest) if rest else ""
