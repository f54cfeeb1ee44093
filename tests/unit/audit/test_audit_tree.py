"""The Merkle tree against RFC 6962 as another library builds it, and against itself."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.audit import tree
from proxy.audit.offline import (
    Checkpoint,
    Proof,
    is_consistent,
    leaf_digest,
    root_from_inclusion,
)

pymerkle = pytest.importorskip("pymerkle")


def grow(leaves: list[bytes]) -> dict[tree.At, bytes]:
    """All nodes of a tree, appended one leaf at a time."""
    nodes: dict[tree.At, bytes] = {}
    for size, data in enumerate(leaves):
        nodes |= tree.append(size, [leaf_digest(data)], nodes)
    return nodes


def leaves(count: int) -> list[bytes]:
    """Distinct leaves."""
    return [f"leaf {number}".encode() for number in range(count)]


def head(size: int, nodes: tree.Nodes) -> Checkpoint:
    """The tree head at ``size``."""
    return Checkpoint("log", size, tree.root(size, nodes), "")


def test_the_empty_tree_has_the_digest_of_nothing() -> None:
    """RFC 6962: the root of no leaves is SHA-256 of nothing."""
    assert tree.root(0, {}) == hashlib.sha256(b"").digest()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 300])
def test_roots_are_those_of_another_implementation(count: int) -> None:
    """Every prefix of the tree has the root that pymerkle computes."""
    oracle, nodes = pymerkle.InmemoryTree(algorithm="sha256"), grow(leaves(count))
    for size, data in enumerate(leaves(count), 1):
        oracle.append_entry(data)
        assert tree.root(size, nodes) == oracle.get_root()


@given(st.integers(1, 200), st.data())
def test_every_leaf_is_proved_and_no_other(size: int, data: st.DataObject) -> None:
    """An inclusion path leads to the root for its leaf and index, and for nothing else."""
    index = data.draw(st.integers(0, size - 1))
    nodes = grow(leaves(size))
    path = tuple(tree.fold(span, nodes) for span in tree.inclusion(index, size))
    proof = Proof(index, path, head(size, nodes), b"")
    leaf = leaf_digest(leaves(size)[index])
    assert root_from_inclusion(leaf, proof) == tree.root(size, nodes)
    assert root_from_inclusion(leaf_digest(b"other"), proof) != tree.root(size, nodes)
    elsewhere = Proof((index + 1) % size, path, proof.checkpoint, b"")
    assert size == 1 or root_from_inclusion(leaf, elsewhere) != tree.root(size, nodes)
    assert root_from_inclusion(leaf, Proof(size, path, proof.checkpoint, b"")) is None


@given(st.integers(0, 120), st.integers(0, 120))
def test_consistency_holds_for_every_pair_and_breaks_on_a_fork(one: int, two: int) -> None:
    """A longer tree proves that it extends a shorter one; a tree with another past cannot."""
    old, new = min(one, two), max(one, two)
    nodes = grow(leaves(new))
    path = [tree.fold(span, nodes) for span in tree.consistency(old, new)]
    assert is_consistent(head(old, nodes), head(new, nodes), path)
    forked = grow([b"another past", *leaves(new)[1:]])
    if old:
        assert not is_consistent(head(old, forked), head(new, nodes), path)
    if 0 < old < new:
        assert not is_consistent(head(old, nodes), head(new, forked), path)


def test_batches_make_the_same_tree() -> None:
    """Appending many at once gives the nodes of appending one by one."""
    digests = [leaf_digest(data) for data in leaves(77)]
    first = tree.append(0, digests[:13], {})
    edge = {at: first[at] for at in tree.subtrees((0, 13))}
    assert {**first, **tree.append(13, digests[13:], edge)} == grow(leaves(77))
