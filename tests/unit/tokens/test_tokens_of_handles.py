"""Handles that hold a known or erased person's names, in any order, with signs around."""

import re

import pytest

from proxy.erasure.texts.mentions import Needles
from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.index.spelling import Name
from proxy.tokens.mentions.handles import decorated, together
from proxy.tokens.vault import Mention, TokenVault

HANDLES = {
    # id: a text, and what in it names Berta Falk
    "joined": ("BertaFalk likes tea", "BertaFalk"),
    "family name first": ("FalkBerta likes tea", "FalkBerta"),
    "family name first, small": ("falkberta likes tea", "falkberta"),
    "digits behind": ("my login is bertafalk99", "bertafalk"),
    "digits behind, apart": ("my login is berta falk99", "berta falk"),
    "digits before": ("99bertafalk likes tea", "bertafalk"),
    "path": ("see /u/berta.falk for more", "berta.falk"),
    "path, digits": ("see https://x.example/u/bertafalk99", "bertafalk"),
    "year": ("ask berta_falk_1987 now", "berta_falk"),
    "at": ("ask @falk.berta now", "falk.berta"),
    "signs around": ("xx_bertafalk_xx is on", "bertafalk"),
    "among others": ("the_real_berta_falk is on", "berta_falk"),
    "twin: longer family name": ("bertafalkenberg likes tea", ""),
    "twin: longer, with a hump": ("BertaFalkenberg likes tea", ""),
    "twin: longer given name": ("albertafalk likes tea", ""),
    "twin: longer given name, apart": ("roberta_falk likes tea", ""),
    "twin: longer, after a stop": ("ask @berta.falkner now", ""),
    "twin: another given name": ("tomfalk99 likes tea", ""),
    "twin: another family name": ("berta_smith_99 likes tea", ""),
}
BARE = {
    # id: a text, and whether it names Berta for who knew Berta Falk
    "signs around": ("x_Berta_x is on", True),
    "digits behind": ("berta99 is on", True),
    "underscores": ("__falk__ is on", True),
    "twin: another family name": ("berta_smith is on", False),
    "twin: an initial": ("berta_s is on", False),
    "twin: another mailbox": ("berta99@example.org is on", False),
    "twin: with another name": ("berta99.smith is on", False),
    "twin: another given name": ("Tom Falk99 is on", False),
    "twin: one digit": ("Berta2 is on", False),
    "twin: a longer name": ("x_bertas_x and albert99 are on", False),
}


@pytest.mark.parametrize(("text", "named"), HANDLES.values(), ids=HANDLES)
async def test_a_whole_name_in_a_handle(
    ledger: Ledger, blocklist: Blocklist, vault: TokenVault, tenant_id: str, text: str, named: str
) -> None:
    """Who is known is found as a person, who was erased is refused, who is forgotten is found."""
    berta = Mention("PERSON", "Berta Falk")
    await ledger.write(lambda tx: vault.index(tx, tenant_id, [berta]))
    [known] = await vault.known_mentions(tenant_id, [text])
    login = re.search(rf"\w*{re.escape(named)}\w*", text) if named else None
    assert [hit.text for hit in known] == ([login[0]] if login else [])
    assert {hit.entity_type for hit in known} <= {"PERSON"}
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [Name("Berta Falk")]))
    [hits] = await blocklist.blocked_mentions(tenant_id, [text])
    assert bool(hits) is bool(named)
    needles = Needles.build(("Berta Falk",), entity_type="PERSON")
    assert [text[span.start : span.end] for span in needles.find(text)] == (
        [named] if named else []
    )


@pytest.mark.parametrize("text", ["berta99: anyone up?", "my login is bertafalk99", "#x_Berta_x"])
async def test_a_token_in_a_login_is_restored(
    ledger: Ledger, vault: TokenVault, tenant_id: str, text: str
) -> None:
    """The token takes the place of the whole login, so that it is read as a word of its own."""
    for name in ("Berta Falk", "Berta"):
        await ledger.write(lambda tx, n=name: vault.index(tx, tenant_id, [Mention("PERSON", n)]))
    [[hit]] = await vault.known_mentions(tenant_id, [text])
    mention = Mention(hit.entity_type, hit.text)
    [minted] = await ledger.write(lambda tx: vault.tokenise(tx, tenant_id, [mention]))
    stored = text[: hit.start] + minted.token + text[hit.end :]
    assert (await vault.restore(tenant_id, stored)).text == text


@pytest.mark.parametrize(("text", "named"), BARE.values(), ids=BARE)
async def test_a_single_name_in_a_handle(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, text: str, named: bool
) -> None:
    """It counts for owners who knew the person, where nothing but signs stands around it."""
    names = [Name("Berta Falk"), Name("Berta"), Name("Falk")]
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, names, owner_id="own_1"))
    found = [
        bool((await blocklist.blocked_mentions(tenant_id, [text], [owner]))[0])
        for owner in ("own_1", "own_2")
    ]
    assert found == [named, False]
    needles = Needles.build(("Berta Falk", "Berta", "Falk"), entity_type="PERSON")
    assert needles.mentioned(text) is named


@pytest.mark.parametrize("bait", ["_", "x_", "12_", "aB", "a", "a.", "ab12", "1_"])
def test_readings_grow_with_the_text_alone(bait: str) -> None:
    """Four times the signs give about four times as many readings."""

    def number(size: int) -> int:
        text = bait * (size // len(bait))
        return sum(1 for _ in (*decorated(text), *together(text)))

    assert number(4_000) <= 4 * number(1_000) + 20
