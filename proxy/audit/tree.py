"""The Merkle tree of RFC 6962 over a table of its complete subtrees.

A complete subtree is named (level, position): it covers leaves [position·2^level, …+2^level).
Everything else (roots, proofs) is folded from those, so an append writes at most log n nodes.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from proxy.audit.offline import node_digest

At = tuple[int, int]
Nodes = Mapping[At, bytes]
Range = tuple[int, int]

EMPTY_ROOT = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")


def subtrees(span: Range) -> list[At]:
    """The complete subtrees that make up leaves [start, end), left to right."""
    start, end = span
    found: list[At] = []
    while start < end:
        level = (end - start).bit_length() - 1
        if start:
            level = min(level, (start & -start).bit_length() - 1)
        found.append((level, start >> level))
        start += 1 << level
    return found


def fold(span: Range, nodes: Nodes) -> bytes:
    """The digest over leaves [start, end)."""
    digests = [nodes[at] for at in subtrees(span)]
    if not digests:
        return EMPTY_ROOT
    return reduce(lambda right, left: node_digest(left, right), reversed(digests))


def root(size: int, nodes: Nodes) -> bytes:
    """The root of the tree of ``size`` leaves."""
    return fold((0, size), nodes)


def append(size: int, leaves: Sequence[bytes], edge: Nodes) -> dict[At, bytes]:
    """The nodes that new leaf digests complete.

    Args:
        size: leaves so far.
        leaves: digests of the new ones.
        edge: the subtrees of [0, size).
    """
    nodes, made = dict(edge), {}
    for index, digest in enumerate(leaves, size):
        at, position = (0, index), index
        nodes[at] = made[at] = digest
        level = 0
        while position & 1:
            digest = node_digest(nodes[level, position - 1], digest)
            level, position = level + 1, position >> 1
            nodes[level, position] = made[level, position] = digest
    return made


def inclusion(index: int, size: int) -> list[Range]:
    """The ranges whose digests prove that leaf ``index`` is in the tree of ``size``."""
    return _path(index, (0, size))


def consistency(old: int, new: int) -> list[Range]:
    """The ranges whose digests prove that the tree of ``new`` extends the tree of ``old``."""
    return _extension(old, (0, new), whole=True) if 0 < old < new else []


def needed(ranges: Iterable[Range]) -> list[At]:
    """The nodes from which the digests of ranges are folded."""
    return list(dict.fromkeys(at for span in ranges for at in subtrees(span)))


def _path(index: int, span: Range) -> list[Range]:
    start, end = span
    if end - start <= 1:
        return []
    middle = start + _split(end - start)
    if index < middle:
        return [*_path(index, (start, middle)), (middle, end)]
    return [*_path(index, (middle, end)), (start, middle)]


def _extension(old: int, span: Range, *, whole: bool) -> list[Range]:
    start, end = span
    if old == end:
        return [] if whole else [span]
    middle = start + _split(end - start)
    if old <= middle:
        return [*_extension(old, (start, middle), whole=whole), (middle, end)]
    return [*_extension(old, (middle, end), whole=False), (start, middle)]


def _split(count: int) -> int:
    """The largest power of two smaller than ``count``."""
    return 1 << ((count - 1).bit_length() - 1)
