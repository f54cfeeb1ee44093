"""The watcher: every valid change becomes active, nothing else ever does."""

import asyncio
import os
from pathlib import Path

import pytest

from policies import Policy, PolicyError, watch
from policies.watch import PolicyWatcher

HEAD = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"


def text(items: int) -> str:
    """A valid policy, told apart by one number."""
    return f"{HEAD}read: {{max_items: {items}}}\n"


def put(path: Path, content: str) -> None:
    """Write a file in place."""
    path.write_text(content)


def remove(path: Path) -> None:
    """Delete a file."""
    path.unlink()


class Followed:
    """A watcher and what it told."""

    def __init__(self, path: Path) -> None:
        self.changes: list[Policy] = []
        self.errors: list[PolicyError] = []
        self.watcher = PolicyWatcher(
            path, self.changes.append, on_error=self.errors.append, interval=0.01
        )

    async def settle(self, looks: int = 3) -> None:
        """Look a few times."""
        for _ in range(looks):
            await self.watcher.look()

    @property
    def items(self) -> int:
        """The number of the active policy."""
        return self.watcher.current.read.max_items


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A policy file."""
    path = tmp_path / "policy.yaml"
    put(path, text(1))
    return path


async def test_a_valid_change_becomes_active(file: Path) -> None:
    """Once, with its digest; looking again changes nothing."""
    followed = Followed(file)
    put(file, text(2))
    await followed.settle(6)
    assert followed.items == 2
    assert [p.digest for p in followed.changes] == [followed.watcher.current.digest]
    assert followed.watcher.error is None


async def test_three_symlink_swaps_in_a_row(tmp_path: Path) -> None:
    """As Kubernetes updates a ConfigMap: a new directory, the link moved, the old one gone."""
    for version in (1, 2, 3, 4):
        folder = tmp_path / f"..{version}"
        folder.mkdir()
        (folder / "policy.yaml").write_text(text(version))
    os.symlink("..1", tmp_path / "..data")
    os.symlink("..data/policy.yaml", tmp_path / "policy.yaml")
    followed = Followed(tmp_path / "policy.yaml")
    for version in (2, 3, 4):
        os.symlink(f"..{version}", tmp_path / "..next")
        (tmp_path / "..next").replace(tmp_path / "..data")
        (tmp_path / f"..{version - 1}" / "policy.yaml").unlink()
        await followed.settle()
        assert followed.items == version
    assert len(followed.changes) == 3


async def test_a_file_in_the_middle_of_being_written_is_not_taken(file: Path) -> None:
    """A prefix of a policy can be a valid policy with fewer rules; it must hold still first."""
    followed = Followed(file)
    whole = text(3) + "erasure: {grace: P1D}\n"
    for length in range(len(HEAD), len(whole), 7):
        put(file, whole[:length])
        assert not await followed.watcher.look()
        assert followed.items == 1
    put(file, whole)
    await followed.settle()
    assert followed.items == 3
    assert str(followed.watcher.current.erasure.grace) == "P1D"
    assert len(followed.changes) == 1
    assert followed.errors == []


async def test_an_invalid_change_leaves_the_last_good_policy(file: Path) -> None:
    """The error is visible, told once, and gone when the file is mended."""
    followed = Followed(file)
    put(file, text(2) + "raed: {}\n")
    await followed.settle(6)
    assert followed.items == 1
    assert "raed" in (followed.watcher.error or "")
    assert (followed.watcher.rejected or "").startswith("sha256:")
    assert len(followed.errors) == 1
    put(file, text(2))
    await followed.settle()
    assert followed.items == 2
    assert (followed.watcher.error, followed.watcher.rejected) == (None, None)


async def test_an_invalid_change_taken_back_clears_the_error(file: Path) -> None:
    """Back to what is active already: no change to tell, no error left."""
    followed = Followed(file)
    put(file, "nonsense")
    await followed.settle()
    assert followed.watcher.error
    put(file, text(1))
    await followed.settle()
    assert followed.watcher.error is None
    assert followed.changes == []


async def test_a_deleted_file_leaves_the_last_good_policy(file: Path) -> None:
    """And its return is noticed, changed or not."""
    followed = Followed(file)
    remove(file)
    await followed.settle()
    assert followed.items == 1
    assert "cannot be read" in (followed.watcher.error or "")
    put(file, text(5))
    await followed.settle()
    assert followed.items == 5
    assert followed.watcher.error is None


async def test_an_emptied_file_leaves_the_last_good_policy(file: Path) -> None:
    """Empty is not 'no rules'."""
    followed = Followed(file)
    put(file, "")
    await followed.settle()
    assert followed.items == 1
    assert "empty" in (followed.watcher.error or "")


async def test_a_change_of_the_extended_policy_counts(file: Path, tmp_path: Path) -> None:
    """The watcher follows every file a policy is made of, those named later included."""
    (tmp_path / "base.yaml").write_text(text(10))
    followed = Followed(file)
    put(file, f"{HEAD}extends: base.yaml\n")
    await followed.settle()
    assert followed.items == 10
    (tmp_path / "base.yaml").write_text(text(11))
    await followed.settle()
    assert followed.items == 11


async def test_a_change_of_words_only_is_no_change(file: Path) -> None:
    """The digest is the same, so nobody is told."""
    followed = Followed(file)
    put(file, text(1) + "# a remark\n")
    await followed.settle()
    assert followed.changes == []


def test_there_is_no_start_without_a_valid_policy(file: Path) -> None:
    """No silent older version, no insecure default: the start is refused."""
    put(file, "raed: {}")
    with pytest.raises(PolicyError):
        Followed(file)


async def test_the_watcher_runs_until_cancelled(file: Path) -> None:
    """As a background task it follows by itself."""
    followed = Followed(file)
    changed = asyncio.Event()
    followed.watcher._on_change = lambda _: changed.set()
    task = asyncio.create_task(followed.watcher.run())  # noqa: TID251
    put(file, text(2))
    await asyncio.wait_for(changed.wait(), timeout=60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert followed.items == 2


async def test_a_file_that_changes_while_it_is_read_waits(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was judged must be what is there; otherwise the next look decides."""
    followed = Followed(file)
    put(file, text(2))
    await followed.watcher.look()
    loaded = followed.watcher._load

    def changed_meanwhile() -> Policy | PolicyError:
        found = loaded()
        put(file, text(3))
        return found

    monkeypatch.setattr(followed.watcher, "_load", changed_meanwhile)
    assert not await followed.watcher.look()
    assert followed.items == 1
    monkeypatch.undo()
    await followed.settle()
    assert followed.items == 3


async def test_a_change_at_the_last_moment_is_not_lost(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change right after a policy was judged is judged by the next looks."""
    followed = Followed(file)
    put(file, text(2))
    await followed.watcher.look()
    files = watch._files

    def changed_meanwhile(path: str | Path) -> list[Path]:
        put(file, text(3))
        return files(path)

    monkeypatch.setattr(watch, "_files", changed_meanwhile)
    assert await followed.watcher.look()
    monkeypatch.undo()
    await followed.settle()
    assert [policy.read.max_items for policy in followed.changes] == [2, 3]
