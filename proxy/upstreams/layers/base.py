"""What a layer is, what of it an erasure is about, and how a layer out of reach answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

Reach = Literal["api", "side:sqlite", "side:qdrant-local", "side:pgvector", "side:files", "none"]
Reason = Literal["busy", "unreadable", "unreachable"]
Owners = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a side table that says what is erased though no memory does any more.

    Args:
        layer: name of the layer.
        id: the row's own id.
        only: the one text of the row that goes; None: the whole row.
    """

    layer: str
    id: str
    only: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """What a side table says in one row.

    Args:
        position: grows from row to row; reading goes on after it.
        memory_id: the memory it is a version of, if it is one.
        owners: owners that it is kept under, if it says so.
        texts: its texts by the name of their column.
        main: the column without which the row says nothing.
        made: when it was written, as the table says.
        born: when the memory it is a version of was made, as the table says.
        derived: what the store made of its texts; judged by them, never by itself.
    """

    position: int
    id: str
    main: str
    texts: Mapping[str, str]
    memory_id: str | None = None
    owners: Owners = ()
    made: str | None = None
    born: str | None = None
    derived: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LayerScope:
    """What is being erased, in the store's own identifiers.

    Args:
        memory_ids: erased memories.
        owners: ``(kind, upstream id)`` of owners erased as a whole.
        needles: surface forms, tokens and erased texts. ``files`` looks for them everywhere,
            ``entities`` only in rows of ``owners`` and ``within``: a match in anybody else's
            row proves nothing.
        within: owners that lose some of their memories. Their ``messages`` buffer goes as a
            whole, because a raw message cannot be traced to the memories made from it.
        rows: single rows that name whom is erased, whatever memory they are of.
        told: pieces of texts that stay. A needle within one of them is none in ``files``.
    """

    memory_ids: tuple[str, ...] = ()
    owners: Owners = ()
    needles: tuple[str, ...] = ()
    within: Owners = ()
    rows: tuple[Row, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def touched(self) -> Owners:
        """Every owner the erasure is about, wholly or partly."""
        return tuple(dict.fromkeys((*self.owners, *self.within)))

    def whole_rows(self, layer: str) -> tuple[str, ...]:
        """Ids of a layer's single rows that go."""
        return tuple(row.id for row in self.rows if row.layer == layer and row.only is None)

    def parts(self, layer: str, column: str) -> tuple[str, ...]:
        """Ids of a layer's rows that stay, but lose the text of one column."""
        return tuple(row.id for row in self.rows if row.layer == layer and row.only == column)


class LayerUnavailable(Exception):
    """A configured layer cannot be read or changed now.

    Args:
        reason_code: ``busy`` (locked by the store), ``unreadable`` (not the expected file),
            ``unreachable`` (no such file or server).
    """

    def __init__(self, reason_code: Reason) -> None:
        super().__init__(reason_code)
        self.reason_code = reason_code


class Layer(Protocol):
    """One place of a store that can hold the data."""

    @property
    def name(self) -> str:
        """Name of the layer within its store."""
        ...

    @property
    def reach(self) -> Reach:
        """How it is reached."""
        ...

    @property
    def note(self) -> str:
        """What an operator should know about it."""
        ...

    async def count(self, scope: LayerScope) -> int | None:
        """How much of the scope is still there; ``None`` where nobody can look.

        Raises:
            LayerUnavailable: it is configured, but cannot be read now.
        """
        ...

    async def delete(self, scope: LayerScope) -> int:
        """Delete what can be deleted; how many entries went.

        Raises:
            LayerUnavailable: it is configured, but cannot be changed now.
        """
        ...


@runtime_checkable
class Legible(Protocol):
    """A layer whose rows can be read one after the other."""

    async def entries(self, after: int, limit: int) -> Sequence[Entry]:
        """Rows that follow a position (0: from the start), in order, at most ``limit``.

        Raises:
            LayerUnavailable: it is configured, but cannot be read now.
        """
        ...


@dataclass(frozen=True, slots=True)
class Unreached:
    """A layer nobody configured.

    Args:
        name: of the layer.
        note: what an operator can do about it.
    """

    name: str
    note: str
    reach: Reach = "none"

    async def count(self, scope: LayerScope) -> int | None:
        """Nobody can look."""
        return None

    async def delete(self, scope: LayerScope) -> int:
        """Nothing can be deleted."""
        return 0


def payload_field(kind: str) -> str:
    """The name under which Mem0 keeps an owner of this kind: ``user`` is ``user_id``."""
    return kind if kind.endswith("_id") else f"{kind}_id"
