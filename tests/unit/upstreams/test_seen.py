"""A set of ids that takes little memory."""

import sys
import tracemalloc

from proxy.upstreams.seen import Seen


def test_each_id_is_new_once() -> None:
    """In any number, in any letters; what resembles another is another."""
    names = [f"00000000-0000-4000-8000-{n:012d}" for n in range(20_000)]
    names += ["", " ", "\x00", "é", "e\u0301", "\ud800", "0" * 10_000]
    seen = Seen()
    assert [seen.add(each) for each in names] == [True] * len(names)
    assert [seen.add(each) for each in reversed(names)] == [False] * len(names)
    assert len(seen) == len(names)


def test_it_takes_little() -> None:
    """At most 32 bytes an id, and 48 while it grows; a set of the strings takes over a hundred."""
    tracemalloc.start()
    seen = Seen()
    for n in range(30_000):
        seen.add(f"00000000-0000-4000-8000-{n:012d}")
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (kept < 32 * 30_000, most < 48 * 30_000) == (True, True)
    assert sys.getsizeof(f"00000000-0000-4000-8000-{0:012d}") > 48
