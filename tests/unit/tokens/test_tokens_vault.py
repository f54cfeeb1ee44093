"""Tokens: stable, distinct, restored exactly, erased for good; on both databases."""

import asyncio
import json

import pytest

from proxy.clock import FrozenClock
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.tokens import surrogate
from proxy.tokens.restore import restore_text
from proxy.tokens.vault import Mention, TokenVault


async def mint(
    ledger: Ledger, vault: TokenVault, tenant: str, *texts: str, kind: str = "PERSON"
) -> list[str]:
    """Tokens for texts, in one write."""
    mentions = [Mention(kind, text, ("own_1",)) for text in texts]
    minted = await ledger.write(lambda tx: vault.tokenise(tx, tenant, mentions))
    return [one.token for one in minted]


async def test_the_same_words_get_the_same_token_later_and_after_a_restart(
    ledger: Ledger, vault: TokenVault, keyring: KeyRing, tenant_id: str, clock: FrozenClock
) -> None:
    """Two requests, then a new vault: one token."""
    first = await mint(ledger, vault, tenant_id, "Alva Brenn")
    second = await mint(ledger, vault, tenant_id, "Alva Brenn")
    restarted = TokenVault(ledger, keyring, clock)
    assert first == second == await mint(ledger, restarted, tenant_id, "Alva Brenn")
    assert first[0].startswith("Person_")


async def test_tenants_do_not_share_tokens(
    ledger: Ledger, vault: TokenVault, keyring: KeyRing, tenant_id: str
) -> None:
    """One name, two tenants: unrelated tokens, and neither restores the other's."""
    other = await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    [ours], [theirs] = (
        await mint(ledger, vault, tenant_id, "Alva Brenn"),
        await mint(ledger, vault, other, "Alva Brenn"),
    )
    assert ours != theirs
    restored = await vault.restore(tenant_id, f"{theirs} met {ours}")
    assert restored.text == f"{theirs} met Alva Brenn"


async def test_people_stay_distinguishable(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """Nia met Olu, then Nia left: first and third equal, second different."""
    nia, olu, again = await mint(ledger, vault, tenant_id, "Nia", "Olu", "Nia")
    assert nia == again != olu


async def test_another_spelling_shares_the_stem_and_comes_back_as_written(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """Word order and case make a new form of the same entity."""
    one, two, three = await mint(
        ledger, vault, tenant_id, "Orla Quist", "Quist, Orla", "ORLA QUIST"
    )
    assert (two, three) == (f"{one}_2", f"{one}_3")
    text = f"{one}; {two}; {three}."
    assert (await vault.restore(tenant_id, text)).text == "Orla Quist; Quist, Orla; ORLA QUIST."


async def test_sixty_parallel_requests_agree(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """A race for a new name ends with one token, one entity, one key."""
    minted = await asyncio.gather(
        *(mint(ledger, vault, tenant_id, "Alva Brenn") for _ in range(60))
    )
    assert len({tokens[0] for tokens in minted}) == 1


async def test_two_replicas_agree(
    ledger: Ledger, ledger_url: str, vault: TokenVault, keyring: KeyRing, tenant_id: str,
    clock: FrozenClock,
) -> None:  # fmt: skip
    """Two processes that meet new names at once mint the same tokens."""
    second = await Ledger.open(ledger_url)
    other = TokenVault(second, keyring, clock)
    names = [f"Alva Brenn{'x' * n}" for n in range(8)]
    ours, theirs = await asyncio.gather(
        asyncio.gather(*(mint(ledger, vault, tenant_id, name) for name in names)),
        asyncio.gather(*(mint(second, other, tenant_id, name) for name in names)),
    )
    assert ours == theirs
    await second.close()


async def test_a_taken_code_is_lengthened(
    ledger: Ledger, vault: TokenVault, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two entities whose short codes collide still get different tokens."""
    whole = surrogate.code_for

    def colliding(names: object, kind: str, form: str, length: int) -> str:
        code = whole(names, kind, form, 32)  # type: ignore[arg-type]
        return "Person_aaaaaa" if length == 6 else code[: 7 + length]

    monkeypatch.setattr(surrogate, "code_for", colliding)
    first, second = await mint(ledger, vault, tenant_id, "Alva Brenn", "Orla Quist")
    assert first == "Person_aaaaaa"
    assert second != first
    assert len(second) == len("Person_") + 8
    restored = await vault.restore(tenant_id, f"{first} {second}")
    assert restored.text == "Alva Brenn Orla Quist"


async def test_erased_entities_read_erased_everywhere_and_stay_so(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """After erasure every form of every token reads [erased], also once the name comes back."""
    old = await mint(ledger, vault, tenant_id, "Alva Brenn", "Brenn, Alva", "Orla Quist")
    entity = (await vault.resolve(tenant_id, "Alva Brenn")).certain
    keys = await ledger.write(lambda tx: vault.erase(tx, tenant_id, entity))
    again = await ledger.write(lambda tx: vault.erase(tx, tenant_id, entity))
    assert keys == again
    assert len(keys[0].fingerprint) == 16
    restored = await vault.restore(tenant_id, " / ".join(old))
    assert (restored.text, restored.erased) == ("[erased] / [erased] / Orla Quist", 2)
    assert await vault.surface_forms(tenant_id, entity) == []
    [renewed] = await mint(ledger, vault, tenant_id, "Alva Brenn")
    assert renewed not in old
    restored = await vault.restore(tenant_id, f"{old[0]} {renewed}")
    assert restored.text == "[erased] Alva Brenn"


async def test_destroying_the_key_alone_is_enough(
    ledger: Ledger, vault: TokenVault, keyring: KeyRing, tenant_id: str
) -> None:
    """A token whose data key is gone reads [erased] although its rows are still there."""
    [token] = await mint(ledger, vault, tenant_id, "Alva Brenn")
    dek = await ledger.read(lambda tx: _dek(tx, tenant_id, token))
    await ledger.write(lambda tx: keyring.destroy(tx, [dek]))
    assert (await vault.restore(tenant_id, token)).text == "[erased]"


async def _dek(tx: object, tenant: str, code: str) -> str:
    from proxy.ledger import entities

    return (await entities.by_code(tx, tenant, [code]))[code].dek_id  # type: ignore[arg-type]


async def test_surfaces_and_tokens_of_an_entity(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """Everything to search a store for: clear spellings and tokens."""
    tokens = await mint(ledger, vault, tenant_id, "Alva Brenn", "alva brenn")
    found = (await vault.resolve(tenant_id, "Alva Brenn")).certain
    assert set(await vault.surface_forms(tenant_id, found)) == {"Alva Brenn", "alva brenn"}
    assert await ledger.read(lambda tx: vault.tokens_of(tx, tenant_id, found)) == tokens


async def test_indexing_without_tokens_makes_a_name_findable(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """What policy lets pass in the clear is found for erasure all the same."""
    [entity] = await ledger.write(
        lambda tx: vault.index(tx, tenant_id, [Mention("PERSON", "Alva Brenn")])
    )
    assert (await vault.resolve(tenant_id, "brenn alva")).certain == (entity,)


ODD = ['Orla "Q" Quist', "back\\slash", "new\nline", "Жанна Öz", "李伟", "a" * 300, "\ud83d"]


@pytest.mark.parametrize("name", ODD, ids=["quotes", "backslash", "newline", "scripts", "han",
                                           "long", "lone-surrogate"])  # fmt: skip
async def test_odd_words_come_back_exactly(
    ledger: Ledger, vault: TokenVault, tenant_id: str, name: str
) -> None:
    """Whatever the words hold, the text is restored to the same code points."""
    [token] = await mint(ledger, vault, tenant_id, name)
    assert (await vault.restore(tenant_id, f"Hi, {token}'s plan")).text == f"Hi, {name}'s plan"


WORDS = {("Person_aaaaaa", 0): 'Orla "Q" Quist', ("Person_bbbbbb", 0): "Ünal"}
NESTED = {
    "plain": "Person_aaaaaa",
    "object": '{"who": "Person_aaaaaa", "n": [1, 2.50, true]}',
    "key": '{"Person_bbbbbb" : 1}',
    "twice": json.dumps({"inner": json.dumps({"who": "met Person_aaaaaa"})}),
    "thrice": json.dumps([json.dumps({"a": json.dumps(["Person_aaaaaa", "Person_bbbbbb"])})]),
    "escapes": '{"a": "caf\\u00e9 \\/ Person_aaaaaa"}',
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_json_stays_json(text: str) -> None:
    """Clear words are escaped as deep as their token stood."""
    restored = restore_text(text, WORDS)
    assert restored.changed
    assert _flat(_decode(restored.text)) == [
        item.replace("Person_aaaaaa", 'Orla "Q" Quist').replace("Person_bbbbbb", "Ünal")
        for item in _flat(_decode(text))
    ]


def _decode(value: object) -> object:
    if isinstance(value, str) and value[:1] in ("{", "["):
        return _decode(json.loads(value))
    if isinstance(value, dict):
        return {key: _decode(item) for key, item in value.items()}
    return [_decode(item) for item in value] if isinstance(value, list) else value


def _flat(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in _flat(item)]
    if isinstance(value, list):
        return [text for item in value for text in _flat(item)]
    return [str(value)]


UNTOUCHED = [
    "no token",
    "Person_",
    "Person_zzzzzz",
    "Person_abc",
    "xPerson_aaaaaa",
    "Person_aaaaaax",
    '{"broken": "Person_cccccc"',
    "",
    "Person_cccccc",
]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_no_token_of_ours_stays(text: str) -> None:
    """Look-alikes and unknown tokens are left as they are."""
    assert restore_text(text, WORDS).text == text


async def test_a_swapped_ciphertext_does_not_open(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """A sealed form moved to another row is refused, not restored as someone else's name."""
    from sqlalchemy import text

    from proxy.keys.errors import SealBroken

    one, _ = await mint(ledger, vault, tenant_id, "Alva Brenn", "Orla Quist")
    swap = text("UPDATE vault SET sealed=(SELECT sealed FROM vault WHERE id=:b) WHERE id=:a")
    ids = await ledger.read(lambda tx: tx.execute(text("SELECT id FROM vault ORDER BY entity_id")))
    first, second = ids.scalars()
    await ledger.write(lambda tx: tx.execute(swap, {"a": first, "b": second}))
    await ledger.write(lambda tx: tx.execute(swap, {"a": second, "b": first}))
    with pytest.raises(SealBroken):
        await vault.restore(tenant_id, one)


@pytest.mark.parametrize(
    ("owners", "restored"),
    [
        pytest.param(None, "Alva Brenn", id="of-all"),
        pytest.param({"own_1"}, "Alva Brenn", id="of-the-owner"),
        pytest.param({"own_2", "own_1"}, "Alva Brenn", id="of-the-owner-among-others"),
        pytest.param({"own_2"}, None, id="of-somebody-else"),
        pytest.param(set(), None, id="of-nobody"),
    ],
)
async def test_a_token_is_restored_for_those_who_mention_what_it_stands_for(
    ledger: Ledger, vault: TokenVault, tenant_id: str, owners: set[str] | None, restored: str | None
) -> None:
    """For everybody else it stays what it is."""
    [token] = await mint(ledger, vault, tenant_id, "Alva Brenn")
    [found] = await vault.restore_many(tenant_id, [token], owners=owners)
    assert found.text == (restored or token)
