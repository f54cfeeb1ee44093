"""The narrated demo: write, forget, look everywhere, write again, verify."""

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from mem0.exceptions import ValidationError
from rich.console import Console
from rich.progress import track
from rich.table import Table

from proxy.demo import client as application
from proxy.demo.conversation import Conversation, load
from proxy.demo.residue import Residue, bytes_per_file, measure
from proxy.demo.stage import Side, bare, behind_expunge, expunge

RETURNS = (
    "I ran into Orla Quist at the market.",
    "ORLA QUIST'S new practice has a blue door.",
    "Met O\u200brla Qu\u200bist again.",
    "quist, orla: call back",
)


class Promises:
    """The list of what must hold; prints each as it is checked."""

    def __init__(self, console: Console) -> None:
        self._console, self.broken = console, 0

    def check(self, held: bool, text: str) -> None:
        """Record one promise."""
        self.broken += not held
        self._console.print(
            f"  [{'green' if held else 'red'}]{'kept  ' if held else 'BROKEN'}[/] {text}"
        )


def main(keep: Path | None = None) -> int:
    """Run the demo in a temporary folder.

    Args:
        keep: leave certificate and logs in this folder.

    Returns:
        0 if every promise held, else 1.
    """
    console, conversation = Console(highlight=False), load()
    folder = keep or Path(tempfile.mkdtemp(prefix="expunge-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return _perform(console, conversation, folder)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def _perform(console: Console, conversation: Conversation, folder: Path) -> int:
    promises = Promises(console)
    console.rule("Expunge: forgetting, with proof")
    console.print(
        f"Two people tell their assistants about their weeks; both mention {conversation.forget}."
    )
    console.print("Starting a bare Mem0, and the same Mem0 behind Expunge ...")
    with bare(folder / "bare") as plain, behind_expunge(folder / "expunge") as guarded:
        ids = {side.name: _write(side, conversation, console) for side in (plain, guarded)}
        _check_before(promises, guarded, conversation)
        _forget_bare(console, plain, conversation)
        certificate = _forget(console, promises, guarded, conversation)
        residues = {
            side.name: measure(side, conversation, ids[side.name]) for side in (plain, guarded)
        }
        _show(console, residues)
        _check_after(promises, residues[guarded.name], guarded, conversation)
        _check_return(promises, guarded, conversation)
        _check_certificate(console, promises, certificate, folder)
    _verdict(console, promises)
    return min(promises.broken, 1)


def _write(side: Side, conversation: Conversation, console: Console) -> dict[str, str]:
    steps = track(
        application.write(application.connect(side), conversation),
        f"Writing {len(conversation.utterances)} memories, {side.name}",
        total=len(conversation.utterances),
        console=console,
    )
    return {utterance.ref: memory_id for utterance, memory_id in steps}


def _texts(side: Side, conversation: Conversation) -> set[str]:
    store = application.connect(side)
    return {
        text
        for owner in conversation.owners
        for text in application.everything(store, owner).values()
    }


def _check_before(promises: Promises, side: Side, conversation: Conversation) -> None:
    words = {utterance.text for utterance in conversation.utterances}
    promises.check(_texts(side, conversation) == words, "the client reads back every word it wrote")
    held = _bytes(side.store_files, conversation)
    promises.check(held == 0, f"the store itself never saw her name or number ({held} bytes hits)")


def _bytes(folder: Path, conversation: Conversation) -> int:
    return sum(bytes_per_file(folder, conversation.needles).values())


def _forget_bare(console: Console, side: Side, conversation: Conversation) -> None:
    store = application.connect(side)
    named = [
        memory_id
        for owner in conversation.owners
        for memory_id, text in application.everything(store, owner).items()
        if conversation.names_her(text)
    ]
    for memory_id in named:
        store.delete(memory_id)
    console.print(
        f"\nBare Mem0: listed everything and deleted the {len(named)} memories that name her."
    )


def _forget(console: Console, promises: Promises, side: Side, conversation: Conversation) -> Path:
    target = ("forget", "entity", conversation.forget, "--dev", str(side.dev_dir))
    console.print(
        f'Expunge: [bold]expunge forget entity "{conversation.forget}"[/] (a preview first)'
    )
    preview = expunge(*target)
    console.print(preview.stdout.rstrip(), markup=False)
    console.print(f'[bold]expunge forget entity "{conversation.forget}" --confirm confirmed[/]')
    done = expunge(*target, "--confirm", "confirmed", "--json")
    promises.check(preview.returncode == 0, "the preview deletes nothing and says what would go")
    promises.check(done.returncode == 0, f"the erasure is complete (exit code {done.returncode})")
    if done.returncode not in (0, 4):
        console.print(done.stderr.rstrip(), markup=False)
        return Path("missing-certificate")
    return _report(console, json.loads(done.stdout))


def _report(console: Console, outcome: Mapping[str, object]) -> Path:
    table = Table(title=f"{outcome['reference']}: {outcome['state']}", title_justify="left")
    columns = ("upstream", "layer", "found", "erased", "residual", "status")
    for column in columns:
        table.add_column(column)
    for layer in outcome["layers"]:  # type: ignore[attr-defined]
        table.add_row(*("-" if layer[key] is None else str(layer[key]) for key in columns))
    console.print(table)
    return Path(str(outcome["certificate"]))


_ROWS: Mapping[str, Callable[[Residue], int | None]] = {
    "get_all, every page": lambda r: r.listed,
    "search, ten questions": lambda r: r.searched,
    "history of every id": lambda r: r.history,
    "derived memories that do not name her": lambda r: r.derived,
    "history.db, bytes": lambda r: _in_files(r, history=True),
    "vector files, bytes": lambda r: _in_files(r, history=False),
    "Expunge's own files, bytes": lambda r: r.own_bytes,
}


def _in_files(residue: Residue, *, history: bool) -> int:
    return sum(
        count
        for name, count in residue.store_bytes.items()
        if name.startswith("history.db") == history
    )


def _show(console: Console, residues: Mapping[str, Residue]) -> None:
    table = Table(title="Where she still is", title_justify="left")
    table.add_column("place")
    for side in residues:
        table.add_column(side, justify="right")
    for place, read in _ROWS.items():
        values = [read(residue) for residue in residues.values()]
        table.add_row(place, *("-" if value is None else str(value) for value in values))
    console.print(table)


def _check_after(
    promises: Promises,
    residue: Residue,
    side: Side,
    conversation: Conversation,
) -> None:
    left = {place: read(residue) for place, read in _ROWS.items()}
    promises.check(not any(left.values()), "nothing of her is left, by any route, in any file")
    affected = conversation.affected()
    others = {u.text for u in conversation.utterances if u.ref not in affected}
    kept = _texts(side, conversation) == others
    promises.check(kept, f"the other {len(others)} memories are all there, unchanged")


def _check_return(promises: Promises, side: Side, conversation: Conversation) -> None:
    store, owner = application.connect(side), conversation.owners[0]
    for text in RETURNS:
        message = [{"role": "user", "content": text}]
        try:
            store.add(message, user_id=owner, infer=False)
        except ValidationError:
            continue
    back = [text for text in _texts(side, conversation) if conversation.names_her(text)]
    back_in_files = _bytes(side.store_files, conversation)
    promises.check(
        not back and not back_in_files, f"she does not come back: {len(RETURNS)} spellings tried"
    )


def _check_certificate(
    console: Console, promises: Promises, certificate: Path, folder: Path
) -> None:
    if not certificate.exists():
        promises.check(False, "there is a certificate")
        return
    verified = expunge("verify", str(certificate))
    console.print(verified.stdout.rstrip(), markup=False)
    promises.check(verified.returncode == 0, "the certificate verifies offline")
    forged = folder / "forged.json"
    content = bytearray(certificate.read_bytes())
    content[len(content) // 2] ^= 1
    forged.write_bytes(content)
    key = str(certificate.with_name("expunge-audit.vkey"))
    forgery = expunge("verify", str(forged), "--public-key", key)
    promises.check(forgery.returncode == 5, "one changed byte is found out")


def _verdict(console: Console, promises: Promises) -> None:
    if promises.broken:
        console.print(f"\n[red]{promises.broken} promise(s) broken.[/]")
    else:
        console.print("\n[green]Every promise held.[/]")
