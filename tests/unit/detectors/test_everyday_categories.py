"""What is remembered of every day ends early where it is sensitive, and only there.

A category counts here as the builtin policy has it: what needs a consent counts from 0.75.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from detectors.categories.whereabouts import allows_whereabouts, tells_whereabouts
from detectors.engine import Detector
from detectors.settings import DetectorSettings, Tier

CASES = Path(__file__).parents[2] / "cases" / "everyday_categories.txt"
ENDING = frozenset({"health", "financial", "biometric", "location", "political_religious"})
CONSENT = {"biometric": 0.75, "political_religious": 0.75}


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="full"))


def ending(detector: Detector, text: str, tier: Tier = "full") -> set[str]:
    """The categories by which a memory ends early or is refused."""
    (analysis,) = detector.analyse([text], tier=tier)
    counting = {
        each.name for each in analysis.categories if each.score >= CONSENT.get(each.name, 0.5)
    }
    return counting & ENDING


NEUTRAL = """
Touch ID stopped working on my MacBook.
Face ID works again on the phone.
Fingerprint reader on the laptop is broken.
User wants biometric login on the app roadmap.
The SSH fingerprint of the build server changed.
Der Fingerabdruckleser am Eingang ist defekt.
El lector de huellas dactilares del móvil va lento.
Le capteur d'empreintes digitales est cassé.
feature
touch id
retina display
topic
fingerprint
The staging database is called heron and runs on port 5433.
Release train leaves on the 28th.
Gym is closed for the holidays.
Planning a trip to Lofoten in February to see the northern lights.
Marathon in Valencia is on 6 December, goal is under four hours.
Meeting room Helsinki is booked for Wednesday 14:00 to 15:30.
The headquarters of the supplier is in Milan.
The function lives in utils.py.
region
eu-west-1
city
Berlin
travel
The dog needs to be walked at six.
Das Auto muss im Mai zum TÜV.
La factura de luz subió en invierno.
mood
happy
prioridad
alta
idioma
español
Wants to see the documentary about gay rights.
"""


@pytest.mark.parametrize("tier", ["full", "fast"])
@pytest.mark.parametrize("text", NEUTRAL.strip().splitlines())
def test_what_is_of_nobody_ends_no_memory(detector: Detector, text: str, tier: Tier) -> None:
    """A device's feature, a machine's or a trip's place, an animal, a label."""
    assert ending(detector, text, tier) == set()


@pytest.mark.parametrize("tier", ["full", "fast"])
@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("My fingerprint is stored in the time clock.", "biometric"),
        ("Her voice print was enrolled for the help desk.", "biometric"),
        ("The company keeps a face template of every employee.", "biometric"),
        ("Gave a DNA sample to the police.", "biometric"),
        ("His gait profile is on file.", "biometric"),
        ("The border gate scanned my irises.", "biometric"),
        ("Sein Fingerabdruck ist im Pass gespeichert.", "biometric"),
        ("Su huella dactilar está registrada en la embajada.", "biometric"),
        ("Son empreinte digitale est enregistrée.", "biometric"),
        ("User is at the gym right now.", "location"),
        ("Comes home at six every day.", "location"),
        ("She leaves the house at seven every morning.", "location"),
        ("I'm on the train to Leeds.", "location"),
        ("Lives in Seattle.", "location"),
        ("He's at the airport until nine.", "location"),
        ("gay", "political_religious"),
        ("lesbian", "political_religious"),
        ("transgender", "political_religious"),
        ("He came out as bisexual.", "political_religious"),
        ("Er ist schwul.", "political_religious"),
        ("Mi hermana es lesbiana.", "political_religious"),
        ("Il est homosexuel.", "political_religious"),
        ("My son has asthma and walks the dog.", "health"),
    ],
)
def test_what_is_said_of_somebody_has_its_category(
    detector: Detector, text: str, category: str, tier: Tier
) -> None:
    assert ending(detector, text, tier) == {category}


@pytest.mark.parametrize(
    ("text", "allows", "tells"),
    [
        ("She's at the gym right now", True, True),
        ("Parks behind the mill every night", True, True),
        ("im in leeds", True, False),
        ("Moved from Porto to Ghent", True, False),
        ("wohnt in Ulm", True, False),
        ("12 Marsh Lane", False, False),  # without a detection
        ("The function lives in utils", False, False),
        ("The meeting moved to room C", False, False),
        ("I moved to Postgres", False, False),
        ("The headquarters is in Milan", False, False),
        ("A trip to Lofoten", False, False),
        ("Good habits take time", False, False),
    ],
)
def test_who_is_said_to_be_where(text: str, *, allows: bool, tells: bool) -> None:
    """Somebody is there, or a thing is; what tells allows as well."""
    assert (allows_whereabouts(text, ()), tells_whereabouts(text, ())) == (allows, tells)


class Share(NamedTuple):
    """How many lines there are, and how many are judged otherwise than they say."""

    lines: int
    wrong: int


def measured(detector: Detector, tier: Tier, *, held_out: bool) -> tuple[Share, Share]:
    """Early ends of neutral lines, and sensitive ones without their category."""
    lines, wrong = Counter[bool](), Counter[bool]()
    for part in CASES.read_text("utf-8").split("\n[")[1:]:
        category, _, rest = part.partition("]\n")
        for text in list(filter(None, rest.split("\n")))[held_out::2]:
            found = ending(detector, text, tier)
            neutral = category == "none"
            lines[neutral] += 1
            wrong[neutral] += bool(found) if neutral else category not in found
    return Share(lines[True], wrong[True]), Share(lines[False], wrong[False])


@pytest.mark.parametrize(
    ("tier", "held_out", "false", "missed"),
    [("full", False, 3, 0), ("full", True, 8, 0), ("fast", False, 5, 1), ("fast", True, 9, 7)],
)
def test_shares_stay_as_measured(
    detector: Detector, tier: Tier, *, held_out: bool, false: int, missed: int
) -> None:
    """More is a mistake; less is a reason to lower the number."""
    neutral, sensitive = measured(detector, tier, held_out=held_out)
    assert neutral == Share(93 if held_out else 94, min(neutral.wrong, false))
    assert sensitive == Share(67, min(sensitive.wrong, missed))
