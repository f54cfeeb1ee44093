"""Edits: nothing that was to go is left, whatever stands beside or over it."""

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectors.detection import Detection
from detectors.engine import Detector
from detectors.settings import DetectorSettings
from policies import Context, Edit, EditError, Policy, apply_edits, decide, load
from policies.schema.write import Mask
from policies.transform import mask

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
GDPR = load("builtin/gdpr-default")


@pytest.fixture
def gdpr() -> Policy:
    """The default policy."""
    return GDPR


def token(edit: Edit, original: str) -> str:
    """A surrogate that says nothing of the original."""
    return f"<{edit.entity_type}>"


def seen(text: str, **types: str) -> list[Detection]:
    """Detections of the given words, by type."""
    return [
        Detection(kind.rstrip("0123456789"), text.index(word), text.index(word) + len(word), 0.9,
                  "test", word)
        for kind, word in types.items()
    ]  # fmt: skip


def written(policy: Policy, text: str, detections: list[Detection]) -> str:
    """The text as it would be forwarded."""
    context = Context("write", NOW, text_length=len(text))
    return apply_edits(text, decide(policy, detections, (), context).edits, token)


def test_offsets_are_code_points(gdpr: Policy) -> None:
    """Emoji before a name do not shift the cut; no half characters, no tail letters."""
    text = "Hi 😀😀 this is Orla Quist, write orla.quist@example.net ok?"
    found = seen(text, PERSON="Orla Quist", EMAIL_ADDRESS="orla.quist@example.net")
    assert found[0].start == 14
    out = written(gdpr, text, found)
    assert out == "Hi 😀😀 this is <PERSON>, write <EMAIL_ADDRESS> ok?"
    out.encode("utf-8")


@pytest.mark.parametrize("between", [" ", "\t", "\n", "", ","])
def test_neighbours_are_all_replaced(gdpr: Policy, between: str) -> None:
    """Three addresses side by side become three marks; none stays in clear."""
    words = ["a.one@example.com", "b.two@example.org", "c.three@example.net"]
    text = between.join(words)
    found = [Detection("EMAIL_ADDRESS", text.index(w), text.index(w) + len(w), 1.0, "t")
             for w in words]  # fmt: skip
    out = written(gdpr, text, found)
    assert out == between.join(["<EMAIL_ADDRESS>"] * 3)


def test_overlapping_detections_become_one_mark(gdpr: Policy) -> None:
    """An address that runs into a link: neither half stays, what follows does."""
    text = "see tess.hale@example.org/profile/77 now"
    found = seen(text, EMAIL_ADDRESS="tess.hale@example.org", URL="example.org/profile/77")
    assert written(gdpr, text, found) == "see <EMAIL_ADDRESS> now"


def test_a_tagged_detection_alone_is_left(gdpr: Policy) -> None:
    """The twin: a link with nothing to hide in it stays."""
    text = "see example.org/profile/77 now"
    assert written(gdpr, text, seen(text, URL="example.org/profile/77")) == text


def test_the_strictest_of_overlapping_actions_wins(gdpr: Policy) -> None:
    """A card number inside a longer name span is redacted, not tokenised."""
    text = "card Orla 4111111111111111 Quist"
    found = seen(text, PERSON="Orla 4111111111111111 Quist", CREDIT_CARD="4111111111111111")
    assert written(gdpr, text, found) == "card [credit_card]"


@pytest.mark.parametrize(
    ("kind", "original", "expected"),
    [
        ("STREET_ADDRESS", "12 Marsh Lane, Seattle", "Seattle"),
        ("STREET_ADDRESS", "12 Marsh Lane, Apt 4, Seattle, WA 98101", "Seattle"),
        ("STREET_ADDRESS", "12 Marsh Lane", "[street_address]"),
        ("STREET_ADDRESS", "Seestraße 7, 8002 Zürich", "Zürich"),
        ("STREET_ADDRESS", "12 Rue Basse, 75001 Paris", "Paris"),
        ("STREET_ADDRESS", "Lane 7, 5400 Elm Road", "[street_address]"),
        ("STREET_ADDRESS", "Flat 2, Dove Court, York", "York"),
        ("DATE_OF_BIRTH", "14 May 1987", "May 1987"),
        ("DATE_OF_BIRTH", "May 14, 1987", "May 1987"),
        ("DATE_OF_BIRTH", "1987-05-14", "1987-05"),
        ("DATE_OF_BIRTH", "05/14/1987", "1987-05"),
        ("DATE_OF_BIRTH", "14/05/1987", "1987-05"),
        ("DATE_OF_BIRTH", "05/05/1987", "1987-05"),
        ("DATE_OF_BIRTH", "05/04/1987", "1987"),  # May or April
        ("DATE_OF_BIRTH", "04-05-1987", "1987"),
        ("DATE_OF_BIRTH", "4.5.1987", "1987-05"),
        ("DATE_OF_BIRTH", "14. 05. 1987", "1987-05"),
        ("DATE_OF_BIRTH", "14.15.1987", "1987"),
        ("DATE_OF_BIRTH", "14. März 1987", "März 1987"),
        ("DATE_OF_BIRTH", "14 mars 1987", "mars 1987"),
        ("DATE_OF_BIRTH", "14 de marzo de 1987", "marzo 1987"),
        ("DATE_OF_BIRTH", "1987年5月14日", "1987-05"),
        ("DATE_OF_BIRTH", "14.05.87", "[date_of_birth]"),
        ("DATE_OF_BIRTH", "19870514", "[date_of_birth]"),
        ("DATE_OF_BIRTH", "the fourteenth", "[date_of_birth]"),
        ("COORDINATES", "47.60621, -122.33207", "47.6, -122.3"),
        ("COORDINATES", "47°36'22\"N", "[coordinates]"),
        ("POSTCODE", "98101", "98***"),
        ("POSTCODE", "SW1A 1AA", "SW1A"),
        ("POSTCODE", "0-0-0", "[postcode]"),
    ],
)
def test_generalising_keeps_only_the_coarse_part(
    gdpr: Policy, kind: str, original: str, expected: str
) -> None:
    """What cannot safely be made coarser is redacted."""
    text = f"note {original} end"
    assert written(gdpr, text, seen(text, **{kind: original})) == f"note {expected} end"


@pytest.mark.parametrize(
    ("kind", "to", "original", "expected"),
    [("AGE", "band", "34 years old", "30-39"), ("AGE", "band", "aged 97", "90+"),
     ("AGE", "band", "old", "[age]"), ("AGE", "band", "3 or 4", "[age]"),
     ("DATE_OF_BIRTH", "year", "14 May 1987", "1987"),
     ("DATE_OF_BIRTH", "year", "May", "[date_of_birth]"),
     ("DATE_TIME", "month", "Augustina, 3pm", "[date_time]"),
     ("STREET_ADDRESS", "city", "12 High Street, Rosewood House, Leeds", "Leeds"),
     ("BADGE_SINCE", "year", "since 4 May 2019", "2019"),
     ("BADGE_SINCE", None, "since 4 May 2019", "[badge_since]"),
     ("PERSON", "city", "Brenn, Alva", "[person]"), ("PERSON", "month", "June Marr", "[person]"),
     ("CREDIT_CARD", "year", "4111 2020 1111 1111", "[credit_card]"),
     ("PHONE_NUMBER", "city", "0171, Kari", "[phone_number]")],
)  # fmt: skip
def test_the_policy_says_how_coarse(
    kind: str, to: str | None, original: str, expected: str
) -> None:
    """Bands and years; a form that does not fit a type leaves nothing of it."""
    edit = Edit(0, len(original), "generalise", kind, "r", {"to": to})
    assert apply_edits(original, [edit], token) == expected


@pytest.mark.parametrize(
    ("how", "text", "expected"),
    [
        (Mask(), "4111111111111111", "************1111"),
        (Mask(side="start"), "4111111111111111", "4111************"),
        (Mask(keep=0, character="#"), "abc", "###"),
        (Mask(), "Bob", "**b"),
        (Mask(), "Al", "**"),
        (Mask(keep=64), "123456789", "******789"),
    ],
)
def test_a_mask_never_shows_more_than_a_third(how: Mask, text: str, expected: str) -> None:
    """Short values are covered whole or nearly so."""
    assert mask(text, how) == expected


@pytest.mark.parametrize(
    "edit",
    [Edit(0, 99, "redact", "X", "r"), Edit(-1, 2, "redact", "X", "r"),
     Edit(2, 2, "redact", "X", "r"), Edit(3, 1, "redact", "X", "r"),
     Edit(0, 2, "vanish", "X", "r")],
)  # fmt: skip
def test_an_edit_that_does_not_fit_stops_everything(edit: Edit) -> None:
    """Offsets of another text must not be guessed at: nothing is forwarded."""
    with pytest.raises(EditError):
        apply_edits("some text", [edit], token)


def test_replace_puts_the_given_text() -> None:
    """The replacement of the rule, or the mark."""
    assert (
        apply_edits("a b", [Edit(0, 1, "replace", "X", "r", {"replacement": "z"})], token) == "z b"
    )
    assert apply_edits("a b", [Edit(0, 1, "replace", "X", "r", {"mark": "[x]"})], token) == "[x] b"


ALPHABET = st.characters(codec="utf-8", exclude_characters="\x00<>[]_")
ACTIONS = ["redact", "tokenise", "encrypt", "replace"]


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text of distinct private-use characters with edits anywhere, overlapping at will."""
    length = draw(st.integers(1, 60))
    text = "".join(chr(0xE000 + i) for i in range(length))
    spans = draw(st.lists(st.tuples(st.integers(0, length - 1), st.integers(1, 20)), max_size=12))
    edits = [
        Edit(start, min(length, start + size), draw(st.sampled_from(ACTIONS)), "PERSON", "r")
        for start, size in spans
    ]
    return text, edits


@settings(deadline=None)
@given(edited_texts())
def test_no_covered_character_survives_and_no_other_is_lost(
    drawn: tuple[str, list[Edit]],
) -> None:
    """Whatever the order and overlap: covered characters go, the others stay in order."""
    text, edits = drawn
    out = apply_edits(text, edits, token)
    covered = {text[i] for e in edits for i in range(e.start, e.end)}
    assert not covered & set(out)
    kept = [character for character in text if character not in covered]
    assert [character for character in out if 0xE000 <= ord(character) <= 0xF8FF] == kept


@settings(deadline=None)
@given(edited_texts(), st.randoms())
def test_the_order_of_edits_does_not_matter(drawn: tuple[str, list[Edit]], random: object) -> None:
    """Shuffled edits give the same text."""
    text, edits = drawn
    shuffled = list(edits)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert apply_edits(text, edits, token) == apply_edits(text, shuffled, token)


@settings(deadline=None)
@given(edited_texts(), st.lists(st.sampled_from(["PERSON", "CREDIT_CARD", "URL", "AGE", "ODD"])))
def test_decisions_cover_every_detection_that_is_to_change(
    drawn: tuple[str, list[Edit]], types: list[str]
) -> None:
    """Through `decide` as well: sorted, apart, and every private character gone."""
    text, spans = drawn
    kinds = (types or ["PERSON"]) * (len(spans) + 1)
    found = [Detection(kind, e.start, e.end, 0.9, "t")
             for kind, e in zip(kinds, spans, strict=False)]  # fmt: skip
    edits = decide(GDPR, found, (), Context("write", NOW, text_length=len(text))).edits
    assert all(a.end <= b.start for a, b in itertools.pairwise(edits))
    out = apply_edits(text, edits, token)
    hidden = {text[i] for d in found if d.entity_type not in ("URL", "AGE")
              for i in range(d.start, d.end)}  # fmt: skip
    assert not hidden & set(out)


@pytest.mark.parametrize(
    ("text", "forwarded"),
    [
        ("My birthday is on 3 May.", "My birthday is on May."),
        ("My birthday is on May 3. I like cake.", "My birthday is on May. I like cake."),
        ("Mein Geburtstag ist am 3. Mai.", "Mein Geburtstag ist am Mai."),
        ("Cumpleaños: 3 de mayo.", "Cumpleaños: mayo."),
    ],
)
def test_a_coarser_date_leaves_the_full_stop(gdpr: Policy, text: str, forwarded: str) -> None:
    """The sentence ends where it did."""
    found = Detector(DetectorSettings(tier="structured")).analyse([text])[0].detections
    assert written(gdpr, text, list(found)) == forwarded
