"""Names meet under their keys, and only where they should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.identity.keys import NameKey, canonical, name_keys, same_surface
from detectors.identity.windows import candidate_keys


def found(text: str, name: str, entity_type: str = "PERSON") -> list[str]:
    """Parts of a text that have a certain key of a name."""
    wanted = {key for key in name_keys(name, entity_type) if key.kind == "full"}
    return [text[start:end] for start, end, key in candidate_keys(text) if key in wanted]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("John Smith", "Smith John", id="order"),
        pytest.param("John Smith", "JOHN SMITH", id="case"),
        pytest.param("John Smith", "John Smith's", id="possessive"),
        pytest.param("John Smith", "Dr. John Smith", id="honorific"),
        pytest.param("John Smith", "Smith, John", id="last first"),
        pytest.param("John Smith", "John Smith Jr.", id="suffix"),
        pytest.param("John Smith", "Jоhn Smіth", id="look-alikes"),
        pytest.param("John Smith", "Jo\u200bhn Smith", id="zero-width"),
        pytest.param("John Smith", "Ｊｏｈｎ Ｓｍｉｔｈ", id="full-width"),
        pytest.param("José Núñez", "Jose Nunez", id="accents"),
        pytest.param("Jürgen Müller", "Juergen Mueller", id="umlauts"),
        pytest.param("Kwabena Osei-Tutu", "Kwabena Osei Tutu", id="hyphen"),
        pytest.param("O'Shaughnessy", "O’Shaughnessy's", id="apostrophe"),
        pytest.param("Anneke van der Berg", "Van der Berg, Anneke", id="particles"),
        pytest.param("Дмитрий Волконский", "Dmitriy Volkonskiy", id="transliteration"),
        pytest.param("田中 さくら", "田中さくら", id="no word breaks"),
        pytest.param("ليلى الحداد", "لَيلى الحداد", id="vowel points"),
    ],
)
def test_the_same_name_written_differently_is_the_same(left: str, right: str) -> None:
    """Spelling, order, titles and disguise do not part one name."""
    assert same_surface(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("John Smith", "Joan Smith"),
        ("John Smith", "John Smythe"),
        ("John", "John Smith"),
        ("Tom Hardy", "Tom Hardly"),
        ("Maria", "Mario"),
        ("李伟", "李玮"),
    ],
)
def test_similar_names_are_not_the_same(left: str, right: str) -> None:
    """Likeness proves nothing: these are different people."""
    assert not same_surface(left, right)


@pytest.mark.parametrize(
    ("text", "name", "entity_type"),
    [
        pytest.param("Ask John Smith.", "John Smith", "PERSON", id="plain"),
        pytest.param("ask john smith's wife", "John Smith", "PERSON", id="lower possessive"),
        pytest.param("Smith, John is here", "John Smith", "PERSON", id="reversed"),
        pytest.param("Met Anneke van der Berg", "Anneke van der Berg", "PERSON", id="particles"),
        pytest.param("妹の中村さくらは札幌に", "中村さくら", "PERSON", id="inside a run"),
        pytest.param("남편 김도현은 부산에서", "김도현", "PERSON", id="joined particle"),
        pytest.param("Был Дмитрий Волконский", "Dmitriy Volkonskiy", "PERSON", id="cyrillic"),
        pytest.param("und Juergen Mueller", "Jürgen Müller", "PERSON", id="umlauts"),
        pytest.param("ACME-CORP called", "Acme Corp", "ORGANIZATION", id="hyphened firm"),
        pytest.param("mail a.brenn@example.org", "A.Brenn@example.org", "EMAIL_ADDRESS", id="mail"),
        pytest.param("call +1 202 555 0147", "(202) 555-0147", "PHONE_NUMBER", id="national"),
        pytest.param("call 020 7946 0958", "+44 20 7946 0958", "PHONE_NUMBER", id="trunk zero"),
        pytest.param("hi @alva_b!", "alva_b", "USERNAME", id="handle"),
    ],
)
def test_a_known_name_is_found_in_a_text(text: str, name: str, entity_type: str) -> None:
    """Indexed once, a name is found again however it stands in a text."""
    assert found(text, name, entity_type)


@pytest.mark.parametrize(
    ("text", "name", "entity_type"),
    [
        pytest.param("alice.smith@example.org", "alice@example.org", "EMAIL_ADDRESS", id="mail"),
        pytest.param("alice.smith@example.org", "Alice Smith", "PERSON", id="name in a mail"),
        pytest.param("see TKT-1000", "TKT-100", "ORGANIZATION", id="ticket"),
        pytest.param("user u-10 left", "u-1", "USERNAME", id="user number"),
        pytest.param("I met John. Smith came later", "John Smith", "PERSON", id="sentences"),
        pytest.param("Johnny Smith", "John Smith", "PERSON", id="longer word"),
        pytest.param("call 202 555 01470", "202 555 0147", "PHONE_NUMBER", id="longer number"),
    ],
)
def test_a_name_is_not_found_inside_something_longer(
    text: str, name: str, entity_type: str
) -> None:
    """Boundaries are exact: a part of an address, number or word is no mention."""
    assert not found(text, name, entity_type)


@pytest.mark.parametrize(
    ("value", "entity_type", "expected"),
    [
        ("Alva.Brenn@Example.ORG", "EMAIL_ADDRESS", "alva.brenn@example.org"),
        ("+1 (202) 555-0147", "PHONE_NUMBER", "+12025550147"),
        ("DE89 3704 0044 0532 0130 00", "IBAN_CODE", "de89370400440532013000"),
        ("@Alva_B", "USERNAME", "@alva_b"),
        ("https://www.Example.org/About/", "URL", "example.org/About"),
        ("ACME-CORP", "ORGANIZATION", "acme corp"),
        ("Prof. Orla Quist", "PERSON", "orla quist"),
        ("sk-AbC", "API_KEY", "sk-AbC"),
    ],
)
def test_canonical_forms(value: str, entity_type: str, expected: str) -> None:
    """Each type has one spelling to compare by."""
    assert canonical(value, entity_type) == expected


def test_a_nickname_meets_the_full_name() -> None:
    """Short forms share a candidate key, never a certain one."""
    bob, robert = (
        {key for key in name_keys(name) if key.kind in {"nick", "full"}}
        for name in ("Bob Quist", "Robert Quist")
    )
    assert NameKey("nick", "robert quist") in bob & robert
    assert not {key for key in bob & robert if key.kind == "full"}


def test_sound_and_initial_are_candidates() -> None:
    """Catherine may be Katherine, and J. may be Jane; both are only candidates."""
    kinds = {
        key.kind for key in set(name_keys("Katherine Lee")) & set(name_keys("Catherine Leigh"))
    }
    assert kinds == {"phon"}
    shared = set(name_keys("J. Quist")) & set(name_keys("Jane Quist"))
    assert NameKey("ini", "j quist") in shared


def test_a_mail_address_names_its_owner_only_as_an_alias() -> None:
    """The local part is a hint to a person, the tagged address one to the mailbox."""
    keys = name_keys("alva.brenn+shop@example.org", "EMAIL_ADDRESS")
    assert NameKey("alias", "alva brenn") in keys
    assert NameKey("alias", "alva.brenn@example.org") in keys
    assert NameKey("full", "alva.brenn@example.org") not in keys


@given(st.text(max_size=120))
def test_spans_lie_inside_the_text_and_are_not_empty(text: str) -> None:
    """Whatever the text, every window is a real part of it and every key has a value."""
    for start, end, key in candidate_keys(text):
        assert 0 <= start < end <= len(text)
        assert key.value


NAMES = st.lists(
    st.text(alphabet="abcdefghijklmnoprstuvwyz", min_size=3, max_size=9), min_size=1, max_size=4
)


@given(NAMES, st.sampled_from(["{} came", "we saw {}.", "it is {}'s turn", "\n{}\n"]))
def test_any_name_is_found_in_a_sentence(words: list[str], sentence: str) -> None:
    """What is indexed is found: the two sides of the index agree."""
    name = " ".join(word.title() for word in words)
    assert found(sentence.format(name), name)


@given(st.text(min_size=1, max_size=40), st.sampled_from(["PERSON", "ORGANIZATION", "LOCATION"]))
def test_keys_are_stable_and_unique(name: str, entity_type: str) -> None:
    """The same mention always gives the same keys, each once."""
    keys = name_keys(name, entity_type)
    assert keys == name_keys(name, entity_type)
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("name", "other"),
    [("Ben Carter", "Max Carter"), ("Van Morrison", "Jim Morrison"), ("Al Gore", "Tipper Gore")],
)
def test_a_given_name_that_looks_like_a_particle_counts(name: str, other: str) -> None:
    """Ben is a name at the start, so Ben Carter is found and is not every Carter."""
    assert found(f"we met {name} there", name)
    assert not found(f"we met {other} there", name)


def test_a_word_that_breaks_names_may_be_one_when_capitalised() -> None:
    """ "Than" belongs to a name, "than" does not."""
    assert found("Nguyen Than came", "Nguyen Than")
    assert not found("more Nguyen than came", "Nguyen Than")


@pytest.mark.parametrize(
    ("text", "name", "spans"),
    [
        ("Le mari d'Agathe Quist est boulanger.", "Agathe Quist", ["Agathe Quist"]),
        ("La sorella d’Ada Brenn è medico.", "Ada Brenn", ["Ada Brenn"]),
        ("La casa dell'Ada Brenn è grande.", "Ada Brenn", ["Ada Brenn"]),
        ("Com'Ada Brenn canta, nessuno.", "Ada Brenn", ["Ada Brenn"]),
        ("Sant'Ada è una chiesa.", "Ada", []),
        ("L'ami d'Éva Brenn dort.", "Eva Brenn", ["Éva Brenn"]),
        ("Je sais qu'Agathe chante.", "Agathe", ["Agathe"]),
        ("Charles d'Artagnan dort.", "Charles d'Artagnan", ["Charles d'Artagnan"]),
        ("D'Angelo sang.", "D'Angelo", ["D'Angelo"]),
        ("D'Angelo sang.", "Angelo", []),
        ("O'Brenn sang.", "Brenn", []),
        ("Ottilie Falk和我去了", "Ottilie Falk", ["Ottilie Falk"]),
        ("Ottilieさんは元気", "Ottilie", ["Ottilie"]),
        ("我和張敏去了", "張敏", ["張敏"]),
    ],
)
def test_a_name_is_found_behind_a_lost_vowel_and_where_a_script_ends(
    text: str, name: str, spans: list[str]
) -> None:
    wanted = {key for key in name_keys(name) if key.kind == "full"}
    found = {text[start:end] for start, end, key in candidate_keys(text) if key in wanted}
    assert sorted(found) == spans


@pytest.mark.parametrize(
    ("text", "value", "entity_type"),
    [
        ("我的邮箱是quist@example.org。", "quist@example.org", "EMAIL_ADDRESS"),
        ("给quist@example.org发邮件", "quist@example.org", "EMAIL_ADDRESS"),
        ("電話は+15550100199です", "+1 555 010 0199", "PHONE_NUMBER"),
        ("看https://quist.example/a吧", "https://quist.example/a", "URL"),
        ("我是@quist_b和", "@quist_b", "USERNAME"),
    ],
)
def test_a_value_ends_where_a_script_without_spaces_begins(
    text: str, value: str, entity_type: str
) -> None:
    wanted = {key for key in name_keys(value, entity_type) if key.kind == "full"}
    assert any(key in wanted for _, _, key in candidate_keys(text))
