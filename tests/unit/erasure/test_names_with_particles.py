"""Family names with a particle before them: ``van der Meer`` is borne by more than one."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
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


# a name of which nobody knows what it names: what says it, and what does not
THINGS = {
    "Vitamin E": (["Takes vitamin E daily", "Vitamin-E oil", "VITAMIN E."],
                  ["My cat takes vitamin D drops.", "Vitamins are dear"]),
    "Hepatitis E": (["She has hepatitis E."], ["Nadia had hepatitis B in 2011.", "Hepatitis"]),
    "E. coli": (["E. coli was found", "E coli again"], ["Coli is a word"]),
    "Al I.": (["Al I. called"], ["I work at Norvane as a welder"]),
    "Al C.": (["Al C. called"], ["Seat row C by the window."]),
    "Ben Stolberg": (["Ben Stolberg batted", "Stolberg, Ben"],
                     ["Stolberg batted", "Rain in Stolberg"]),
    "Van Morten": (["Van Morten sang"], ["The Morten bridge is closed."]),
    "El Paso": (["Moved to El Paso"], ["We danced a paso doble"]),
    "The Who": (["Saw The Who live"], ["Who is it?"]),
    "The Quorlings": (["The Quorlings played", "A Quorlings song"], ["Quorls are birds"]),
    "Ben & Jorrit's": (["Ben & Jorrit's ice", "Ben and Jorrit's", "Ben und Jorrit's"],
                       ["Jorrit's ice"]),
    "The Rolling Quorls": (["A Rolling Quorls poster", "The Rolling Quorls"], ["Quorls roll"]),
    "The Home Barn": (["Bought it at Home Barn"], ["We walked home", "The barn burnt"]),
    "Le Havre": (["Habite au Havre", "Le port du Havre", "Le Havre est gris"],
                 ["Un havre de paix"]),
    "Zhao Bin": (["Bin Zhao called", "Zhao Bin called"], ["Zhao called"]),
    "van Gogh": (["Vincent van Gogh painted", "Gogh, Vincent van"], ["Theo Gogh called"]),
    "Bank of Norvane": (["Bank of Norvane closed"], ["Norvane closed", "the bank closed"]),
}  # fmt: skip


@pytest.mark.parametrize("name", THINGS)
def test_a_thing_is_known_with_its_particles(name: str) -> None:
    """What tells it from others is no particle: another vitamin, another Stolberg stays."""
    needles = Needles.build([name])
    says, others = THINGS[name]
    assert [text for text in says if not needles.mentioned(text)] == []
    assert [text for text in others if needles.find(text)] == []
