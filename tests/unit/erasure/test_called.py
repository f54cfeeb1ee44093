"""What is said of a person beside a short name."""

import pytest

from proxy.erasure.texts.called import Others, Said, distinct, groups, said_of
from proxy.erasure.texts.mentions import Needles

JOHN = Needles.build(["John"], entity_type="PERSON")


def said(text: str) -> list[list[str]]:
    """What is said beside each mention of John."""
    return [sorted(each) for each in said_of(text, JOHN.find(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("My brother John lives in Lund.", [["brother"]], id="before"),
        pytest.param("My brother met John.", [[]], id="before-but-another"),
        pytest.param("My older brother, John, sings.", [["brother"]], id="before-comma"),
        pytest.param("His brother is called John.", [["brother"]], id="called"),
        pytest.param("John's brother is ill.", [[]], id="his-own-brother"),
        pytest.param("John, my brother, came.", [["brother"]], id="after"),
        pytest.param("I like John, my dog barks.", [[]], id="after-no-relation"),
        pytest.param("John is my older brother.", [["brother"]], id="is"),
        pytest.param("John is a teacher.", [[]], id="is-a-trade"),
        pytest.param("John (brother) is ill.", [["brother"]], id="brackets"),
        pytest.param("John (ill) is away.", [[]], id="brackets-other"),
        pytest.param("The contractor John came.", [["contractor"]], id="trade-before"),
        pytest.param("In the morning John ran.", [[]], id="no-trade-before"),
        pytest.param("John the plumber came by.", [["plumber"]], id="trade-after"),
        pytest.param("John, the weather is fine.", [[]], id="no-trade-after"),
        pytest.param(
            "John from accounting, my colleague.", [["accounting", "colleague"]], id="two"
        ),
        pytest.param("John and my brother went out.", [[]], id="and"),
        pytest.param("John, my brother's boss, is strict.", [["boss"]], id="of-the-brother"),
        pytest.param("John is my brother's landlord.", [["landlord"]], id="of-the-brother-is"),
        pytest.param("My brother's friend John came.", [["friend"]], id="of-the-brother-before"),
        pytest.param("John is my brother’s.", [[]], id="of-the-brother-alone"),
        pytest.param("John is my brother-in-law.", [["brother-in-law"]], id="in-law"),
        pytest.param("My brother in law John sings.", [["brother-in-law"]], id="in-law-words"),
        pytest.param("My step-brother John judges.", [["step-brother"]], id="step"),
        pytest.param("John is my half brother.", [["half-brother"]], id="half"),
        pytest.param("John, my ex boss, rang.", [["ex-boss"]], id="ex"),
        pytest.param("John is my brother-in-arms.", [[]], id="no-brother"),
        pytest.param("Mein Bruder John kommt.", [["bruder"]], id="german"),
        pytest.param("John aus der Buchhaltung fragt.", [["buchhaltung"]], id="german-place"),
        pytest.param("Der Klempner John war da.", [["klempner"]], id="german-trade"),
        pytest.param("John, meine Kollegin, fragt.", [["kollegin"]], id="german-after"),
        pytest.param("John de la comptabilité dort.", [["comptabilité"]], id="french-place"),
        pytest.param("John est mon voisin.", [["voisin"]], id="french-is"),
        pytest.param("John de contabilidad pide.", [["contabilidad"]], id="spanish-place"),
        pytest.param("John de Falk pide.", [[]], id="no-place-but-a-name"),
        pytest.param("El fontanero John vino.", [["fontanero"]], id="spanish-trade"),
        pytest.param("L'idraulico John dorme.", [["idraulico"]], id="italian-trade"),
        pytest.param("John della contabilità dorme.", [["contabilità"]], id="italian-place"),
        pytest.param("John é o meu vizinho.", [["vizinho"]], id="portuguese-is"),
        pytest.param("John van de boekhouding slaapt.", [["boekhouding"]], id="dutch-place"),
        pytest.param("De loodgieter John kwam.", [["loodgieter"]], id="dutch-trade"),
        pytest.param("Mum Ann and Dad John came.", [["father"]], id="same-word"),
        pytest.param(
            "John, the contractor, met my brother John.", [["contractor"], ["brother"]], id="both"
        ),
        pytest.param(
            "John is my brother. John lives in Lund.", [["brother"], ["brother"]], id="goes-on"
        ),
    ],
)
def test_what_is_said_beside_a_name(text: str, expected: list[list[str]]) -> None:
    """Relations and trades that touch the name, and where he is from; nothing else."""
    assert said(text) == expected


def test_what_is_said_together_is_said_of_one() -> None:
    """Colleague and accounting are one, joined by the memory that says both."""
    one, two, both = Said({"colleague"}), Said({"accounting"}), Said({"accounting", "colleague"})
    counted = {one: 2, Said({"brother"}): 5, two: 1, both: 1, Said(): 9}
    assert groups(counted) == [Said({"brother"}), both]
    assert groups({one: 2, two: 3, Said(): 1}) == [two, one]


def test_one_word_of_people_from_several_places_joins_nobody() -> None:
    """A colleague from sales is not the one from accounting, and "my colleague" is either."""
    one, other = Said({"accounting", "colleague"}), Said({"sales", "colleague"})
    counted = {one: 2, other: 1, Said({"colleague"}): 1, Said({"accounting"}): 1}
    assert distinct(counted) == {
        Said({"accounting"}): 3, Said({"sales"}): 1, Said({"colleague"}): 1
    }  # fmt: skip
    alone = {one: 2, Said({"colleague"}): 1}
    assert distinct(alone) == alone


@pytest.mark.parametrize(
    ("meant", "text", "kept"),
    [
        pytest.param({"brother"}, "My brother John called.", 1, id="meant"),
        pytest.param({"brother"}, "The contractor John called.", 0, id="another"),
        pytest.param({"brother"}, "John called.", 0, id="unsaid"),
        pytest.param({""}, "John called.", 1, id="unsaid-meant"),
        pytest.param({""}, "My brother John called.", 0, id="unsaid-not-him"),
        pytest.param({"brother"}, "My brother John met the contractor John.", 1, id="one-of-two"),
        pytest.param(None, "The contractor John called.", 1, id="all"),
        pytest.param({"colleague"}, "John from sales, my colleague, called.", 0, id="from-else"),
        pytest.param({"sales"}, "John from sales, my colleague, called.", 1, id="from-there"),
    ],
)
def test_others_of_the_name_are_left_out(meant: set[str] | None, text: str, kept: int) -> None:
    """Only mentions of those who are meant count."""
    others = Others(meant=None if meant is None else frozenset(meant))
    assert len(others.outside(JOHN.find(text), text)) == kept
