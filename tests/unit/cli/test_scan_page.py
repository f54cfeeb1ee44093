"""``expunge scan --html``: one page that holds everything the scan counted, and nothing else."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from proxy.cli.scan_page import page
from tests.support.scripted_control import Script, run

CLEAN: dict[str, Any] = {
    "at": "2026-01-05T09:30:00+00:00", "memories": 1203, "stores": {"mem0": 1203}, "owners": 41,
    "unknown_to_the_ledger": 0, "with_personal_data": 311, "entities": {"EMAIL_ADDRESS": 97},
    "special_categories": 53, "categories": {"health": 53}, "over_their_retention_period": 0,
    "unknown_and_over_it": 0, "naming_someone_blocked": 0, "erased_and_there_again": 0,
    "under_an_erased_owner": 0,
    "history": {"asked": 0, "versions": 0, "naming_someone_blocked": 0},
    "side_rows_of_erased": {}, "side_rows_naming_someone_blocked": {}, "came_back": 0,
    "looked_at": ["mem0/embedding", "mem0/entities", "mem0/history", "mem0/memory",
                  "mem0/messages"],
    "not_looked_at": {},
}  # fmt: skip
FOUND = CLEAN | {
    "unknown_to_the_ledger": 71, "derived_from_unknown_sources": 67,
    "over_their_retention_period": 73, "unknown_and_over_it": 79,
    "naming_someone_blocked": 83, "erased_and_there_again": 89, "under_an_erased_owner": 101,
    "side_rows_of_erased": {"history": 103}, "came_back": 499,
    "side_rows_naming_someone_blocked": {"embedding": 107, "messages": 109},
    "looked_at": ["mem0/embedding", "mem0/history", "mem0/memory", "mem0/messages"],
    "not_looked_at": {"mem0/entities": "no connector"},
}  # fmt: skip
VOID = {"meta"}


class Outline(HTMLParser):
    """Reads a page as strictly as it was written: every element is closed where it belongs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and data.strip():
            self.words.setdefault(self.open[-1], []).append(data.strip())

    def tags(self, name: str) -> list[dict[str, str | None]]:
        """Attributes of every such element."""
        return [attributes for tag, attributes in self.elements if tag == name]


@pytest.mark.parametrize("body", [CLEAN, FOUND], ids=["clean", "found"])
def test_the_page_stands_alone_and_is_well_formed(body: dict[str, Any]) -> None:
    """No script, no other file; a language, a title, headings in order, tables that say what."""
    text = page(body)
    read = Outline(text)
    assert read.open == []
    assert not {"script", "link", "img", "iframe", "form", "object"} & {t for t, _ in read.elements}
    assert not re.search(r"(?i)https?:|url\(|@import| on\w+=|javascript:", text)
    assert read.tags("html") == [{"lang": "en"}]
    assert read.words["title"] == ["Expunge scan"]
    assert (len(read.tags("h1")), len(read.tags("main"))) == (1, 1)
    assert len(read.tags("table")) == len(read.tags("caption")) >= 5
    assert all(each.get("scope") in {"row", "col"} for each in read.tags("th"))
    assert "@media print" in text


def test_every_figure_is_on_the_page() -> None:
    """Each of the six kinds, layer by layer; what nobody could look at is no zero."""
    shown = " ".join(word for words in Outline(page(FOUND)).words.values() for word in words)
    figures = {int(word) for word in re.findall(r"\d+", shown)}
    assert {1203, 41, 311, 97, 53, 67, 71, 73, 79, 83, 89, 101, 103, 107, 109, 499} <= figures
    assert "entities (names index) " in shown + " "
    assert shown.count("not looked at") == 2
    assert all(part in shown for part in ("expunge reconcile", "expunge adopt", "mem0/entities"))


def test_a_clean_store_needs_nothing() -> None:
    """The verdict says so, and no command is recommended."""
    text = page(CLEAN)
    assert 'class="verdict clean"' in text
    assert 'class="verdict found"' in page(FOUND)
    assert "What to do" not in text


def test_a_name_from_outside_is_text() -> None:
    """The names of stores and kinds come from configuration; none becomes markup."""
    odd = "<b onclick=x>&amp;"
    text = page(CLEAN | {"stores": {odd: 1}, "entities": {odd: 1}, "not_looked_at": {odd: odd}})
    assert odd not in text
    assert Outline(text).tags("b") == []


@pytest.mark.parametrize(("body", "code"), [(CLEAN, 0), (FOUND, 4)], ids=["clean", "found"])
def test_the_command_writes_it(
    script: Script, tmp_path: Path, body: dict[str, Any], code: int
) -> None:
    """Beside the table or the JSON; the exit code stays."""
    script.on("POST", "/v1/stores/scan", body)
    for name, more in (("a.html", []), ("b.html", ["--json"])):
        assert run(script, "scan", "--html", str(tmp_path / name), *more) == code
        assert (tmp_path / name).read_text("utf-8") == page(body)
    assert run(script, "scan", "--html", str(tmp_path / "absent" / "a.html")) == 2
