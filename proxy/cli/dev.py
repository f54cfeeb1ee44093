"""``expunge dev``: an embedded Mem0 and the proxy in front of it, all under one folder."""

import asyncio
import contextlib
import fcntl
import json
import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from proxy.background import spawn
from proxy.cli.connection import dev_configuration
from proxy.cli.dev_store import Store, keep_running
from proxy.cli.output import note
from proxy.problems import EXIT_ERROR, EXIT_OK

_NAMES = ("client.key", "admin.token", "store.key")
_HOST = "127.0.0.1"


@click.command()
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="Everything is kept below it.")  # fmt: skip
@click.option("--data-port", type=int, default=0, help="Port of the data plane; 0: a free one.")
@click.option("--control-port", type=int, default=0, help="Port of the control plane; 0: free.")
@click.option("--policy", default="builtin/gdpr-default", show_default=True,
              help="Policy: builtin/NAME or a path.")  # fmt: skip
@click.option("--tier", type=click.Choice(["structured", "fast", "full"]), default="full",
              show_default=True, help="How text is analysed.")  # fmt: skip
@click.option("--llm-url", help="OpenAI-compatible endpoint for infer=True.")
@click.option("--llm-model", help="Its model.")
@click.option("--llm-key-env", metavar="VARIABLE", help="Variable that holds its key.")
def dev(data_dir: Path, **options: Any) -> int:
    """Run a real Mem0 and Expunge in front of it, on this machine, without network or account.

    When ready, DIR/dev.json names the addresses and credentials. Starting again on the same
    folder finds its data again. Ctrl-C stops it.

    \b
    Example:
      expunge dev --data-dir ./data
    """
    data_dir = data_dir.absolute()
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(data_dir):
        _check_ports(options)
        (data_dir / "dev.json").unlink(missing_ok=True)
        state = _state(data_dir)
        port = _free_port()
        note("Loading models and keys, starting the embedded Mem0 …")
        with Store(data_dir / "store", port, (state / "store.key").read_text(), options) as store:
            good = asyncio.run(_serve(data_dir, state, store, options))
    return EXIT_OK if good else EXIT_ERROR


def _check_ports(options: dict[str, Any]) -> None:
    """Before anything is loaded: whether the ports that were asked for are free.

    Raises:
        click.ClickException: naming the address and the option.
    """
    from proxy.app.listeners import bind
    from proxy.config import AddressTaken
    from proxy.config.types import Address

    for option in ("data", "control"):
        address = Address(host=_HOST, port=options[f"{option}_port"])
        try:
            bind(address).close()
        except AddressTaken:
            raise click.ClickException(
                f"{address} is taken; choose another port with --{option}-port, or 0 for a free one"
            ) from None


def _free_port() -> int:
    """A port for the store, chosen before it starts so that both can load at once."""
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _locked(data_dir: Path) -> Iterator[None]:
    with (data_dir / "dev.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise click.ClickException(f"another 'expunge dev' runs on {data_dir}") from None
        yield


def _state(data_dir: Path) -> Path:
    """Our own folder, with the credentials of earlier starts or new ones."""
    state = data_dir / "expunge"
    state.mkdir(exist_ok=True, mode=0o700)
    for name in _NAMES:
        if not (state / name).exists():
            prefix = {"client.key": "m0-xp-", "admin.token": "xpc_"}.get(name, "m0-")
            _write_private(state / name, prefix + secrets.token_urlsafe(32))
    return state


def _write_private(path: Path, text: str) -> None:
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    fresh.replace(path)


async def _serve(data_dir: Path, state: Path, store: Store, options: dict[str, Any]) -> bool:
    """Serve until a signal, or until the store ended twice; whether it was a signal."""
    from proxy import telemetry
    from proxy.app import Addresses, serve, stop_on_signals
    from proxy.config.load import loads

    telemetry.configure(level="warning", pretty=True)
    written = _configuration(data_dir, state, store.url, options)
    _write_private(dev_configuration(data_dir), written.decode())
    config = loads(written, {}, source="dev").config
    stop = stop_on_signals()
    watching: list[asyncio.Task[None]] = []

    def ready(at: Addresses) -> None:
        watching.append(spawn(keep_running(store, stop), name="dev-store"))
        _announce(data_dir, state, at.data_url, at.control_url)

    try:
        await serve(
            config,
            ready,
            stop=stop,
            after=asyncio.ensure_future(asyncio.to_thread(store.wait_until_ready)),
            beside={"store": store.answers},
        )
    except BaseException:
        store.stop()  # else a thread goes on waiting for its first line
        raise
    finally:
        for watch in watching:
            watch.cancel()
        (data_dir / "dev.json").unlink(missing_ok=True)
    return store.running()


def _configuration(data_dir: Path, state: Path, store_url: str, options: dict[str, Any]) -> bytes:
    """The configuration that 'serve' would take for the same; JSON is YAML."""
    store = data_dir / "store"
    document = {
        "apiVersion": "expunge/v1",
        "kind": "Config",
        "state_dir": str(state),
        "listen": {
            "data": f"{_HOST}:{options['data_port']}",
            "control": f"{_HOST}:{options['control_port']}",
        },
        "limits": {"grace": "PT0S"},  # nobody balances in front of it
        "upstreams": [
            {
                "name": "mem0",
                "url": store_url,
                "profiles": ["mem0-platform", "mem0-oss"],
                "credential": {"file": str(state / "store.key")},
                "layers": {
                    "history": {"reach": "side:sqlite", "path": str(store / "history.db")},
                    "messages": {"reach": "side:sqlite", "path": str(store / "history.db")},
                    "entities": {"reach": "side:qdrant-local", "path": str(store / "qdrant")},
                    "vectors": {"reach": "side:qdrant-local", "path": str(store / "qdrant")},
                    "files": {"reach": "side:files", "path": str(store)},
                },
            }
        ],
        "tenants": [{"name": "default", "keys": [{"file": str(state / "client.key")}]}],
        "tokens": [
            {
                "name": "admin",
                "secret": {"file": str(state / "admin.token")},
                "roles": ["app", "operator", "privacy", "auditor"],
            }
        ],
        "policy": options["policy"],
        "detection": {"tier": options["tier"]},
    }
    return json.dumps(document).encode()


def _announce(data_dir: Path, state: Path, data_url: str, control_url: str) -> None:
    document = {
        "data_url": data_url,
        "control_url": control_url,
        "client_key": (state / "client.key").read_text(),
        "admin_token": (state / "admin.token").read_text(),
        "store_dir": str(data_dir / "store"),
        "state_dir": str(state),
        "pid": os.getpid(),
    }
    _write_private(data_dir / "dev.json", json.dumps(document, indent=2))
    click.echo(_banner(data_dir, document))


def _banner(data_dir: Path, document: dict[str, Any]) -> str:
    return f"""
Expunge is running. Your agent talks to it as if it were Mem0:

  from mem0 import MemoryClient
  client = MemoryClient(host="{document["data_url"]}",
                        api_key="{document["client_key"]}")

  control plane   {document["control_url"]}   (token in {data_dir}/dev.json)
  store files     {document["store_dir"]}
  our own files   {document["state_dir"]}

Forget somebody (a preview; add --confirm confirmed to do it):

  expunge forget entity "Alva Brenn" --dev {data_dir}

Ctrl-C stops it.
"""
