"""TLS files that do not fit each other, or are out of date: said before anything starts."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from proxy.app import checkup as looked
from proxy.app.checkup import checkup
from proxy.app.preflight import refused
from proxy.clock import FrozenClock, SystemClock
from proxy.config.load import Loaded, loads
from tests.support.certificates import authority

NO_PEM = "it is no PEM file with a certificate that can be read"
NO_KEY = "it is no PEM file with a private key that can be read"


def given(base: Path) -> Loaded:
    """A configuration whose listeners speak TLS, with a pair and an authority beside it."""
    if not (base / "cert").exists():
        made = authority(base)
        pair = made.issue("server")
        shutil.copy(pair.certificate, base / "cert")
        shutil.copy(pair.key, base / "key")
        shutil.copy(made.pair.certificate, base / "ca")
    text = (
        "apiVersion: expunge/v1\nkind: Config\nstate_dir: state\ndetection: {tier: structured}\n"
        "upstreams: [{name: m, url: 'http://127.0.0.1:1', profiles: [mem0-oss]}]\n"
        "listen: {tls: {certificate: cert, key: key, client_ca: ca}}\n"
    )
    return loads(text.encode(), {}, source="expunge.yaml", base=base)


def swapped(base: Path) -> None:
    shutil.copy(authority(base / "other").issue("other").key, base / "key")


def other_kind(base: Path) -> None:
    _written(base, rsa.generate_private_key(65537, 2048), serialization.NoEncryption())


def encrypted(base: Path) -> None:
    key = serialization.load_pem_private_key((base / "key").read_bytes(), None)
    _written(base, key, serialization.BestAvailableEncryption(b"word"))


def _written(base: Path, key: object, how: serialization.KeySerializationEncryption) -> None:
    pem = serialization.Encoding.PEM
    (base / "key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, how)  # type: ignore[attr-defined]
    )


def garbage(name: str) -> Callable[[Path], None]:
    def write(base: Path) -> None:
        (base / name).write_bytes(b"\xff no certificate")

    return write


def exchanged(base: Path) -> None:
    """The key where the certificate belongs."""
    shutil.copy(base / "key", base / "cert")


@pytest.mark.parametrize(
    ("spoilt", "path", "message"),
    [
        (swapped, "listen.tls.key", "it is not the key of listen.tls.certificate"),
        (other_kind, "listen.tls.key", "it is not the key of listen.tls.certificate"),
        (encrypted, "listen.tls.key",
         "the key is encrypted, and nobody is there to type its passphrase"),
        (garbage("key"), "listen.tls.key", NO_KEY),
        (garbage("cert"), "listen.tls.certificate", NO_PEM),
        (exchanged, "listen.tls.certificate", NO_PEM),
        (garbage("ca"), "listen.tls.client_ca", NO_PEM),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_are_named(
    tmp_path: Path, spoilt: Callable[[Path], None], path: str, message: str
) -> None:
    """One issue, at the setting's line."""
    given(tmp_path)
    spoilt(tmp_path)
    (issue,) = refused(given(tmp_path))
    assert (issue.path, issue.line, issue.message) == (path, 6, message)


def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, read = given(tmp_path), Path.read_bytes

    def denied(path: Path) -> bytes:
        if path.name == "key":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert [(each.path, each.message) for each in refused(loaded)] == [("listen.tls.key", NO_KEY)]


def test_files_that_fit_are_fine(tmp_path: Path) -> None:
    assert refused(given(tmp_path)) == []


@pytest.mark.parametrize(
    ("later", "status", "said"),
    [
        (timedelta(0), "ok", "holds until"),
        (timedelta(days=2), "failed", "expired on"),
        (timedelta(days=-2), "failed", "holds only from"),
    ],
)
async def test_a_certificate_out_of_date_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: timedelta, status: str, said: str
) -> None:
    """The test authority's certificates hold for a day before and behind now."""
    config, now = given(tmp_path).config, SystemClock().now() + later
    monkeypatch.setattr(looked, "SystemClock", lambda: FrozenClock(now))
    (found,) = [each for each in await checkup(config) if each["name"] == "listen.tls"]
    assert found["status"] == status
    assert said in found["detail"]
