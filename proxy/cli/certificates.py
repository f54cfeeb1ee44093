"""Where certificates are saved: a folder for each tenant, and no file replaced by another one."""

import base64
import itertools
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Saved:
    """What is saved by default of an erasure's certificates.

    Args:
        folder: where it would be.
        path: the certificate of the state in which the erasure is; None: it is not there.
        earlier: the latest one of another state, where that is all there is.
        newer: whether there is one to be saved.
    """

    folder: Path
    path: Path | None = None
    earlier: Path | None = None
    newer: bool = False

    def hint(self, reference: str) -> str:
        """What to do where the certificate of the present state is not saved."""
        if not self.newer:
            return "there is none of its present state yet."
        what = f"{self.earlier} is of an earlier state; " if self.earlier else ""
        return (f"not saved in {self.folder}; {what}'expunge erasure certificate {reference}' "
                "saves it.")  # fmt: skip


def saved_certificate(connection: Connection, view: dict[str, Any]) -> Saved:
    """Which certificate of an erasure is saved; one may have been signed since."""
    if not view["certificate_ready"]:
        return Saved(connection.folder)
    bundle = connection.get(f"/v1/erasures/{view['id']}/certificate")
    folder = _of_key(_of_tenant(connection, view), bundle["public_key"])
    there = list(itertools.takewhile(Path.exists, _names(folder, view["reference"])))
    same = [path for path in there if path.read_text("utf-8") == bundle["dsse"]]
    present = _state_of(bundle["dsse"]) in {view["state"], view["outcome"]}
    path = same[0] if same and present else None
    return Saved(folder, path, there[-1] if there else None, newer=present)


def _state_of(dsse: str) -> str:
    """The state that a certificate certifies."""
    statement = json.loads(base64.b64decode(json.loads(dsse)["payload"]))
    return str(statement["predicate"]["state"])


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
