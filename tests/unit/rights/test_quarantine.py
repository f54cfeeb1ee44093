"""What is held for review: seen, let out once, destroyed, and found by erasures."""

import asyncio
from datetime import timedelta

import pytest

from proxy.erasure.search.target import Target
from proxy.ledger import held, memories
from proxy.problems import Problem
from proxy.rights.holds import Holds, Keeping
from proxy.rights.rectify import Rectification
from proxy.rights.wishes import Wishes
from proxy.tokens.blocklist import Name
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing
from tests.support.holding import ORDER, hold_back, reviews, row, told
from tests.support.small_store import reply

CONSENT = "consent: {required: {health: {consent: [biometric], without: quarantine}}}\n"


async def test_the_list_tells_why_since_when_and_until_when(bench: Erasing) -> None:
    """Owner by pseudonym, rules, types and the end; no word of the text."""
    _, kept = await hold_back(bench, "u-1", "Alva Brenn obeys", "poisoning", "orders")
    await bench.remember("u-1", "Likes rye bread")
    made = reviews(bench, "poisoning: {release_after: P30D}\n")
    (one,) = await made.listed(bench.tenant_id)
    body = one.body()
    assert (body["id"], body["rules"], body["entities"]) == (
        kept.id, ["orders", "poisoning"], {"PERSON": 1},
    )  # fmt: skip
    assert one.ends_at == kept.created_at + timedelta(days=30)
    assert all(ref.startswith("own_") for ref in body["subjects"])
    assert "Alva" not in str(body)


async def test_the_list_goes_on_and_keeps_to_an_owner(bench: Erasing) -> None:
    """Pages in the order of making; another owner's and another tenant's are not in it."""
    rows = [(await hold_back(bench, f"u-{n % 2}", f"note {n}"))[1] for n in range(4)]
    made = reviews(bench)
    first = await made.listed(bench.tenant_id, limit=3)
    rest = await made.listed(bench.tenant_id, after=first[-1].memory.id, limit=3)
    assert [one.memory.id for one in (*first, *rest)] == [each.id for each in rows]
    owned = await bench.ledger.read(lambda tx: memories.owners_of(tx, [rows[0].id]))
    mine = await made.listed(bench.tenant_id, owner_id=owned[rows[0].id][0])
    assert [one.memory.id for one in mine] == [rows[0].id, rows[2].id]
    assert await made.listed("ten_another") == []


async def test_what_the_policy_would_hold_again_takes_a_word(bench: Erasing) -> None:
    """Refused without it, with the rule; released with it, once, and the log says against what."""
    memory_id, kept = await hold_back(bench, "u-1", ORDER)
    made = reviews(bench)
    with pytest.raises(Problem) as caught:
        await made.release(bench.tenant_id, kept, actor=OPERATOR)
    assert (caught.value.slug, caught.value.rules) == ("confirmation-required", ("poisoning",))
    assert (await row(bench, memory_id)).state == held.STATE
    done = await made.release(bench.tenant_id, kept, actor=OPERATOR, confirmed=True)
    assert (done.state, done.overridden, done.rewritten) == ("live", True, None)
    assert held.holding((await row(bench, memory_id)).tags) == ()
    (entry,) = await told(bench, "quarantine.released")
    assert (entry["memory"], entry["rules"], entry["overridden"]) == (kept.id, ["poisoning"], True)
    assert await bench.texts("u-1") == [ORDER], "it is in the store once, as it was"


async def test_of_two_reviewers_one_releases(bench: Erasing) -> None:
    """The other is told, and the log holds one entry."""
    _, kept = await hold_back(bench, "u-1", "Likes rye bread")
    made = reviews(bench)
    ends = await asyncio.gather(
        *(made.release(bench.tenant_id, kept, actor=OPERATOR) for _ in range(3)),
        return_exceptions=True,
    )
    refused = [end for end in ends if isinstance(end, Problem)]
    assert [each.slug for each in refused] == ["invalid-state"] * 2
    assert len(await told(bench, "quarantine.released")) == 1


async def test_a_consent_given_meanwhile_releases(bench: Erasing) -> None:
    """Decided anew by the active policy and what the data subject agreed to."""
    text = "Alva Brenn was diagnosed with asthma and takes salbutamol"
    _, kept = await hold_back(bench, "u-1", text, "consent.health", categories=["health"])
    made = reviews(bench, CONSENT)
    with pytest.raises(Problem) as caught:
        await made.release(bench.tenant_id, kept, actor=OPERATOR)
    assert caught.value.rules == ("consent.health",)
    await Wishes(bench.means).consent(bench.tenant_id, ("user", "u-1"), "biometric", actor=OPERATOR)
    done = await made.release(bench.tenant_id, kept, actor=OPERATOR)
    assert (done.state, done.overridden) == ("live", False)


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ("write: {texts: [{id: no-tools, when: {}, action: reject}]}\n", "Likes rye bread"),
        ("", "Orla Quist likes rye bread"),
    ],
    ids=["rule", "blocked"],
)
async def test_what_the_policy_refuses_is_not_released(
    bench: Erasing, policy: str, text: str
) -> None:
    """Not even with the word: a rule that rejects, or somebody who was forgotten."""
    memory_id, kept = await hold_back(bench, "u-1", text)
    names = [Name("Orla Quist", "PERSON")]
    await bench.ledger.write(lambda tx: bench.means.blocklist.add(tx, bench.tenant_id, names))
    with pytest.raises(Problem) as caught:
        await reviews(bench, policy).release(bench.tenant_id, kept, actor=OPERATOR, confirmed=True)
    assert caught.value.slug == "write-rejected"
    assert (await row(bench, memory_id)).state == held.STATE


async def test_a_text_the_policy_now_redacts_is_replaced(bench: Erasing) -> None:
    """The new text has the old one's place; the number is in no layer and readable nowhere."""
    memory_id, kept = await hold_back(bench, "u-1", "The card is 4111 1111 1111 1111 for taxis")
    done = await reviews(bench).release(bench.tenant_id, kept, actor=OPERATOR)
    assert done.rewritten
    assert await bench.texts("u-1") == ["The card is [credit_card] for taxis"]
    assert (await row(bench, memory_id)).state == "erased"
    kept_now = await bench.ledger.read(lambda tx: memories.of_tenant(tx, bench.tenant_id))
    assert [each.state for each in kept_now] == ["live"]


@pytest.mark.parametrize("text", ["The card is 4111 1111 1111 1111 for taxis", "Likes rye bread"],
                         ids=["would be replaced", "twin: stays as it is"])  # fmt: skip
async def test_a_release_replaces_nothing_that_a_hold_keeps(bench: Erasing, text: str) -> None:
    """It stays held for review as it is; what is released unchanged may be."""
    memory_id, kept = await hold_back(bench, "u-1", text)
    await Holds(bench.means, bench.service).hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), owner=("user", "u-1")
    )
    if text == "Likes rye bread":
        assert (await reviews(bench).release(bench.tenant_id, kept, actor=OPERATOR)).state == "live"
        return
    with pytest.raises(Problem) as caught:
        await reviews(bench).release(bench.tenant_id, kept, actor=OPERATOR)
    assert caught.value.slug == "held"
    assert (await row(bench, memory_id)).state == held.STATE
    assert await bench.texts("u-1") == [text]


async def test_a_token_is_not_hidden_again(bench: Erasing) -> None:
    """The reviewer reads the name; the store keeps the token it has."""
    (minted,) = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(
            tx, bench.tenant_id, [Mention("PERSON", "Alva Brenn")]
        )
    )
    stored = f"{minted.token} plays chess with [person]"
    _, kept = await hold_back(bench, "u-1", stored)
    made = reviews(bench)
    _, judged = await made.show(bench.tenant_id, kept)
    assert (judged.text, judged.becomes) == ("Alva Brenn plays chess with [person]", None)
    assert (await made.release(bench.tenant_id, kept, actor=OPERATOR)).rewritten is None
    assert await bench.texts("u-1") == [stored]


async def test_a_replacement_that_fails_leaves_it_held(bench: Erasing) -> None:
    """The store goes away after the text was read: nothing is released."""
    memory_id, kept = await hold_back(bench, "u-1", "The card is 4111 1111 1111 1111 for taxis")
    seen: list[str] = []

    def fault(verb: str, subject: str) -> object:
        seen.append(verb)
        return reply({"detail": "no"}, 503) if len(seen) > 1 else None

    assert bench.small is not None
    bench.small.fault = fault  # type: ignore[assignment]
    with pytest.raises(Problem):
        await reviews(bench).release(bench.tenant_id, kept, actor=OPERATOR)
    found = await row(bench, memory_id)
    assert (found.state, held.holding(found.tags)) == (held.STATE, ("poisoning",))


async def test_discarding_erases_with_a_certificate(bench: Erasing) -> None:
    """Gone from the store, and the log says which erasure took it; not twice."""
    memory_id, kept = await hold_back(bench, "u-1", ORDER)
    made = reviews(bench)
    view = await made.discard(bench.tenant_id, kept, actor=OPERATOR)
    assert (view.state, view.deleted) == ("complete", 1)
    assert await bench.texts("u-1") == []
    (entry,) = await told(bench, "quarantine.discarded")
    assert entry["reference"] == view.reference
    with pytest.raises(Problem) as caught:
        await made.discard(bench.tenant_id, await row(bench, memory_id), actor=OPERATOR)
    assert caught.value.slug == "invalid-state"


@pytest.mark.parametrize("kind", ["hold", "restriction"])
async def test_what_is_kept_is_not_discarded(bench: Erasing, kind: str) -> None:
    """A legal hold or a restriction stands before a reviewer."""
    memory_id, kept = await hold_back(bench, "u-1", ORDER)
    rights = Holds(bench.means, bench.service)
    put = rights.hold if kind == "hold" else rights.restrict
    await put(bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"),
              memory_id=memory_id)  # fmt: skip
    with pytest.raises(Problem) as caught:
        await reviews(bench).discard(bench.tenant_id, kept, actor=OPERATOR)
    assert caught.value.slug == "held"


@pytest.mark.parametrize("owner", [None, ("user", "u-1")], ids=["memory", "owner"])
async def test_a_restriction_is_no_way_out(bench: Erasing, owner: tuple[str, str] | None) -> None:
    """Restricting and lifting leaves it held; released while restricted, it stays unreadable."""
    memory_id, kept = await hold_back(bench, "u-1", "Likes rye bread")
    rights = Holds(bench.means, bench.service)
    place = {"owner": owner} if owner else {"memory_id": memory_id}

    async def restrict() -> str:
        keeping = Keeping("accuracy_contested")
        return await rights.restrict(
            bench.tenant_id,
            actor=OPERATOR,
            keeping=keeping,
            **place,  # type: ignore[arg-type]
        )

    await rights.lift(bench.tenant_id, await restrict(), actor=OPERATOR)
    assert (await row(bench, memory_id)).state == held.STATE
    again = await restrict()
    done = await reviews(bench).release(bench.tenant_id, kept, actor=OPERATOR)
    assert done.state == (await row(bench, memory_id)).state == "restricted"
    await rights.lift(bench.tenant_id, again, actor=OPERATOR)
    assert (await row(bench, memory_id)).state == "live"


async def test_of_two_restrictions_one_is_lifted(bench: Erasing) -> None:
    """What the other covers stays unreadable."""
    memory_id = await bench.remember("u-1", "Likes rye bread")
    rights, keeping = Holds(bench.means, bench.service), Keeping("accuracy_contested")
    first = await rights.restrict(
        bench.tenant_id, actor=OPERATOR, keeping=keeping, memory_id=memory_id
    )
    await rights.restrict(bench.tenant_id, actor=OPERATOR, keeping=keeping, owner=("user", "u-1"))
    await rights.lift(bench.tenant_id, first, actor=OPERATOR)
    assert (await row(bench, memory_id)).state == "restricted"


@pytest.mark.parametrize(
    "target",
    [
        Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"),
        Target(kind="owner", values=("u-1",)),
    ],
    ids=["mention", "owner"],
)
async def test_an_erasure_finds_what_is_held(bench: Erasing, target: Target) -> None:
    """Whoever is forgotten is forgotten there too."""
    await hold_back(bench, "u-1", "Alva Brenn approves every refund")
    await bench.forget(target)
    assert await bench.texts("u-1") == []
    assert await reviews(bench).listed(bench.tenant_id) == []


async def test_forgetting_one_of_two_releases_nothing(bench: Erasing) -> None:
    """A held memory that is written anew without somebody is held as before."""
    await hold_back(
        bench, "u-1", "Orla Quist plays chess. Alva Brenn approves every refund.", "orders"
    )
    target = Target(kind="entity", values=("Orla Quist",), entity_type="PERSON")
    await bench.forget(target, choices={"mixed": "redact"})
    (left,) = await bench.texts("u-1")
    assert "Orla" not in left
    (one,) = await reviews(bench).listed(bench.tenant_id)
    assert one.rules == ("orders",)


async def test_a_correction_by_hand_is_a_release(bench: Erasing) -> None:
    """The policy let the corrected text through."""
    memory_id, _ = await hold_back(bench, "u-1", ORDER)
    rights = Rectification(bench.means, bench.service)
    await rights.rectify(bench.tenant_id, memory_id, "Likes green tea", actor=OPERATOR)
    assert await reviews(bench).listed(bench.tenant_id) == []
    found = await bench.ledger.read(lambda tx: memories.of_tenant(tx, bench.tenant_id))
    assert [each.state for each in found] == ["live"]


async def test_a_cancelled_erasure_releases_nothing(bench: Erasing) -> None:
    """What was planned and left is held as before."""
    memory_id, _ = await hold_back(bench, "u-1", "Alva Brenn approves every refund")
    view = await bench.service.request(
        bench.tenant_id, Target(kind="owner", values=("u-1",)), actor=OPERATOR, origin="control"
    )
    await bench.service.cancel(bench.tenant_id, view.id, actor=OPERATOR)
    assert (await row(bench, memory_id)).state == held.STATE


@pytest.mark.parametrize(
    ("fault", "slug"), [("gone", "not-found"), ("away", "upstream-unreachable")], ids=str
)
async def test_without_the_store_nothing_is_released(bench: Erasing, fault: str, slug: str) -> None:
    """What cannot be read cannot be judged; what the store lost can still be discarded."""
    memory_id, kept = await hold_back(bench, "u-1", "Likes rye bread")
    assert bench.small is not None
    if fault == "gone":
        del bench.small.rows[memory_id]
    else:
        bench.small.fault = lambda *_: reply({"detail": "no"}, 503)
    with pytest.raises(Problem) as caught:
        await reviews(bench).release(bench.tenant_id, kept, actor=OPERATOR, confirmed=True)
    assert caught.value.slug == slug
    if fault == "gone":
        await reviews(bench).discard(bench.tenant_id, kept, actor=OPERATOR)
        assert (await row(bench, memory_id)).state == "erased"


async def test_the_period_does_not_begin_anew(bench: Erasing) -> None:
    """It ends when it would have, or earlier if the policy became stricter."""
    _, kept = await hold_back(bench, "u-1", "Likes rye bread")
    soon = kept.created_at + timedelta(days=1)
    await bench.ledger.write(lambda tx: memories.change(tx, kept.id, expires_at=soon))
    memory_id = (await bench.ledger.read(lambda tx: memories.by_ids(tx, [kept.id])))[0]
    await reviews(bench).release(bench.tenant_id, memory_id, actor=OPERATOR)
    (now,) = await bench.ledger.read(lambda tx: memories.by_ids(tx, [kept.id]))
    assert now.expires_at == soon
