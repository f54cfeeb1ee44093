"""Titles are no part of a name, and particles do not make a family name a whole one."""

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

# whom to forget; what goes, each with the name that detection finds there; what stays
ROWS = [
    ("Dr. Benedikta Stormfels",
     {"Dr. Benedikta Stormfels teaches.": "Benedikta Stormfels", "Stormfels rang.": "Stormfels"},
     {"Dr. Henrik Falkenau teaches.": "Henrik Falkenau", "Dr. Odilo Krantz paints.": ""}),
    ("Prof. Dr. Ottilie Wranglestone",
     {"Prof. Dr. Ottilie Wranglestone reads.": "Ottilie Wranglestone"},
     {"Prof. Henrik Falkenau reads.": "Henrik Falkenau", "Dr. Odilo Krantz paints.": ""}),
    ("Mr. Algernon Pryce-Jones",
     {"Mr. Algernon Pryce-Jones sings.": "Algernon Pryce-Jones"},
     {"Mr. Oswin Grimaldi sings.": "Oswin Grimaldi", "Mr. Jones called.": "Jones"}),
    ("Frau Dr. Hannelore Zwiesel",
     {"Frau Dr. Hannelore Zwiesel operiert.": "Hannelore Zwiesel"},
     {"Frau Dr. Mechthild Oberndorf operiert.": "Mechthild Oberndorf"}),
    ("Officer Dunstan Kettle",
     {"Officer Dunstan Kettle drove.": "Officer Dunstan Kettle", "Kettle rang.": "Kettle"},
     {"Officer Amala Roth drove.": "Amala Roth", "The officer was kind.": ""}),
    ("Willemijn van der Kolk",
     {"Willemijn van der Kolk fietst.": "Willemijn van der Kolk",
      "Mevrouw Van der Kolk belde.": "Van der Kolk", "W. van der Kolk betaalde.": "van der Kolk"},
     {"Pieter van der Meer zwemt.": "Pieter van der Meer"}),
    ("Mathilde von Hohenfels",
     {"Mathilde von Hohenfels rode.": "Mathilde von Hohenfels",
      "Mrs von Hohenfels fell off.": "von Hohenfels", "Von Hohenfels called.": "Von Hohenfels",
      "M. von Hohenfels paid.": ""},
     {"Otto von Brandis rode.": "Otto von Brandis"}),
    ("María José García Pérez",
     {"María José García Pérez canta.": "María José García Pérez",
      "García Pérez llamó.": "García Pérez", "Maria Jose Garcia baila.": "Maria Jose Garcia"},
     {"Pablo García Soto baila.": "Pablo García Soto", "Pérez Soto llamó.": "Pérez Soto"}),
    ("Marie-Luise Brandt",
     {"Marie-Luise Brandt skis.": "Marie-Luise Brandt"},
     {"Marie Brandt skis.": "Marie Brandt", "Luise Brandt skis.": "Luise Brandt"}),
    ("Maria de la Cruz",
     {"Maria de la Cruz canta.": "Maria de la Cruz", "La señora De la Cruz canta.": "De la Cruz"},
     {"Pablo de la Vega canta.": "Pablo de la Vega"}),
    ("Ludovica di Stefano",
     {"Ludovica di Stefano canta.": "Ludovica di Stefano", "Signora Di Stefano chiama.": "",
      "Mrs Di Stefano called.": ""},
     {"Paolo di Marcovaldo nuota.": "Paolo di Marcovaldo", "Di solito bevo caffè.": ""}),
    ("Samira al-Hashimi",
     {"Samira al-Hashimi sings.": "Samira al-Hashimi", "Mrs al-Hashimi called.": "",
      "Al-Hashimi paid.": ""},
     {"Omar al-Rashidi swims.": "Omar al-Rashidi"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "goes", "stays"), ROWS, ids=[row[0] for row in ROWS])
async def test_whose_they_are(
    bench: Erasing, name: str, goes: dict[str, str], stays: dict[str, str]
) -> None:
    """Others of the title stay, under every owner; the family name alone goes with its bearer."""
    for owner, texts in (("u-1", goes), ("u-1", stays), ("u-2", stays)):
        for text, found in texts.items():
            mentions = [Mention("PERSON", found)] if found else []
            await bench.remember(owner, text, mentions=mentions)
    done = await bench.forget(Target(kind="entity", values=(name,), entity_type="PERSON"))
    assert (done.state, done.deleted) == ("complete", len(goes)), done.body()
    assert sorted(await bench.texts("u-1")) == sorted(stays)
    assert sorted(await bench.texts("u-2")) == sorted(stays)
