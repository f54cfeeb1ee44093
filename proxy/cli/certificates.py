"""Where certificates are saved: a folder for each tenant, and no file replaced by another one."""

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from proxy.cli.connection import Connection
from proxy.cli.output import note
from proxy.cli.verify import CERTIFICATE, PROOF, PUBLIC_KEY

_DEFAULT_TENANT = "default"
_LOGGED_SECONDS, _LOOK_SECONDS = 10, 0.2
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.+-]")

certificate_dir_option = click.option(
    "--certificate-dir",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="EXPUNGE_CERTIFICATE_DIR",
    help="Where the certificate goes; absent: DIR/certificates of --dev, or ./certificates (a "
    "tenant other than 'default' has a folder in it).",
)


def save_certificate(connection: Connection, view: dict[str, Any], folder: Path | None) -> Path:
    """Write the certificate, its proof and the log's public key; returns the first's path.

    Args:
        folder: None: the connection's, and in it one for each tenant but the default one, for
            every tenant counts its references for itself.
    """
    bundle = bundle_of(connection, view["id"])
    chosen = _of_key(folder or _of_tenant(connection, view), bundle["public_key"])
    chosen.mkdir(parents=True, exist_ok=True)
    path = next(
        path
        for path in _names(chosen, view["reference"])
        if not path.exists() or path.read_text("utf-8") == bundle["dsse"]
    )
    path.write_text(bundle["dsse"], "utf-8")
    (chosen / PUBLIC_KEY).write_text(bundle["public_key"].strip() + "\n", "utf-8")
    if bundle["tlog_proof"] is None:
        note("The log has not signed the certificate yet: fetch it again later for its proof.")
    else:
        proof = path.with_name(path.name.removesuffix(CERTIFICATE) + PROOF)
        proof.write_text(bundle["tlog_proof"], "utf-8")
    return path


def saved_certificate(connection: Connection, view: dict[str, Any]) -> Path | None:
    """Where the latest certificate of an erasure was saved by default, if it is there."""
    there = itertools.takewhile(
        Path.exists, _names(_of_tenant(connection, view), view["reference"])
    )
    return max(there, key=lambda path: path.stat().st_mtime, default=None)


def bundle_of(connection: Connection, erasure_id: str) -> dict[str, Any]:
    """Certificate, proof and key; waits a little for the log to sign the certificate's entry."""
    deadline = time.monotonic() + _LOGGED_SECONDS
    while True:
        bundle: dict[str, Any] = connection.get(f"/v1/erasures/{erasure_id}/certificate")
        if bundle["tlog_proof"] is not None or time.monotonic() > deadline:
            return bundle
        time.sleep(_LOOK_SECONDS)


def _of_tenant(connection: Connection, view: dict[str, Any]) -> Path:
    tenant = view["tenant"]
    return connection.folder if tenant == _DEFAULT_TENANT else connection.folder / tenant


def _of_key(folder: Path, key: str) -> Path:
    """The folder itself, or one in it when it holds certificates of another log."""
    known = folder / PUBLIC_KEY
    if not known.exists() or known.read_text("utf-8").strip() == key.strip():
        return folder
    return folder / f"log-{_NOT_IN_NAMES.sub('_', key.strip().partition('+')[2])[:8]}"


def _names(folder: Path, reference: str) -> Iterator[Path]:
    """``REF``, ``REF-2``, ``REF-3`` …: a retried erasure has a further certificate."""
    stem = _NOT_IN_NAMES.sub("_", reference)
    for number in itertools.count(1):
        suffix = "" if number == 1 else f"-{number}"
        yield folder / f"{stem}{suffix}{CERTIFICATE}"
