"""Days, months and seasons of which something is told, and people who are called so."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

# What is told of a time, and who else is named.
TIMES: dict[str, tuple[str, list[str]]] = {
    "on": ("I'm off on Monday, my daughter has a recital.", []),
    "our": ("The party is on Sunday, our neighbours are invited.", []),
    "in": ("The baby is due in July, my wife is thrilled.", []),
    "his": ("He starts school in August, his teacher is Tilda Quist.", ["Tilda Quist"]),
    "in June": ("The wedding is in June, my sister wears green.", []),
    "her": ("She starts in March, her manager is Otto Lindqvist.", ["Otto Lindqvist"]),
    "since": ("Since April, my sister has been ill.", []),
    "until": ("Until August, my mother lives with us.", []),
    "late": ("Late August, my mother moves out.", []),
    "each": ("Every Sunday, my father cooks.", []),
    "next": ("Next Monday, a nurse comes by.", []),
    "day of month": ("On the 3rd of June, my sister marries.", []),
    "end of": ("By the end of August, my daughter will have moved.", []),
    "season": ("In winter, my father skis.", []),
    "feast": ("At Easter, my parents come.", []),
    "bare": ("Monday, my daughter has a recital.", []),
    "due": ("The rent is due Friday, my landlord wants it in cash.", []),
    "moved": ("The wedding moved to June, my sister wears green.", []),
    "by": ("It is due by June, my boss says.", []),
    "see you": ("See you Monday, my friend.", []),
    "back": ("I'll be back Sunday, my love.", []),
    "lunch": ("Let's do lunch Tuesday, my friend, with Jonas.", ["Jonas"]),
    "spoken to": ("Monday, my friend, is the deadline.", []),
    "celebrated": ("Friday, my dear friend, we celebrate.", []),
    "and": ("Today is Sunday and Jonas brings the cake.", ["Jonas"]),
    "German": ("Im Juli, meine Schwester heiratet.", []),
    "German day": ("Am Sonntag, my sister comes.", []),
    "Spanish": ("En Abril, my sister se casa.", []),
    "Portuguese": ("Em Abril, minha irmã casa.", []),
}
# Who is meant by the same words.
PEOPLE = {
    "begins": ("April, my sister, called.", "April"),
    "unset": ("April, my sister called yesterday.", "April"),
    "May": ("May, my sister, called.", "May"),
    "June": ("June, my neighbour, is ill.", "June"),
    "August": ("August, my brother, came by.", "August"),
    "day": ("Sunday, my neighbour, came by.", "Sunday"),
    "day and another": ("Sunday and Emeka came by.", "Sunday"),
    "ill": ("Monday, my friend, is ill.", "Monday"),
    "met": ("I met Sunday, my friend, at church.", "Sunday"),
    "introduced": ("Meet Sunday, my friend.", "Sunday"),
    "called": ("They call me Sunday, my friend.", "Sunday"),
    "is": ("This is June, my sister.", "June"),
    "is this": ("Is this April, my niece?", "April"),
    "from": ("A letter from June, my aunt.", "June"),
    "to": ("I gave the keys to August, my brother.", "August"),
    "trust": ("I trust in April, my sister.", "April"),
    "rely on a month": ("I rely on June, my colleague.", "June"),
    "rely on a day": ("I rely on Sunday, my neighbour, for lifts.", "Sunday"),
    "owner": ("I sleep in April's flat.", "April"),
    "since": ("Since April called me I am glad.", "April"),
    "surname": ("Winter, my landlord wants the rent.", "Winter"),
}


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="fast"))


def people(detector: Detector, text: str) -> list[str]:
    """Whom the detector finds."""
    found = detector.analyse([text])[0].detections
    return [one.text for one in found if one.entity_type == "PERSON"]


@pytest.mark.parametrize(("text", "others"), TIMES.values(), ids=TIMES)
def test_a_time_is_nobody_though_a_relation_follows(
    detector: Detector, text: str, others: list[str]
) -> None:
    """Only those are found who are named besides."""
    assert people(detector, text) == others


def test_a_day_beside_whom_it_is_told_to_stays_a_date(detector: Detector) -> None:
    """It is not lost with the person that it is not."""
    found = detector.analyse(["See you Monday, my friend."])[0].detections
    assert [one.text for one in found if one.entity_type == "DATE_TIME"] == ["Monday"]


@pytest.mark.parametrize(("text", "name"), PEOPLE.values(), ids=PEOPLE)
def test_who_is_called_like_a_time_is_found(detector: Detector, text: str, name: str) -> None:
    """What stands before or behind the word says that it is somebody."""
    assert name in people(detector, text)
