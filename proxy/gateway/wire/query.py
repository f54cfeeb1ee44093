"""The query string: read strictly, changed pair by pair, everything else byte for byte."""

from dataclasses import dataclass, field
from urllib.parse import quote_plus, unquote_to_bytes

from proxy.problems import Problem

MAX_PAIRS = 200


@dataclass(slots=True)
class Query:
    """Decoded pairs beside their raw spelling; a slot of ``values`` can be replaced in place."""

    raw: list[str]
    names: list[str] = field(repr=False)
    values: list[str] = field(repr=False)
    original: tuple[str, ...] = field(repr=False)

    def index(self, name: str) -> int | None:
        """Position of a parameter that stands at most once.

        Raises:
            Problem: ``invalid-request`` if it stands more than once.
        """
        found = [position for position, known in enumerate(self.names) if known == name]
        if len(found) > 1:
            raise Problem("invalid-request", "A query parameter stands more than once.")
        return found[0] if found else None

    def add(self, name: str) -> int:
        """Position of a parameter that is put behind the others, without a value yet."""
        self.raw.append(f"{quote_plus(name)}=")
        self.names.append(name)
        self.values.append("")
        self.original = (*self.original, "")
        return len(self.values) - 1

    def remove(self, name: str) -> None:
        """Take a parameter out."""
        kept = [i for i, known in enumerate(self.names) if known != name]
        self.raw[:] = [self.raw[i] for i in kept]
        self.names[:] = [self.names[i] for i in kept]
        self.original = tuple(self.original[i] for i in kept)
        self.values[:] = [self.values[i] for i in kept]

    def spell(self) -> str:
        """The query string: unchanged pairs keep their spelling."""
        return "&".join(
            raw
            if value == before and name == _decode(raw.partition("=")[0])
            else f"{quote_plus(name)}={quote_plus(value)}"
            for raw, name, value, before in zip(
                self.raw, self.names, self.values, self.original, strict=True
            )
        )


def parse(text: str) -> Query:
    """Read a raw query string.

    Raises:
        Problem: ``malformed-body`` if it is not percent-encoded UTF-8.
    """
    raw = text.split("&") if text else []
    if len(raw) > MAX_PAIRS:
        raise Problem("too-large", "The query has too many parameters.")
    pairs = [pair.partition("=") for pair in raw]
    values = [_decode(value) for _, _, value in pairs]
    return Query(raw, [_decode(name) for name, _, _ in pairs], values, tuple(values))


def _decode(text: str) -> str:
    try:
        return unquote_to_bytes(text.replace("+", " ")).decode("utf-8")
    except UnicodeDecodeError:
        raise Problem("malformed-body", "The query is not valid UTF-8.") from None
