"""Eight ways in which forgetting tools were found to fail; each is a promise here."""

import base64
import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from proxy.audit import offline
from proxy.audit.verify import verify
from proxy.clock import FrozenClock
from proxy.erasure.reconcile import reconcile
from proxy.erasure.search.target import Target
from proxy.erasure.view import LayerView
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.ledger.schema import metadata
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from proxy.upstreams.binding import connect
from proxy.upstreams.layers import from_config
from tests.support.erasing import OPERATOR, Erasing, erasing, sequencer
from tests.support.mem0_store import RunningStore, running_store

ALVA = [Mention("PERSON", "Alva Brenn")]
DUET = [*ALVA, Mention("PERSON", "Tomas Eck")]
PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
DOWN = Problem("upstream-unreachable", "The store cannot be reached.")


async def statement(bench: Erasing, reference: str) -> dict[str, Any]:
    """The signed predicate of an erasure, once its signature and its place in the log hold."""
    await sequencer(bench).run_once()
    bundle = await bench.service.certificate(bench.tenant_id, reference)
    assert bundle.tlog_proof is not None
    key = bench.means.signer.verifier_key
    assert offline.verify(bundle.dsse, bundle.tlog_proof.encode(), key).valid
    predicate = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert isinstance(predicate, dict)
    return predicate


# -- 1: the id in another case or form -------------------------------------------------------------


@pytest.mark.parametrize(
    ("kept_as", "asked_as"),
    [
        pytest.param("alva@example.org", "Alva@Example.ORG", id="an address in another case"),
        pytest.param("alva@example.org", " alva@example.org", id="an address with a space"),
        pytest.param("Alva-7", "alva-7", id="an id in another case"),
        pytest.param("alva-7", "alva-７", id="an id in full width"),
        pytest.param("alva-brenn-7", "alva_brenn 7", id="an id joined by another sign"),
    ],
)
async def test_1_the_id_in_another_form(bench: Erasing, kept_as: str, asked_as: str) -> None:
    """Whoever asks for a person means the person; a longer id is somebody else."""
    await bench.remember(kept_as, "Likes jasmine tea", mentions=[])
    await bench.remember(f"{kept_as}0", "Plays the cello", mentions=[])
    view = await bench.forget(Target(kind="owner", values=(asked_as,)))
    assert (view.state, view.deleted) == ("complete", 1)
    assert bench.small.texts() == ["Plays the cello"]


async def test_1_both_spellings_of_an_address_go(bench: Erasing) -> None:
    """What an application wrote under two spellings of one address belongs to one person."""
    await bench.remember("alva@example.org", "Likes jasmine tea", mentions=[])
    await bench.remember("Alva@example.org", "Plays the cello", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("alva@example.org",)))
    assert (view.state, view.deleted, bench.small.texts()) == ("complete", 2, [])


async def test_1_two_ids_that_differ_by_case_are_two_owners(bench: Erasing) -> None:
    """Where the id asked for exists, another one in another case is not touched."""
    await bench.remember("aB3", "Likes jasmine tea", mentions=[])
    await bench.remember("Ab3", "Plays the cello", mentions=[])
    assert (await bench.forget(Target(kind="owner", values=("aB3",)))).deleted == 1
    assert bench.small.texts() == ["Plays the cello"]


@pytest.mark.parametrize("kind", ["owner", "subject"])
async def test_1_several_spellings_and_none_as_asked(bench: Erasing, kind: str) -> None:
    """Which of them is meant nobody can say, so nothing is done and it is told."""
    await bench.remember("aB3", "Likes jasmine tea", mentions=[])
    await bench.remember("Ab3", "Plays the cello", mentions=[])
    named = {"values": ("AB3",)} if kind == "owner" else {"owner": "AB3"}
    with pytest.raises(Problem) as refused:
        await bench.forget(Target(kind=kind, **named))
    assert refused.value.slug == "invalid-request"
    assert len(bench.small.texts()) == 2


async def test_1_a_client_means_the_id_it_wrote(bench: Erasing) -> None:
    """The store's own client deletes exactly what it names."""
    await bench.remember("alva@example.org", "Likes jasmine tea", mentions=[])
    target = Target(kind="owner", values=("Alva@example.org",))
    assert (await bench.forget(target, origin="client")).outcome == "nothing_found"
    assert bench.small.texts() == ["Likes jasmine tea"]


# -- 2: a memory of two people ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shared", "left"),
    [
        pytest.param("redact", ["A person and Tomas Eck play duets on Sundays"], id="redacted"),
        pytest.param("delete", [], id="deleted"),
    ],
)
async def test_2_the_other_one_keeps_theirs(build: Any, shared: str, left: list[str]) -> None:
    """One goes, the other keeps what is theirs, and gets a clean certificate of their own."""
    bench = await build(shared=shared, mixed=shared)
    await bench.remember("u-1", "Alva Brenn collects stamps", mentions=ALVA)
    await bench.remember("u-2", "Alva Brenn and Tomas Eck play duets on Sundays", mentions=DUET)
    await bench.remember("u-2", "Tomas Eck repairs clocks", mentions=DUET[1:])
    target = Target(kind="subject", values=("Alva Brenn",), owner="u-1", entity_type="PERSON")
    assert (await bench.forget(target)).state == "complete"
    assert sorted(await bench.texts("u-2")) == [*left, "Tomas Eck repairs clocks"]
    other = await bench.forget(Target(kind="owner", values=("u-2",)))
    signed = await statement(bench, other.reference)
    assert (signed["state"], signed["worst_layer_residue"]) == ("complete", 0)
    assert signed["counts"]["deleted"] == 1 + len(left)
    assert {each["result"] for each in signed["checks"].values()} <= {"pass", "not_applicable"}


# -- 3: a store that goes down midway --------------------------------------------------------------


async def test_3_the_certificate_after_the_retry_counts_all(
    bench: Erasing, clock: FrozenClock
) -> None:
    """No certificate claims anything while the store is away; the one afterwards is cumulative."""
    for n in range(60):
        await bench.remember("u-1", f"Lighthouse note {n}", mentions=[])
    left = iter(range(25))
    bench.small.fault = lambda verb, _: (
        DOWN if verb == "delete" and next(left, None) is None else None
    )
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    assert (view.state, view.counts["deleted"], view.certificate_ready) == ("incomplete", 25, False)
    bench.small.fault = lambda verb, subject: None
    clock.advance(timedelta(minutes=15))
    await bench.service.run_due()
    signed = await statement(bench, view.reference)
    (memory,) = [each for each in signed["layers"] if each["layer"] == "memory"]
    assert (signed["state"], memory["found"], memory["erased"], memory["residual"]) == (
        "complete", 60, 60, 0,
    )  # fmt: skip
    assert signed["counts"]["deleted"] == signed["checks"]["erasure_completeness"]["evidence"][
        "planned"
    ]  # fmt: skip


async def test_3_layers_connected_for_the_retry_count_what_was_seen_before(
    bench: Erasing,
) -> None:
    """A first run without a way into the history, a second with one: the certificate has both."""
    bench.small.keeps_history = True
    history = bench.store.layers.pop("history")
    for n in range(2):
        await bench.remember("u-1", f"Lighthouse note {n}", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    assert (view.state, _layer(view.layers, "history")) == ("incomplete", (2, 0, 2, "residual"))
    bench.store.layers["history"] = history
    history.rows = bench.small.history  # one table, seen by both
    view = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert (view.state, _layer(view.layers, "history")) == ("complete", (2, 2, 0, "erased"))
    signed = await statement(bench, view.reference)
    (told,) = [each for each in signed["layers"] if each["layer"] == "history"]
    assert (told["found"], told["erased"], told["residual"]) == (2, 2, 0)


@pytest.mark.parametrize("left", [0, 1], ids=["all", "all but one"])
async def test_3_what_every_run_deleted_in_a_layer_is_added_up(bench: Erasing, left: int) -> None:
    """Rows that came back between two runs are counted in both, and what stays is not erased."""
    layer = bench.store.layers["messages"]
    away = bench.store.layers["entities"]
    memory_ids = [await bench.remember("u-1", f"Note {n}", mentions=[]) for n in range(3)]
    layer.rows = dict.fromkeys(memory_ids, "kept message")
    away.stubborn, away.rows = True, {memory_ids[0]: "a name"}
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    assert (view.state, _layer(view.layers, "messages")) == ("incomplete", (3, 3, 0, "erased"))
    layer.rows = dict.fromkeys(memory_ids[:2], "kept again")
    away.stubborn = left > 0
    view = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert _layer(view.layers, "messages") == (5, 5, 0, "erased")
    assert _layer(view.layers, "entities")[2] == left


def _layer(views: Sequence[LayerView], name: str) -> tuple[int | None, int | None, int | None, str]:
    (view,) = [each for each in views if each.layer == name]
    return view.found, view.erased, view.residual, view.status


# -- 4: written again ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    ["Saw Alva Brenn today", "BRENN, ALVA called", "Al\u200bva Bre\u200bnn", "alva  brenn's car"],
    ids=["as it was", "turned round", "invisible signs", "small letters"],
)
async def test_4_who_was_erased_cannot_be_written_again(bench: Erasing, again: str) -> None:
    """The blocklist knows the person in other spellings; what got round the proxy is found."""
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    await bench.forget(PERSON)
    (blocked,) = await bench.means.blocklist.blocked_mentions(bench.tenant_id, [again])
    assert blocked
    await bench.remember("u-2", again, known=False)
    found = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (found.by_mention, found.erased, bench.small.texts()) == (1, 1, [])


async def test_4_somebody_else_can_be_written(bench: Erasing) -> None:
    """A namesake by one word, and the same letters as a common word, are not blocked."""
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    await bench.forget(PERSON)
    texts = ["Tilda Brenn called", "Alva Lund called"]
    assert await bench.means.blocklist.blocked_mentions(bench.tenant_id, texts) == [[], []]


# -- 5: a summary that nothing points to -----------------------------------------------------------


async def test_5_an_untagged_summary_goes(bench: Erasing) -> None:
    """No provenance, no row in the ledger, another owner: naming them is enough."""
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    await bench.remember("u-2", "Week 12: tides, tea, and brenn, alva on a boat", known=False)
    await bench.remember("u-2", "Week 13: tides and tea", known=False)
    view = await bench.forget(PERSON)
    assert (view.state, view.counts["remaining"]) == ("complete", 0)
    assert bench.small.texts() == ["Week 13: tides and tea"]


# -- 6: a record id that is itself personal --------------------------------------------------------


async def test_6_a_personal_record_id_is_kept_nowhere(bench: Erasing, tmp_path: Path) -> None:
    """Neither in the ledger, in any column, nor in the certificate, before or after."""
    memory_id = await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    row = bench.small.rows.pop(memory_id)
    bench.small.rows["alva.brenn@example.org-0"] = {**row, "id": "alva.brenn@example.org-0"}
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    signed = await statement(bench, view.reference)
    assert (view.state, bench.small.rows) == ("complete", {})
    assert "alva" not in json.dumps(signed)
    assert b"alva.brenn" not in await everything(bench.ledger)
    assert bytes_with(tmp_path, "alva.brenn") == 0


async def everything(ledger: Ledger) -> bytes:
    """Every value of every table, as bytes."""

    async def load(tx: Any) -> bytes:
        found = bytearray()
        for table in metadata.sorted_tables:
            for row in (await tx.execute(table.select())).all():
                for value in row:
                    found += value if isinstance(value, bytes) else str(value).encode()
        return bytes(found)

    return await ledger.read(load)


# -- 7: the last entry cut off ---------------------------------------------------------------------


async def test_7_a_log_without_its_last_entry_is_found_out(bench: Erasing) -> None:
    """The certificate's own entry is cut off: the log itself says so."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("u-1",)))
    await statement(bench, view.reference)
    keys = [bench.means.signer.verifier_key]
    assert (await bench.ledger.read(lambda tx: verify(tx, keys))).valid
    last = "DELETE FROM audit_entries WHERE leaf_index=(SELECT max(leaf_index) FROM audit_entries)"
    await bench.ledger.write(lambda tx: tx.execute(text(last)))
    found = await bench.ledger.read(lambda tx: verify(tx, keys))
    assert [finding.code for finding in found.findings] == ["cut"]


# -- 8: the bytes ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """One real store for both of its tests; each has a canary of its own."""
    with running_store(tmp_path_factory.mktemp("bytes")) as store:
        yield store


def bytes_with(folder: Path, needle: str) -> int:
    """In how many places a text stands in any file."""
    return sum(p.read_bytes().count(needle.encode()) for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize("connected", [True, False], ids=["every layer", "files only"])
async def test_8_what_is_said_of_bytes_is_true(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    mem0: RunningStore, connected: bool,
) -> None:  # fmt: skip
    """With every layer: no byte and complete. With none: bytes stay, and it says so."""
    canary = f"heliotrope-quandary-{int(connected)}-{ledger.dialect}"
    history = {"reach": "side:sqlite", "path": str(mem0.history)}
    vectors = {"reach": "side:qdrant-local", "path": str(mem0.qdrant)}
    files = {"files": {"reach": "side:files", "path": str(mem0.directory)}}
    rest = {"history": history, "messages": history, "entities": vectors, "vectors": vectors}
    layers = from_config(files | (rest if connected else {}))
    binding = connect("mem0", mem0.url, profiles=["mem0-oss"], key=mem0.api_key, layers=layers)
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [binding.store])
    await bench.remember("u-8", f"The password of the boathouse is {canary}", mentions=[])
    view = await bench.forget(Target(kind="owner", values=("u-8",)))
    await binding.close()
    looked = {each.layer: each for each in view.layers}
    left = bytes_with(mem0.directory, canary)
    assert (left == 0) == connected
    assert (view.state == "complete") == connected
    assert bool(looked["files"].residual) == bool(left)
    assert looked["history"].status == ("erased" if connected else "residual")


# -- and the certificate ---------------------------------------------------------------------------


async def test_the_certificate_says_how_far_it_reaches(bench: Erasing) -> None:
    """Roles, declared scope, expiry, residue and method of each layer; nobody's name or words."""
    await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=ALVA)
    await bench.remember("u-2", "Hey Alva Brenn!", mentions=ALVA)
    target = Target(kind="subject", values=("Alva Brenn",), owner="u-1", entity_type="PERSON")
    view = await bench.forget(target)
    signed = await statement(bench, view.reference)
    assert signed["roles"] == {"about": 0, "author": 1, "mentioned": 1}
    assert signed["scope"] == "any_mention"
    assert signed["claim"]["expires"] > signed["claim"]["made"] == signed["times"]["signed"]
    assert all(each["method"] and each["residual"] == 0 for each in signed["layers"])
    assert not {"Alva", "Turku", "u-1", "embedding_vector"} & set(json.dumps(signed).split('"'))
    assert "Brenn" not in json.dumps(signed)
