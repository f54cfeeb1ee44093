"""What a text reads like once a phrase stands for a name, in English and in German."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.asides import without_asides
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.redaction import redact
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

ORLA = Needles.build(["Orla Quist"], entity_type="PERSON")
JON = Needles.build(["Jon"], entity_type="PERSON")

TITLES = {
    "Dr. Orla Quist met Sarah Lind": "A person met Sarah Lind",
    "Prof. Dr. Orla Quist met Sarah Lind.": "A person met Sarah Lind.",
    "Sarah Lind met Mrs. Orla Quist's brother.": "Sarah Lind met a person's brother.",
    "Uncle Orla Quist met Sarah Lind.": "A person met Sarah Lind.",
    "They judge Orla Quist harshly.": "They judge a person harshly.",
}
GERMAN = {
    "Herr Orla Quist traf Sarah Lind.": "Jemand traf Sarah Lind.",
    "Sarah Lind traf Frau Dr. Orla Quist in Bern.": "Sarah Lind traf jemand in Bern.",
    "Sarah Lind und Orla Quist singen.": "Sarah Lind und jemand singen.",
    "Die Orla Quist spielt mit der Mia.": "Jemand spielt mit der Mia.",
    "Sarah Lind geht mit Orla Quists Sohn.": "Sarah Lind geht mit jemandes Sohn.",
    "Ich liebe Orla Quist.": "Ich liebe jemand.",
}
SPOKEN_TO = {
    "Hey Orla Quist! How are you?": "Hey! How are you?",
    "Thanks, Orla Quist, I love painting.": "Thanks, I love painting.",
    "Wow, Orla Quist. I moved to Oslo.": "Wow. I moved to Oslo.",
    "I moved to Oslo, Orla Quist!": "I moved to Oslo!",
    "Orla Quist, please, send it": "Please, send it",
    "Orla Quist! Come here.\nOrla Quist, we went.": "Come here.\nWe went.",
    "Hi Mia! Orla Quist, this is great.": "Hi Mia! This is great.",
    "(Hi Orla Quist)": "(Hi)",
    "Dear Mrs. Orla Quist, Sarah Lind moved.": "Sarah Lind moved.",
    "Sehr geehrte Frau Orla Quist, ich bin umgezogen.": "Ich bin umgezogen.",
    "Hallo Orla Quist, ich bin umgezogen.": "Hallo, ich bin umgezogen.",
    "Guten Morgen Orla Quist, ich ziehe um.": "Guten Morgen, ich ziehe um.",
    "Hey Orla Quist! I told Mia that Orla Quist moved": "Hey! I told Mia that a person moved",
    "Hey Orla Quist, is it true?": "Hey, is it true?",
    "Hey Orla Quist, sometimes I cry.": "Hey, sometimes I cry.",
}
UNCLEAR = {
    "Hey Orla Quist, my landlady, wants the rent.": "",
    "Hey Orla Quist, wants the rent.": "",
    "Hey Orla Quist, who has asthma, moved.": "",
    "Hallo Orla Quist, hat Asthma.": "",
    "Hey Orla Quist, my landlord, old Mr. Fox, calls": "Hey, my landlord, old Mr. Fox, calls",
    "Hey Orla Quist, my car broke down.": "Hey, my car broke down.",
}


@pytest.mark.parametrize(("text", "left"), TITLES.items(), ids=TITLES)
def test_titles_go_with_the_name(text: str, left: str) -> None:
    """``Dr. a person`` is no English; a verb that looks like a title stays."""
    assert redact(text, ORLA) == left


@pytest.mark.parametrize(("text", "left"), GERMAN.items(), ids=GERMAN)
def test_a_german_text_stays_german(text: str, left: str) -> None:
    """The phrase is the same in every case but the genitive, and takes no article."""
    assert redact(text, ORLA) == left


@pytest.mark.parametrize(("text", "left"), SPOKEN_TO.items(), ids=SPOKEN_TO)
def test_who_is_only_spoken_to_is_left_out(text: str, left: str) -> None:
    """Nobody says ``Hey a person``; a salutation that needs a name goes too."""
    assert redact(text, ORLA) == left


@pytest.mark.parametrize(("text", "left"), UNCLEAR.items(), ids=UNCLEAR)
def test_nothing_stays_that_may_be_said_of_them(text: str, left: str) -> None:
    """Behind a greeting an aside, or a verb alone, may tell of whom it greets."""
    assert redact(text, ORLA) == left


ASIDES = {
    "Sarah Lind met Jon, a diabetic, Tom Reed and Mia.": "Sarah Lind met Jon, Tom Reed and Mia.",
    "Hey Jon, my landlord, old Mr. Fox, calls": "Hey Jon, my landlord, old Mr. Fox, calls",
    "Sarah Lind und mein kranker Nachbar Jon singen.": "Sarah Lind und Jon singen.",
    "Sarah Lind met my uncle Jon.": "Sarah Lind met Jon.",
    "Sarah Lind met Jon, a diabetic, and left.": "Sarah Lind met Jon and left.",
}


@pytest.mark.parametrize(("text", "left"), ASIDES.items(), ids=ASIDES)
def test_what_stays_behind_an_aside_is_still_a_sentence(text: str, left: str) -> None:
    """The comma of a list stays; what is said to somebody is no aside about them."""
    assert without_asides(text, JON) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Hey Jon, I moved in with Sarah Lind.", ["Hey, I moved in with Sarah Lind."]),
        (
            "Hey Jon, my landlord, old Mr. Fox, wants the rent. Jon is ill.",
            ["Hey, my landlord, old Mr. Fox, wants the rent."],
        ),
        ("Hey Jon, my landlord, wants the rent.", []),
        ("Sarah Lind und Jon singen.", ["Sarah Lind und jemand singen."]),
    ],
)
async def test_a_greeting_in_a_store(build, text: str, left: list[str]) -> None:
    """With ``mixed: redact`` a sayable text is left without the name, or none."""
    bench: Erasing = await build(mixed="redact")
    people = [Mention("PERSON", name) for name in ("Jon", "Sarah Lind", "Fox") if name in text]
    await bench.remember("u-1", text, mentions=people)
    jon = Target(kind="entity", values=("Jon",), entity_type="PERSON")
    assert (await bench.forget(jon)).state == "complete"
    assert await bench.texts("u-1") == left
