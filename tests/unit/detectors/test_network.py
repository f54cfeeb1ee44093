"""The name model's arithmetic gives what spaCy's own parser gives."""

from itertools import pairwise

import pytest
from spacy.language import Language

from detectors.people.ner import build_nlp
from detectors.people.network import NameNetwork

TEXTS = (
    "Alva Brenn met Orla Quist in Lake Havasu City on 3 May 2021",
    "Thandiwe keeps bees behind her cottage in Swellendam.",
    "hey its keiko, lunch with big mike and jen? call me at 555-0132",
    "Paid one hundred twenty three million four hundred fifty six thousand seven hundred dollars",
    "Meine Schwester Sieglinde wohnt in Bad Kissingen \U0001f642 田中さくら",
    "Earns 42 percent more than the Norwegian average, says the Ministry of Finance",
    "   \n\t  ",
    "",
    "Kofi",
    "  Nia \n\n Ivo Lindt  ",
    "Prefers Python over Java and reads Middlemarch on Sundays at ten in the morning.",
    "Anjali Deshmukh, Wei Ling Tan, Ngozi Umeh, Tariq Aziz Haddad and the Quists came. " * 12,
)
Spans = list[tuple[int, int, str]]


@pytest.fixture(scope="module")
def nlp() -> Language:
    """The committed pipeline."""
    return build_nlp()


@pytest.fixture(scope="module")
def network(nlp: Language) -> NameNetwork:
    """The same weights without the parser."""
    return NameNetwork(nlp)


def by_parser(nlp: Language, text: str) -> Spans:
    """Entities as spaCy decides on them."""
    return [(span.start, span.end, span.label_) for span in nlp(text).ents]


def by_network(nlp: Language, network: NameNetwork, texts: list[str]) -> list[Spans]:
    """Entities as we decide on them, all texts in one batch."""
    found = network.find([nlp.make_doc(text) for text in texts])
    return [[(span.start, span.end, span.label_) for span in spans] for spans in found]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_alone_has_the_parsers_entities(
    nlp: Language, network: NameNetwork, text: str
) -> None:
    """Same spans, same labels, entities of one word and of many, blanks and no text at all."""
    assert by_network(nlp, network, [text]) == [by_parser(nlp, text)]


def test_a_batch_has_the_parsers_entities(nlp: Language, network: NameNetwork) -> None:
    """Texts beside each other do not see each other, whichever comes first."""
    given = [*TEXTS, *reversed(TEXTS)]
    assert by_network(nlp, network, given) == [by_parser(nlp, text) for text in given]


def test_the_texts_have_entities_of_every_shape(nlp: Language) -> None:
    """Were there none to find, the comparison would say nothing."""
    sizes = {end - start for text in TEXTS for start, end, _ in by_parser(nlp, text)}
    assert {1, 2, 3} <= sizes
    assert max(sizes) > 8  # longer than what is judged at once


def test_entities_come_in_order_and_apart(nlp: Language, network: NameNetwork) -> None:
    """No two entities share a token."""
    (found,) = by_network(nlp, network, [TEXTS[-1]])
    assert all(before[1] <= after[0] for before, after in pairwise(found))
