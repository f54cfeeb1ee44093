"""The main job with the real command line: dev, write, forget, verify, come back, start again."""

import contextlib
import json
import os
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mem0 import MemoryClient
from mem0.exceptions import MemoryError as Refused

from tests.support.dev import Dev, expunge, running_dev

pytestmark = pytest.mark.slow
PERSON = "Alva Brenn"
OTHER = "Orla Quist keeps bees behind the station."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder; it outlives single starts."""
    return tmp_path_factory.mktemp("dev") / "data"


@pytest.fixture(scope="module")
def dev(folder: Path) -> Iterator[Dev]:
    """A running expunge dev."""
    with running_dev(folder) as running:
        yield running


def connect(dev: Dev) -> MemoryClient:
    """The unchanged client of Mem0."""
    return MemoryClient(api_key=dev.client_key, host=dev.data_url)


def add(client: MemoryClient, text: str, owner: str, **metadata: Any) -> str:
    """Write one memory and give its id."""
    reply = client.add(
        [{"role": "user", "content": text}], user_id=owner, infer=False, metadata=metadata
    )
    return str(reply["results"][0]["id"])


def texts(client: MemoryClient, owner: str) -> dict[str, str]:
    """All memories of an owner."""
    page = client.get_all(filters={"user_id": owner}, page=1, page_size=100)
    return {item["id"]: item["memory"] for item in page["results"]}


def get(url: str, token: str | None = None) -> tuple[int, bytes]:
    """A plain GET."""
    request = urllib.request.Request(url)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def bytes_with(folder: Path, needle: str) -> list[str]:
    """Files below a folder that hold a text, in any case."""
    wanted = needle.lower().encode()
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and wanted in path.read_bytes().lower()
    ]


def test_dev_json_says_what_the_contract_says(dev: Dev) -> None:
    """All fields, two listeners on loopback, readable by the owner only."""
    document = json.loads((dev.folder / "dev.json").read_text())
    assert set(document) == {"data_url", "control_url", "client_key", "admin_token", "store_dir",
                             "state_dir", "pid"}  # fmt: skip
    assert stat.S_IMODE((dev.folder / "dev.json").stat().st_mode) == 0o600
    assert dev.data_url.startswith("http://127.0.0.1:")
    assert dev.data_url != dev.control_url
    assert dev.store_dir == dev.folder / "store"
    assert dev.state_dir == dev.folder / "expunge"
    os.kill(dev.pid, 0)


def test_private_files_are_private(dev: Dev) -> None:
    """Keys and tokens are readable by the owner only."""
    keys = dev.state_dir / "keys"
    places = (
        (dev.state_dir, "*.key"),
        (dev.state_dir, "*.token"),
        (keys, "*.json"),
        (keys, "*.pem"),
    )
    private = [path for folder, pattern in places for path in folder.glob(pattern)]
    assert len(private) >= 5
    assert [path for path in private if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_probes_and_description(dev: Dev) -> None:
    """Ready, described, measured; the data plane reserves no path."""
    assert get(f"{dev.control_url}/readyz")[0] == 200
    assert json.loads(get(f"{dev.control_url}/openapi.json")[1])["openapi"] == "3.1.0"
    assert b"expunge_requests" in get(f"{dev.control_url}/metrics")[1]
    status, body = get(f"{dev.data_url}/healthz", dev.client_key)
    assert (status, json.loads(body)["type"]) == (403, "urn:expunge:problem:route-not-covered")


def test_second_dev_on_the_same_folder_is_refused(dev: Dev) -> None:
    """One folder, one process."""
    again = expunge("dev", "--data-dir", str(dev.folder))
    assert again.returncode == 1
    assert "another 'expunge dev'" in again.stderr
    assert (dev.folder / "dev.json").exists()


def test_forget_entity_end_to_end(dev: Dev, tmp_path: Path) -> None:
    """Preview deletes nothing; confirmed leaves nothing, proves it, and keeps the others."""
    client = connect(dev)
    source = add(client, f"{PERSON} moved to the old mill in May.", "u-17")
    derived = add(client, "The person in the old mill likes cold soup.", "u-17",
                  expunge={"derived_from": [source]})  # fmt: skip
    add(client, f"Tomorrow I meet {PERSON.upper()} again.", "u-18")
    kept = add(client, OTHER, "u-17")

    preview = dev.expunge("forget", "entity", PERSON, "--type", "person", "--json")
    assert preview.returncode == 0, preview.stderr
    planned = json.loads(preview.stdout)
    assert planned["state"] == "planned"
    assert planned["certificate"] is None
    assert {source, derived, kept} <= texts(client, "u-17").keys()

    done = dev.expunge("forget", "entity", PERSON, "--type", "person", "--confirm", "confirmed",
                       "--json", "--certificate-dir", str(tmp_path))  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["state"] == "complete"
    assert result["deleted"] >= 2
    assert result["cascaded"] == 1
    assert {"upstream", "layer", "found", "erased", "residual", "status"} <= (
        result["layers"][0].keys()
    )
    assert [layer for layer in result["layers"] if layer["residual"]] == []

    assert texts(client, "u-17") == {kept: OTHER}
    assert texts(client, "u-18") == {}
    assert bytes_with(dev.store_dir, PERSON) == []
    assert bytes_with(dev.state_dir, PERSON) == []

    certificate = Path(result["certificate"])
    verified = expunge("verify", str(certificate), "--json")
    assert verified.returncode == 0, verified.stdout
    assert json.loads(verified.stdout)["logged"] is True
    forged = bytearray(certificate.read_bytes())
    forged[len(forged) // 2] ^= 1
    certificate.write_bytes(bytes(forged))
    assert expunge("verify", str(certificate)).returncode == 5


def test_forgotten_person_cannot_come_back(dev: Dev) -> None:
    """In another case and spelling, in metadata too: refused or without the name."""
    client = connect(dev)
    for text, metadata in (
        (f"{PERSON.upper()} called today.", {}),
        ("Brenn, Alva called today.", {}),
        ("Somebody called today.", {"who": PERSON}),
    ):
        with contextlib.suppress(Refused):
            add(client, text, "u-19", **metadata)
    shown = json.dumps(client.get_all(filters={"user_id": "u-19"})).lower()
    assert "brenn" not in shown
    assert bytes_with(dev.store_dir, "brenn") == []


def test_forget_nothing_is_no_error(dev: Dev) -> None:
    """Somebody unknown: complete, nothing found, exit 0."""
    done = dev.expunge("forget", "owner", "nobody-here", "--confirm", "confirmed", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "nothing_found"


def test_tenants_do_not_see_each_other(dev: Dev) -> None:
    """A second tenant's client sees an empty store and cannot reach foreign ids."""
    added = dev.expunge("tenant", "add", "second", "--json")
    assert added.returncode == 0, added.stderr
    mine = connect(dev)
    foreign = MemoryClient(api_key=json.loads(added.stdout)["client_key"], host=dev.data_url)
    memory = add(mine, "The kettle is blue.", "u-20")
    assert foreign.get_all(filters={"user_id": "u-20"})["results"] == []
    with pytest.raises(Exception):  # noqa: B017, PT011  (404 in the client's own class)
        foreign.get(memory)
    assert mine.get(memory)["memory"] == "The kettle is blue."
    listed = dev.expunge("tenant", "list", "--json")
    assert {item["name"] for item in json.loads(listed.stdout)["items"]} == {"default", "second"}


def test_audit_log_verifies(dev: Dev) -> None:
    """The log is whole, also against a checkpoint kept elsewhere."""
    checkpoint = dev.expunge("audit", "export-checkpoint")
    kept = dev.folder.parent / "checkpoint"
    kept.write_text(checkpoint.stdout)
    report = dev.expunge("audit", "verify", "--checkpoint", str(kept), "--json")
    assert report.returncode == 0, report.stdout
    assert json.loads(report.stdout)["witnessed"] is True


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("forget", "owner"), 2),
        (("forget", "owner", "u", "--confirm", "yes"), 2),
        (("erasure", "show", "era_absent"), 1),
        (("nonsense",), 2),
    ],
    ids=["missing argument", "wrong word", "unknown id", "unknown command"],
)
def test_exit_codes(dev: Dev, arguments: tuple[str, ...], code: int) -> None:
    """Usage errors are 2, refusals are 1."""
    known = arguments[0] != "nonsense"
    run = dev.expunge(*arguments) if known else expunge(*arguments)
    assert run.returncode == code
    assert run.stderr


def test_invalid_policy_ends_with_three(tmp_path: Path) -> None:
    """Each fault with its line; no service needed."""
    path = tmp_path / "policy.yaml"
    path.write_text("apiVersion: expunge/v1\nkind: Policy\nname: mine\nwirte: {}\n")
    checked = expunge("policy", "check", str(path))
    assert checked.returncode == 3
    assert ":4:" in checked.stderr
