"""``expunge doctor``: try every part, then erase an invented person end to end."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import click

from proxy.cli.canary import Planted, run_canary
from proxy.cli.connection import Given, as_said, is_said, read_dev
from proxy.cli.output import emit, json_option, notes, table
from proxy.cli.running import Place, running_place
from proxy.problems import EXIT_ERROR, EXIT_INVALID, EXIT_OK

Finding = dict[str, str]
_OURS = ("proxy", "policies", "detectors")
_NOTHING = {
    "name": "everything else",
    "status": "failed",
    "detail": "Not checked: configuration, ledger, keys, models, policies, stores, layers.",
    "hint": "Give --config FILE, --dev DIR, or --url and --token.",
}
_NOT_RUNNING = {
    "name": "canary",
    "status": "warning",
    "detail": "Not planted: no service answers where the configuration says.",
    "hint": "Start 'expunge serve' to have an invented person forgotten.",
}


@click.command()
@click.option("--config", "path", type=click.Path(path_type=Path, dir_okay=False),
              envvar="EXPUNGE_CONFIG", help="Check this file and all it names.")  # fmt: skip
@click.option("--url", envvar="EXPUNGE_URL", help="URL of the control plane.")
@click.option("--token", envvar="EXPUNGE_TOKEN", help="Bearer token of the control plane.")
@click.option("--dev", envvar="EXPUNGE_DEV", type=click.Path(path_type=Path), metavar="DIR",
              help="Data folder of a running 'expunge dev'.")  # fmt: skip
@click.option("--tenant", envvar="EXPUNGE_TENANT", help="Name of the tenant of the client key.")
@click.option("--data-url", envvar="EXPUNGE_DATA_URL", help="URL of the data plane (canary).")
@click.option("--client-key", envvar="EXPUNGE_CLIENT_KEY", help="A client key (canary).")
@click.option("--no-canary", is_flag=True, help="Do not plant and erase an invented person.")
@json_option
def doctor(
    path: Path | None,
    url: str | None,
    token: str | None,
    dev: Path | None,
    tenant: str | None,
    data_url: str | None,
    client_key: str | None,
    no_canary: bool,
    as_json: bool,
) -> int:
    """Check configuration, ledger, keys, models, policies, stores, layers; forget a canary.

    With --config everything is tried here, whether or not 'serve' runs; with --dev or --url the
    running service tries it. The canary needs a running service: an invented data subject is
    written through the data plane, erased, looked for, its certificate verified. Exit 0 only if
    nothing failed; without --config, --dev or --url nothing is checked, so it ends with 1.

    \b
    Examples:
      expunge doctor --dev ./data
      expunge doctor --config expunge.yaml
    """
    findings = _imports()
    place = _place(as_said(url, token, dev, tenant), data_url, client_key)
    if is_said("dev") or is_said("url"):
        path = path if is_said("path") else None  # the environment's is another installation
    if path is not None:
        own, running = _configured(path)
        findings += own
        place = place or running
    elif place is not None:
        asked = place.connection
        findings += _guarded("service", lambda: asked.get("/v1/diagnosis")["items"])
    else:
        findings.append(_NOTHING)
    if place is not None and not no_canary:
        findings += _canary(place)
    return _report(findings, as_json)


def _place(given: Given, data_url: str | None, client_key: str | None) -> Place | None:
    if given.dev is None and given.url is None:
        return None
    connection = given.connect()
    if given.dev is not None:
        found = read_dev(given.dev)
        return Place(connection, found["data_url"], found["client_key"])
    return Place(connection, data_url, client_key)


def _configured(path: Path) -> tuple[list[Finding], Place | None]:
    """What can be found out here, and the running service, if there is one."""
    from proxy.app.checkup import checkup
    from proxy.app.preflight import refused
    from proxy.config import ConfigError, load

    try:
        loaded = load(path, os.environ)
    except ConfigError as error:
        return [_invalid(issue) for issue in error.issues], None
    found = [_invalid(issue) for issue in refused(loaded)]
    if not found:
        found = [{"name": "configuration", "status": "ok", "detail": f"{path} is valid",
                  "hint": ""}]  # fmt: skip
    with notes.status("Trying ledger, keys, models, stores …"):
        found += asyncio.run(checkup(loaded.config))
    place = running_place(loaded.config)
    if place is None:
        found.append(_NOT_RUNNING)
    return found, place


def _invalid(issue: object) -> Finding:
    return {"name": "configuration", "status": "invalid", "detail": str(issue), "hint": ""}


def _imports() -> list[Finding]:
    from importlib.metadata import packages_distributions

    owners = packages_distributions()
    foreign = [name for name in _OURS if {d.lower() for d in owners.get(name, [])} - {"expunge"}]
    detail = f"Another distribution has {', '.join(foreign)}." if foreign else "No name clashes."
    hint = "Install Expunge into an environment of its own." if foreign else ""
    return [{"name": "imports", "status": "failed" if foreign else "ok", "detail": detail,
             "hint": hint}]  # fmt: skip


def _guarded(name: str, ask: Callable[[], list[Finding]]) -> list[Finding]:
    from proxy.cli.failures import Refused, Unreachable

    try:
        return ask()
    except Unreachable as error:
        return [{"name": name, "status": "failed", "detail": str(error),
                 "hint": "Is it running?"}]  # fmt: skip
    except Refused as error:
        return [{"name": name, "status": "failed", "detail": str(error.body.get("detail", "")),
                 "hint": str(error.body.get("hint", ""))}]  # fmt: skip


def _canary(place: Place) -> list[Finding]:
    if place.data_url is None or place.client_key is None:
        return [{"name": "canary", "status": "warning", "detail": "Not planted.",
                 "hint": "Give --data-url and --client-key."}]  # fmt: skip
    with notes.status("Forgetting an invented person …"):
        planted = Planted(place.data_url, place.client_key)
        return _guarded("canary", lambda: run_canary(place.connection, planted))


def _report(findings: list[Finding], as_json: bool) -> int:
    bad = [finding for finding in findings if finding["status"] in {"failed", "invalid"}]
    if as_json:
        emit({"ok": not bad, "items": findings})
    else:
        columns = ("name", "status", "detail", "hint")
        table(("check", *columns[1:]), [[item[name] for name in columns] for item in findings])
    if any(finding["status"] == "invalid" for finding in findings):
        return EXIT_INVALID
    return EXIT_ERROR if bad else EXIT_OK
