"""Ids, paths, versions, hosts and handles: blocked and found to the letter, never as a prefix."""

import pytest

from proxy.erasure.texts.mentions import Needles
from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.forms.things import is_thing, things
from proxy.tokens.index.spelling import Name

PAIRS = {
    # id: a thing, and another one that begins, ends, or reads like it
    "path-ending": ("/etc/app/conf", "/etc/app/conf.bak"),
    "path-below": ("/etc/app/conf", "/etc/app/conf/x"),
    "path-above": ("/etc/app/conf", "/var/etc/app/conf"),
    "short-path": ("/a/b", "/a/b.c"),
    "short-path-below": ("/a/b", "/a/b/c"),
    "id": ("u-1", "u-10"),
    "id-part": ("u-1", "u-1-2"),
    "server": ("srv1", "srv10"),
    "version": ("v1", "v1.2"),
    "ticket": ("TKT-100", "TKT-1000"),
    "order": ("order_2024_001", "order_2024_0010"),
    "decimal": ("ACME-1", "ACME-1.5"),
    "host": ("host.example", "host.example.net"),
    "link": ("https://x.example/a", "https://x.example/a/b"),
    "address": ("10.0.0.1", "10.0.0.12"),
    "mail": ("al@x.example", "mal@x.example"),
    "mail-domain": ("al@x.example", "al@x.example.org"),
    "handle": ("@quell", "@quell_b"),
    "month": ("2024-01", "2024-01-05"),
    "language": ("C++", "C"),
}
BLOCKED = {key: PAIRS[key] for key in PAIRS if len(PAIRS[key][0]) > 4 and key != "address"}


@pytest.mark.parametrize(("thing", "other"), PAIRS.values(), ids=PAIRS)
def test_a_thing_is_found_and_no_longer_one(thing: str, other: str) -> None:
    """In the middle of a sentence, at its end, and behind a colon."""
    needles = Needles.build([thing])
    for text in ("It is {} here", "Uses {}.", "see: {}, please"):
        assert needles.mentioned(text.format(thing)), text
        assert not needles.mentioned(text.format(other)), text


@pytest.mark.parametrize(("thing", "other"), BLOCKED.values(), ids=BLOCKED)
async def test_a_thing_is_blocked_and_no_longer_one(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, thing: str, other: str
) -> None:
    """The one that was forgotten does not come back; others may be written."""
    done = await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [Name(thing)]))
    assert done.refused == ()
    texts = [form.format(each) for each in (thing, other)
             for form in ("It is {} here", "Uses {}.", "file={}, see `there`")]  # fmt: skip
    found = await blocklist.blocked_mentions(tenant_id, texts)
    assert [bool(each) for each in found] == [True] * 3 + [False] * 3


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/etc", True), ("u-1", True), ("v1.2", True), ("@quell", True), ("host.example", True),
        ("Alva Brenn", False), ("Alva-Maria", False), ("O'Brien", False), ("alva.brenn", False),
        ("alva_brenn", False), ("Acme-Corp", False), ("room 7", False), ("++", False),
    ],
)  # fmt: skip
def test_what_is_a_thing(name: str, expected: bool) -> None:
    """One word with a digit or a sign that no name of a person has."""
    assert is_thing(name) is expected


def test_where_a_thing_stands() -> None:
    """Without the sign that ends the sentence, and behind a colon."""
    text = "log:/etc/app, then v1.2."
    found = {text[each.start : each.end] for each in things(text)}
    assert {"/etc/app", "v1.2"} <= found


@pytest.mark.parametrize("text", ["a" * 200_000 + "/b", "a:" * 100_000, "a.b" * 60_000])
def test_long_words_are_read_once(text: str) -> None:
    """However long a word is, few stretches of it are looked at."""
    assert len(list(things(text))) < 10
