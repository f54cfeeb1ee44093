"""A name in another case, or with a word joined to it, is the same person: ``Ольгу Кузнецову``."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.tokens.forms.inflection import declined, is_declined_given_name
from proxy.tokens.index.spelling import Name
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

# by name: what names the person, what names somebody else or nobody
WHOLE = {
    "Ольга Кузнецова": (
        ["Видел Ольгу Кузнецову.", "Пошёл с Ольгой Кузнецовой.", "Нет Ольги Кузнецовой.",
         "Кузнецовой Ольге подарили книгу", "видел ольгу кузнецову", "Ользі Кузнецовій дзвонили."],
        ["Видел Ольгу Иванову.", "Кузнец чинит забор.", "Пётр Ольгин пришёл.", "Ольгин дом велик.",
         "Видел Олега Кузнецова.", "Пошёл с Анной Кузнецовой."],
    ),
    "Андрей Достоевский": (
        ["Пошёл с Андреем Достоевским.", "Нет Андрея Достоевского."],
        ["Читал роман Фёдора Достоевского.", "Андреев пришёл."],
    ),
    "Пётр Иванович Белов": (
        ["Видел Петра Ивановича Белова.", "Дал Петру Ивановичу Белову."], ["Видел Петра Иванова."],
    ),
    "Тарас Шевченко": (
        ["Бачив Тараса Шевченка.", "Розмовляв з Тарасом Шевченком.", "Дал Тарасу Шевченко книгу."],
        ["Бачив Тараса Бульбу.", "Оксана Шевченко співає."],
    ),
    "Лев Толстой": (["Видел Льва Толстого."], ["Видел льва в цирке.", "Нет Алексея Толстого."]),
    "Jan Kowalski": (
        ["Widziałem Jana Kowalskiego.", "Poszedł z Janem Kowalskim.", "Dał Janowi Kowalskiemu."],
        ["Widziałem Jana Nowaka.", "Poszedł z Piotrem Kowalskim.", "Janek Kowal gra."],
    ),
    "Małgorzata Dąbrowska": (
        ["Widziałem Małgorzatę Dąbrowską.", "Nie ma Małgorzaty Dąbrowskiej.",
         "Dalem Malgorzacie Dabrowskiej."],
        ["Widziałem Małgorzatę Kowalską."],
    ),
    "Anna Nowak": (["Rozmawiał z Anną Nowak."], ["Rozmawiał z Anną Sikorą."]),
    "Tomáš Dvořák": (
        ["Viděl Tomáše Dvořáka.", "Mluvil s Tomášem Dvořákem."],
        ["Viděl Tomáše Nováka.", "Dvořákova symfonie hraje."],
    ),
    "Jana Nováková": (["Viděl Janu Novákovou."], ["Viděl Jana Nováka.", "Viděl Evu Novákovou."]),
    "Ayşe Yılmaz": (
        ["Ayşe Yılmaz'ın evi", "Ayşe Yılmaz’a verdim.", "AYŞE YILMAZ'DAN aldım"],
        ["Ayşe Demir'in evi", "Fatma Yılmaz'ın evi"],
    ),
    "خالد العتيبي": (
        ["قلت لخالد العتيبي", "وخالد العتيبي ذهب", "ذهبت ولخالد العتيبي بيت"],
        ["خالدة العتيبي هنا", "قلت لسالم العتيبي"],
    ),
    "ريم العتيبي": (["قلت لريم العتيبي"], ["كريم العتيبي هنا"]),
    "דוד כהן": (["נתתי לדוד כהן", "ודוד כהן הלך"], ["נתתי לדוד לוי"]),
    "רון כהן": (["נתתי לרון כהן"], ["שרון כהן כאן", "לשרון כהן"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_name_is_found_in_every_case(name: str) -> None:
    """Every word of it in the same case; somebody of another name is not."""
    told, others = WHOLE[name]
    needles = Needles.build([name], entity_type="PERSON")
    assert [text for text in told if not needles.mentioned(text)] == []
    assert [text for text in others if needles.mentioned(text)] == []


async def test_a_blocked_name_is_refused_in_every_case(bench: Erasing) -> None:
    """Who was erased does not come back in another case."""
    blocklist = bench.means.blocklist
    names = [Name(each) for each in WHOLE]
    await bench.ledger.write(lambda tx: blocklist.add(tx, bench.tenant_id, names))
    told = [text for each, _ in WHOLE.values() for text in each]
    others = [text for _, each in WHOLE.values() for text in each]
    found = await blocklist.blocked_mentions(bench.tenant_id, told)
    assert [text for text, spans in zip(told, found, strict=True) if not spans] == []
    found = await blocklist.blocked_mentions(bench.tenant_id, others)
    assert [text for text, spans in zip(others, found, strict=True) if spans] == []


@pytest.mark.parametrize("known", [True, False])
async def test_memories_that_name_somebody_in_another_case_go(bench: Erasing, known: bool) -> None:
    """Whether or not the index knows them, as whomever detection took them for."""
    for number, (told, others) in enumerate(WHOLE.values()):
        for text in told:
            await bench.remember(f"u-{number}", text, known=known)
        for text in others:
            await bench.remember(f"v-{number}", text, known=known)
    for name in WHOLE:
        await _forget(bench, name)
    for number, (_, others) in enumerate(WHOLE.values()):
        assert await bench.texts(f"u-{number}") == []
        assert sorted(await bench.texts(f"v-{number}")) == sorted(others)


SHORT = {
    # what an owner who knows the person by the whole name says, and whether it goes
    "case of the first name": ("Ольга Кузнецова", "Подарил Ольге книгу.", True),
    "case that begins": ("Ольга Кузнецова", "Ольге подарили книгу.", True),
    "case of the family name": ("Ольга Кузнецова", "Пришла к доктору Кузнецовой.", True),
    "with an initial": ("Ольга Кузнецова", "Пришёл к О. Кузнецовой.", True),
    "polish": ("Jan Kowalski", "Dał książkę Janowi.", True),
    "joined": ("خالد العتيبي", "قلت لخالد", True),
    "turkish": ("Ayşe Yılmaz", "Kitabı Ayşe'ye verdim.", True),
    "twin: another's": ("Ольга Кузнецова", "Подарил Ольге Ивановой книгу.", False),
    "twin: another Anna": ("Ольга Кузнецова", "Пришёл к Анне Кузнецовой.", False),
    "twin: another word": ("Ольга Кузнецова", "Кузнец чинит забор.", False),
    "twin: a woman of that name": ("Jan Kowalski", "Poszła tam Jana.", False),
}


@pytest.mark.parametrize(("name", "text", "goes"), SHORT.values(), ids=SHORT)
async def test_a_short_name_in_another_case_goes_with_its_owner(
    bench: Erasing, name: str, text: str, goes: bool
) -> None:
    """Where its owner knows the whole name; under another owner it stays, as in any case."""
    await bench.remember("u-1", f"{name} 2019", mentions=[Mention("PERSON", name)])
    for owner in ("u-1", "u-2"):
        await bench.remember(owner, text, known=False)
    view = await _forget(bench, name)
    assert view.state == "complete"
    assert await bench.texts("u-1") == ([] if goes else [text])
    assert await bench.texts("u-2") == [text]


async def test_a_case_that_is_another_name_is_doubtful(bench: Erasing) -> None:
    """``Александра Кузнецова`` is a woman's name, and the man's in the genitive."""
    name, text = "Александр Кузнецов", "Видел Александра Кузнецова."
    await bench.remember("u-1", f"{name} 2019", mentions=[Mention("PERSON", name)])
    await bench.remember("u-1", text, known=False)
    target = Target(kind="entity", values=(name,), entity_type="PERSON")
    plan = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    assert plan.counts["doubtful"] == 1
    await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    await bench.service.run(bench.tenant_id, plan.id)
    assert await bench.texts("u-1") == [text]


async def test_one_person_in_two_cases_is_one(bench: Erasing) -> None:
    """Nobody is asked which of them is meant."""
    for text in ("Ольга Кузнецова пришла", "Видел Ольгу Кузнецову.", "Подарил Ольге книгу."):
        await bench.remember("u-1", text)
    target = Target(kind="entity", values=("Ольга Кузнецова",), owner="u-1")
    plan = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    assert plan.state == "planned"


DECLINED = {
    "a foreign name": ("Tilda Brenn", []),
    "another first name": ("Paul Martin", []),
    "initials": ("А. Б.", []),
    "a man's": ("Kuba Nowak", ["kubą nowakiem"]),
    "a woman's": ("Ewa Nowak", ["ewą nowak"]),
    "with a particle": ("Jan van Dijk", ["jana van dijka"]),
    "no vowel": ("Jan", ["janem", "janowi"]),
}


@pytest.mark.parametrize(("name", "cases"), DECLINED.values(), ids=DECLINED)
def test_only_names_of_the_languages_are_declined(name: str, cases: list[str]) -> None:
    """A name in Latin letters has cases where it looks Polish, Czech or Slovak."""
    sure = declined(name).sure
    assert {*cases} <= {*sure}
    assert bool(sure) == bool(cases)


OPENING = {"Ольге": True, "Janowi": True, "Małgorzacie": True, "Lange": False, "Стол": False}


@pytest.mark.parametrize(("word", "given"), OPENING.items(), ids=OPENING)
def test_a_given_name_is_known_in_its_cases(word: str, given: bool) -> None:
    """At the beginning of a sentence, where every word has a capital."""
    assert is_declined_given_name(word.casefold()) is given


async def _forget(bench: Erasing, name: str):  # type: ignore[no-untyped-def]
    return await bench.forget(Target(kind="entity", values=(name,), entity_type="PERSON"))
