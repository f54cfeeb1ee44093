"""A name is nobody else's: not as a part of a longer one, and not where it is words or a place."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

# name, type; what mentions it; what may; what does not
ROWS = [
    ("Anna Lee", "PERSON",
     ["Dear Anna Lee, hi", "Then Anna Lee came", "Anna Lee Monday at 5", "Dr. Anna Lee, MD",
      "Anna Maria Lee came", "In Paris Anna Lee met Bob", "Aunt Anna Lee sings", "ANNA LEE CALLED",
      "anna lee called", "Lee, Anna"],
     ["Anna Lee Jones teaches.", "Mary Anna Lee paints.", "Anna Lee Quittkat called.",
      "anna lee jones sings"], []),
    ("John Smith", "PERSON", ["John Smith came"],
     ["John Smith Jr. teaches.", "John Smith III paints.", "John Smith, Sr. called"], []),
    ("John Smith Jr.", "PERSON", ["John Smith Jr. teaches.", "John Smith came"],
     ["John Smith III paints."], []),
    ("Kim Min", "PERSON", ["Kim Min sings."], ["Kim Min Ji sings."], []),
    ("Li Jing", "PERSON", ["Li Jing sings."], ["Li Jing-wen sings."], []),
    ("Maria Santos", "PERSON", ["Maria Santos canta.", "Maria C. Santos canta."],
     ["Maria dos Santos canta.", "Maria de los Santos canta."], []),
    ("Maria dos Santos", "PERSON", ["Maria dos Santos canta."], [], []),
    ("Anne Frank", "PERSON", ["Anne Frank wrote.", "Frank, Anne"],
     ["Anne, Frank and Otto came."], ["Anne and Frank came."]),
    ("Gay Marriage", "PERSON", ["Gay Marriage called."],
     ["The law on gay marriage passed.", "Gay marriage is legal."], []),
    ("Faith Hope", "PERSON", ["Faith Hope called."], ["Faith, hope and love."], []),
    ("Rusty Nail", "PERSON", ["I met Rusty Nail today."], ["met rusty nail today"],
     ["I stepped on a rusty nail."]),
    ("李静", "PERSON", ["李静住在上海", "我认识李静", "李静文章写得好"], ["李静雯住在上海。"], []),
    ("佐々木", "PERSON", ["佐々木さんは元気です", "佐々木部長は出張中です"],
     ["佐々木健太郎は東京に住んでいます", "昨日佐々木希と会った"], []),
    ("マリア", "PERSON", ["マリアは元気です"], ["マリアンネは東京に住んでいます"], []),
    ("王芳", "PERSON", ["王芳是医生", "王芳生病了", "同事王芳发了邮件",
                       "王芳发给我看", "王芳工作很忙", "王芳定了机票"],
     ["王芳华是医生。", "我同王芳芳吃饭。", "王芳发是医生。"], []),
    ("林健", "PERSON", ["林健は走る。", "林健さんと話した"], ["林健太は走る。"], []),
    ("김민", "PERSON", ["김민은 온다.", "김민이 왔다.", "김민에게 전화했다", "김민 왔다"],
     ["김민지는 온다.", "김민수가 왔다."], []),
    ("US", "LOCATION", ["I live in the US.", "US visa"], ["i moved to the us", "HE TOLD US"],
     ["He told us a joke.", "Join us on Monday.", "tell us more"]),
    ("IT", None, ["I work in IT."], [], ["It rains.", "it rains"]),
    ("AIDS", "MEDICAL_CONDITION", ["He has AIDS."], [],
     ["Grandma needs new hearing aids.", "She aids the poor."]),
    ("MS", "MEDICAL_CONDITION", ["I was diagnosed with MS."], [], ["The ping took 5 ms."]),
    ("SAD", "MEDICAL_CONDITION", ["I have SAD in winter."], [], ["I am sad today."]),
    ("ADHD", "MEDICAL_CONDITION", ["He has ADHD.", "he has adhd"], [], []),
    ("Depression", "MEDICAL_CONDITION", ["He has depression."], [], []),
    ("Nice", "LOCATION", ["I live in Nice."], ["Nice to meet you."], ["A nice day."]),
    ("Reading", "LOCATION", ["I live in Reading."], ["Reading is fun."], ["I like reading books."]),
    ("Turkey", "LOCATION", ["I flew to Turkey.", "we flew to turkey last year"], [],
     ["We ate turkey."]),
    ("Bath", "LOCATION", ["I live in Bath."], [], ["I took a bath."]),
    ("Paris", "LOCATION", ["I moved to Paris.", "In Paris Anna met Bob", "i moved to paris"], [],
     ["Paris Hilton sings.", "I met Paris Hilton."]),
    ("Florence", "LOCATION", ["I live in Florence.", "Florence Cathedral has a dome"],
     ["Florence Nightingale nursed."], []),
    ("Jordan", "LOCATION", ["I flew to Jordan."], [],
     ["Michael Jordan plays.", "Jordan Peterson talks."]),
    ("Vienna", "LOCATION", ["I live in Vienna."], ["Vienna Teng sings."], []),
    ("Sydney", "LOCATION", ["I live in Sydney."], [], ["Sydney Sweeney acts."]),
    ("Siemens", "ORGANIZATION",
     ["Siemens Energy pays well.", "Werner works at Siemens.", "Siemens hired me."], [],
     ["Werner Siemens paints.", "Mr. Siemens called."]),
    ("Disney", "ORGANIZATION", ["I work at Disney."], [], ["Walt Disney drew mice."]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind", "told", "unsure", "others"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS]
)
def test_whose_it_is(
    name: str, kind: str | None, told: list[str], unsure: list[str], others: list[str]
) -> None:
    """What goes on as another's name is in doubt; in a person's name no place is mentioned."""
    needles = Needles.build([name], entity_type=kind)
    assert [text for text in told if not needles.sure(text)] == []
    assert [text for text in unsure if needles.mentioned(text)] == []
    assert [text for text in unsure if not needles.may_mean(text)] == []
    assert [text for text in others if needles.find(text)] == []


def test_a_longer_name_that_is_asked_for_too_is_hers() -> None:
    """The request says that she is called so."""
    needles = Needles.build(["Anna Lee", "Anna Lee Jones"], entity_type="PERSON")
    assert needles.mentioned("Anna Lee Jones teaches.")


# whom or what to forget, and its type; what goes; what stays; how many are in doubt
FORGOTTEN = [
    ("Annika Leefeld", "PERSON", ["Annika Leefeld came", "Leefeld rang."],
     ["Annika Leefeld Jones teaches.", "Mary Annika Leefeld paints.", "Annika Leefeld Jr. sings."],
     3),
    ("李静", "PERSON", ["李静住在上海"], ["李静雯住在上海。"], 1),
    ("Rusty Nail", "PERSON", ["I met Rusty Nail today."], ["I stepped on a rusty nail."], 0),
    ("US", "LOCATION", ["I live in the US."], ["He told us a joke.", "Join us on Monday."], 0),
    ("Paris", "LOCATION", ["I moved to Paris."], ["Paris Hilton sings.", "Lunch with Paris"], 0),
    ("Florence", "LOCATION", ["I moved to Florence."], ["Florence Nightingale nursed."], 1),
    ("Siemens", "ORGANIZATION", ["Siemens Energy pays well."], ["Werner Siemens paints."], 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind", "goes", "stays", "doubtful"), FORGOTTEN, ids=[row[0] for row in FORGOTTEN]
)
async def test_what_goes_is_refused_again_and_nothing_else(
    bench: Erasing, name: str, kind: str, goes: list[str], stays: list[str], doubtful: int
) -> None:
    """Deleted, counted as doubtful and blocked by the same rule."""
    await bench.remember("u-1", goes[0], mentions=[Mention(kind, name)])
    for text in [*goes[1:], *stays]:
        await bench.remember("u-1", text, known=False)
    done = await bench.forget(Target(kind="entity", values=(name,), entity_type=kind))
    assert sorted(await bench.texts("u-1")) == sorted(stays)
    assert (done.state, done.deleted) == ("complete", len(goes)), done.body()
    assert done.counts.get("doubtful", 0) == doubtful
    again = [goes[0], *stays]
    blocked = await bench.means.blocklist.blocked_mentions(bench.tenant_id, again)
    assert [text for text, found in zip(again, blocked, strict=True) if found] in ([goes[0]], [])


@pytest.mark.parametrize("younger", ["John Smith III", "John Smith Jr."])
@pytest.mark.parametrize("owner", ["u-1", "u-2"])
async def test_a_generation_is_an_entity_of_its_own(
    bench: Erasing, younger: str, owner: str
) -> None:
    """The index, which keeps whom a memory mentions, does not make one of the two."""
    older = "John Smith"
    for whose, name in ((owner, younger), ("u-1", older)):
        await bench.remember(whose, f"{name} paints.", mentions=[Mention("PERSON", name)])
    done = await bench.forget(Target(kind="entity", values=(older,), entity_type="PERSON"))
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await bench.texts(owner) == [f"{younger} paints."]
    found = await bench.means.vault.resolve(bench.tenant_id, younger, entity_type="PERSON")
    assert len(found.certain) == 1  # its token still reads
