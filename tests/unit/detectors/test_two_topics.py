"""A text of two topics has both categories; a medical word about nobody adds none."""

import pytest

from detectors.categories.hints import numbered, stated
from detectors.chunks import clauses
from detectors.detection import Detection
from detectors.engine import Detector
from detectors.settings import DetectorSettings, Tier

# A text, and the two categories that it has.
BOTH = """
I have diabetes and my salary is 4000 euro | health financial
My salary is 4000 euro a month and I have asthma | health financial
My brother has epilepsy and my IBAN is DE89 3704 0044 0532 0130 00 | health financial
I take insulin daily and earn 5000 euro | health financial
Earns 62k a year and was treated for depression | health financial
I owe the bank 9000 dollars because my cancer treatment was not covered | health financial
I have HIV, my account number is 12345678 and I pay by card | health financial
Tove has migraine but her mortgage is paid off | health financial
I have asthma and live in Bergen | health location
My home address is 4 Elm Street, Bergen, and I have multiple sclerosis | health location
He moved to Lisbon because his arthritis hates the cold | health location
I live in Oslo; I take sertraline every night | health location
I am a Muslim and I work as a nurse at Norvane | political_religious professional
She works as an accountant at Norvane and is a devout Catholic | political_religious professional
I am Jewish and my salary is 4000 euro a month | political_religious financial
My loan is 20,000 euro and I pray at the mosque every Friday | political_religious financial
I have diabetes and I am a Muslim | health political_religious
I am Hindu and I take metformin | health political_religious
I work as a teacher at Norvane and I have bipolar disorder | health professional
My boss at Norvane promoted me to team lead although I have epilepsy | health professional
My wife left me and I have been depressed since | health relationships
My sister is getting divorced and my rent is 1200 euro | relationships financial
I unlock the phone with my fingerprint and my salary is 4000 euro | biometric financial
The clinic stored my DNA profile and I live in Bergen | biometric location
I have psoriasis and the office scans my fingerprint | health biometric
I prefer tea over coffee and I have celiac disease | health preferences
Ich habe Diabetes und mein Gehalt ist 4000 Euro | health financial
Mein Gehalt beträgt 5200 Euro und ich leide an Asthma | health financial
Ich habe Epilepsie und wohne in Hamburg | health location
J'ai du diabète et mon salaire est de 3000 euros | health financial
Je gagne 3000 euros par mois et je souffre d'asthme | health financial
Tengo diabetes y mi sueldo es de 2500 euros | health financial
Mi salario es de 2500 euros y tengo epilepsia | health financial
Ho il diabete e il mio stipendio è di 2000 euro | health financial
Tenho diabetes e o meu salário é de 1800 euros | health financial
Ik heb diabetes en mijn salaris is 3200 euro | health financial
Ik heb astma en woon in Utrecht | health location
Diabetic since 2011, earning 70k at Norvane | health financial
Her asthma got worse while her salary stayed at 3000 euro | health financial
Salary 5000 euro, epilepsy | health financial
I am a diabetic nurse with a salary of 4000 euro | health financial
My diabetic brother earns 5000 euro a month | health financial
My employer pays 4000 euro for my epilepsy treatment | health financial
Anna (diabetic) earns 5000 euro per month | health financial
As a Muslim I earn 4000 euro at Norvane | political_religious financial
I vote for the Green Party and I work as a software engineer | political_religious professional
"""
# None was taken for health when texts were judged only as a whole.
NEUTRAL = """
The hospital car park closes at ten and the shop at nine
The pharmacy moved its opening hours, and the door code stays the same
A new clinic opened in the old town hall
The vaccine plant hired forty people
The market is depressed and sales fell
Cancer is my star sign and tea is my drink
The doctor in the novel lives in Bergen and paints
The nurses' union signed the contract, and the strike ended
The patient parser retries and the queue drains
The virus scanner found nothing and the laptop restarted
Aspirin was patented in 1899
I paid 20 euro for the cancer charity run
The market is depressed and my sales fell
My sister sells boats and the hospital buys one
Her office is near the hospital, and the bus stops at the pharmacy
He parks at the clinic and walks to the bank
I restarted the patient parser and merged the branch
She sings in the nurse musical and he paints
The market is depressed, and sales fell in May
The nurse shark swims and the ray hides
We painted the operating theatre and went home
The drug store sells batteries and my phone needs two
The cold front brings rain and I stay in
I scanned the invoice, and the doctor of law signed it
Doctor Who is on at eight and I make popcorn
She teaches the history of the plague and rows on Sundays
The cancer charity run raised 4000 euro and my firm sponsored it
I paid 300 euro to the epilepsy foundation
My laptop has a virus and the fan is loud
Our parser is sick of commas and the queue is full
The server is healthy and the cache is warm
I injected the dependency and ran the tests
The operation failed with code 3, and I ran it again
She treats the wood with oil and sands the floor
The patient gardener waits and the roses grow
I hate cold coffee and love warm bread
We bought the old pharmacy and made it a bookshop
"""


def lines(table: str) -> list[str]:
    """The rows of a table."""
    return table.strip().splitlines()


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector of both tiers that know categories."""
    return Detector(DetectorSettings(tier="full"))


def categories(detector: Detector, text: str) -> set[str]:
    """Categories that count for a text."""
    return {one.name for one in detector.analyse([text], tier="full")[0].categories}


@pytest.mark.parametrize("row", lines(BOTH))
def test_the_stronger_topic_hides_none(detector: Detector, row: str) -> None:
    """Each of two topics of one sentence is found, in several languages."""
    text, wanted = row.split(" | ")
    assert set(wanted.split()) <= categories(detector, text)


@pytest.mark.parametrize("text", lines(NEUTRAL))
def test_a_medical_word_about_nobody_is_no_health(detector: Detector, text: str) -> None:
    """A hospital, a charity or a virus scanner in a clause says nothing of anybody's health."""
    assert "health" not in categories(detector, text)


EMPLOYERS = ["Norvane", "Keldane", "Brightwell", "Alva Brenn"]


@pytest.mark.parametrize("name", EMPLOYERS)
def test_an_employer_is_nobodys_illness(detector: Detector, name: str) -> None:
    """A special category that a likeness alone speaks for does not stand beside a spoken one."""
    text = f"My employer is {name}."
    found = [detector.analyse([text], tier=tier)[0] for tier in ("fast", "full")]
    assert [[one.name for one in each.categories] for each in found] == [["professional"]] * 2


def test_without_the_encoder_nearly_all_are_found(detector: Detector) -> None:
    """The fast tier shows both topics of five in six texts."""
    rows = [row.split(" | ") for row in lines(BOTH)]
    found = detector.analyse([text for text, _ in rows], tier="fast")
    shown = [{one.name for one in each.categories} for each in found]
    both = sum(set(wanted.split()) <= names for (_, wanted), names in zip(rows, shown, strict=True))
    assert 6 * both >= 5 * len(rows)


@pytest.mark.parametrize(
    ("text", "type_", "word", "expected"),
    [
        pytest.param("My epilepsy", "MEDICAL_CONDITION", "epilepsy", {"health"}, id="mine"),
        pytest.param("Her IBAN DE1", "IBAN_CODE", "DE1", {"financial"}, id="an account"),
        pytest.param("His SSN 219", "US_SSN", "219", {"financial"}, id="social security"),
        pytest.param("Epilepsy is old", "MEDICAL_CONDITION", "Epilepsy", set(), id="nobody's"),
        pytest.param("I run for cancer research", "MEDICAL_CONDITION", "cancer", set(), id="cause"),
        pytest.param("I like Italian food", "NRP", "Italian", set(), id="a dish"),
        pytest.param("I paid 20 euro", "MONEY", "20 euro", set(), id="a sum"),
    ],
)
def test_what_a_detection_states(text: str, type_: str, word: str, expected: set[str]) -> None:
    """Only of somebody, and only what such a thing says by itself."""
    start = text.index(word)
    found = Detection(type_, start, start + len(word), 0.8, "list", word)
    assert stated(text, [found]) == expected


NUMBERED = """
My SSN is 219-09-4471.
SSN: 219-09-4471
Tilda Arbeit, social security number 219-09-4471
The user's SSN is 219-09-4471 and she likes tea
My ITIN is 912-71-2345
Konto 4471820093 bei der Norvane Bank, BLZ 37050198
IBAN DE89 3704 0044 0532 0130 00
4111 1111 1111 1111
The account ends in 4471.
"""


@pytest.mark.parametrize("tier", ["fast", "full"])
def test_a_number_of_account_or_social_security_is_financial(
    detector: Detector, tier: Tier
) -> None:
    """Whatever else a text is about, in both tiers."""
    found = detector.analyse(lines(NUMBERED), tier=tier)
    assert ["financial" in {one.name for one in each.categories} for each in found] == [True] * 9


@pytest.mark.parametrize("type_", ["PASSPORT", "NATIONAL_ID", "PHONE_NUMBER", "MONEY"])
def test_another_number_says_no_category_by_itself(type_: str) -> None:
    """A sum of money too is somebody's only where the text says so."""
    assert numbered([Detection(type_, 0, 9, 0.9, "list", "447182009")]) == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I row and I sing", ["I row", "I sing"]),
        ("Anna (diabetic) rows; she sings", ["Anna", "diabetic", "rows", "she sings"]),
        ("Ich rudere, und ich male", ["Ich rudere", "ich male"]),
        ("Rema y canta porque quiere", ["Rema", "canta", "quiere"]),
        ("Earns 5,000 a month", ["Earns 5,000 a month"]),
        ("", []),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    """Joining words and signs are no part of them; each is a slice of the text."""
    found = list(clauses(text))
    assert [each.text.strip() for each in found] == [each.strip() for each in expected]
    assert all(text[each.start :].startswith(each.text) for each in found)
