"""Family names with a particle before them: ``van der Meer`` is borne by more than one."""

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

NAMES = {
    # the name: what others say who bear its family name, and what it is called by alone
    "Aart de Vries": (
        ["Sietske de Vries is a judge", "We met Sietske de Vries at noon"],
        ["Mr de Vries was early", "Aart sings well"],
    ),
    "Joost van der Meer": (
        ["Klaas van der Meer is a pilot", "My aunt Griet van der Meer knits"],
        ["Phoned van der Meer about the boat"],
    ),
    "Otto von Hagen": (
        ["Nina von Hagen sings", "A concert by Nina von Hagen"],
        ["Herr von Hagen called"],
    ),
    "Carlos de la Cruz": (
        ["Penelope de la Cruz acts", "Lunch with Maria de la Cruz"],
        ["Carlos was late"],
    ),
    "Piero del Conte": (["Lia del Conte swims"], ["Signor del Conte cooks"]),
}


async def _left(bench: Erasing, name: str, texts: list[str]) -> list[str]:
    await bench.remember("u-1", f"{name} moved to Turku", mentions=[Mention("PERSON", name)])
    for text in texts:
        await bench.remember("u-1", text, known=False)
    target = Target(kind="entity", values=(name,), entity_type="PERSON")
    plan = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    view = await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    await bench.service.run(bench.tenant_id, view.id)
    return sorted(bench.small.texts())


@pytest.mark.parametrize("name", NAMES)
async def test_a_namesake_behind_a_particle_stays(bench: Erasing, name: str) -> None:
    """The first name before the particle says who is meant."""
    others, _ = NAMES[name]
    assert await _left(bench, name, others) == sorted(others)


@pytest.mark.parametrize("name", NAMES)
async def test_the_family_name_alone_goes_with_its_particle(bench: Erasing, name: str) -> None:
    """Where nobody else of that name is known."""
    _, alone = NAMES[name]
    assert await _left(bench, name, alone) == []
