"""Finding: known mentions, whom a name means, what is blocked, and what an attacker cannot find."""

import hashlib
from pathlib import Path

import pytest

from detectors.identity.keys import name_keys
from proxy.clock import FrozenClock
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.pseudonyms import Pseudonyms
from proxy.tokens import surrogate
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.index import keyed
from proxy.tokens.index.resolution import is_typo
from proxy.tokens.index.spelling import Name
from proxy.tokens.restore import RestoringStream
from proxy.tokens.vault import Mention, TokenVault
from tests.support.erasing import InProcessDetectors


async def index(
    ledger: Ledger, vault: TokenVault, tenant: str, *names: str, owner: str = "own_1",
    kind: str = "PERSON",
) -> dict[str, str]:  # fmt: skip
    """Index names; returns name → entity id."""
    mentions = [Mention(kind, name, (owner,)) for name in names]
    found = await ledger.write(lambda tx: vault.index(tx, tenant, mentions))
    return dict(zip(names, found, strict=True))


# -- known mentions --------------------------------------------------------------------------------

KNOWN = {
    "plain": ("I met Alva Brenn.", ["Alva Brenn"]),
    "case": ("ALVA BRENN and alva brenn", ["ALVA BRENN", "alva brenn"]),
    "order": ("(Brenn, Alva)", ["Brenn, Alva"]),
    "possessive": ("Alva Brenn's car", ["Alva Brenn"]),
    "accents": ("Álva Brenn came", ["Álva Brenn"]),
    "part": ("Alva alone, Brenn alone", []),
    "longer": ("Malva Brenner", []),
    "the son's": ("Alva Brenn Jr. sings, Alva Brenn III paints, Alva Brenn, Sr. called", []),
    "no generation": ("Alva Brenn jrahi Alva Brenn I am", ["Alva Brenn", "Alva Brenn"]),
    "other": ("Orla Quist", []),
    "address": ("mail b@example.org and bb@example.org", ["b@example.org"]),
    "word": ("will you, Will? We know Will.", ["Will", "Will"]),
    "sentence": ("Will it rain?", []),
    "empty": ("", []),
}


@pytest.mark.parametrize(("text", "expected"), KNOWN.values(), ids=KNOWN)
async def test_known_entities_are_recognised_in_texts(
    ledger: Ledger, vault: TokenVault, tenant_id: str, text: str, expected: list[str]
) -> None:
    """Whole names in any case and order; no parts, no look-alikes, no ordinary words."""
    await index(ledger, vault, tenant_id, "Alva Brenn", "Will")
    await index(ledger, vault, tenant_id, "b@example.org", kind="EMAIL_ADDRESS")
    [found] = await vault.known_mentions(tenant_id, [text])
    assert [text[hit.start : hit.end] for hit in found] == expected


# Words that were once taken for somebody, in later texts, and what of them is known there.
DOUBTFUL = {
    "compound": ("The Failover took nine minutes", []),
    "date": ("Dentist on Jan 14", []),
    "person": ("Ask Jan about it", ["Jan"]),
    "titled": ("Ask Mrs Failover about it", ["Failover"]),
    "unknown": ("Next: Zorvik", ["Zorvik"]),
    "denied": ("There is no Zorvik in the shop", []),
}


@pytest.mark.parametrize(("text", "expected"), DOUBTFUL.values(), ids=DOUBTFUL)
async def test_a_doubtful_reading_hides_no_word_elsewhere(
    ledger: Ledger, vault: TokenVault, tenant_id: str, text: str, expected: list[str]
) -> None:
    """What one text made an entity is nobody in another whose words say so."""
    await index(ledger, vault, tenant_id, "Failover", "Jan", "Zorvik")
    [found] = await vault.known_mentions(tenant_id, [text])
    assert [text[hit.start : hit.end] for hit in found] == expected


async def test_another_replica_learns_and_forgets(
    ledger: Ledger, vault: TokenVault, keyring: KeyRing, tenant_id: str, clock: FrozenClock
) -> None:
    """What one process indexes or erases is seen by the other's next look-up; tenants are apart."""
    replica = TokenVault(ledger, keyring, clock)
    other = await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    assert await replica.known_mentions(tenant_id, ["Alva Brenn"]) == [[]]
    entity = (await index(ledger, vault, tenant_id, "Alva Brenn"))["Alva Brenn"]
    [[hit]] = await replica.known_mentions(tenant_id, ["Alva Brenn"])
    assert (hit.entity_type, hit.recogniser) == ("PERSON", "known-entity")
    assert await replica.known_mentions(other, ["Alva Brenn"]) == [[]]
    await ledger.write(lambda tx: vault.erase(tx, tenant_id, [entity]))
    assert await replica.known_mentions(tenant_id, ["Alva Brenn"]) == [[]]


async def test_a_full_filter_still_answers_right(
    ledger: Ledger, vault: TokenVault, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More keys than memory is given: every word is asked of the ledger."""
    monkeypatch.setattr("proxy.tokens.index.known.MAX_KEYS", 2)
    await index(ledger, vault, tenant_id, "Alva Brenn", "Orla Quist", "Tor Vanning", "Nia Obel")
    [found] = await vault.known_mentions(tenant_id, ["Nia Obel met Alva Brenn and Tor Banning"])
    assert [hit.text for hit in found] == ["Nia Obel", "Alva Brenn"]


# -- whom a name means -----------------------------------------------------------------------------


async def meant(
    vault: TokenVault, tenant: str, known: dict[str, str], name: str, **how: str | None
) -> tuple[set[str], dict[str, str]]:
    """Certain names, and possible names with why."""
    names = {entity: name for name, entity in known.items()}
    found = await vault.resolve(tenant, name, **how)
    return (
        {names[entity] for entity in found.certain},
        {names[one.entity_id]: one.match for one in found.possible},
    )


RESOLVE: dict[str, tuple[list[str], str, set[str], dict[str, str]]] = {
    "same": (["John Smith", "Orla Quist"], "john smith", {"John Smith"}, {}),
    "order": (["John Smith"], "Smith, John", {"John Smith"}, {}),
    "bare-name-of-the-only-one": (
        ["John Smith", "John"], "John Smith", {"John Smith", "John"}, {},
    ),
    "bare-name-of-two": (
        ["John Smith", "John Dale", "John"], "John Smith", {"John Smith"}, {"John": "tok"},
    ),
    "short-for-the-only-one": (["Orla Quist"], "Orla", {"Orla Quist"}, {}),
    "short-for-two": (
        ["Orla Quist", "Orla Brenn"], "Orla", set(), {"Orla Quist": "tok", "Orla Brenn": "tok"},
    ),
    "nickname": (["Robert Hale"], "Bob Hale", {"Robert Hale"}, {}),
    "bare-nickname": (["Robert Hale"], "Bob", {"Robert Hale"}, {}),
    "initial": (["John Smith"], "J. Smith", {"John Smith"}, {}),
    "initial-of-two": (
        ["John Smith", "Jane Smith"], "J. Smith", set(),
        {"John Smith": "ini", "Jane Smith": "ini"},
    ),
    "same-initial-other-name": (["James Smith"], "John Smith", set(), {}),
    "sound": (["John Smythe"], "John Smith", set(), {"John Smythe": "phon"}),
    "typo": (["Tor Vanning"], "Tor Banning", set(), {"Tor Vanning": "typo"}),
    "shared-word": (["John Dale", "Mary Smith"], "John Smith", set(), {}),
    "half-of-a-coupled-name": (["Jean-Luc", "Jean"], "Jean-Luc", {"Jean-Luc"}, {"Jean": "tok"}),
    "half-before-the-surname": (
        ["Marie-Luise Brandt", "Marie Brandt"], "Marie-Luise Brandt", {"Marie-Luise Brandt"},
        {"Marie Brandt": "nick"},
    ),
    "coupled-or-not": (["Jean Luc"], "Jean-Luc", {"Jean Luc"}, {}),
    "nobody": (["John Smith"], "Orla Quist", set(), {}),
    "empty": (["John Smith"], "", set(), {}),
    "letter": (["John Smith"], "J", set(), {}),
    "regex": (["John Smith"], ".*", set(), {}),
}  # fmt: skip


@pytest.mark.parametrize(("names", "asked", "certain", "possible"), RESOLVE.values(), ids=RESOLVE)
async def test_whom_a_name_means_for_an_owner(
    ledger: Ledger, vault: TokenVault, tenant_id: str, names: list[str], asked: str,
    certain: set[str], possible: dict[str, str],
) -> None:  # fmt: skip
    """Certain only where no one else could be meant."""
    known = await index(ledger, vault, tenant_id, *names)
    found = await meant(vault, tenant_id, known, asked, owner_id="own_1")
    assert found == (certain, possible)


async def test_over_the_whole_tenant_a_bare_name_follows_its_only_bearer(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """Where every owner who says "Robert" knows only Robert Hale, he is meant."""
    known = await index(ledger, vault, tenant_id, "Robert Hale", "Robert")
    assert await meant(vault, tenant_id, known, "Robert Hale") == ({"Robert Hale", "Robert"}, {})


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        pytest.param("Robert Brenn", "own_1", id="a competitor there"),
        pytest.param("Robert", "own_2", id="said by somebody who does not know him"),
    ],
)
async def test_over_the_whole_tenant_a_contested_bare_name_is_a_question(
    ledger: Ledger, vault: TokenVault, tenant_id: str, name: str, owner: str
) -> None:
    """With another bearer, or under an owner without the whole name, it stays possible only."""
    known = await index(ledger, vault, tenant_id, "Robert Hale", "Robert")
    known |= await index(ledger, vault, tenant_id, name, owner=owner)
    certain, possible = await meant(vault, tenant_id, known, "Robert Hale")
    assert certain == {"Robert Hale"}
    assert possible["Robert"] == "tok"


async def test_one_owner_does_not_see_whom_another_knows(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """Weak matches under other owners are neither meant nor listed; shared entities are marked."""
    known = await index(ledger, vault, tenant_id, "Robert Hale", owner="own_2")
    assert await meant(vault, tenant_id, known, "Bob", owner_id="own_1") == (set(), {})
    await index(ledger, vault, tenant_id, "Robert Hale", owner="own_1")
    found = await vault.resolve(tenant_id, "Robert Hale", owner_id="own_1")
    assert found.shared == found.certain == (known["Robert Hale"],)


async def test_an_alias_leads_to_the_entity(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """A name added as alias resolves, is known in texts, and is among the surfaces."""
    entity = (await index(ledger, vault, tenant_id, "Orla Quist"))["Orla Quist"]
    alias = Mention("PERSON", "Captain Sparrowhawk")
    await ledger.write(lambda tx: vault.add_alias(tx, tenant_id, entity, alias))
    assert (await vault.resolve(tenant_id, "captain sparrowhawk")).certain == (entity,)
    assert "Captain Sparrowhawk" in await vault.surface_forms(tenant_id, [entity])
    [found] = await vault.known_mentions(tenant_id, ["ask Captain Sparrowhawk"])
    assert found


async def test_an_address_made_of_the_name_belongs_to_it(
    ledger: Ledger, vault: TokenVault, tenant_id: str
) -> None:
    """alva.brenn@ goes with Alva Brenn of the same owner, alva.smith@ does not."""
    known = await index(ledger, vault, tenant_id, "Alva Brenn")
    known |= await index(
        ledger, vault, tenant_id, "alva.brenn@example.org", "alva.dahl@example.org",
        kind="EMAIL_ADDRESS",
    )  # fmt: skip
    certain, _ = await meant(vault, tenant_id, known, "Alva Brenn", owner_id="own_1")
    assert certain == {"Alva Brenn", "alva.brenn@example.org"}


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("Alva Brenn", "Alva Bren", True),
        ("Alva Brenn", "Alva Brenn", False),
        ("Alva Brenn", "Alma Brent", False),
        ("Alva Brenn", "Olga Brenn", False),
        ("Al Bo", "Al Ba", False),
        ("Alva", "Alva Brenn", False),
    ],
)
def test_typing_errors_are_one_letter_a_word(one: str, two: str, same: bool) -> None:
    """Short words and equal names are no typing errors."""
    assert is_typo(one, two) is same


PHONES = {
    "home": ("0170/5550101", True),
    "spaced": ("+49 170 555 01 01", True),
    "abroad": ("+44 170 5550101", False),
    "other-digit": ("+49 170 5550102", False),
}


@pytest.mark.parametrize(("known", "same"), PHONES.values(), ids=PHONES)
async def test_a_number_of_another_country_is_another(
    ledger: Ledger, vault: TokenVault, tenant_id: str, known: str, same: bool
) -> None:
    """Though all but the country is the same."""
    await index(ledger, vault, tenant_id, known, kind="PHONE_NUMBER")
    found = await vault.resolve(tenant_id, "+49 170 5550101", entity_type="PHONE_NUMBER")
    assert bool(found.certain) is same


FIRM = {
    "firm": ("Works at Visa.", True),
    "acts": ("Visa raised its fees.", True),
    "word": ("My visa expires in May.", False),
    "opens": ("Visa forms are long.", False),
    "somebody": ("Fiona Visa sings.", False),
}


@pytest.mark.parametrize(("text", "hit"), FIRM.values(), ids=FIRM)
async def test_a_firm_called_by_a_word_is_blocked_where_it_is_one(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, text: str, hit: bool
) -> None:
    """Who needs a visa says nothing of the firm."""
    name = Name("Visa", "ORGANIZATION")
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [name]))
    [found] = await blocklist.blocked_mentions(tenant_id, [text])
    assert bool(found) is hit


# -- the blocklist ---------------------------------------------------------------------------------

BLOCKED = {
    "same": ("about Alva Brenn", True),
    "case": ("about ALVA brenn", True),
    "spacing": ("Alva  Brenn", True),
    "order": ("Brenn, Alva", True),
    "accents": ("Älva Brenn", True),
    "full-width": ("Ａｌｖａ Ｂｒｅｎｎ", True),
    "hyphen": ("Alva-Brenn", True),
    "part": ("Alva went home", False),
    "longer": ("Alva Brenner", False),
    "other": ("Orla Quist", False),
}


@pytest.mark.parametrize(("text", "hit"), BLOCKED.values(), ids=BLOCKED)
async def test_a_blocked_name_is_caught_in_other_spellings(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, text: str, hit: bool
) -> None:
    """Case, spacing, order, accents and width do not help; other people are left alone."""
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [Name("Alva Brenn")]))
    [found] = await blocklist.blocked_mentions(tenant_id, [text])
    assert bool(found) is hit


async def test_blocks_end_with_their_lifting_and_reach_every_replica(
    ledger: Ledger, blocklist: Blocklist, keyring: KeyRing, tenant_id: str, clock: FrozenClock
) -> None:
    """Another process sees additions and liftings at once."""
    replica = Blocklist(ledger, keyring, clock, InProcessDetectors())
    texts = ["Alva Brenn", "alva@example.org"]
    names = [Name("Alva Brenn"), Name("alva@example.org", "EMAIL_ADDRESS")]
    assert await replica.blocked_mentions(tenant_id, texts) == [[], []]
    added = await ledger.write(lambda tx: blocklist.add(tx, tenant_id, names))
    assert (added.added > 2, added.refused) == (True, ())
    assert all(await replica.blocked_mentions(tenant_id, texts))
    lifted = await ledger.write(lambda tx: blocklist.lift(tx, tenant_id, name=Name("brenn alva")))
    assert lifted == added.added
    assert await replica.blocked_mentions(tenant_id, texts) == [[], []]


async def test_a_block_for_one_owner_leaves_the_others_alone(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str
) -> None:
    """Owner-scoped: only that owner's writes are stopped, nicknames included."""
    name = [Name("Robert Hale")]
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, name, owner_id="own_1"))
    for text in ("Robert Hale", "Bob Hale"):
        assert await blocklist.blocked_mentions(tenant_id, [text], ["own_2"]) == [[]]
        assert await blocklist.blocked_mentions(tenant_id, [text]) == [[]]
        assert (await blocklist.blocked_mentions(tenant_id, [text], ["own_1"]))[0]


REFUSED = {
    "word": (Name("Will"), True, False),
    "month": (Name("May"), True, False),
    "everyday": (Name("the"), True, True),
    "letter": (Name("J"), True, True),
    "empty": (Name(""), True, True),
    "digits": (Name("12345", "PHONE_NUMBER"), True, True),
    "phone": (Name("555-0100-22", "PHONE_NUMBER"), False, False),
    "condition": (Name("diabetes", "MEDICAL_CONDITION"), False, False),
    "name": (Name("Alva"), False, False),
    "full-name-of-words": (Name("Will Grace"), False, False),
    "word-among-words": (Name("The Will"), True, True),
}


@pytest.mark.parametrize(("name", "tenant_wide", "for_owner"), REFUSED.values(), ids=REFUSED)
async def test_names_that_would_stop_innocent_writes_are_refused(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, name: Name, tenant_wide: bool,
    for_owner: bool,
) -> None:  # fmt: skip
    """Common and everyday words and fragments are blocked for no one; names made of them are."""
    everyone = await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [name]))
    assert bool(everyone.refused) is tenant_wide
    one = await ledger.write(lambda tx: blocklist.add(tx, tenant_id, [name], owner_id="own_1"))
    assert bool(one.refused) is for_owner


async def test_owners_are_blocked_by_kind_and_exact_id(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str
) -> None:
    """u-1 is not u-10, and an agent of the same name is another owner."""
    await ledger.write(lambda tx: blocklist.add_owner(tx, tenant_id, "user", "u-1"))
    asked = [("user", "u-1"), ("user", "u-10"), ("user", "U-1"), ("agent", "u-1")]
    found = [await blocklist.owner_blocked(tenant_id, kind, owner) for kind, owner in asked]
    assert found == [True, False, False, False]


# -- streams ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 100])
async def test_a_stream_is_restored_whatever_its_pieces(size: int) -> None:
    """Nothing is lost, nothing doubled, no token torn."""
    words = {"Person_7f3a2c": "Alva Brenn", "Person_7f3a2c_2": "Brenn, Alva"}

    async def restore(text: str) -> str:
        for found in reversed(list(surrogate.find(text))):
            token = surrogate.spell(found.code, found.form)
            text = text[: found.start] + words.get(token, token) + text[found.end :]
        return text

    text = "Personal: Person_7f3a2c met Person_7f3a2c_2 (Person_000000) per Person_7f3a2c"
    stream = RestoringStream(restore)
    pieces = [await stream.feed(text[at : at + size]) for at in range(0, len(text), size)]
    whole = "".join([*pieces, await stream.finish()])
    assert whole == "Personal: Alva Brenn met Brenn, Alva (Person_000000) per Alva Brenn"


async def test_a_stream_holds_back_no_more_than_a_possible_token() -> None:
    """Ordinary text passes at once."""

    async def same(text: str) -> str:
        return text

    stream = RestoringStream(same)
    assert await stream.feed("Hello world, I am ") == "Hello world, I am "
    assert await stream.feed("quite sure. Perso") == "quite sure. "
    assert await stream.feed("nally, Person_12") == "Personally, "
    assert await stream.feed("xyz ") == "Person_12xyz "
    assert await stream.finish() == ""


# -- what an attacker cannot find ------------------------------------------------------------------


def _dictionary() -> list[str]:
    faker = pytest.importorskip("faker").Faker(["en_US", "de_DE", "es_ES", "fr_FR", "it_IT"])
    faker.seed_instance(7)
    names: dict[str, None] = {}
    while len(names) < 10_000:
        names[faker.name()] = None
    return list(names)


KINDS = {"full", "ord", "tok", "alias"}


def _guesses(names: list[str], keys: Pseudonyms) -> set[bytes]:
    """Pseudonyms the ledger would hold for these names under ``keys``."""
    found: set[bytes] = set()
    for name in names:
        named = [key for key in name_keys(name) if key.kind in KINDS]
        found.add(keyed.canonical_key(keys, "PERSON", named[0].value))
        found.add(keyed.surface_ref(keys, "PERSON", name))
        found |= {keyed.key_of(keys, key) for key in named}
    return found


def _windows(folder: Path) -> tuple[bytes, set[bytes]]:
    """The bytes of a ledger's files, and every 16 bytes in a row of them."""
    dump = b"".join(file.read_bytes() for file in sorted(folder.glob("ledger.db*")))
    return dump, {dump[at : at + 16] for at in range(len(dump) - 15)}


async def test_ten_thousand_names_find_nothing_without_the_key(
    tmp_path: Path, clock: FrozenClock
) -> None:
    """A copy of the ledger without its key gives no name away; with the key, the same test does."""
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{tmp_path / 'ledger.db'}")
    ring = await KeyRing.open(ledger, FileKek(tmp_path / "kek.json"), clock)
    vault, names = TokenVault(ledger, ring, clock), _dictionary()
    tenant = await ledger.write(lambda tx: ring.create_tenant(tx, "acme"))
    stored = names[::500]
    await index(ledger, vault, tenant, *stored)
    blocked = [Name(name) for name in stored]
    await ledger.write(
        lambda tx: Blocklist(ledger, ring, clock, InProcessDetectors()).add(tx, tenant, blocked)
    )
    await ledger.checkpoint()
    secret = await ring.tenant(tenant)
    await ledger.close()
    dump, windows = _windows(tmp_path)
    assert not [name for name in names if name.encode() in dump]
    digests = (hashlib.sha256, hashlib.sha1, hashlib.md5)
    bare = {digest(name.encode()).digest()[:16] for name in names for digest in digests}
    assert not bare & windows
    assert not _guesses(names, Pseudonyms(b"\0" * 32)) & windows
    assert len(_guesses(stored, secret) & windows) > len(stored)
