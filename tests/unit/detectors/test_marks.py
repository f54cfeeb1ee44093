"""What tells two names apart that are found under the same keys."""

import pytest

from detectors.identity.keys import are_namesakes, same_surface
from detectors.identity.marks import marker, marks_of


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("Maria Santos", set()),
        ("Maria dos Santos", {"dos"}),
        ("Tilda van der Kolk", {"van", "der"}),
        ("Van der Kolk, Tilda", {"van", "der"}),
        ("Kolk, Tilda van der", {"van", "der"}),
        ("Samira El Hashimi", {"al"}),
        ("Nguyen Van Hung", {"van"}),
        ("Dr. Anna von Berg", {"von"}),
        ("Ma. Teresa Cruz", {"ma"}),
        ("Dipl. Teresa Cruz", set()),
        ("Frau von Berg", set()),
        ("Ben Carter", set()),
        ("Van Morrison", set()),
    ],
)
def test_the_marks_of_a_name(name: str, marks: set[str]) -> None:
    """Particles within it and a given name abbreviated before it; one word alone has none."""
    assert marks_of(name) == marks


@pytest.mark.parametrize(
    ("text", "name", "marks"),
    [
        ("Met Maria dos Santos there", "Maria dos Santos", {"dos"}),
        ("by @maria_dos_santos", "maria_dos_santos", {"dos"}),
        ("by @MariaDosSantos", "MariaDosSantos", {"dos"}),
        ("Van der Kolk, Tilda; Brenn, Alva", "Kolk, Tilda", {"van", "der"}),
        ("Kolk, Tilda van der; Brenn, Alva", "Kolk, Tilda", {"van", "der"}),
        ("Kolk, Tilda de Vries", "Kolk, Tilda", set()),
        ("Ein Brief von Anna Berg", "Anna Berg", set()),
        ("Ma. Teresa Cruz sings", "Teresa Cruz", {"ma"}),
        ("MA. TERESA CRUZ", "TERESA CRUZ", {"ma"}),
        ("Boston, MA Teresa Cruz", "Teresa Cruz", set()),
        ("He lives in Boston, MA. Teresa Cruz too.", "Teresa Cruz", set()),
        ("He has Anna Berg in mind", "Anna Berg", set()),
        ("Tea with Tilda Brenn and Alva", "Brenn and Alva", set()),
        ("Tides, tea, and brenn, alva", "brenn, alva", set()),
    ],
)
def test_the_marks_of_a_name_in_a_text(text: str, name: str, marks: set[str]) -> None:
    """Also those that stand beside it, where the family name comes first."""
    start = text.index(name)
    assert marker(text)(start, start + len(name)) == marks


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Maria Santos", "Maria dos Santos"),
        ("Maria da Santos", "Maria dos Santos"),
        ("Anna Berg", "Anna von Berg"),
        ("Ludwig Beethoven", "van Beethoven, Ludwig"),
        ("Tilda Vanderkolk", "Tilda van der Kolk"),
        ("Teresa Cruz", "Ma. Teresa Cruz"),
        ("Nguyen Hung", "Nguyen Van Hung"),
    ],
)
def test_names_that_may_be_one_persons(left: str, right: str) -> None:
    """The same keys, and marks that differ."""
    assert are_namesakes(left, right)
    assert are_namesakes(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Anna von Berg", "Von Berg, Anna"),
        ("Frau von Berg", "Berg"),
        ("Tilda van der Kolk", "Tilda VAN DER Kolk"),
        ("Samira al-Hashimi", "Samira el Hashimi"),
        ("Rocío Ortega y Gasset", "Rocío Ortega Gasset"),
        ("Ma. Teresa Cruz", "MA. TERESA CRUZ"),
    ],
)
def test_names_that_are_one(left: str, right: str) -> None:
    """However the particle is written, and where it stands."""
    assert same_surface(left, right)
    assert not are_namesakes(left, right)


def test_other_names_are_no_namesakes() -> None:
    """A particle alone is nothing to be called by."""
    assert not are_namesakes("Maria dos Santos", "Pedro Santos")
    assert not are_namesakes("Maria Santos", "Santos")
