"""What is held about an owner: counts, the whole export, decisions for the future."""

import json
from dataclasses import replace

import pytest

from policies import Preferences, load_text
from policies.durations import parse
from proxy.erasure.search.target import Target
from proxy.problems import Problem
from proxy.rights.access import Access
from proxy.rights.wishes import Wishes
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing


async def export(bench: Erasing, **more) -> str:
    """All pieces of an export."""
    pieces = Access(bench.means).export(bench.tenant_id, "user", "u-1", actor=OPERATOR, **more)
    return "".join([piece async for piece in pieces])


async def test_an_export_holds_everything_and_says_how_much(bench: Erasing) -> None:
    """Also what the ledger never saw; with a manifest, and past deletions without content."""
    for n in range(230):
        await bench.remember("u-1", f"Note {n}", known=n % 2 == 0, mentions=[])
    gone = await bench.remember("u-1", "Secret plan", mentions=[])
    await bench.forget(Target(kind="memory", values=(gone,)))
    found = json.loads(await export(bench))
    assert found["manifest"]["memories"] == len(found["memories"]) == 230
    assert {each["origin"] for each in found["memories"]} == {"from_subject", "unknown"}
    assert [each["count"] for each in found["deletion_history"]] == [1]
    assert "Secret plan" not in json.dumps(found)


async def test_an_export_holds_no_words_of_others_behind_a_guessed_token(bench: Erasing) -> None:
    """A token that hides somebody else's words stays one; the owner's own are words."""
    row = await bench.ledger.write(lambda tx: bench.owner(tx, "u-2"))
    await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))
    mention = Mention("PERSON", "Orla Quist", (row.id,))
    [minted] = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, [mention])
    )
    for owner in ("u-1", "u-2"):
        await bench.remember(owner, f"Note on {minted.token}", mentions=[])
    assert [each["content"] for each in json.loads(await export(bench))["memories"]] == [
        f"Note on {minted.token}"
    ]
    pieces = Access(bench.means).export(bench.tenant_id, "user", "u-2", actor=OPERATOR)
    assert "Note on Orla Quist" in "".join([piece async for piece in pieces])


async def test_special_categories_need_a_confirmation(bench: Erasing) -> None:
    """Without it nothing is exported; for training never."""
    await bench.remember("u-1", "Takes pills", categories=["health"], mentions=[])
    with pytest.raises(Problem) as caught:
        await export(bench)
    assert caught.value.slug == "confirmation-required"
    assert caught.value.hint == "Repeat with confirm=confirmed in the query (--confirm confirmed)."
    with pytest.raises(Problem) as caught:
        await export(bench, purpose="training", confirmed=True)
    assert caught.value.slug == "purpose-denied"
    assert "Takes pills" in await export(bench, confirmed=True, form="markdown")


async def test_a_summary_counts_and_tells_nothing(bench: Erasing) -> None:
    """Counts by category and tier."""
    await bench.remember("u-1", "Takes pills", categories=["health"], mentions=[])
    found = await Access(bench.means).summary(bench.tenant_id, "user", "u-1")
    assert (found["memories"], found["categories"]) == (1, {"health": 1})
    assert "pills" not in json.dumps(found)


async def test_wishes_are_kept_bounded_and_erased_with_the_owner(bench: Erasing) -> None:
    """A consent and a setting count until they are withdrawn, or the owner is erased."""
    await bench.remember("u-1", "Likes tea", mentions=[])
    wishes, owner = Wishes(bench.means), ("user", "u-1")
    consent = await wishes.consent(bench.tenant_id, owner, "long_term", actor=OPERATOR)
    await wishes.prefer(bench.tenant_id, owner, {"maximum": "P1Y"}, actor=OPERATOR)
    consents, preferences = await wishes.of(bench.tenant_id, [owner])
    assert (consents, str(preferences.maximum)) == ({"long_term"}, "P1Y")
    with pytest.raises(Problem):
        await wishes.prefer(
            bench.tenant_id, owner, {"categories": {"health": "P2Y"}}, actor=OPERATOR
        )
    await wishes.withdraw(bench.tenant_id, consent, actor=OPERATOR)
    assert (await wishes.of(bench.tenant_id, [owner]))[0] == frozenset()
    await bench.forget(Target(kind="owner", values=("u-1",)))
    assert await wishes.in_force(bench.tenant_id, owner) == []


async def test_a_consent_can_come_before_the_first_memory(bench: Erasing) -> None:
    """Who is registered has decisions, and stays the same owner when something is remembered."""
    wishes, owner = Wishes(bench.means), ("user", "u-new")
    ref = await wishes.register(bench.tenant_id, owner, actor=OPERATOR)
    assert await wishes.register(bench.tenant_id, owner, actor=OPERATOR) == ref
    await wishes.consent(bench.tenant_id, owner, "biometric", actor=OPERATOR)
    await bench.remember("u-new", "Likes tea", mentions=[])
    assert (await wishes.of(bench.tenant_id, [owner]))[0] == {"biometric"}
    found = await Access(bench.means).summary(bench.tenant_id, "user", "u-new")
    assert found["memories"] == 1


USER, RUN, AGENT, OTHER = ("user", "u-1"), ("run", "r-1"), ("agent", "a-1"), ("user", "u-2")


@pytest.mark.parametrize(
    ("subjects", "given"),
    [
        ([USER], {"biometric", "long_term"}),
        ([USER, RUN, AGENT], {"biometric", "long_term"}),
        ([USER, OTHER], {"long_term"}),
        ([AGENT], {"home_address"}),
        ([AGENT, RUN], set()),
        ([], set()),
    ],
)
async def test_a_consent_is_the_data_subjects(
    bench: Erasing, subjects: list[tuple[str, str]], given: set[str]
) -> None:
    """All users must have given it, whatever stands beside them; without one all owners."""
    wishes = Wishes(bench.means)
    for owner, name in (
        (USER, "biometric"), (USER, "long_term"), (OTHER, "long_term"), (AGENT, "home_address"),
    ):  # fmt: skip
        await wishes.register(bench.tenant_id, owner, actor=OPERATOR)
        await wishes.consent(bench.tenant_id, owner, name, actor=OPERATOR)
    assert (await wishes.of(bench.tenant_id, subjects))[0] == given


async def test_of_several_owners_each_refusal_counts(bench: Erasing) -> None:
    """And of periods the shorter, by whomever it was asked for first."""
    wishes = Wishes(bench.means)
    for owner, settings in (
        (USER, {"maximum": "P30D", "categories": {"health": "P7D"}, "sharing": False}),
        (AGENT, {"maximum": "P1Y", "categories": {"health": "P14D", "financial": "P1M"}}),
        (RUN, {"denied_purposes": ["analytics"], "refused_types": ["PERSON"], "pinned": True}),
    ):
        await wishes.register(bench.tenant_id, owner, actor=OPERATOR)
        await wishes.prefer(bench.tenant_id, owner, settings, actor=OPERATOR)
    expected = Preferences(
        maximum=parse("P30D"),
        categories={"health": parse("P7D"), "financial": parse("P1M")},
        pinned=True,
        refused_types=frozenset({"PERSON"}),
        denied_purposes=frozenset({"analytics"}),
        sharing=False,
    )
    for subjects in ([USER, AGENT, RUN], [RUN, AGENT, USER]):
        assert (await wishes.of(bench.tenant_id, subjects))[1] == expected


async def test_an_objection_outlives_a_stricter_policy(bench: Erasing) -> None:
    """A period that is too long by now is no reason to forget what else was said."""
    wishes = Wishes(bench.means)
    await wishes.register(bench.tenant_id, USER, actor=OPERATOR)
    settings = {"denied_purposes": ["analytics"], "categories": {"health": "P300D"}}
    await wishes.prefer(bench.tenant_id, USER, settings, actor=OPERATOR)
    head = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"
    text = "retention: {categories: {health: {default: P7D, maximum: P30D}}}\n"
    stricter = load_text((head + text).encode())
    later = Wishes(replace(bench.means, policies=lambda _: stricter))
    _, found = await later.of(bench.tenant_id, [USER])
    assert found.denied_purposes == {"analytics"}
    with pytest.raises(Problem):
        await later.prefer(bench.tenant_id, USER, settings, actor=OPERATOR)


async def test_nothing_is_exported_for_a_purpose_that_the_subject_denied(bench: Erasing) -> None:
    """For another it is, and so it was before."""
    await bench.remember("u-1", "Likes tea", mentions=[])
    assert "Likes tea" in await export(bench, purpose="analytics")
    wishes = Wishes(bench.means)
    settings = {"denied_purposes": ["analytics"], "sharing": False}
    await wishes.prefer(bench.tenant_id, USER, settings, actor=OPERATOR)
    for purpose in ("analytics", "share"):
        with pytest.raises(Problem) as caught:
            await export(bench, purpose=purpose)
        assert caught.value.slug == "purpose-denied"
    for purpose in ("assistant", "access", None):
        assert "Likes tea" in await export(bench, purpose=purpose)


@pytest.mark.parametrize("owner_id", ["", " u-1", "u-*", "u\u200b1"])
async def test_what_is_no_owner_id_is_not_registered(bench: Erasing, owner_id: str) -> None:
    """As on the data plane."""
    with pytest.raises(Problem) as caught:
        await Wishes(bench.means).register(bench.tenant_id, ("user", owner_id), actor=OPERATOR)
    assert caught.value.slug == "invalid-request"


async def test_registering_brings_no_erased_owner_back(bench: Erasing) -> None:
    """Who was erased is blocked until let back."""
    await bench.remember("u-1", "Likes tea", mentions=[])
    await bench.forget(Target(kind="owner", values=("u-1",)))
    with pytest.raises(Problem) as caught:
        await Wishes(bench.means).register(bench.tenant_id, ("user", "u-1"), actor=OPERATOR)
    assert caught.value.slug == "write-rejected"


async def test_a_consent_the_policy_does_not_list_is_refused(bench: Erasing) -> None:
    """A typing error is an error, and the message names the consent that was meant."""
    wishes = Wishes(bench.means)
    await wishes.register(bench.tenant_id, ("user", "u-1"), actor=OPERATOR)
    with pytest.raises(Problem) as caught:
        await wishes.consent(bench.tenant_id, ("user", "u-1"), "longterm", actor=OPERATOR)
    assert caught.value.errors == ({"pointer": "/name", "detail": "did you mean long_term?"},)
