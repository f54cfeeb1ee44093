"""``expunge verify``: check a certificate offline, trusting nobody."""

import json
from pathlib import Path
from typing import Any

import click

from proxy.cli.output import emit, json_option, note, say
from proxy.problems import EXIT_OK, EXIT_UNVERIFIED

PUBLIC_KEY = "expunge-audit.vkey"
PROOF = ".tlog-proof"
CERTIFICATE = ".dsse.json"
_file = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.argument("certificate", type=_file)
@click.option(
    "--public-key",
    "key_path",
    type=_file,
    help=f"Public key of the log; absent: {PUBLIC_KEY} beside the certificate.",
)
@click.option(
    "--proof",
    "proof_path",
    type=_file,
    help=f"The log's inclusion proof; absent: the {PROOF} beside the certificate.",
)
@json_option
def verify(certificate: Path, key_path: Path | None, proof_path: Path | None, as_json: bool) -> int:
    """Check a certificate of erasure and its place in the log, without network or service.

    Exit 0 when it is valid, 5 when it is not or when its proof is missing, 2 when no public key is
    found. Give --public-key from a source you trust: the key beside the certificate only shows that
    both come from the same log.

    \b
    Example:
      expunge verify DEL-2026-0001.dsse.json --public-key expunge-audit.vkey
    """
    from proxy.audit.offline import verify as check

    key = key_path or certificate.with_name(PUBLIC_KEY)
    _expect_certificate(certificate)
    if not key.exists():
        raise click.UsageError(
            f"no public key found: there is no {PUBLIC_KEY} beside the certificate; "
            "give --public-key ('expunge audit key' prints it)"
        )
    proof = proof_path or certificate.with_name(certificate.name.removesuffix(CERTIFICATE) + PROOF)
    verdict = check(certificate.read_bytes(), _read(proof), key.read_bytes())
    if as_json:
        emit(_body(certificate, verdict, pinned=key_path is not None))
    else:
        _print(verdict, pinned=key_path is not None)
    return EXIT_OK if verdict.valid else EXIT_UNVERIFIED


class _NoCertificateError(click.ClickException):
    exit_code = EXIT_UNVERIFIED


def _expect_certificate(path: Path) -> None:
    """Tell a file that is something else from a certificate that does not verify."""
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not {"payload", "signatures"} <= document.keys():
        raise _NoCertificateError(
            f"{path} is no certificate of erasure: those are DSSE envelopes, REF{CERTIFICATE}"
        )


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _body(certificate: Path, verdict: Any, *, pinned: bool) -> dict[str, Any]:
    return {
        "certificate": str(certificate),
        "valid": verdict.valid,
        "logged": verdict.logged,
        "key_pinned": pinned,
        "checks": {check.name: check.passed for check in verdict.checks},
        "messages": verdict.messages,
        "checkpoint": verdict.checkpoint and {
            "origin": verdict.checkpoint.origin, "size": verdict.checkpoint.size,
        },
        "statement": verdict.statement,
    }  # fmt: skip


def _print(verdict: Any, *, pinned: bool) -> None:
    for check in verdict.checks:
        mark = "ok     " if check.passed else "FAILED "
        say(f"{mark} {check.name}{': ' + check.message if check.message else ''}")
    say("Valid." if verdict.valid else "NOT VALID: do not rely on it.")
    if verdict.valid and not pinned:
        note("The key came from beside the certificate; pin one you trust with --public-key.")
