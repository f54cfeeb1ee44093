"""Coming back: joined, spaced and inflected spellings are caught; namesakes are not."""

import pytest

from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.forms.readings import joined_forms
from proxy.tokens.index.spelling import Name
from proxy.tokens.mentions.standing import stands_alone

SPELLED: dict[str, tuple[str, str, str]] = {
    # id: blocked name, a text that names it, a text that does not
    "zero-width": ("Alva Brenn", "met Alva\u200bBrenn", "met Alva\u200bBrenner"),
    "zero-width-low": ("Alva Brenn", "met alva\u200bbrenn", "met alva\u200bbrent"),
    "zero-width-inside": ("Alva Brenn", "Al\u200bva Br\u2060enn", "Al\u200bma Br\u2060enn"),
    "camel": ("Alva Brenn", "AlvaBrenn came", "MalvaBrenn came"),
    "camel-other-order": ("Alva Brenn", "see BrennAlva", "see BrennAlma"),
    "camel-in-longer": ("Alva Brenn", "class AlvaBrennNotes", "class AlvaBrennerNotes"),
    "soft-hyphen": ("Alva Brenn", "Al\u00advaBrenn", "Al\u00advaLund"),
    "handle": ("Alva Brenn", "ask @AlvaBrenn", "ask @AlvaBrennan"),
    "handle-low": ("Alva Brenn", "ask @alvabrenn", "ask @alvabrennan"),
    "hashtag": ("Alva Brenn", "#alvabrenn", "#alvabrenna"),
    "joined": ("Alva Brenn", "alvabrenn", "alvabrent"),
    "joined-capitals": ("Alva Brenn", "ALVABRENN", "ALVABRENT"),
    "joined-digits": ("Alva Brenn", "user alvabrenn84", "user alvabrent84"),
    "joined-genitive": ("Alva Brenn", "AlvaBrenns boat", "AlvaBrennt boat"),
    "joined-umlauts": ("Jörg Müller", "joergmueller", "joergmuelder"),
    "joined-accents": ("Zoé Lavé", "zoelave", "zoelane"),
    "particles": ("Ludo van Tessel", "ludovantessel", "ludovanhassel"),
    "particles-marked": ("Ludo van Tessel", "ludo_van_tessel", "ludo_van_hassel"),
    "underscore": ("Alva Brenn", "Alva_Brenn waved", "Alva_Brenner waved"),
    "underscore-in-key": ("Alva Brenn", "notes_alva_brenn_2024", "notes_alva_bren_2024"),
    "dot": ("Alva Brenn", "alva.brenn", "alva.brenner"),
    "mailbox": ("Alva Brenn", "alva.brenn@example.org", "alva@brenner.example.org"),
    "path": ("Alva Brenn", "https://example.org/wiki/Alva_Brenn", "https://example.org/Alva/x"),
    "slash": ("Alva Brenn", "people/alva/brenn", "people/alva/lund/brenn"),
    "marked-up": ("Alva Brenn", "**Alva** Brenn", "**Alva** Lund"),
    "quoted": ("Alva Brenn", "Alva (Brenn)", "Alva (Lund)"),
    "wide-gap": ("Alva Brenn", "Alva      Brenn", "Alva      Lund"),
    "letters": ("Alva Brenn", "A l v a  B r e n n", "A l v a  L u n d"),
    "letters-low": ("Alva Brenn", "I met a l v a b r e n n today", "I met a l v a b r e n t today"),
    "letters-dots": ("Alva Brenn", "A.l.v.a. B.r.e.n.n.", "A.l.m.a. B.r.e.n.n."),
    "letters-dashes": ("Alva Brenn", "A-l-v-a-B-r-e-n-n", "A-l-m-a-B-r-e-n-n"),
    "letters-lines": ("Alva Brenn", "A\nl\nv\na\nB\nr\ne\nn\nn", "A\nl\nm\na\nB\nr\ne\nn\nn"),
    "letters-half": ("Alva Brenn", "A l v a Brenn", "A l m a Brenn"),
    "torn": ("Alva Brenn", "Al va Bre nn", "Al ma Bre nn"),
    "torn-first": ("Brisanne Toltecott", "met bris anne toltecott", "met anne toltecott"),
    "torn-last": ("Brisanne Toltecott", "Brisanne Tolte-cott", "Brisanne Tolte, cott"),
    "torn-behind": ("Brisanne Toltecott", "Toltecott Bris Anne", "Toltecott Bria Anne"),
    "torn-names": ("Roseanne Toltecott", "Rosean ne Toltecott", "Rose Anne Toltecott"),
    "genitive": ("Alva Brenn", "Alvas Brenns Auto", "Alvar Brenne Auto"),
    "genitive-last": ("Alva Brenn", "Alva Brenns bil", "Alva Brenner bil"),
    "genitive-of-s": ("Jonas Brenn", "Jonas Brenns bil", "Jona Brennt bil"),
    "initial": ("Alva Brenn", "A. Brenn called", "B. Brenn called"),
    "initial-behind": ("Alva Brenn", "Brenn, A.", "Brenn, T."),
    "initial-article": ("Orla Quist", "O. Quist", "o quist and so on"),
    "words": ("Mark Brown", "Mark Brown called", "mark brown spots"),
    "han": ("田中太郎", "昨日田中 太郎さんに会った", "昨日田村 太郎さんに会った"),
    "han-gap": ("田中 太郎", "田中太郎です", "田中次郎です"),
    "han-dot": ("田中太郎", "田中・太郎", "田中。太郎"),
    "han-zero-width": ("田中太郎", "田\u200b中太郎", "田\u200b村太郎"),
    "hangul": ("김철수", "김 철수", "김 철호"),
    "sentences": ("Alva Brenn", "Alva, Brenn", "I like Alva. Brenn is a lake."),
    "phone": ("+1 555-0100-222", "call 15550100222 or +1 (555) 0100222", "call +1 555-0100-223"),
    "email": ("ab@example.org", "write AB@example.org", "write b@example.org"),
}


async def blocked(
    ledger: Ledger, blocklist: Blocklist, tenant: str, *names: str, texts: list[str],
    owner: str | None = None, asking: str | None = None,
) -> list[bool]:  # fmt: skip
    """Which texts are blocked after names were, for an owner or for all."""
    listed = [Name(each) for each in names]
    await ledger.write(lambda tx: blocklist.add(tx, tenant, listed, owner_id=owner))
    found = await blocklist.blocked_mentions(
        tenant, texts, [asking] if asking else [], initials=True
    )
    return [bool(each) for each in found]


@pytest.mark.parametrize(("name", "same", "other"), SPELLED.values(), ids=SPELLED)
async def test_a_blocked_name_is_caught_however_it_is_put_together(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, name: str, same: str, other: str
) -> None:
    """Every spelling that reads as the full name is caught; one letter off is another name."""
    found = await blocked(ledger, blocklist, tenant_id, name, texts=[same, other])
    assert found == [True, False]


JOINED = {
    "two-orders": ("Alva Brenn", ["alvabrenn", "brennalva"]),
    "single": ("Alva", []),
    "short": ("Al Bo", []),
    "a-name-of-its-own": ("Rose Mary", ["maryrose"]),
    "han": ("田中 太郎", []),
}


@pytest.mark.parametrize(("name", "forms"), JOINED.values(), ids=JOINED)
def test_joined_forms_are_of_full_and_long_names(name: str, forms: list[str]) -> None:
    """Nothing that is another name or word."""
    assert joined_forms(name) == forms


ALONE = {
    # id: text, whether "Alva" or "Brenn" stands for its bearer
    "bare": ("Alva called", True),
    "low": ("alva called", True),
    "capitals": ("ALVA CAME BY", True),
    "after-verb": ("Met Alva at the pier", True),
    "after-verb-inside": ("We asked Alva to come", True),
    "title": ("Aunt Alva and Dr. Brenn", True),
    "greeting": ("Dear Alva, thank you", True),
    "modal": ("Will Alva come?", True),
    "weekday": ("Saw Alva Monday", True),
    "possessive": ("The boat is Alva's", True),
    "possessive-thing": ("Alva's Ford is red", True),
    "list": ("Tom, Alva and Vera", True),
    "sentence": ("It was Tom. Alva left.", True),
    "surname": ("Alva Smith came by", False),
    "surname-low": ("alva johansson came by", False),
    "surname-known": ("Alva Johansson is a chef", False),
    "surname-invented": ("Alva Quist is a chef", False),
    "surname-capitals": ("ALVA SMITH CAME BY", False),
    "surname-initial": ("Alva S. came by", False),
    "surname-particle": ("Alva van Dijk came by", False),
    "double": ("Alva-Maria came by", False),
    "mailbox": ("alva_smith came by", False),
    "given": ("Tom Brenn is a pilot", False),
    "given-inside": ("yesterday Tilda Brenn called", False),
    "given-word": ("Mark Brenn is a pilot", False),
    "given-initial": ("T. Brenn is a pilot", False),
    "title-and-given": ("Mrs Tilda Brenn called", False),
    "invented": ("Murilin Brenn knits socks for the whole street", False),
    "invented-second-sentence": ("It rained. Oluwatobiloba Brenn sings alto", False),
    "invented-past": ("Murilin Brenn bought a canoe", False),
    "invented-capitals": ("MURILIN BRENN KNITS SOCKS", False),
    "invented-like-a-word": ("Panelin Brenn lives at the pier", False),
    "invented-foreign": ("Murilin Brenn wohnt in der alten Mühle", False),
    "verb-past": ("Texted Brenn about the boat", True),
    "verb-new": ("Whatsapped Brenn about the boat", True),
    "verb-ing": ("Facetiming Brenn tonight", True),
    "verb-third": ("Pesters Brenn about the boat", True),
    "invented-near-a-word": ("Lanterna Brenn's canoe is red", False),
    "invented-near-a-word-and-others": ("Harborn Brenn and Tom are late", False),
    "invented-low": ("alva tahaholm knits", False),
    "invented-low-given": ("tovkal brenn knits", False),
    "invented-low-inside": ("they say alva tahaholm sings", False),
    "low-and-verb": ("alva knits socks", True),
    "low-and-misspelt": ("alva realy likes tea", True),
    "low-and-slang": ("alva prolly likes tea", True),
    "low-and-new": ("alva facetimes daily", True),
    "low-and-thing": ("asked alva pilates details", True),
    "slip": ("Yesturday Brenn at the pier", True),
    "slip-remember": ("Remeber Brenn's canoe", True),
    "verb-slip": ("Tomorow Brenn will be there", True),
    "short-for": ("FYI Brenn is late", True),
    "no-vowels": ("Btw Brenn is late", True),
    "verb-foreign": ("Besuchte Brenn in der alten Mühle", True),
    "day-foreign": ("Gestern Brenn in der Stadt getroffen", True),
    "title-spelt": ("Doctor Brenn is late", True),
}


@pytest.mark.parametrize(("text", "alone"), ALONE.values(), ids=ALONE)
async def test_a_single_word_blocks_only_where_it_stands_alone(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, text: str, alone: bool
) -> None:
    """Under an owner who knew the person; beside another name it is somebody else's."""
    found = await blocked(
        ledger, blocklist, tenant_id, "Alva Brenn", "Alva", "Brenn", texts=[text],
        owner="own_1", asking="own_1",
    )  # fmt: skip
    assert found == [alone]
    word = "Alva" if "alva" in text.lower() else "Brenn"
    start = text.lower().index(word.lower())
    assert stands_alone(text, start, start + len(word)) is alone


NAMESAKES = {
    "bare": ("Alva went home", False, True),
    "surname": ("Alva Smith came by", False, False),
    "given": ("Tom Brenn is a pilot", False, False),
    "longer": ("I met Alva Brennan", False, False),
    "full": ("Alva Brenn went home", True, True),
    "order": ("Brenn, Alva", True, True),
    "initial": ("A. Brenn went home", True, True),
    "full-beside-namesake": ("Alva Smith met Alva Brenn", True, True),
}


@pytest.mark.parametrize(("text", "stranger", "knew"), NAMESAKES.values(), ids=NAMESAKES)
async def test_parts_of_a_name_are_blocked_for_those_who_knew_the_person(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str, text: str, stranger: bool, knew: bool
) -> None:
    """The full name for everybody; a bare name only for an owner who knew the person."""
    names = [Name("Alva Brenn"), Name("Alva"), Name("Brenn")]
    done = await ledger.write(lambda tx: blocklist.add(tx, tenant_id, names))
    assert done.refused == (1, 2)
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, names, owner_id="own_1"))
    for owner, hit in (("own_2", stranger), ("own_1", knew)):
        (found,) = await blocklist.blocked_mentions(tenant_id, [text], [owner], initials=True)
        assert bool(found) is hit


async def test_initials_say_whom_a_stored_text_names_only_where_they_were_used(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str
) -> None:
    """Nothing stored is hidden or erased for initials alone; no write may bring them back."""
    erased, used = [Name("Alva Brenn")], [Name("A. Brenn")]
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, erased))
    await ledger.write(lambda tx: blocklist.add(tx, tenant_id, used, owner_id="own_1"))
    found = {
        (owner, initials): bool(
            *await blocklist.blocked_mentions(
                tenant_id, ["A. Brenn called"], [owner], initials=initials
            )
        )
        for owner in ("own_1", "own_2")
        for initials in (True, False)
    }
    assert [each for each, hit in found.items() if not hit] == [("own_2", False)]


async def test_one_erasure_is_asked_about_alone(
    ledger: Ledger, blocklist: Blocklist, tenant_id: str
) -> None:
    """What another erasure blocks does not count."""
    await ledger.write(
        lambda tx: blocklist.add(tx, tenant_id, [Name("Alva Brenn")], erasure_id="era_1")
    )
    found = [
        bool((await blocklist.blocked_mentions(tenant_id, ["alvabrenn"], erasure_id=each))[0])
        for each in ("era_1", "era_2", None)
    ]
    assert found == [True, False, True]
