"""Relatives share words of a name: a whole name with another word is somebody else's."""

import pytest

from proxy.erasure.search.target import Target
from tests.support.erasing import OPERATOR, Erasing

# by case: whom one owner names by the whole name, what goes, what stays, how much stays in doubt
FAMILIES = {
    "both surnames, and a middle name": (
        "Ana Lucía Moreno Vidal",
        ["Ana Lucía Moreno Vidal es mi vecina.", "Ana Lucía cocina."],
        ["Lucía Moreno Vidal canta en el coro.", "Jorge Moreno Vidal conduce un taxi.",
         "Ana Moreno baila."], 2,
    ),
    "given names, and surnames": (
        "María José García López",
        ["María José García López es mi cuñada.", "María José trabaja en el hospital.",
         "Señora García López llamó."],
        ["José García López vive en Sevilla.", "María García estudia derecho."], 2,
    ),
    "surnames that a brother bears too": (
        "María José García López",
        ["María José García López es mi cuñada."],
        ["Pablo García López vive en Sevilla.", "Señora García López llamó."], 1,
    ),
    "a family": (
        "Laura Jiménez Prieto",
        ["Laura Jiménez Prieto es mi jefa."],
        ["Marcos Jiménez Prieto vive en Cádiz.", "Laura Jiménez Soto vende pan.",
         "La familia Jiménez Prieto tiene un perro."], 1,
    ),
    "a family, and no other of the name": (
        "Laura Jiménez Prieto",
        ["Laura Jiménez Prieto es mi jefa.", "Señora Jiménez Prieto llamó."],
        ["La familia Jiménez Prieto tiene un perro."], 1,
    ),
    "a firm": (
        "João Pedro Almeida Costa",
        ["João Pedro Almeida Costa é o meu primo."],
        ["Rita Almeida Costa é dentista.", "Pedro Almeida é o porteiro.",
         "Almeida Costa Lda entrega o vinho."], 1,
    ),
    "a given name left out": (
        "Mary Ann Fletcher",
        ["Mary Ann Fletcher is my aunt."],
        ["M. Fletcher called.", "Ann Fletcher runs the post office.", "Mary Fletcher sings alto.",
         "Robert Fletcher fixes clocks."], 3,
    ),
    "a surname that is a given name": (
        "Sarah Lloyd Jenkins",
        ["Sarah Lloyd Jenkins is my dentist.", "Sarah rang."],
        ["Tom Lloyd Jenkins is her brother and drives a van.", "Lloyd Jenkins coaches rugby."], 1,
    ),
    "half of a coupled surname": (
        "Hans Peter Scholl",
        ["Hans Peter Scholl ist mein Onkel."],
        ["Peter Scholl fährt Taxi.", "Hans Scholl-Weber malt.", "Karin Scholl singt."], 1,
    ),
    "genitives": (
        "Sabine Krüger",
        ["Meine Frau Sabine Krüger arbeitet halbtags.", "Sabine mag keine Oliven.",
         "Krüger, Sabine: Mitgliedsnummer im Turnverein."],
        ["Frau Krügers Telefonnummer ist 0170 5550199.", "Krüger & Söhne liefern das Heizöl.",
         "Unser Sohn Jonas Krüger geht in die Schule.", "Jonas Krügers Lehrerin heißt Lindner."], 1,
    ),
    "genitives, and no other of the name": (
        "Sabine Krüger",
        ["Meine Frau Sabine Krüger arbeitet halbtags.",
         "Frau Krügers Telefonnummer ist 0170 5550199."],
        ["Krüger & Söhne liefern das Heizöl.", "Familie Krüger zieht um."], 1,
    ),
    "genitives of either name, and words that join no name": (
        "Wiebke Harmsen",
        ["Meine Nachbarin heißt Wiebke Harmsen.", "Wiebkes Katze ist entlaufen.",
         "Harmsens Garten ist groß.", "Heute war ich bei Wiebke zum Kaffee.",
         "Das Fahrrad von Wiebke steht im Keller."],
        ["Der Kaffee ist kalt.", "Wiebke zum Felde wohnt in Jever."], 1,
    ),
    "a genitive in Dutch": (
        "Sjoerd Vrijlink",
        ["Sjoerd Vrijlink is mijn collega.", "Sjoerds nieuwe baan begint maandag.",
         "De fiets van Sjoerd is weg."],
        ["De fiets is weg."], 0,
    ),
    "another name she goes by": (
        "Elizabeth Harrow",
        ["Elizabeth Harrow (Liz) is my lawyer."], ["Liz is on parental leave."], 1,
    ),
    "another family, in Arabic": (
        "خالد الحربي",
        ["أخي خالد الحربي يعمل مهندسا في جدة.", "اتصلت بخالد الحربي أمس."],
        ["خالد العتيبي جارنا."], 1,
    ),
    "the son, in Arabic": (
        "محمد الغامدي",
        ["محمد الغامدي صديقي."], ["أحمد محمد الغامدي جارنا.", "محمد الشهري يسكن في الرياض."], 1,
    ),
    "a third sign": (
        "李伟", ["李伟是我的房东。", "李伟明天来。"],
        ["李伟明在上海工作。", "李伟明喜欢打篮球。"], 2,
    ),
    "a third sign before a day": ("王丽", ["王丽是我的医生。"], ["我的同事王丽华周一休息。"], 1),
    "a third sign that no list has": (
        "陈静", ["陈静是我的邻居。"], ["陈静怡在银行工作。"], 1,
    ),
    "a sign twice": ("刘洋", ["刘洋是我的老师。"], ["刘洋洋在医院工作。"], 1),
}  # fmt: skip


@pytest.mark.parametrize("owner", [None, "u-1"])
@pytest.mark.parametrize(("name", "goes", "stays", "doubtful"), FAMILIES.values(), ids=FAMILIES)
async def test_relatives_stay(
    bench: Erasing, owner: str | None, name: str, goes: list[str], stays: list[str], doubtful: int
) -> None:
    """What is hers goes, what may be is counted, and what stays can be read and written on."""
    for text in (*goes, *stays):
        await bench.remember("u-1", text)
    view = await bench.forget(Target(kind="entity", values=(name,), owner=owner))
    assert (view.state, view.counts.get("doubtful", 0)) == ("complete", doubtful), view.body()
    assert sorted(await bench.texts("u-1")) == sorted(stays)
    row = await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))
    blocked = await bench.means.blocklist.blocked_mentions(bench.tenant_id, stays, [row.id])
    assert [text for text, found in zip(stays, blocked, strict=True) if found] == []


@pytest.mark.parametrize("dry_run", [True, False])
async def test_who_bears_a_longer_name_is_told(bench: Erasing, dry_run: bool) -> None:
    """Where nothing is found for certain, whoever asks learns who may be meant."""
    for text in ("Carmen Ruiz Ortega bakes bread.", "I met Carmen Ruiz Ortega.", "Carmen sings."):
        await bench.remember("u-1", text)
    target = Target(kind="entity", values=("Carmen Ruiz",))
    view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR, dry_run=dry_run)
    assert (view.counts["found"], view.counts["doubtful"]) == (0, 3)
    assert [(each.hint, each.memories) for each in view.candidates] == [("Carmen Ruiz Ortega", 2)]
    assert len(await bench.texts("u-1")) == 3
