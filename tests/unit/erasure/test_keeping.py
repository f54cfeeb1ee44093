"""What ``keep`` names stays: of an owner, a category, a tag, a time, a person; the rest goes."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from proxy.erasure.search.target import Target
from proxy.erasure.texts.rewrite import kept_of, mended
from proxy.erasure.texts.telling import Telling
from proxy.ledger import memories, provenance
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.schema import audit_entries
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

OWNER = Target(kind="owner", values=("u-1",))
MIXED = "Works at Norvane and earns 5000 euro a month"
TORN = "Earns 5000 euro a month as a nurse at Norvane"
OWNERS = {
    # id: what is kept, a text of the owner, what stays of it
    "only that": (("employer",), "Works as a nurse at Norvane", "Works as a nurse at Norvane"),
    "beside": (("employer",), MIXED, "Works at Norvane."),
    "list": (("employer",), "phone 555-0101, employer Norvane, desk 4", "Employer Norvane."),
    "sentences": (("employer",), "Has asthma. Her employer is Norvane.",
                  "Her employer is Norvane."),
    "German": (("Arbeitgeber",), "Arbeitet bei Norvane. Hat Asthma.", "Arbeitet bei Norvane."),
    "none of it": (("employer",), "Has asthma", None),
    "only the word": (("salary",), "The salary survey was published", None),
    "its other word": (("wage",), MIXED, "Earns 5000 euro a month."),
    "torn": (("employer",), TORN, None),
    "both": (("employer", "salary"), TORN, TORN),
    "a word": (("Norvane",), "Met Tom Reed. Norvane is old.", "Norvane is old."),
    "an unknown attribute": (("shoe size",), "Shoe size 40, desk 4", "Shoe size 40."),
    "detected": (("phone",), "Call +49 30 5550123 after six. Has asthma.",
                 "Call +49 30 5550123 after six."),
}  # fmt: skip


@pytest.mark.parametrize(("keep", "text", "left"), OWNERS.values(), ids=OWNERS.keys())
async def test_of_an_owner_stays_what_is_kept(
    bench: Erasing, keep: tuple[str, ...], text: str, left: str | None
) -> None:
    """Under the default rules; the owner lives on, and so do their keys."""
    await bench.remember("u-1", text, mentions=[])
    view = await bench.forget(OWNER, keep=keep)
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == ([left] if left else [])
    again = await bench.forget(OWNER)
    assert await bench.texts("u-1") == []
    assert (again.state, again.outcome) == ("complete", "erased" if left else "keys_destroyed")


@pytest.mark.parametrize(
    ("mixed", "left"),
    [("delete", []), ("regenerate", []), ("redact", ["Earns [erased] as a nurse at Norvane"])],
)
async def test_what_cannot_be_separated_follows_the_policy(
    build, mixed: str, left: list[str]
) -> None:
    """A phrase stands for the salary where the policy says so; else it goes, and is counted."""
    bench = await build(mixed=mixed)
    await bench.remember("u-1", "Earns 5000 euro as a nurse at Norvane", mentions=[])
    asked = {"keep": ("employer",), "actor": OPERATOR}
    plan = await bench.service.request(bench.tenant_id, OWNER, dry_run=True, **asked)
    assert plan.counts.get("inseparable", 0) == (0 if left else 1)
    view = await bench.forget(OWNER, keep=("employer",))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == left


async def test_a_memory_is_kept_by_its_id(bench: Erasing) -> None:
    """It stays as it is, with its id and its metadata."""
    await bench.remember("u-1", "Has asthma", mentions=[])
    kept = await bench.remember("u-1", MIXED, mentions=[], metadata={"source": "chat"})
    view = await bench.forget(OWNER, keep=(kept,))
    assert (view.state, view.counts["kept_on_request"]) == ("complete", 1)
    assert await bench.texts("u-1") == [MIXED]
    assert (await bench.store.get(kept)) is not None


async def test_a_category_is_kept(bench: Erasing) -> None:
    """What is recorded as of it alone stays as it is; of the rest the parts that are of it."""
    ill = "Was diagnosed with diabetes and takes insulin"
    await bench.remember("u-1", ill, mentions=[], categories=["health"])
    await bench.remember("u-1", "Owns two canoes", mentions=[], categories=["preferences"])
    view = await bench.forget(OWNER, keep=("health",))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == [ill]


BY_LABEL = {
    # id: target, categories and tags of the memory, its text, what stays
    "category": (Target(kind="category", values=("health",), owner="u-1"), ["health"], [],
                 "Was diagnosed with diabetes. Works at Norvane.", "Works at Norvane."),
    "tag": (Target(kind="tag", values=("pii:email_address",), owner="u-1"), [],
            ["pii:email_address"], "Write to alva@example.org. Works at Norvane.",
            "Works at Norvane."),
    "twin: another one": (Target(kind="category", values=("health",), owner="u-1"),
                          ["preferences"], [], "Owns two canoes", "Owns two canoes"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("target", "categories", "tags", "text", "left"), BY_LABEL.values(), ids=BY_LABEL.keys()
)
async def test_of_a_category_or_tag_stays_what_is_kept(
    bench: Erasing, target: Target, categories: list[str], tags: list[str], text: str, left: str
) -> None:
    """The part that is of the category or holds what the tag names goes."""
    await bench.remember("u-1", text, mentions=[], categories=categories, tags=tags)
    view = await bench.forget(target, keep=("employer",))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == [left]


async def test_of_a_time_range_stays_what_is_kept(bench: Erasing) -> None:
    """Of what was made in it."""
    await bench.remember("u-1", MIXED, mentions=[])
    await bench.remember("u-1", "Has asthma", mentions=[])
    now = bench.means.clock.now()
    target = Target(kind="time_range", owner="u-1", since=now - timedelta(days=2))
    view = await bench.forget(target, keep=("employer",))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == ["Works at Norvane."]


@pytest.mark.parametrize("keep", [("",), (".",), ("employer", " - ")])
async def test_a_word_to_keep_says_something(bench: Erasing, keep: tuple[str, ...]) -> None:
    """An empty word or a sign is refused, and the answer says which one it was."""
    with pytest.raises(Problem, match="invalid-request") as refused:
        await bench.forget(OWNER, keep=keep)
    assert refused.value.errors[0]["pointer"] == f"/keep/{len(keep) - 1}"


def test_parts_of_a_text() -> None:
    """What tells another attribute beside goes with its part, or a phrase stands for it."""
    telling = Telling(meant=("nurse at Norvane",), beside=("5000 euro",))
    text = "Earns 5000 euro as a nurse at Norvane. Owns canoes."
    assert kept_of(text, telling) == ""
    assert mended(text, telling) == "Earns [erased] as a nurse at Norvane. Owns canoes."


ALVA = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")


async def predicate(bench: Erasing, erasure_id: str) -> dict[str, Any]:
    """What the certificate of an erasure states."""
    bundle = await bench.service.certificate(bench.tenant_id, erasure_id)
    stated: dict[str, Any] = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))
    return dict(stated["predicate"])


async def test_what_is_kept_is_declared(bench: Erasing) -> None:
    """Outcome, view, certificate and log name attributes and categories, and no content."""
    await bench.remember("u-1", MIXED, mentions=[])
    await bench.remember("u-1", "Works as a nurse at Norvane", mentions=[])
    await bench.remember("u-1", "Has asthma", mentions=[])
    view = await bench.forget(OWNER, keep=("employer", "health", "Tom Reed"))
    kept = {"attributes": ["employer"], "categories": ["health"], "named": 1}
    assert (view.outcome, view.body()["kept"]) == ("partial", kept)
    stated = await predicate(bench, view.id)
    assert stated["outcome"] == "partial"
    assert stated["partial"]["kept"] == kept
    assert "what_the_requester_wanted_kept" in stated["claim"]["not_covered"]
    assert (stated["blocklist"], stated["keys"]["destroyed"]) == ("off", [])
    assert not any(word in json.dumps(stated) for word in ("Norvane", "Tom Reed", "5000"))
    assert await logged(bench, "memories.partially_redacted") == 1


async def test_without_keep_nothing_is_declared_partial(bench: Erasing) -> None:
    """The twin: a whole erasure says ``erased`` and has no partial part."""
    await bench.remember("u-1", MIXED, mentions=[])
    view = await bench.forget(OWNER)
    stated = await predicate(bench, view.id)
    assert (view.outcome, view.body()["kept"], stated["partial"]) == ("erased", None, None)


@pytest.mark.parametrize("mixed", ["delete", "redact"])
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
async def test_a_whole_erasure_completes_a_partial_one(build, known: bool, mixed: str) -> None:
    """The rest names nobody any more; it is found by its link, or by its stamp, and goes."""
    bench = await build(mixed=mixed)
    await bench.remember("u-1", "Alva Brenn has asthma and works at Norvane", known=known)
    await bench.remember("u-1", "Owns two canoes", mentions=[])
    first = await bench.forget(ALVA, keep=("employer",))
    assert (first.state, first.outcome) == ("complete", "partial"), first.body()
    assert sorted(await bench.texts("u-1")) == ["A person works at Norvane.", "Owns two canoes"]
    second = await bench.forget(ALVA)
    assert (second.state, second.outcome) == ("complete", "erased"), second.body()
    assert await bench.texts("u-1") == ["Owns two canoes"]


async def test_the_rest_is_judged_anew(bench: Erasing) -> None:
    """Its categories and its end are those of the new text; tags say what is left of it."""
    text = "Works as a nurse at Norvane. Was diagnosed with diabetes and takes insulin."
    await bench.remember("u-1", text, mentions=[], categories=["health"], tags=["pii:iban_code"])
    await bench.forget(OWNER, keep=("employer",))
    assert await bench.texts("u-1") == ["Works as a nurse at Norvane."]
    (row,) = await rows_of(bench, "u-1")
    assert "health" not in row.categories
    assert "pii:iban_code" not in row.tags
    assert {"partially_redacted", "kept:employer"} <= {*row.tags}
    edges = await bench.ledger.read(lambda tx: provenance.edges_of(tx, [row.id]))
    assert len(edges) == 1
    place = {"user": await bench.upstream_id("u-1")}
    (item,) = [each async for each in bench.store.crawl(place)]
    assert {*item.metadata} == {bench.store.profile.stamp}


async def rows_of(bench: Erasing, owner: str) -> list[Memory]:
    """What the ledger has of an owner."""

    async def load(tx: Tx) -> list[Memory]:
        return await memories.of_owners(tx, [(await bench.owner(tx, owner)).id])

    return await bench.ledger.read(load)


async def logged(bench: Erasing, event: str) -> int:
    """How many entries of an event the log has."""

    async def load(tx: Tx) -> list[bytes]:
        return list((await tx.execute(select(audit_entries.c.leaf))).scalars())

    return sum(f'"{event}"'.encode() in leaf for leaf in await bench.ledger.read(load))


async def test_a_memory_of_a_person_is_kept_by_its_id(bench: Erasing) -> None:
    """All it says stays, with a phrase for the name."""
    kept = await bench.remember("u-1", "Alva Brenn plays chess and sings in a choir")
    await bench.remember("u-1", "Alva Brenn has asthma")
    view = await bench.forget(ALVA, keep=(kept,))
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == ["A person plays chess and sings in a choir"]


ILL = "Alva Brenn met Tom Reed. Alva Brenn was diagnosed with diabetes."
END = timedelta(days=30)
JUDGED = {
    # id: tags and columns of the old memory, whether its end stays as it was
    "plain": ((), {}, False),
    "pinned": ((), {"pinned": True}, True),
    "an answer of its subject": ((), {"asked_at": datetime(2026, 1, 5, tzinfo=UTC)}, True),
    "a wish of its subject": (("own-maximum:P5D",), {}, True),
}


@pytest.mark.parametrize(("tags", "columns", "stays"), JUDGED.values(), ids=JUDGED.keys())
async def test_a_redacted_memory_is_judged_anew(
    build, tags: tuple[str, ...], columns: dict[str, Any], stays: bool
) -> None:
    """Without ``keep`` too: what it no longer says gives it no category and no end."""
    bench = await build(mixed="redact")
    people = [Mention("PERSON", "Alva Brenn"), Mention("PERSON", "Tom Reed")]
    await bench.remember("u-1", ILL, mentions=people, categories=["health"], tags=tags)
    (old,) = await rows_of(bench, "u-1")
    end = old.created_at + END
    fields = {"expires_at": end, **columns}
    await bench.ledger.write(lambda tx: memories.change(tx, old.id, **fields))
    await bench.forget(ALVA)
    assert await bench.texts("u-1") == ["A person met Tom Reed."]
    (row,) = await rows_of(bench, "u-1")
    assert "health" not in row.categories
    assert (row.expires_at == end) is stays
    assert {*tags} <= {*row.tags}
