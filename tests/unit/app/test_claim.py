"""One service for one SQLite ledger: a second one is refused, whatever it calls the file."""

import asyncio
import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from proxy.app.claim import claimed
from proxy.config import Config, load
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from tests.support.dev import expunge

HEAD = (
    "apiVersion: expunge/v1\nkind: Config\nupstreams: [{name: m, url: 'http://127.0.0.1:1'}]\n"
    "listen: {data: '127.0.0.1:0', control: '127.0.0.1:0'}\ndetection: {tier: structured}\n"
)
HELD = """
import asyncio, sys
from pathlib import Path
from proxy.app.claim import claimed
from proxy.config import load
async def hold():
    async with claimed(load(Path(sys.argv[1]), {}).config):
        print("held", flush=True)
        await asyncio.sleep(600)
asyncio.run(hold())
"""


def written(tmp_path: Path, name: str, more: str = "") -> Path:
    """A configuration file; its state folder is ``state`` unless it says otherwise."""
    path = tmp_path / f"{name}.yaml"
    path.write_text(HEAD + more)
    return path


def configured(tmp_path: Path, name: str, more: str = "") -> Config:
    return load(written(tmp_path, name, more), {}).config


async def taken(config: Config) -> bool:
    """Whether somebody else has the ledger."""
    try:
        async with claimed(config):
            return False
    except Problem as problem:
        return problem.slug == "ledger-taken"


SECOND: dict[str, tuple[str, bool]] = {
    "the same state folder": ("", True),
    "its URL": ("ledger: {url: 'sqlite+aiosqlite:///{folder}/state/ledger.db'}", True),
    "a link to the folder": ("state_dir: link", True),
    "a link to the file": ("ledger: {url: 'sqlite+aiosqlite:///{folder}/other.db'}", True),
    "a way round": ("state_dir: state/../state", True),
    "another file beside it": (
        "ledger: {url: 'sqlite+aiosqlite:///{folder}/state/two.db'}", False
    ),
    "another state folder": ("state_dir: elsewhere", False),
    "a database server": ("ledger: {url: 'postgresql+asyncpg://h/d'}", False),
}  # fmt: skip


@pytest.mark.parametrize(("more", "same"), SECOND.values(), ids=SECOND)
async def test_a_ledger_is_one_services_at_a_time(tmp_path: Path, more: str, same: bool) -> None:
    """By whatever name; two ledgers, and a server's, hinder nobody; afterwards it is free."""
    (tmp_path / "state").mkdir()
    (tmp_path / "link").symlink_to("state")
    (tmp_path / "other.db").symlink_to("state/ledger.db")
    first = configured(tmp_path, "first")
    second = configured(tmp_path, "second", more.replace("{folder}", str(tmp_path)))
    async with claimed(first):
        assert await taken(second) is same
    assert not await taken(second)


async def test_services_share_a_database_server(tmp_path: Path) -> None:
    """Nobody is alone there, so nobody claims anything."""
    config = configured(tmp_path, "first", "ledger: {url: 'postgresql+asyncpg://h/d'}")
    async with claimed(config) as one, claimed(config) as other:
        assert (one, other) == ((), ())


async def test_a_killed_service_frees_its_ledger(tmp_path: Path) -> None:
    """Nobody has to clean up after kill -9."""
    path = written(tmp_path, "first")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HELD, str(path), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    config = load(path, {}).config
    assert await taken(config)
    process.kill()
    await process.wait()
    assert not await taken(config)


async def test_workers_keep_the_ledger_until_the_last_one_ends(tmp_path: Path) -> None:
    """A supervisor that was killed leaves workers that still drain."""
    config = configured(tmp_path, "first")
    async with AsyncExitStack() as supervisor:
        inherited = await supervisor.enter_async_context(claimed(config))
        workers = [await waiting(pass_fds=inherited) for _ in range(2)]
        child = await waiting()  # of another kind: it has nothing of the service
    for worker in workers:
        assert await taken(config)
        worker.kill()
        await worker.communicate()
    assert not await taken(config)
    child.kill()
    await child.communicate()


async def waiting(**options: Any) -> asyncio.subprocess.Process:
    """A process that does nothing."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import sys; sys.stdin.read()", stdin=subprocess.PIPE, **options
    )


NO_LOCKS = [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL]


@pytest.mark.parametrize("code", NO_LOCKS, ids=errno.errorcode.get)
async def test_where_nothing_can_be_locked_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Never served as if it were alone; and no other failure is taken for this one."""
    config = configured(tmp_path, "first")
    monkeypatch.setattr(fcntl, "flock", failing(code))
    with pytest.raises(Problem) as refused:
        async with claimed(config):
            pass
    assert refused.value.slug == "ledger-unavailable"
    assert "no locks" in refused.value.detail
    monkeypatch.setattr(fcntl, "flock", failing(errno.EIO))
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        async with claimed(config):
            pass


def failing(code: int) -> Callable[[int, int], None]:
    def flock(_descriptor: int, _how: int) -> None:
        raise OSError(code, os.strerror(code))

    return flock


COMMANDS = [
    pytest.param(["serve"], 1, "Another service uses this ledger", id="serve"),
    pytest.param(["serve", "--workers", "2"], 1, "Another service uses this ledger", id="workers"),
    pytest.param(["db", "upgrade"], 0, "", id="db upgrade"),
    pytest.param(["db", "accept"], 0, "", id="db accept"),
    pytest.param(["config", "check"], 0, "", id="config check"),
]


@pytest.mark.parametrize(("command", "code", "said"), COMMANDS)
async def test_only_a_second_service_is_refused(
    tmp_path: Path, command: list[str], code: int, said: str
) -> None:
    """Commands that use the ledger for a moment go on working beside a running service."""
    path = written(tmp_path, "first")
    config = load(path, {}).config
    async with claimed(config):
        ledger = await Ledger.open(f"sqlite+aiosqlite:///{config.state_dir}/ledger.db")
        done = expunge(*command, "--config", str(path))
        await ledger.close()
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
