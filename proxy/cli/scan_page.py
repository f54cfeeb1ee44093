"""A scan as one page for people: to read, to print, to keep; it holds counts, never content."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from proxy.cli.progress import NO_CONNECTOR

STYLE = """
body{font:1rem/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff;max-width:46rem;
margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .3rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
caption{text-align:left;color:#4a4a4a;padding:.2rem 0}
th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #c8c8c8;
vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;padding-right:0}
.verdict{border-left:.4rem solid;padding:.6rem 1rem;margin:1rem 0;background:#f5f5f5}
.clean{border-color:#1b6e3a}.found{border-color:#a3200d}
code{font:.95em ui-monospace,monospace;background:#f0f0f0;padding:0 .25rem}
@media print{body{margin:0;max-width:none}.verdict,code{background:none}
table{break-inside:avoid}h2{break-after:avoid}}
"""
KINDS = {
    "embedding": "vectors", "entities": "names index", "history": "older versions",
    "messages": "raw messages",
}  # fmt: skip
SPECIAL = ("health", "biometric", "political_religious")

Cell = str | int
Body = Mapping[str, Any]


def page(body: Body) -> str:
    """The page of a scan's JSON form; it needs no other file and no script."""
    sections = (_looked_at, _personal, _special, _retention, _blocked, _residue, _advice)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        "<title>Expunge scan</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>What the stores hold</h1>\n<p>Scanned at {_time(body['at'])}. Nothing was changed. "
        "All figures are counts; the report names nobody and quotes nothing.</p>\n"
        f"{_verdict(body)}{''.join(section(body) for section in sections)}"
        "</main>\n</body>\n</html>\n"
    )


def _time(stated: str) -> str:
    shown = escape(stated)
    return f'<time datetime="{shown}">{shown}</time>'


def _verdict(body: Body) -> str:
    count, unread = body["came_back"], len(body["not_looked_at"])
    kind = "found" if count else "clean"
    said = (
        f"Found in {_plural(count, 'place')}: what was erased, or somebody who is blocked."
        if count
        else "Nothing of whom was erased or blocked was found where Expunge could look."
    )
    rest = f" {_plural(unread, 'layer')} could not be looked at." if unread else ""
    return f'<p class="verdict {kind}" role="status"><strong>{said}</strong>{rest}</p>\n'


def _looked_at(body: Body) -> str:
    rows = [*body["stores"].items(), ("all stores", body["memories"])]
    return _section(
        "Looked at",
        f"{_plural(body['owners'], 'owner')}; {_plural(body['unknown_to_the_ledger'], 'memory')} "
        "that Expunge does not know yet.",
        _table("Memories by store", ("store", "memories"), rows),
        _table(
            "Memories that Expunge knows and the store no longer has",
            ("store", "memories"),
            body.get("known_and_gone_from_the_store", {}).items(),
        ),
        _unknown_sources(body.get("derived_from_unknown_sources", 0)),
        _list("Layers read to their end", body["looked_at"]),
        _list(
            "Not looked at",
            [f"{layer} ({reason})" for layer, reason in body["not_looked_at"].items()],
        ),
        _list("Stores that could not be read to their end", body.get("unreachable", ())),
    )


def _orphans(body: Body) -> Mapping[str, int | None]:
    found: Mapping[str, int | None] = body.get("history_rows_of_nobody", {})
    return found


def _unknown_sources(count: int) -> str:
    said = f"{_plural(count, 'source')} of derived memories that Expunge does not know."
    return f"<p>{said}</p>\n" if count else ""


def _personal(body: Body) -> str:
    return _section(
        "Personal data",
        f"Memories that hold some: {body['with_personal_data']} of {body['memories']}.",
        _table("Memories by kind of personal data", ("kind", "memories"), body["entities"].items()),
    )


def _special(body: Body) -> str:
    named = [
        (name.replace("_", " ") + (" (special)" if name in SPECIAL else ""), count)
        for name, count in body["categories"].items()
    ]
    return _section(
        "Special categories",
        "Memories that tell of health, biometrics, politics or religion (GDPR Art. 9): "
        f"{body['special_categories']}.",
        _table("Memories by category", ("category", "memories"), named),
    )


def _retention(body: Body) -> str:
    rows = [
        ("past the date that was recorded", body["over_their_retention_period"]),
        ("unknown yet, and past what the policy allows", body["unknown_and_over_it"]),
    ]
    return _section(
        "Kept too long", "", _table("Over their retention period", ("which", "memories"), rows)
    )


def _blocked(body: Body) -> str:
    rows = [
        ("names somebody who is blocked", body["naming_someone_blocked"]),
        ("was erased and is there again", body["erased_and_there_again"]),
        ("is kept under an owner who was erased", body["under_an_erased_owner"]),
    ]
    return _section(
        "Erased or blocked", "A memory may count in several lines.",
        _table("Memories that should not be there", ("why", "memories"), rows),
    )  # fmt: skip


def _residue(body: Body) -> str:
    erased, naming = body["side_rows_of_erased"], body["side_rows_naming_someone_blocked"]
    read = {each.rpartition("/")[2] for each in body["looked_at"]}
    rows = [
        (f"{layer} ({kind})", erased.get(layer, 0), naming.get(layer, 0))
        if layer in read
        else (f"{layer} ({kind})", "not looked at", "not looked at")
        for layer, kind in KINDS.items()
    ]
    history = body["history"]
    told = (
        f"The store's own history was asked about {_plural(history['asked'], 'memory')} and showed "
        f"{_plural(history['versions'], 'version')}; {history['naming_someone_blocked']} of these "
        "memories said before what may not be said. "
        "What it keeps of erased memories it does not show."
        if history["asked"]
        else ""
    )
    return _section(
        "Residue in history and vectors", told,
        _table(
            "Rows by layer", ("layer", "of erased memories", "naming somebody blocked"), rows
        ),
        _table(
            "Versions of memories that neither the store nor Expunge knows any more",
            ("store", "rows"),
            [(name, "not told" if n is None else n) for name, n in _orphans(body).items()],
        ),
    )  # fmt: skip


def _advice(body: Body) -> str:
    steps = [
        (body["came_back"], "expunge reconcile", "erases again what came back"),
        (
            any(_orphans(body).values()),
            "expunge reconcile --orphans",
            "deletes versions of memories that nobody knows any more",
        ),
        (body["unknown_to_the_ledger"], "expunge adopt", "indexes what Expunge does not know yet"),
        (body["over_their_retention_period"], "expunge retention sweep", "lets go what is overdue"),
    ]
    shown = [f"<li><code>{what}</code> {why}.</li>" for needed, what, why in steps if needed]
    if NO_CONNECTOR in body["not_looked_at"].values():
        shown.append("<li>Configure <code>layers</code> of the store to look there too.</li>")
    return (
        f"<section>\n<h2>What to do</h2>\n<ul>{''.join(shown)}</ul>\n</section>\n" if shown else ""
    )


def _section(title: str, lead: str, *parts: str) -> str:
    told = f"<p>{escape(lead)}</p>\n" if lead else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{told}{''.join(parts)}</section>\n"


def _table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    first, *others = columns
    head = f'<th scope="col">{escape(first)}</th>' + "".join(
        f'<th scope="col" class="n">{escape(each)}</th>' for each in others
    )
    lines = "".join(map(_row, rows)) or f'<tr><td colspan="{len(columns)}">none</td></tr>\n'
    return (
        f"<table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{lines}</tbody>\n</table>\n"
    )


def _row(cells: Sequence[Cell]) -> str:
    first, *others = (escape(str(cell)) for cell in cells)
    figures = "".join(f'<td class="n">{each}</td>' for each in others)
    return f'<tr><th scope="row">{first}</th>{figures}</tr>\n'


def _list(title: str, names: Sequence[str]) -> str:
    return f"<p>{escape(title)}: {escape(', '.join(names))}.</p>\n" if names else ""


def _plural(count: int, word: str) -> str:
    several = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{count} {word if count == 1 else several}"
