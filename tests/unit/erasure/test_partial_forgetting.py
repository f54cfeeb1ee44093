"""Mixed and derived memories: the worked examples, with the exact texts that stay."""

import pytest

from proxy.erasure.search.target import Target
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

DIABETES = Target(kind="entity", values=("diabetes",), entity_type="MEDICAL_CONDITION", owner="u-1")
SUMMARY = (
    "User manages several health conditions including diabetes and heart issues "
    "through daily exercise"
)
ROADMAP = (
    "Sarah and James reviewed the Q3 roadmap and decided to prioritize the checkout refactor "
    "over the payment migration"
)


async def health(bench: Erasing, *, indexed: bool) -> None:
    """The three sources and their summary, with the index knowing what detection finds in them."""
    mentions = None if indexed else ()
    await bench.remember("u-1", "User is diabetic", name="s1", mentions=mentions)
    await bench.remember("u-1", "User has heart issues", name="s2", mentions=mentions)
    await bench.remember("u-1", "User exercises daily", name="s3", mentions=mentions)
    await bench.remember("u-1", SUMMARY, derived_from=["s1", "s2", "s3"], mentions=mentions)


@pytest.mark.parametrize(
    ("derived", "mixed", "left"),
    [
        pytest.param("delete", "delete", [], id="delete"),
        pytest.param(
            "regenerate", "regenerate", ["User has heart issues. User exercises daily."],
            id="regenerate",
        ),
        pytest.param(
            "regenerate", "redact", ["User has heart issues. User exercises daily."],
            id="regenerate-and-redact",
        ),
        pytest.param(
            "redact", "redact",
            ["User manages several health conditions including a health condition and heart issues "
             "through daily exercise"],
            id="redact",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indexed", [False, True], ids=["by-words", "indexed"])
async def test_the_health_summary_loses_one_source(
    build, derived: str, mixed: str, left: list[str], indexed: bool
) -> None:
    """After forgetting diabetes the summary is gone, or says only what its other sources say."""
    bench = await build(derived=derived, mixed=mixed)
    await health(bench, indexed=indexed)
    view = await bench.forget(DIABETES)
    assert view.state == "complete", view.body()
    kept = ["User has heart issues", "User exercises daily"]
    assert sorted(await bench.texts("u-1")) == sorted([*kept, *left])


@pytest.mark.parametrize(
    ("mixed", "left"),
    [
        pytest.param("delete", None, id="delete"),
        pytest.param(
            "redact",
            "A person and James reviewed the Q3 roadmap and decided to prioritize the checkout "
            "refactor over the payment migration",
            id="redact",
        ),
        pytest.param(
            "regenerate",
            "James reviewed the Q3 roadmap and decided to prioritize the checkout refactor over "
            "the payment migration.",
            id="regenerate",
        ),
    ],
)
async def test_sarah_goes_and_james_stays(build, mixed: str, left: str | None) -> None:
    """Three policies for a memory about two people, three outcomes; James's own memory stays."""
    bench = await build(mixed=mixed)
    people = [Mention("PERSON", "Sarah"), Mention("PERSON", "James")]
    await bench.remember("team", ROADMAP, mentions=people)
    await bench.remember("team", "James drinks oat milk", mentions=people[1:])
    view = await bench.forget(Target(kind="entity", values=("Sarah",), entity_type="PERSON"))
    assert view.state == "complete", view.body()
    assert sorted(await bench.texts("team")) == sorted(
        ["James drinks oat milk", *([left] if left else [])]
    )


async def test_salary_goes_and_the_employer_stays(build) -> None:
    """Of four memories two go, and two are rewritten to what is not about the salary."""
    bench = await build()
    for text in (
        "Negotiated a salary of $85,000 in March",
        "Wants to become a lead engineer at Acme Corp, and hopes for a salary above $90,000",
        "Asked how her salary is taxed",
        "Acme Corp offers remote work; the other company offers a higher salary",
    ):
        await bench.remember("u-1", text, mentions=[])
    view = await bench.forget(
        Target(kind="attribute", values=("salary",), owner="u-1"), keep=("Acme Corp",)
    )
    assert view.state == "complete", view.body()
    assert sorted(await bench.texts("u-1")) == [
        "Acme Corp offers remote work.",
        "Wants to become a lead engineer at Acme Corp.",
    ]
    assert (view.deleted, view.regenerated) == (2, 2)


@pytest.mark.parametrize(
    ("inferences", "stays"),
    [
        pytest.param("strict", False, id="strict"),
        pytest.param("explicit", True, id="explicit-supported-elsewhere"),
        pytest.param("keep", True, id="keep"),
    ],
)
async def test_an_inference_that_other_sources_support(build, inferences: str, stays: bool) -> None:
    """Low-sugar recipes stay where something else supports them, unless the rule is strict."""
    bench = await build(inferences=inferences)
    await bench.remember("u-1", "User is diabetic", name="s1", mentions=[])
    await bench.remember("u-1", "User dislikes sweets", name="s2", mentions=[])
    await bench.remember(
        "u-1", "User is interested in low-sugar recipes", derived_from=["s1", "s2"],
        contribution="inference", mentions=[],
    )  # fmt: skip
    view = await bench.forget(DIABETES)
    assert view.state == "complete", view.body()
    assert ("User is interested in low-sugar recipes" in await bench.texts("u-1")) is stays


async def test_the_cascade_goes_through_every_level(bench: Erasing) -> None:
    """Fact, day, week, profile: all four go although only the first names the condition."""
    await bench.remember("u-1", "User has diabetes", name="fact", mentions=[])
    await bench.remember(
        "u-1", "Checks levels at noon", name="day", derived_from=["fact"], mentions=[]
    )
    await bench.remember(
        "u-1", "Plans meals by the clock", name="week", derived_from=["day"], mentions=[]
    )
    await bench.remember("u-1", "A person of routine", derived_from=["week"], mentions=[])
    await bench.remember("u-1", "Owns two canoes", mentions=[])
    view = await bench.forget(DIABETES)
    assert await bench.texts("u-1") == ["Owns two canoes"]
    assert (view.deleted, view.cascaded) == (1, 3)


async def test_edges_declared_before_their_source_count(bench: Erasing) -> None:
    """A summary written before its source is known still goes with it."""
    await bench.remember("u-1", "Plans meals by the clock", derived_from=["later"], mentions=[])
    await bench.remember("u-1", "User has diabetes", name="later", mentions=[])
    await bench.forget(DIABETES)
    assert await bench.texts("u-1") == []


async def test_what_derives_from_a_greeting_stays(bench: Erasing) -> None:
    """Facts of the other speaker are not lost because a turn addressed the forgotten person."""
    jon = [Mention("PERSON", "Jon")]
    await bench.remember("u-1", "Hey Jon! I started painting lighthouses.", name="t1", mentions=jon)
    await bench.remember("u-1", "Started painting lighthouses", derived_from=["t1"], mentions=[])
    await bench.remember("u-1", "Jon opened a dance studio", name="t2", mentions=jon)
    await bench.remember("u-1", "Is an entrepreneur", derived_from=["t2"], mentions=[])
    await bench.forget(Target(kind="entity", values=("Jon",), entity_type="PERSON"))
    assert await bench.texts("u-1") == ["Started painting lighthouses"]


ALVA = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
TOM = Mention("PERSON", "Tom Reed")
SALARY = Target(kind="attribute", values=("salary",), owner="u-1")
LISTS = {
    # id: target, a text, what of it stays where Norvane is to be kept
    "person: first is kept": (
        ALVA, "Alva Brenn: employer Norvane, salary 5000, phone 555-0101",
        "A person: employer Norvane.",
    ),
    "person: last is kept": (
        ALVA, "Alva Brenn: salary 5000, employer Norvane", "Employer Norvane.",
    ),
    "person: in the middle": (
        ALVA, "Alva Brenn earns 5000, employer Norvane, shoe size 40", "Employer Norvane.",
    ),
    "person: strokes": (
        ALVA, "Alva Brenn / salary 5000 / employer Norvane", "Employer Norvane.",
    ),
    "person: sentences": (
        ALVA, "Met Alva Brenn. Salary 5000, employer Norvane. Shoe size 40.", "Employer Norvane.",
    ),
    "person: joined to what is kept": (
        ALVA, "Alva Brenn works at Norvane and has asthma", "A person works at Norvane.",
    ),
    "person, twin: no list": (
        ALVA, "Alva Brenn works as a nurse, mostly at night, at Norvane",
        "A person works as a nurse, mostly at night, at Norvane",
    ),
    "salary: first": (SALARY, "salary 5000, employer Norvane", "Employer Norvane."),
    "salary: last": (SALARY, "employer Norvane, salary $5,000", "Employer Norvane."),
    "salary: beside what is nobody's business": (
        SALARY, "employer Norvane, salary $5,000, desk 4", "Employer Norvane, desk 4.",
    ),
    "salary: two of them": (
        SALARY, "salary 5000, employer Norvane, bonus 300", "Employer Norvane.",
    ),
    "salary, twin: one clause": (SALARY, "Earns a salary of $5,000 at Norvane", None),
    "salary, twin: none named": (
        SALARY, "desk 4, employer Norvane", "desk 4, employer Norvane",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mixed", ["delete", "regenerate"])
@pytest.mark.parametrize(("target", "text", "left"), LISTS.values(), ids=LISTS.keys())
async def test_one_of_a_list_is_kept(
    build, target: Target, text: str, left: str | None, mixed: str
) -> None:
    """The element that is to be kept stays, the others of the person or of the attribute go."""
    bench = await build(mixed=mixed)
    await bench.remember("u-1", text, mentions=[])
    view = await bench.forget(target, keep=("Norvane",))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == ([left] if left else [])


SEVERAL = {
    # id: what is forgotten at once, a text, whether it goes
    "amount": (("salary", "phone"), "Earns $5,000 a month", True),
    "number, named second": (("salary", "phone"), "Call +49 30 5550123 after six", True),
    "number, named first": (("phone", "salary"), "Call +49 30 5550123 after six", True),
    "word": (("salary", "phone"), "The phone number is on the door", True),
    "twin: one alone": (("salary",), "Call +49 30 5550123 after six", False),
    "twin: neither": (("salary", "phone"), "Owns two canoes", False),
}


@pytest.mark.parametrize(("values", "text", "goes"), SEVERAL.values(), ids=SEVERAL.keys())
async def test_several_attributes_at_once(
    bench: Erasing, values: tuple[str, ...], text: str, goes: bool
) -> None:
    """Each is looked for by what states it, whichever is named first."""
    await bench.remember("u-1", text, mentions=[])
    await bench.forget(Target(kind="attribute", values=values, owner="u-1"))
    assert await bench.texts("u-1") == ([] if goes else [text])


KINDS = {
    # id: a text, and what of it stays when Alva Brenn and diabetes are forgotten at once
    "person": ("Alva Brenn plays chess", None),
    "person, short": ("A. Brenn plays chess", None),
    "condition": ("User has diabetes since 2020", None),
    "condition, other form": ("User is diabetic", None),
    "condition of another": ("Tom Reed's diabetes test", "Tom Reed's [erased] test"),
    "person beside another": ("Alva Brenn met Tom Reed", "A person met Tom Reed"),
    "twin: another's first name": ("Alva Lund called", "Alva Lund called"),
    "twin: neither": ("Owns two canoes", "Owns two canoes"),
}


@pytest.mark.parametrize("values", [("Alva Brenn", "diabetes"), ("diabetes", "Alva Brenn")])
@pytest.mark.parametrize(("text", "left"), KINDS.values(), ids=KINDS.keys())
async def test_values_of_several_kinds(
    build, values: tuple[str, ...], text: str, left: str | None
) -> None:
    """Each is looked for, and replaced, as what it is."""
    bench = await build(mixed="redact")
    await bench.remember("u-1", "Alva Brenn sings")
    await bench.remember("u-1", text)
    view = await bench.forget(Target(kind="entity", values=values, owner="u-1"))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == ([left] if left else [])


PAY = {
    # id: a text, what of it stays where a phrase takes the place of the salary
    "earns": ("I earn 90k a year", "I earn [erased] a year"),
    "in words": ("She earns ninety thousand", "She earns [erased]"),
    "was paid": ("I was paid 5000 euro in May", "I was paid [erased] in May"),
    "pays me": ("They pay me 12.50 an hour", "They pay me [erased] an hour"),
    "makes": ("I make 5,000 dollars a month", "I make [erased] a month"),
    "bare number": ("The salary is 6200 in all", "The [erased] is [erased] in all"),
    "pay": ("My pay is 6200", "[erased] is [erased]"),
    "raise": ("Norvane gave me a raise", "Norvane gave me [erased]"),
    "twin: spent": ("I paid 20 euro for lunch", "I paid 20 euro for lunch"),
    "twin: rent": ("The rent is 900 euro a month", "The rent is 900 euro a month"),
    "twin: a year": ("Earned her degree in 2019", "Earned her degree in 2019"),
    "twin: children": ("They raise chickens", "They raise chickens"),
    "twin: attention": ("Pay attention to the stairs", "Pay attention to the stairs"),
}


@pytest.mark.parametrize(("text", "left"), PAY.values(), ids=PAY.keys())
async def test_what_states_a_salary(build, text: str, left: str) -> None:
    """Amounts that somebody is paid go, with or without a currency; what is spent stays."""
    bench = await build(mixed="redact")
    await bench.remember("u-1", text + ", and Tom Reed knows", mentions=[TOM])
    view = await bench.forget(SALARY)
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == [left + ", and Tom Reed knows"]


TOKENS = {
    # id: target, a text with tokens for two names, what of it stays where Norvane is to be kept
    "salary": (SALARY, "salary 5000, employer {norvane}, size 44", "Employer {norvane}, size 44."),
    "person": (ALVA, "{alva}: salary 5000, employer {norvane}", "Employer {norvane}."),
    "twin: another firm": (SALARY, "salary 5000, employer {harbour}", None),
}


@pytest.mark.parametrize(("target", "text", "left"), TOKENS.values(), ids=TOKENS.keys())
async def test_what_is_kept_is_known_by_its_token(
    build, target: Target, text: str, left: str | None
) -> None:
    """Where the store has a token for the word to keep, the token is kept."""
    bench = await build()
    names = {"alva": "Alva Brenn", "norvane": "Norvane", "harbour": "Harbour Inc"}
    kinds = {"alva": "PERSON"}
    mentions = [Mention(kinds.get(key, "ORGANIZATION"), name) for key, name in names.items()]
    minted = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, mentions)
    )
    tokens = {key: each.token for key, each in zip(names, minted, strict=True)}
    await bench.remember("u-1", text.format(**tokens), mentions=mentions[:2])
    view = await bench.forget(target, keep=("Norvane",))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == ([left.format(**tokens)] if left else [])


async def test_an_unknown_attribute_is_refused(bench: Erasing) -> None:
    """The answer names those that there are."""
    with pytest.raises(Problem, match="invalid-request") as refused:
        await bench.forget(Target(kind="attribute", values=("shoe",), owner="u-1"))
    assert "salary" in str(refused.value.errors)
