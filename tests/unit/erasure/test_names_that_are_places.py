"""Names that are places or words: what is found, refused, hidden and taken back is the same."""

from pathlib import Path

import pytest

from proxy.erasure.recheck import recheck
from proxy.erasure.reconcile import reconcile
from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

CASES = Path(__file__).parents[2] / "cases" / "names_that_are_places.txt"
ROWS = [line.split("|") for line in CASES.read_text().splitlines() if line[0] != "#"]
NAMES = sorted({name for name, _, _ in ROWS})


def _said(name: str, *kinds: str) -> list[str]:
    return [text for each, kind, text in ROWS if each == name and kind in kinds]


async def _forgotten(bench: Erasing, name: str, texts: list[str], **target: str) -> str:
    """Erase somebody of whom an owner tells in these texts, all once recorded as about them."""
    for text in texts:
        await bench.remember("u-1", text, mentions=[Mention("PERSON", name)])
    wanted = Target(kind="entity", values=(name,), entity_type="PERSON", **target)
    view = await bench.forget(wanted)
    assert view.state == "complete", view.body()
    return str(view.id)


async def _agree(bench: Erasing, erasure_id: str, every: list[str], stayed: list[str]) -> None:
    """What it took may not be written, is hidden and goes when it comes back; all else stays."""
    row = (await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))).id
    hits = await bench.means.blocklist.blocked_mentions(bench.tenant_id, every, [row])
    assert sorted(t for t, hit in zip(every, hits, strict=True) if not hit) == stayed
    again = await recheck(bench.means, bench.tenant_id, erasure_id, "DEL-1", actor=OPERATOR)
    assert again.still_absent, again.body()
    gone = [text for text in every if text not in stayed]
    for text in gone:
        await bench.remember("u-1", text, known=False)  # a restore brings it back
    again = await recheck(bench.means, bench.tenant_id, erasure_id, "DEL-1", actor=OPERATOR)
    assert again.by_mention == len(gone), again.body()
    done = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert done.found == len(gone), done.body()
    assert sorted(await bench.texts("u-1")) == stayed


@pytest.mark.parametrize("name", NAMES)
async def test_every_path_agrees_with_the_erasure(bench: Erasing, name: str) -> None:
    """Of somebody known by the name alone."""
    every = _said(name, "yes", "no", "doubt")
    erasure_id = await _forgotten(bench, name, every, owner="u-1")
    stayed = sorted(await bench.texts("u-1"))
    assert set(_said(name, "no")) <= set(stayed)
    assert set(_said(name, "yes")).isdisjoint(stayed)
    await _agree(bench, erasure_id, every, stayed)


LONGER = {
    # whole name: what its owner tells, and what of it stays
    "April Paris": (
        ["April called", "Mrs Paris bakes bread"],
        ["Paris is nice", "Paris is the capital of France", "In April it rains"],
    ),
    "Art Rosa": (
        ["Art drives a truck", "Mrs Rosa teaches maths"],
        ["Art is expensive", "Rosa is nice", "She likes the colour rosa"],
    ),
    "Tilda Kingston": (
        ["Tilda snores", "Met Kingston at the gym"],
        ["Kingston is the capital of Jamaica", "We sailed to Kingston"],
    ),
}


@pytest.mark.parametrize("whole", LONGER)
async def test_so_they_do_for_a_word_of_a_longer_name(bench: Erasing, whole: str) -> None:
    """Under the owner who knows the person by the whole name."""
    goes, stays = LONGER[whole]
    every = [f"{whole} is my landlord", *goes, *stays]
    erasure_id = await _forgotten(bench, whole, every)
    assert sorted(await bench.texts("u-1")) == sorted(stays)
    await _agree(bench, erasure_id, every, sorted(stays))
