"""What is said without a subject or a verb of its own goes with whom its clause is about."""

from dataclasses import replace

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.asides import without_asides
from proxy.erasure.texts.fragments import has_subject
from proxy.erasure.texts.hanging import without_hanging
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.rewrite import Judge, reduced, sentences
from proxy.erasure.texts.telling import Telling
from proxy.tokens.vault import Mention

ALVA = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
NEEDLES = Needles.build(["Alva Brenn"], entity_type="PERSON")
PAIR = [Mention("PERSON", "Alva Brenn"), Mention("PERSON", "Berta Holm")]


def redacted(text: str, other: str, keep: Telling | None = None) -> str:
    """What ``erasure.mixed: redact`` leaves of a text that may name one other person."""
    judge, text = Judge(NEEDLES, keep=keep, redacts=True), without_asides(text, NEEDLES, keep)
    parts = [part for sentence in sentences(text) for part in judge.parts(sentence)]
    return reduced(text, replace(judge, others=[part for part in parts if other in part]))


THEIRS = {
    # what hangs on "{f} is engaged to {s}": nothing of it is left
    "adjective": " and HIV positive",
    "adjectives": ", diabetic and pregnant",
    "noun": ", a heavy smoker",
    "several": ", 54, from Bergen, out of work",
    "with a noun that looks like a verb": " and allergic to nuts",
    "father": ", father of two boys",
    "participle": ", suffering from gout",
    "dash": " – HIV positive and out of work",
    "semicolon": "; unemployed, broke and depressed",
    "colon": ": depressed, on medication",
    "adverb": ", usually late and hung over",
    "as well as": ", as well as broke and divorced",
    "or": ", or rather drunk",
    "because of": " because of gout",
    "behind what they do": " and is bankrupt and alone",
    "sentence": ". HIV positive and out of work",
    "sentence of one word": ". Diabetic",
    "sentence with a noun that looks like a verb": ". Allergic to nuts",
}


@pytest.mark.parametrize("said", THEIRS.values(), ids=THEIRS)
@pytest.mark.parametrize("other", ["Berta Holm", "Person_5a3f2c"], ids=["clear", "token"])
def test_what_hangs_on_their_clause_goes(said: str, other: str) -> None:
    """Whatever joins it: it is said of the subject, who is forgotten."""
    text = f"Alva Brenn is engaged to {other}{said}."
    assert redacted(text, other) == f"A person is engaged to {other}."


STAYS = {
    "another's clause": ("{s} is engaged to {f} and HIV positive.",
                         "{s} is engaged to a person and HIV positive."),
    "another's sentence": ("{s} lives with {f}. Diabetic.", "{s} lives with a person. Diabetic."),
    "both": ("{f} and {s} are engaged, happy and rich.",
             "A person and {s} are engaged, happy and rich."),
    "mine": ("I met {f} with {s}, tired and hungry.",
             "I met a person with {s}, tired and hungry."),
    "who": ("{f} married {s}, who is diabetic and pregnant.",
            "A person married {s}, who is diabetic and pregnant."),
    "somebody else named": ("{f} met {s} and Tom Reed in Rome.",
                            "A person met {s} and Tom Reed in Rome."),
    "a clause of another": ("{f} lives with {s}, diabetic, but {s} plays golf and healthy.",
                            "A person lives with {s}, but {s} plays golf and healthy."),
    "of a thing": ("{f} called {s} because the boiler leaked.",
                   "A person called {s} because the boiler leaked."),
    "what cost what": ("{f} lives with {s}. The fine was 500.",
                       "A person lives with {s}. The fine was 500."),
    "both, behind a plural": ("Our neighbours {s} and {f} are vegan and retired.",
                              "Our neighbours {s} and a person are vegan and retired."),
    "object": ("{f} bought {s} a car.", "A person bought {s} a car."),
    "another's before theirs": ("{s} is a cook and vegan; {f} is broke.",
                                "{s} is a cook and vegan."),
}  # fmt: skip


@pytest.mark.parametrize(("text", "left"), STAYS.values(), ids=STAYS)
def test_what_is_said_of_others_stays(text: str, left: str) -> None:
    """Of another, of both, of me, or of a thing."""
    text, left = (each.format(f="Alva Brenn", s="Berta Holm") for each in (text, left))
    assert redacted(text, "Berta Holm") == left


BESIDE = {
    "behind a comma it may be either's": (
        "{s} is engaged to {f}, diabetic and pregnant.", "{s} is engaged to a person."),
    "a pronoun": ("{s} worries about {f} and his drinking.", "{s} worries about a person."),
    "behind a colon": ("{s} envies {f}: rich, healthy, well connected.", "{s} envies a person."),
    "in front": ("HIV positive and pregnant, {f} lives with {s}.", "A person lives with {s}."),
    "in capitals": ("{f}, HIV positive, lives with {s}.", "A person lives with {s}."),
    "several asides": ("{f}, 61, retired, a widower, sings with {s}.", "A person sings with {s}."),
    "twin: when": ("Yesterday, {f} met {s}.", "Yesterday, a person met {s}."),
    "german": ("{f} ist mit {s} verlobt und HIV-positiv.", "Jemand ist mit {s} verlobt."),
    "german, turned round": ("Mit {s} ist {f} verlobt und HIV-positiv.",
                             "Mit {s} ist jemand verlobt."),
    "german, of the other": ("{s} ist mit {f} verlobt und HIV-positiv.",
                             "{s} ist mit jemand verlobt und HIV-positiv."),
    "german list": ("{f} wohnt bei {s}, arbeitslos und depressiv.", "Jemand wohnt bei {s}."),
    "german verb of no list": ("{f} streitet oft mit {s}, betrunken und laut.",
                               "Jemand streitet oft mit {s}."),
    "german nouns": ("{s} hilft {f}, bettlägerig seit dem Unfall.", "{s} hilft jemand."),
    "participle in front": ("Engaged to {s}, {f} is HIV positive.", "Engaged to {s}."),
    "french": ("{f} vit avec {s}, diabétique et au chômage.", "A person vit avec {s}."),
    "spanish": ("{f} vive con {s} y embarazada.", "A person vive con {s}."),
    "italian": ("{f} vive con {s} e sieropositivo.", "A person vive con {s}."),
    "dutch": ("{f} is verloofd met {s} en zwanger.", "A person is verloofd met {s}."),
}  # fmt: skip


@pytest.mark.parametrize(("text", "left"), BESIDE.values(), ids=BESIDE)
def test_what_stands_beside_the_name(text: str, left: str) -> None:
    """In front, behind, in other languages; of the other it stays."""
    text, left = (each.format(f="Alva Brenn", s="Berta Holm") for each in (text, left))
    assert redacted(text, "Berta Holm") == left


DESCRIBED = {
    "owner": "{s}'s ex-husband {f} has asthma.",
    "fiancé": "{s}'s fiancé {f} is HIV positive.",
    "apposed": "{f}, {s}'s ex-husband, has asthma.",
    "of": "{f}, the brother of {s}, has asthma.",
    "of, in front": "The brother of {s}, {f}, has asthma.",
    "no word for a relative": "{s}'s old flame {f} has asthma.",
    "between commas": "{s}'s nephew, {f}, failed the exam twice.",
    "german": "{f}, die Schwester von {s}, hat Asthma.",
    "french": "{f}, le frère de {s}, a de l'asthme.",
    "spanish": "{f}, hermano de {s}, tiene asma.",
}


@pytest.mark.parametrize("text", DESCRIBED.values(), ids=DESCRIBED)
@pytest.mark.parametrize("other", ["Berta Holm", "Person_5a3f2c"], ids=["clear", "token"])
def test_who_says_only_whose_relative_they_are_keeps_nothing(text: str, other: str) -> None:
    """The other's name tells who is meant; nothing is said of the other."""
    assert redacted(text.format(f="Alva Brenn", s=other), other) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Berta Holm's ex-husband Alva Brenn met Tom Reed.", "A person met Tom Reed."),
        ("At Berta Holm's party Alva Brenn met Tom Reed.",
         "At Berta Holm's party a person met Tom Reed."),
        ("When Berta Holm's boss Alva Brenn met Tom Reed, it rained.",
         "When a person met Tom Reed, it rained."),
    ],
)  # fmt: skip
def test_whose_relative_they_are_goes_with_the_name(text: str, left: str) -> None:
    """What both did stays."""
    assert redacted(text, "Tom Reed") == left


@pytest.mark.parametrize(
    ("text", "word", "left"),
    [
        ("{f} is a nurse at Acme and HIV positive.", "nurse", "A person is a nurse at Acme."),
        ("{f} is HIV positive and a nurse.", "nurse", "A person is a nurse."),
        ("{f} is a smoker, broke and a nurse at Acme.", "nurse", "A person is a nurse at Acme."),
        ("{f} works with {s} at Acme and pregnant.", "Acme", "A person works with {s} at Acme."),
        ("{f} works as a cook and cleaner at Acme.", "Acme",
         "A person works as a cook and cleaner at Acme."),
        ("{f} works as a nurse, mostly at night, at Acme.", "Acme",
         "A person works as a nurse, mostly at night, at Acme."),
        ("{f} is a nurse. HIV positive.", "nurse", "A person is a nurse."),
    ],
)  # fmt: skip
def test_what_is_kept_stays_without_it(text: str, word: str, left: str) -> None:
    """Of what hangs together only the part that is to be kept."""
    text, left = (each.format(f="Alva Brenn", s="Berta Holm") for each in (text, left))
    assert redacted(text, "Berta Holm", Telling(words=(word,))) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Is a nurse at Acme and HIV positive.", "Is a nurse at Acme."),
        ("I am HIV positive and a nurse.", "I am a nurse."),
        ("Works as a cook and cleaner, nurse by training", "Works as a cook, nurse by training"),
    ],
)
def test_of_what_is_all_ones_own(text: str, left: str) -> None:
    """There the subject is not asked for."""
    assert without_hanging([text], None, Telling(words=("nurse",))) == [left]


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("the boiler leaks", True),
        ("my dog barks", True),
        ("I am ill", True),
        ("tea is hot", True),
        ("Tom sings", True),
        ("the debts", False),
        ("the owner of three bars", False),
        ("allergic to nuts", False),
        ("a father of two boys", False),
        ("from Bergen", False),
        ("works nights", False),
    ],
)
def test_which_clauses_have_a_subject(said: str, own: bool) -> None:
    """Nouns that look like verbs make none."""
    assert has_subject(said, opens=False) is own


@pytest.mark.parametrize("keep", [(), ("chess",)], ids=["all", "keep"])
async def test_in_the_store(build, keep: tuple[str, ...]) -> None:
    """Both readings, and a role told by the other's name."""
    bench = await build(mixed="redact")
    for text in (
        "Alva Brenn is engaged to Berta Holm and HIV positive.",
        "Berta Holm is married to Alva Brenn and HIV positive.",
        "Berta Holm's ex-husband Alva Brenn has asthma.",
    ):
        await bench.remember("u-1", text, mentions=PAIR)
    assert (await bench.forget(ALVA, keep=keep)).state == "complete"
    assert sorted(await bench.texts("u-1")) == [
        "A person is engaged to Berta Holm.",
        "Berta Holm is married to a person and HIV positive.",
    ]


BOTH_WAYS = {
    "aside that begins with a token": (
        "{f}, Condition_5a3f2c since childhood, works under {s}.",
        "A person works under {s}.",
    ),
    "twin: the other's aside": (
        "{s}, Condition_5a3f2c since childhood, works under {f}.",
        "{s}, Condition_5a3f2c since childhood, works under a person.",
    ),
    "department in brackets": (
        "{f} (HR) looks for a stand-in for {s} (sick leave until June).",
        "A person looks for a stand-in for {s} (sick leave until June).",
    ),
    "month in brackets": (
        "{s} (HR) looks for a stand-in for {f} (sick leave until June).",
        "{s} (HR) looks for a stand-in for a person.",
    ),
    "pronoun behind a dash": (
        "Dinner with {f} and {s} on Friday - she is gluten intolerant, he hates fish.",
        "Dinner with a person and {s} on Friday.",
    ),
    "pronoun behind a semicolon": (
        "Met {f} today with {s}; she seemed tired, her back hurts again.",
        "Met a person today with {s}.",
    ),
    "pronoun in brackets": (
        "Lunch with {f} and {s} (she is vegan, he hates fish).",
        "Lunch with a person and {s}.",
    ),
    "profile first": (
        "{f}: vegan, single mother of two. {s}: allergic to cats.",
        "{s}: allergic to cats.",
    ),
    "profile last": (
        "{s}: vegan, single mother of two. {f}: allergic to cats.",
        "{s}: vegan, single mother of two.",
    ),
    "because they": ("I gave {s} the keys because {f} was drunk.", "I gave {s} the keys."),
    "since they": (
        "{s} has been seeing a psychiatrist since {f} moved out.",
        "{s} has been seeing a psychiatrist.",
    ),
    "since the other": (
        "{f} has been seeing a psychiatrist since {s} moved out.",
        "{s} moved out.",
    ),
    "what goes on behind the other's clause": (
        "{f} left after {s} called, and is happy.",
        "{s} called.",
    ),
    "what goes on behind theirs": (
        "{s} left the party because {f} was drunk, and is bankrupt.",
        "{s} left the party.",
    ),
    "verb that is not regular": (
        "{f} hit {s} at the party and was arrested.",
        "A person hit {s} at the party.",
    ),
    "twin: the other hit": (
        "{s} hit {f} at the party and was arrested.",
        "{s} hit a person at the party and was arrested.",
    ),
    "what I did to both": (
        "I hit {f} and {s} at the party and was arrested.",
        "I hit a person and {s} at the party and was arrested.",
    ),
    "what I did, in a verb that is not known": (
        "I kick {f} with {s} and was arrested.",
        "I kick a person with {s} and was arrested.",
    ),
}


@pytest.mark.parametrize("case", BOTH_WAYS)
def test_of_two_who_are_named_only_the_other_ones_part_stays(case: str) -> None:
    """What is told of the forgotten one alone goes whole; the other's is left as it stands."""
    said, left = (each.format(f="Alva Brenn", s="Berta Holm") for each in BOTH_WAYS[case])
    assert redacted(said, "Berta Holm") == left


@pytest.mark.parametrize(
    ("first", "left"),
    [(True, "{s}: allergic to cats."), (False, "{s}: vegan, single mother of two.")],
    ids=["first", "last"],
)
async def test_a_line_behind_a_name_and_a_colon_is_about_that_name(build, first, left) -> None:
    """The other's line stays, in a memory that is nothing but such lines."""
    bench = await build(mixed="redact")
    one, two = ("Alva Brenn", "Berta Holm") if first else ("Berta Holm", "Alva Brenn")
    text = f"{one}: vegan, single mother of two. {two}: allergic to cats."
    await bench.remember("u-1", text, mentions=PAIR)
    view = await bench.forget(ALVA)
    assert (view.state, await bench.texts("u-1")) == ("complete", [left.format(s="Berta Holm")])
