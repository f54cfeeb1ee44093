"""Check the whole log against its own signatures, and against a checkpoint kept elsewhere."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from proxy.audit import leaf, set_back, tree
from proxy.audit.offline import (
    Checkpoint,
    NotValid,
    leaf_digest,
    load_public_key,
    parse_checkpoint,
    signed_by,
)
from proxy.audit.set_back import SetBack
from proxy.ledger import audit
from proxy.ledger.engine import Tx

PAGE = 1000
TOLERANCE = timedelta(minutes=5)  # clocks of replicas differ, and transactions take their time


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong; ``index`` is the entry, or the size of the checkpoint."""

    code: str
    index: int
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What verifying found; ``head`` is the newest checkpoint.

    Args:
        set_back: where the clock was set back, as the log itself says: nothing wrong with the log.
    """

    entries: int
    checkpoints: int
    findings: tuple[Finding, ...]
    head: Checkpoint | None = None
    set_back: tuple[SetBack, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


@dataclass(slots=True)
class _Walk:
    """The state of one pass over the entries."""

    nodes: dict[tree.At, bytes] = field(default_factory=dict)
    stored: dict[int, bytes] = field(default_factory=dict)  # digests as logged, of changed entries
    changed: dict[int, bytes] = field(default_factory=dict)  # digests as they are now
    roots: dict[int, bytes] = field(default_factory=dict)
    latest: datetime | None = None
    size: int = 0
    findings: list[Finding] = field(default_factory=list)
    set_back: list[SetBack] = field(default_factory=list)

    def report(self, code: str, index: int, message: str) -> None:
        self.findings.append(Finding(code, index, message))


async def verify(
    tx: Tx, public_keys: list[str | bytes], *, witnessed: tuple[str, ...] = ()
) -> Report:
    """Read every entry, rebuild the tree, and compare.

    Args:
        public_keys: the keys that may have signed the log.
        witnessed: checkpoints that were kept elsewhere. Only with one of those can a log be
            caught that was cut with its checkpoints, or rewritten by the holder of its key.
    """
    heads = await audit.all_checkpoints(tx)
    marks = {head.size for head in heads}
    outside = {note: _outside(note) for note in witnessed}
    marks |= {each.size for each in outside.values() if each is not None}
    walk = _Walk()
    while page := await audit.entries(tx, walk.size, PAGE):
        await _read_page(tx, page, walk, marks)
        if walk.findings and walk.findings[-1].code == "gap":
            break
    _compare_entries(walk)
    _compare_heads(walk, heads, public_keys)
    for note, each in outside.items():
        _compare_witness(walk, each, note, public_keys)
    head = parse_checkpoint(heads[-1].note.decode()) if heads else None
    return Report(walk.size, len(heads), tuple(walk.findings), head, tuple(walk.set_back))


async def _read_page(tx: Tx, page: list[audit.Entry], walk: _Walk, marks: set[int]) -> None:
    stored = await audit.nodes(tx, [(0, entry.leaf_index or 0) for entry in page])
    for entry in page:
        index = walk.size
        if entry.leaf_index != index:
            walk.report("gap", index, f"Entry {index} is missing.")
            return
        digest = leaf_digest(entry.leaf)
        if (logged := stored.get((0, index), b"")) != digest:
            walk.stored[index], walk.changed[index] = logged, digest
        _check_entry(entry, index, walk)
        _grow(walk, digest)
        if walk.size in marks:
            walk.roots[walk.size] = tree.root(walk.size, walk.nodes)


def _grow(walk: _Walk, digest: bytes) -> None:
    made = tree.append(walk.size, [digest], walk.nodes)
    walk.size += 1
    kept = set(tree.subtrees((0, walk.size)))
    walk.nodes = {at: node for at, node in {**walk.nodes, **made}.items() if at in kept}


def _check_entry(entry: audit.Entry, index: int, walk: _Walk) -> None:
    try:
        told = json.loads(entry.leaf)
        at, event = datetime.fromisoformat(told["at"]), told["event"]
        said = (told["tenant"], event, leaf.actor(told["fields"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        walk.report("unreadable", index, f"Entry {index} cannot be read.")
        return
    if index not in walk.changed:  # else that is what there is to say
        _check_place(entry, index, said, walk)
    _check_date(entry, index, at, event, walk)


def _check_date(entry: audit.Entry, index: int, at: datetime, event: str, walk: _Walk) -> None:
    if leaf.instant(at) != leaf.instant(entry.recorded_at):
        walk.report("date", index, f"Entry {index} was recorded at another time than it says.")
    latest = walk.latest or at
    if event == set_back.EVENT and at < latest:
        walk.set_back.append(SetBack(index, index, latest, latest - at))
        latest = at
    elif latest - at > TOLERANCE:
        walk.report("back-dated", index, f"Entry {index} is dated before entries that precede it.")
    if walk.set_back and at < walk.set_back[-1].latest:
        walk.set_back[-1].last = index
    if index not in walk.changed:  # the date of a changed one says nothing of those behind it
        walk.latest = max(at, latest)


def _check_place(
    entry: audit.Entry, index: int, said: tuple[str | None, str, str | None], walk: _Walk
) -> None:
    """Compare where an entry is looked up with what it says: it could be hidden there."""
    unfiled = (said[0], "", None)  # by an older release, and found whatever is asked for
    if (entry.tenant_id, entry.event, entry.actor) not in (said, unfiled):
        message = f"Entry {index} is filed under another tenant, event or actor than it says."
        walk.report("misfiled", index, message)


def _compare_entries(walk: _Walk) -> None:
    places = {walk.stored[index]: index for index in walk.changed}
    seen: set[int] = set()
    for index, digest in walk.changed.items():
        other = places.get(digest)
        if other is not None and places.get(walk.changed[other]) == index:
            if other not in seen:
                message = f"Entries {index} and {other} changed places."
                walk.report("swapped", index, message)
            seen.add(index)
        else:
            walk.report("changed", index, f"Entry {index} was changed after it was logged.")


def _compare_heads(
    walk: _Walk, heads: list[audit.SignedHead], public_keys: list[str | bytes]
) -> None:
    longest = max((head.size for head in heads), default=0)
    for head in heads:
        note = head.note.decode("utf-8", "replace")
        problem = _signature_problem(note, public_keys)
        if problem:
            walk.report("foreign-key", head.size, f"The checkpoint of size {head.size} {problem}.")
        elif head.size <= walk.size or head.size == longest:
            _compare_root(walk, parse_checkpoint(note), head.size, "")
    if walk.size and (not heads or heads[-1].size < walk.size):
        walk.report("unsigned", walk.size, "The log goes on after its last checkpoint.")


def _compare_witness(
    walk: _Walk, outside: Checkpoint | None, note: str, public_keys: list[str | bytes]
) -> None:
    problem = "cannot be read" if outside is None else _signature_problem(note, public_keys)
    if problem or outside is None:
        walk.report("foreign-key", 0, f"The checkpoint from outside {problem}.")
    else:
        _compare_root(walk, outside, outside.size, ", as a checkpoint says that was kept elsewhere")


def _compare_root(walk: _Walk, head: Checkpoint, size: int, where: str) -> None:
    if head.size != size:
        walk.report("forked", size, "A checkpoint was put in another one's place.")
    elif head.size > walk.size:
        if any(each.code == "gap" for each in walk.findings):
            return  # it goes on behind what is missing, and was not read
        message = f"The log ends after {walk.size} entries, but {head.size} were signed{where}."
        walk.report("cut", walk.size, message)
    elif walk.roots.get(size, tree.EMPTY_ROOT) != head.root and not walk.changed:
        message = f"The log forked: its first {size} entries are not those signed{where}."
        walk.report("forked", size, message)


def _signature_problem(note: str, public_keys: list[str | bytes]) -> str:
    try:
        parse_checkpoint(note)
        keys = [load_public_key(key) for key in public_keys]
    except NotValid:
        return "cannot be read"
    return "" if any(signed_by(note, key) for key in keys) else "is not signed by the log's key"


def _outside(note: str) -> Checkpoint | None:
    try:
        return parse_checkpoint(note)
    except NotValid:
        return None
