"""``expunge doctor``: try every part, then erase an invented person end to end."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from proxy.cli.canary import Planted, run_canary
from proxy.cli.connection import Connection, connect, read_dev
from proxy.cli.output import emit, json_option, notes, table
from proxy.problems import EXIT_ERROR, EXIT_INVALID, EXIT_OK

Finding = dict[str, str]
_OURS = ("proxy", "policies", "detectors")


@click.command()
@click.option("--config", "path", type=click.Path(path_type=Path, dir_okay=False),
              envvar="EXPUNGE_CONFIG", help="Also check this configuration file.")  # fmt: skip
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
    """Check configuration, keys, ledger, models, stores and layers, then forget a canary.

    The canary is an invented data subject: written through the data plane, erased, looked for,
    its certificate verified. Exit 0 only if nothing failed.

    \b
    Examples:
      expunge doctor --dev ./data
      expunge doctor --config expunge.yaml --url http://127.0.0.1:8081 --token "$TOKEN"
    """
    findings = list(_configuration(path)) if path else []
    findings += _imports()
    if dev is not None and url is None:
        found = read_dev(dev)
        data_url, client_key = found["data_url"], found["client_key"]
    if dev is not None or url is not None:
        connection = connect(url, token, dev, tenant)
        findings += _guarded("service", lambda: connection.get("/v1/diagnosis")["items"])
        if not no_canary:
            findings += _canary(connection, data_url, client_key)
    return _report(findings, as_json)


def _configuration(path: Path) -> Iterator[Finding]:
    from proxy.config import ConfigError, load

    try:
        load(path, os.environ)
    except ConfigError as error:
        for issue in error.issues:
            yield {"name": "configuration", "status": "invalid", "detail": str(issue), "hint": ""}
    else:
        yield {"name": "configuration", "status": "ok", "detail": f"{path} is valid", "hint": ""}


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


def _canary(connection: Connection, data_url: str | None, client_key: str | None) -> list[Finding]:
    if data_url is None or client_key is None:
        return [{"name": "canary", "status": "warning", "detail": "Not planted.",
                 "hint": "Give --data-url and --client-key."}]  # fmt: skip
    with notes.status("Forgetting an invented person …"):
        planted = Planted(data_url, client_key)
        return _guarded("canary", lambda: run_canary(connection, planted))


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
