"""``expunge verify``: check a certificate offline, trusting nobody."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from proxy.cli.output import emit, json_option, note, say
from proxy.cli.shown import one_scope
from proxy.clock import SystemClock
from proxy.problems import EXIT_OK, EXIT_UNVERIFIED

PUBLIC_KEY = "expunge-audit.vkey"
PROOF = ".tlog-proof"
SKEW = timedelta(minutes=5)  # by which two clocks may differ
CERTIFICATE = ".dsse.json"
NAMED = re.compile(r"(DEL-\d{4}-\d{4,})(?!\w)")
_file = click.Path(path_type=Path, dir_okay=False, exists=True)


def _public_key(ctx: click.Context, param: click.Parameter, value: str | None) -> bytes | None:
    """A key's bytes, from a file or in letters; not repeated: it may be a key of another kind."""
    if value is None:
        return None
    if _is_file(value):
        return bytes(_file.convert(value, param, ctx).read_bytes())
    if _is_key(value):
        return value.encode()
    raise click.BadParameter(
        "it is neither a file nor a public key. Give a file with the key, the line that "
        "'expunge audit key' prints (NAME+HASH+KEY), or a key in PEM.", ctx, param,
    )  # fmt: skip


def _is_key(value: str) -> bool:
    """Whether this is a key in letters: any 32 of them would be one as bytes."""
    from proxy.audit.offline import NotValid, load_public_key

    try:
        load_public_key(value)
    except (NotValid, UnicodeEncodeError):
        return False
    return "+" in value or "-----BEGIN" in value


def _is_file(value: str) -> bool:
    try:
        return bool(value) and Path(value).exists()
    except (OSError, ValueError):  # a key can be no path: too long a name
        return False


@click.command()
@click.argument("certificate", type=_file)
@click.option(
    "--public-key",
    "given",
    metavar="KEY",
    callback=_public_key,
    help="Public key of the log, or a file with it (verifier key, PEM or 32 bytes); absent: "
    f"{PUBLIC_KEY} beside the certificate.",
)
@click.option(
    "--proof",
    "proof_path",
    type=_file,
    help=f"The log's inclusion proof; absent: the {PROOF} beside the certificate.",
)
@click.option(
    "--reference",
    metavar="REF",
    help="Of which erasure it must be; absent: of the one that the file is named after, if any.",
)
@json_option
def verify(
    certificate: Path,
    given: bytes | None,
    proof_path: Path | None,
    reference: str | None,
    as_json: bool,
) -> int:
    """Check a certificate of erasure and its place in the log, without network or service.

    Exit 0 when it is valid, 5 when it is not, is of another erasure or lacks its proof, 2 when no
    public key is found or given. A certificate of an incomplete erasure is valid too: what it
    certifies, what is left and until when its claim holds is printed with it. Give --public-key
    from a source you trust: the key beside the certificate only shows that both come from the same
    log.

    \b
    Examples:
      expunge verify DEL-2026-0001.dsse.json --public-key expunge-audit.vkey
      expunge verify DEL-2026-0001.dsse.json --public-key "$(expunge audit key)"
    """
    from proxy.audit.offline import verify as check

    beside = certificate.with_name(PUBLIC_KEY)
    _expect_certificate(certificate)
    if given is None and not beside.exists():
        raise click.UsageError(
            f"no public key found: there is no {PUBLIC_KEY} beside the certificate; "
            "give --public-key ('expunge audit key' prints it)"
        )
    proof = proof_path or certificate.with_name(certificate.name.removesuffix(CERTIFICATE) + PROOF)
    key = beside.read_bytes() if given is None else given
    named = NAMED.match(certificate.name)
    expected = reference or (named[1] if named else None)
    verdict = check(certificate.read_bytes(), _read(proof), key, reference=expected)
    if as_json:
        emit(_body(certificate, verdict, pinned=given is not None))
    else:
        _print(verdict, pinned=given is not None)
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
        "certifies": _certified(verdict.statement) if verdict.valid else None,
        "statement": verdict.statement,
    }  # fmt: skip


def _print(verdict: Any, *, pinned: bool) -> None:
    for check in verdict.checks:
        mark = "ok     " if check.passed else "FAILED "
        say(f"{mark} {check.name}{': ' + check.message if check.message else ''}")
    if not verdict.valid:
        say("NOT VALID: do not rely on it.")
        return
    for line in _lines(_certified(verdict.statement)):
        say(line)
    if not pinned:
        note("The key came from beside the certificate; pin one you trust with --public-key.")


# -- what a valid one certifies --------------------------------------------------------------------


def _certified(statement: Mapping[str, Any]) -> dict[str, Any]:
    """The headline of a statement; nothing is taken for granted that it does not say."""
    said = statement.get("predicate") or {}
    claim = said.get("claim") or {}
    expires, now = str(claim.get("expires") or ""), SystemClock().now()
    signed = str((said.get("times") or {}).get("signed") or "")
    return {
        "reference": said.get("reference"),
        "state": said.get("state"),
        "outcome": said.get("outcome"),
        "target_kind": said.get("target_kind"),
        "scope": said.get("scope"),
        "scope_path": said.get("scope_path"),
        "claim": claim,
        "expired": bool(expires) and datetime.fromisoformat(expires) <= now,
        "in_the_future": bool(signed) and datetime.fromisoformat(signed) > now + SKEW,
        "signed": signed,
        "partial": said.get("partial"),
        "residuals": said.get("residuals") or [],
        "failed_checks": [
            name for name, check in (said.get("checks") or {}).items() if check["result"] == "fail"
        ],
    }


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    claim = told["claim"]
    yield f"{told['reference']}: {told['state']}, outcome {told['outcome']}"
    only = ", scope primary" if told["scope"] == "primary" else ""
    only += f", {part}" if (part := one_scope(told.get("scope_path"))) else ""
    yield f"  target {told['target_kind']}{only}; absent from {_listed(claim.get('absent_from'))}"
    yield f"  ({claim.get('scope', 'no scope is said')}); not covered: " + _listed(
        claim.get("not_covered")
    )
    if claim.get("held_in"):
        yield f"  held in {_listed(claim['held_in'])}"
    if told["partial"]:
        kept, count = told["partial"].get("kept") or {}, told["partial"].get("memories_kept")
        names = _listed([*kept.get("attributes", ()), *kept.get("categories", ())])
        yield f"  partial: {count} memories were kept on request (attributes, categories: {names})"
    for each in told["residuals"]:
        left = "unknown" if each.get("residual") is None else each["residual"]
        yield (f"  {each['upstream']}/{each['layer']}: {each['status']}, left: {left} "
               f"({each.get('reason')})")  # fmt: skip
    yield _verdict(told)
    if told["in_the_future"]:
        yield (f"It says that it was signed at {told['signed']}, which is still to come by this "
               "machine's clock: one of the two is wrong, so its dates prove nothing.")  # fmt: skip
    if told["expired"]:
        yield (f"Its claim of absence EXPIRED at {claim['expires']}: 'expunge erasure recheck "
               f"{told['reference']}' looks again.")  # fmt: skip
    elif claim.get("expires"):
        yield f"The claim of absence was made at {claim['made']} and expires {claim['expires']}."


def _verdict(told: Mapping[str, Any]) -> str:
    state, left = str(told["state"]), len(told["residuals"])
    if state == "complete":
        return "Valid."
    why = {
        "held": "a hold keeps some of it",
        "incomplete": f"layers not shown to be clean: {left}",
    }.get(state, "it has not ended")
    if state == "incomplete" and not left:
        why = f"checks that failed: {_listed(told['failed_checks'])}"
    article = "an" if state[:1] in "aeiou" else "a"
    return f"Valid signature and proof; it certifies {article} {state.upper()} erasure: {why}."


def _listed(names: Sequence[str] | None) -> str:
    return ", ".join(names or ()) or "none"
