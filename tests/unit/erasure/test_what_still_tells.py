"""What is kept of a memory about several people tells nothing about the one who is forgotten."""

from dataclasses import replace

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.asides import without_asides
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.redaction import redact
from proxy.erasure.texts.rewrite import Judge, reduced, sentences
from proxy.erasure.texts.words import is_somebody
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

FRODE = Target(kind="entity", values=("Frode Kallevik",), entity_type="PERSON")
NEEDLES = Needles.build(["Frode Kallevik"], entity_type="PERSON")
PAIR = [Mention("PERSON", "Frode Kallevik"), Mention("PERSON", "Sarah Lind")]
ILL = [Mention("PERSON", "Frode Kallevik"), Mention("MEDICAL_CONDITION", "diabetic")]
ROADMAP = "Sarah Lind and Frode Kallevik reviewed the roadmap."
REVIEWED = "Sarah Lind and a person reviewed the roadmap."
NURSE = "Frode Kallevik works as a nurse at Acme."
KEPT = "A person works as a nurse at Acme."
SALARY = "Frode Kallevik earns 50,000 euro at Acme."


@pytest.mark.parametrize("mixed", ["redact", "regenerate"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Frode Kallevik is diabetic.", id="alone"),
        pytest.param("Frode Kallevik is diabetic. He injects insulin twice a day.", id="pronoun"),
        pytest.param("Frode Kallevik is diabetic. Injects insulin twice a day.", id="no-subject"),
        pytest.param("Frode Kallevik is diabetic and injects insulin.", id="clause"),
    ],
)
async def test_a_memory_about_one_person_goes_whole(build, mixed: str, text: str) -> None:
    """An illness beside the name makes no memory mixed; a pronoun is the person named before."""
    bench = await build(mixed=mixed)
    await bench.remember("u-1", text, mentions=ILL)
    await bench.remember("u-1", "Sarah Lind is diabetic. She injects insulin.", mentions=PAIR[1:])
    view = await bench.forget(FRODE)
    assert (view.state, view.counts["direct"], view.counts["mixed"]) == ("complete", 1, 0)
    assert await bench.texts("u-1") == ["Sarah Lind is diabetic. She injects insulin."]


@pytest.mark.parametrize(
    ("mixed", "text", "left"),
    [
        pytest.param("redact", ROADMAP, [REVIEWED], id="named-together"),
        pytest.param("redact", ROADMAP + " He is diabetic.", [REVIEWED], id="he-is-not-clear"),
        pytest.param(
            "redact", "Frode Kallevik met Sarah Lind. She plays chess.",
            ["A person met Sarah Lind."], id="she-is-not-clear",
        ),
        pytest.param(
            "redact", "Sarah Lind plays chess. She met Frode Kallevik.",
            ["Sarah Lind plays chess."], id="she-came-before",
        ),
        pytest.param(
            "regenerate", "Frode Kallevik met Sarah Lind. She plays chess.", [], id="stated-anew",
        ),
        pytest.param(
            "regenerate", "Sarah Lind plays chess. She likes tea. Frode Kallevik is diabetic.",
            ["Sarah Lind plays chess. She likes tea."], id="before-the-name",
        ),
    ],
)  # fmt: skip
async def test_an_unclear_pronoun_goes(build, mixed: str, text: str, left: list[str]) -> None:
    """After the forgotten one was named, a sentence with a pronoun alone is not kept."""
    bench = await build(mixed=mixed)
    await bench.remember("u-1", text, mentions=PAIR)
    assert (await bench.forget(FRODE)).state == "complete"
    assert await bench.texts("u-1") == left


@pytest.mark.parametrize("keep", [(), ("nurse",), ("Sarah Lind",)], ids=["none", "absent", "held"])
@pytest.mark.parametrize(
    ("mixed", "left"), [("redact", [REVIEWED]), ("delete", [])], ids=["redact", "delete"]
)
async def test_keep_makes_nothing_more_go(
    build, mixed: str, left: list[str], keep: tuple[str, ...]
) -> None:
    """What would be redacted without a word to keep is redacted with it, be it there or not."""
    bench = await build(mixed=mixed)
    await bench.remember("u-1", ROADMAP, mentions=PAIR)
    assert (await bench.forget(FRODE, keep=keep)).state == "complete"
    held = [REVIEWED] if keep == ("Sarah Lind",) else left
    assert await bench.texts("u-1") == held


@pytest.mark.parametrize("mixed", ["delete", "redact", "regenerate"])
@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(NURSE, [KEPT], id="kept-alone"),
        pytest.param(f"{SALARY} {NURSE}", [KEPT], id="salary-beside"),
        pytest.param(
            "Frode Kallevik earns 50,000 euro and works as a nurse at Acme.", [KEPT],
            id="salary-in-the-same-sentence",
        ),
        pytest.param(
            "Frode Kallevik lives in Bergen; the clinic needs a nurse.", ["The clinic needs a "
            "nurse."], id="not-about-them",
        ),
        pytest.param(SALARY, [], id="nothing-to-keep"),
    ],
)  # fmt: skip
async def test_what_is_to_be_kept_stays_without_the_name(
    build, mixed: str, text: str, left: list[str]
) -> None:
    """Under every rule: the kept part in a sayable form, and nothing of what was not kept."""
    bench = await build(mixed=mixed)
    await bench.remember("u-1", text, mentions=PAIR[:1])
    assert (await bench.forget(FRODE, keep=("nurse",))).state == "complete"
    assert await bench.texts("u-1") == left


async def test_the_plan_says_what_cannot_be_kept(build) -> None:
    """Where one clause holds both a term to forget and a word to keep, it goes and is counted."""
    bench = await build()
    target = Target(kind="attribute", values=("salary",), owner="u-1")
    await bench.remember("u-1", "Acme Corp pays a salary of $85,000", mentions=[])
    await bench.remember("u-1", "Acme Corp is old; the salary is low", mentions=[])
    view = await bench.service.request(
        bench.tenant_id, target, keep=("Acme Corp",), actor=OPERATOR, dry_run=True
    )
    assert (view.counts["inseparable"], view.counts["to_regenerate"]) == (1, 1)


@pytest.mark.parametrize(
    ("choice", "left"), [("redact", [REVIEWED]), ("delete", [])], ids=["redact", "delete"]
)
async def test_a_question_is_answered_by_its_id(build, choice: str, left: list[str]) -> None:
    """``ask`` leaves the action open; the question's id and an option of it close it."""
    bench = await build(mixed="ask")
    await bench.remember("u-1", ROADMAP, mentions=PAIR)
    await bench.remember("u-1", "Frode Kallevik is diabetic.", mentions=ILL)
    asked = await bench.forget(FRODE)
    (question,) = asked.questions
    assert (asked.state, question["id"], question["items"]) == ("needs_clarification", "mixed", 1)
    assert choice in question["options"]
    await bench.service.clarify(
        bench.tenant_id, asked.id, choices={question["id"]: choice}, actor=OPERATOR
    )
    planned = await bench.service.retry(bench.tenant_id, asked.id, actor=OPERATOR)
    await bench.service.confirm(
        bench.tenant_id, asked.id, word="confirmed", token=planned.token, actor=OPERATOR
    )
    assert (await bench.service.run(bench.tenant_id, asked.id)).state == "complete"
    assert await bench.texts("u-1") == left


@pytest.mark.parametrize(
    ("first", "left"),
    [
        pytest.param(
            "Frode Kallevik has asthma. He was seen on Monday.", "Rosa Vandermeer sleeps badly.",
            id="alone",
        ),
        pytest.param(
            "Frode Kallevik met Sarah Lind.", "Rosa Vandermeer sleeps badly.", id="redacted"
        ),
        pytest.param(
            "Sarah Lind has asthma.", "Sarah Lind has asthma. Rosa Vandermeer sleeps badly.",
            id="of-another",
        ),
    ],
)  # fmt: skip
async def test_a_summary_is_made_of_sources_about_others(build, first: str, left: str) -> None:
    """A source that is redacted was about the forgotten one, and tells a summary nothing."""
    bench = await build(mixed="redact", derived="regenerate")
    sources = [first, "Frode Kallevik walks 5 km a day.", "Rosa Vandermeer sleeps badly."]
    for name, text in zip("abc", sources, strict=True):
        await bench.remember("u-1", text, name=name)
    await bench.remember("u-1", "The ward in short", derived_from=["a", "b", "c"], mentions=[])
    assert (await bench.forget(FRODE)).state == "complete"
    kept = await bench.texts("u-1")
    assert left in kept
    assert "The ward in short" not in kept


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("He injects insulin. Sarah Lind sleeps.", ["Sarah Lind sleeps."], id="he"),
        pytest.param("Injects insulin twice a day", [], id="no-subject"),
        pytest.param(
            "Frode Kallevik injects insulin. Sarah Lind sleeps.", ["Sarah Lind sleeps."], id="name"
        ),
        pytest.param("Sarah Lind sleeps.", ["Sarah Lind sleeps."], id="another"),
    ],
)
async def test_a_derived_memory_is_redacted_alike(build, text: str, left: list[str]) -> None:
    """What derives from a text that named them is about them from its first pronoun on."""
    bench = await build(derived="redact", inferences="strict")
    await bench.remember("u-1", "Frode Kallevik is diabetic.", name="a", mentions=ILL)
    await bench.remember("u-1", "The ward is full.", name="b", mentions=[])
    await bench.remember("u-1", text, derived_from=["a", "b"], mentions=[])
    assert (await bench.forget(FRODE)).state == "complete"
    assert await bench.texts("u-1") == ["The ward is full.", *left]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Frode Kallevik left. The fine was 500.", "The fine was 500."),
        ("Frode Kallevik left. Works nights.", ""),
        ("Frode Kallevik and James left and went home.", "James left and went home."),
        ("Frode Kallevik left and went home.", ""),
        ("Frode Kallevik left. The fine was 500. Takes lithium.", "The fine was 500."),
        (
            "Frode Kallevik left. Sarah is a cook. Takes the bus.",
            "Sarah is a cook. Takes the bus.",
        ),
        ("Tea is hot. Frode Kallevik sees Dr. Smith. Eats little.", "Tea is hot."),
        ("Frode Kallevik earns approx. 50 e.g. from theft. Tea is hot.", "Tea is hot."),
        ("Frode Kallevik lives at No. 5. Tea is hot.", "Tea is hot."),
    ],
)
def test_parts_without_subject(text: str, left: str) -> None:
    """A sentence that begins with its verb is about the person before."""
    assert reduced(text, Judge(NEEDLES)) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Met Frode Kallevik's son and Sarah Lind.", "Met a person's son and Sarah Lind."),
        ("Met Frode Kallevik and Sarah Lind.", "Met a person and Sarah Lind."),
        ("MET FRODE KALLEVIK'S SON.", "MET a person'S SON."),
        ("Met Frode Kallevik`s son.", "Met a person`s son."),
        ("Person_k7's son met Sarah Lind.", "A person's son met Sarah Lind."),
        ("Person_k7 met Sarah Lind.", "A person met Sarah Lind."),
    ],
)
def test_the_possessive_stays(text: str, left: str) -> None:
    """A phrase for the name, or for its token, reads as the name did."""
    needles = Needles.build(NEEDLES.surfaces, tokens=["Person_k7"], entity_type="PERSON")
    assert redact(text, needles) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Got their asthma diagnosis.", "Got their health condition diagnosis."),
        ("Had an asthma attack.", "Had a health condition attack."),
        ("An asthma attack.", "A health condition attack."),
        ("The asthma is back, no asthma before.", "The health condition is back, no health "
         "condition before."),
        ("Said that asthma runs in families.", "Said that a health condition runs in families."),
        ("Asthma is back.", "A health condition is back."),
        ("Has asthma.", "Has a health condition."),
    ],
)  # fmt: skip
def test_a_phrase_agrees_with_the_word_before(text: str, left: str) -> None:
    """No second article, and none behind a possessive."""
    needles = Needles.build(["asthma"], entity_type="MEDICAL_CONDITION")
    assert redact(text, needles) == left


async def test_a_relation_is_nobody_named(build) -> None:
    """``her husband`` keeps no sentence about the forgotten one; a name beside it does."""
    bench = await build(mixed="redact")
    cook = "Sarah Lind is a cook."
    await bench.remember(
        "u-1", f"Frode Kallevik lives in Riga with his children. {cook}", mentions=PAIR
    )
    await bench.remember("u-1", ROADMAP, mentions=PAIR)
    assert (await bench.forget(FRODE)).state == "complete"
    assert sorted(await bench.texts("u-1")) == [REVIEWED, cook]


ASIDES = {
    "relative": ("{}, who has epilepsy, danced with Sarah Lind.", "{} danced with Sarah Lind."),
    "list": ("Sarah Lind met {}, who has asthma, gout and debts.", "Sarah Lind met {}."),
    "list-inside": ("{}, who has asthma, gout and debts, met Sarah Lind.", "{} met Sarah Lind."),
    "apposition": ("Sarah Lind met {}, a diabetic.", "Sarah Lind met {}."),
    "brackets": ("{} (an epileptic) met Sarah Lind.", "{} met Sarah Lind."),
    "dashes": ("{} – an epileptic – met Sarah Lind.", "{} met Sarah Lind."),
    "age": ("{}, aged 40, met Sarah Lind.", "{} met Sarah Lind."),
    "leading": ("Being diabetic, {} met Sarah Lind.", "{} met Sarah Lind."),
    "before": ("Sarah Lind met her ill brother {} in Oslo.", "Sarah Lind met {} in Oslo."),
    "goes-on": ("Sarah Lind met {}, who is ill, and left.", "Sarah Lind met {} and left."),
    "token": ("{}, who has Condition_edb55951, met Sarah Lind.", "{} met Sarah Lind."),
    "token-brackets": ("{} (Phone_ab12cd34) met Sarah Lind.", "{} met Sarah Lind."),
    "place": ("Sarah Lind met {}, who lives in Ambleside.", "Sarah Lind met {}."),
    "place-of-two-words": ("{}, who is from New York, met Sarah Lind.", "{} met Sarah Lind."),
    "place-by-token": ("{}, who moved to Place_ab12cd34, met Sarah Lind.", "{} met Sarah Lind."),
    "firm": ("{}, who works at Norvane, met Sarah Lind.", "{} met Sarah Lind."),
    "twin-token": (
        "{}, who met Person_ab12cd34, left.",
        "{}, who met Person_ab12cd34, left.",
    ),
    "twin-others": ("{}, Sarah Lind and Tom Reed met.", "{}, Sarah Lind and Tom Reed met."),
    "twin-names": ("{}, who met Sarah Lind, left.", "{}, who met Sarah Lind, left."),
    "twin-day": ("Yesterday, {} met Sarah Lind.", "Yesterday, {} met Sarah Lind."),
    "twin-theirs": ("Sarah Lind, a nurse, met {}.", "Sarah Lind, a nurse, met {}."),
    "twin-story": ("Sarah Lind told the story of {}.", "Sarah Lind told the story of {}."),
}


@pytest.mark.parametrize(("text", "left"), ASIDES.values(), ids=ASIDES)
def test_an_aside_goes_with_whom_it_is_about(text: str, left: str) -> None:
    """What only tells of the forgotten one does not stay for the sake of the other."""
    name = "Frode Kallevik"
    assert without_asides(text.format(name), NEEDLES) == left.format(name)


def test_an_aside_that_is_to_be_kept_stays() -> None:
    """The word to keep is in it."""
    text = "Frode Kallevik, a nurse, met Sarah Lind."
    assert without_asides(text, NEEDLES, Needles.build(["nurse"])) == text


SURE = {
    "first name": ("danced with Sarah", "Sarah", True),
    "whole name": ("danced with Norvane Quell", "Norvane Quell", True),
    "title": ("danced with Mrs Lind", "Lind", True),
    "firm": ("was fired from Norvane", "Norvane", False),
    "car": ("drives a Mercedes", "Mercedes", False),
    "book": ("reads Tolstoy", "Tolstoy", False),
}


@pytest.mark.parametrize(("text", "name", "sure"), SURE.values(), ids=SURE)
def test_who_is_somebody_to_keep_a_clause_for(text: str, name: str, sure: bool) -> None:
    """A word that a model takes for a person keeps nothing about the forgotten one."""
    start = text.index(name)
    assert is_somebody(text, start, start + len(name)) is sure


async def test_only_people_keep_a_clause(build) -> None:
    """Firms, cars and writers taken for people do not; asides go in the store too."""
    bench = await build(mixed="redact")
    cook = "Sarah Lind is a cook."
    for alone in ("was fired from Norvane", "drives a Mercedes", "reads Tolstoy"):
        mentions = [*PAIR, Mention("PERSON", alone.split()[-1])]
        await bench.remember("u-1", f"Frode Kallevik {alone}. {cook}", mentions=mentions)
    both = "Frode Kallevik, who has epilepsy, danced with Sarah Lind."
    await bench.remember("u-1", both, mentions=PAIR)
    assert (await bench.forget(FRODE)).state == "complete"
    assert sorted(await bench.texts("u-1")) == ["A person danced with Sarah Lind.", *[cook] * 3]


@pytest.mark.parametrize(
    ("mixed", "left"),
    [
        ("redact", ["Acme Corp pays a [erased] of [erased]; the canteen is good.", "Tea is hot."]),
        ("regenerate", ["The canteen is good.", "Tea is hot."]),
        ("delete", ["Tea is hot."]),
    ],
)
async def test_the_value_of_an_attribute_goes_with_its_word(
    build, mixed: str, left: list[str]
) -> None:
    """``salary`` beside an amount: neither the word nor the amount is left."""
    bench = await build(mixed=mixed)
    target = Target(kind="attribute", values=("salary",), owner="u-1")
    text = "Acme Corp pays a salary of $85,000; the canteen is good."
    await bench.remember("u-1", text, mentions=[Mention("ORGANIZATION", "Acme Corp")])
    await bench.remember("u-1", "Tea is hot.", mentions=[])
    assert (await bench.forget(target)).state == "complete"
    assert sorted(await bench.texts("u-1")) == sorted(left)


async def _token(bench: Erasing, mention: Mention) -> str:
    (made,) = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, [mention])
    )
    return made.token


@pytest.mark.parametrize(
    ("attribute", "text", "left"),
    [
        pytest.param("salary", "{0} pays a salary of $85,000; {0} has a good canteen.",
                     "{0} pays a [erased] of [erased]; {0} has a good canteen.",
                     id="a value between tokens"),
        pytest.param("salary", "{0} and {2} give $85,000 as a salary to {1}.",
                     "{0} and {2} give [erased] as a [erased] to {1}.",
                     id="after tokens longer and shorter than their words"),
        pytest.param("phone", "{0} is called under {1}; tea is hot.",
                     "{0} is called under [erased]; tea is hot.", id="a value that is a token"),
        pytest.param("phone", "{0} pays a salary of $85,000.", "{0} pays a salary of $85,000.",
                     id="nothing of it"),
    ],
)  # fmt: skip
async def test_an_attribute_is_rewritten_around_tokens(
    build, attribute: str, text: str, left: str
) -> None:
    """In a store that sees tokens the values go and everything else stays, token by token."""
    bench = await build(mixed="redact")
    mentions = [
        Mention("ORGANIZATION", "Acme Corp"), Mention("PHONE_NUMBER", "+1 212 555 0142"),
        Mention("ORGANIZATION", "The Honourable Company of Harbour Pilots"),
    ]  # fmt: skip
    tokens = [await _token(bench, each) for each in mentions]
    await bench.remember("u-1", text.format(*tokens), mentions=mentions[:1])
    target = Target(kind="attribute", values=(attribute,), owner="u-1")
    view = await bench.forget(target)
    assert view.state == "complete"
    assert await bench.texts("u-1") == [left.format(*tokens)]


@pytest.mark.parametrize(
    ("text", "other", "left"),
    [
        ("Orla Quist hat Asthma; Alva Brenn hilft ihr.", "Alva", "Alva Brenn hilft ihr."),
        ("Orla Quist ist krank, Alva Brenn freut sich.", "Alva", "Alva Brenn freut sich."),
        ("Orla Quist est diabétique; Alva Brenn dort.", "Alva", "Alva Brenn dort."),
        ("Orla Quist tiene asma; Alva Brenn canta y vive aquí.", "Alva",
         "Alva Brenn canta y vive aquí."),
        ("Orla Quist ha l'asma; Alva Brenn aiuta.", "Alva", "Alva Brenn aiuta."),
        ("Orla Quist tem asma; Alva Brenn ajuda.", "Alva", "Alva Brenn ajuda."),
        ("Orla Quist heeft astma; Alva Brenn helpt.", "Alva", "Alva Brenn helpt."),
        ("Alva Brenn sagt, dass Orla Quist krank ist.", "Alva", "Alva Brenn sagt."),
        ("Alva Brenn said that Orla Quist is ill.", "Alva", ""),
        ("Alva Brenn drove Orla Quist home because she broke her hip.", "Alva",
         "Alva Brenn drove a person home."),
        ("Alva Brenn und Orla Quist singen.", "Alva", "Alva Brenn und jemand singen."),
    ],
)  # fmt: skip
def test_clauses_are_told_in_seven_languages(text: str, other: str, left: str) -> None:
    """What names the forgotten one alone goes, whatever joins it to what is about another."""
    needles = Needles.build(["Orla Quist"], entity_type="PERSON")
    others = [part for part in Judge(needles, redacts=True).parts(text) if other in part]
    assert reduced(text, Judge(needles, others=others, redacts=True)) == left


GONE_ON = [
    pytest.param(
        "{f} plays golf with {s} and is bankrupt.", "A person plays golf with {s}.", id="is"
    ),
    pytest.param("{f} studied with {s} and has epilepsy.", "A person studied with {s}.", id="has"),
    pytest.param(
        "{f} rents a flat from {s}, but is moving out.", "A person rents a flat from {s}.", id="but"
    ),
    pytest.param("{f} sings with {s}. Votes Labour.", "A person sings with {s}.", id="a sentence"),
    pytest.param(
        "{f}'s asthma worsened at {s}'s house and was treated.",
        "A person's asthma worsened at {s}'s house.",
        id="what is theirs",
    ),
    pytest.param(
        "With {s}, {f} runs a bakery and is bankrupt.",
        "With {s}, a person runs a bakery.",
        id="behind a preposition",
    ),
    pytest.param(
        "{s} drove {f} home and got lost.",
        "{s} drove a person home and got lost.",
        id="twin: object",
    ),
    pytest.param(
        "{f} and {s} met in Rome and have twins.",
        "A person and {s} met in Rome and have twins.",
        id="twin: both",
    ),
    pytest.param(
        "{s} and {f} met in Rome and have twins.",
        "{s} and a person met in Rome and have twins.",
        id="twin: both, other first",
    ),
    pytest.param(
        "{f}'s brother {s} lives in Rome and has twins.",
        "A person's brother {s} lives in Rome and has twins.",
        id="twin: whose relative",
    ),
    pytest.param(
        "I met {f} with {s} and was happy.", "I met a person with {s} and was happy.", id="twin: I"
    ),
    pytest.param(
        "{f} visits {s} every week and never pays.", "A person visits {s} every week.", id="never"
    ),
    pytest.param("{f} married {s} and now suffers from gout.", "A person married {s}.", id="now"),
    pytest.param(
        "{f} lives with {s} but doesn't pay rent.", "A person lives with {s}.", id="denied"
    ),
    pytest.param("{f} met {s}, then had a stroke.", "A person met {s}.", id="then"),
    pytest.param(
        "{f} lives with {s}. Currently unemployed.", "A person lives with {s}.", id="no verb"
    ),
    pytest.param(
        "{s} covered for {f} when he was in rehab.", "{s} covered for a person.", id="when he"
    ),
    pytest.param(
        "{s} drove {f} to the clinic where he gets chemo.",
        "{s} drove a person to the clinic.",
        id="where he",
    ),
    pytest.param("{f} told {s} he has HIV.", "", id="told"),
    pytest.param("{f} called {s}: his biopsy was positive.", "A person called {s}:.", id="colon"),
    pytest.param("{s} knows {f} has cancer.", "", id="known"),
    pytest.param("{s} said that {f} drinks.", "", id="said"),
    pytest.param(
        "{s}, unlike {f}, never drinks.",
        "{s}, unlike a person, never drinks.",
        id="twin: the other never",
    ),
    pytest.param(
        "{s}, who sings with {f}, never eats meat.",
        "{s}, who sings with a person, never eats meat.",
        id="twin: the other who",
    ),
    pytest.param(
        "{f}, who was fired last week, still emails {s}.",
        "A person still emails {s}.",
        id="behind an aside",
    ),
    pytest.param(
        "{f} likes {s}, who runs a shop and owns a dog.",
        "A person likes {s}, who runs a shop and owns a dog.",
        id="twin: the other who and",
    ),
    pytest.param(
        "{s} likes {f}, who runs a shop and owns a dog.", "{s} likes a person.", id="who and"
    ),
]


@pytest.mark.parametrize(("text", "left"), GONE_ON)
@pytest.mark.parametrize("other", ["Sarah Lind", "Person_5a3f2c"], ids=["clear", "token"])
def test_what_goes_on_without_a_subject_is_about_the_same(text: str, left: str, other: str) -> None:
    """Who is named later in the clause before is not its subject."""
    text, left = (each.format(f="Frode Kallevik", s=other) for each in (text, left))
    judge, text = Judge(NEEDLES, redacts=True), without_asides(text, NEEDLES)
    parts = [part for sentence in sentences(text) for part in judge.parts(sentence)]
    judge = replace(judge, others=[part for part in parts if other in part])
    assert reduced(text, judge) == left


async def test_a_first_name_that_was_a_token_is_nobody_else(build) -> None:
    """Beside somebody else, what is said of the forgotten one by first name goes."""
    bench = await build(mixed="redact")
    called = [*PAIR, Mention("PERSON", "Frode")]
    minted = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, called)
    )
    frode, sarah, short = (each.token for each in minted)
    text = f"{frode} and {sarah} run a bakery and {short} is bankrupt."
    await bench.remember("u-1", text, mentions=called)
    assert (await bench.forget(FRODE)).state == "complete"
    assert await bench.texts("u-1") == [f"A person and {sarah} run a bakery."]
