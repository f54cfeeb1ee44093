"""The active policy: follows its files, keeps the last good one, shows what is wrong."""

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import Path

from policies.errors import PolicyError
from policies.load import files_of, load, main_file
from policies.policy import Policy

DEFAULT_INTERVAL = 1.0


class PolicyWatcher:
    """Follows one policy and everything it extends by content, not by file events.

    Symlink swaps, replaced directories and edits in place all change the content, so all are
    seen. New content becomes active when it reads the same twice in a row (a file that is still
    being written is not half a policy) and is valid; otherwise the last good policy stays and
    ``error`` says why.

    Args:
        path: ``builtin/NAME`` or a file.
        on_change: called in the event loop with each new policy after the first.
        on_error: called with each new error, for the log, the metric and the audit.
        interval: seconds between looks.

    Raises:
        PolicyError: when the first policy does not load; there is no last good one yet.
    """

    def __init__(
        self,
        path: str | Path,
        on_change: Callable[[Policy], None],
        *,
        on_error: Callable[[PolicyError], None] | None = None,
        interval: float = DEFAULT_INTERVAL,
    ) -> None:
        self.current: Policy = load(path)
        self.error: str | None = None
        self.rejected: str | None = None
        self._path = path
        self._on_change = on_change
        self._on_error = on_error
        self._interval = interval
        self._files = _files(path)
        self._settled = self._seen = _content(self._files)

    async def run(self) -> None:
        """Look for changes until cancelled."""
        while True:
            await asyncio.sleep(self._interval)
            await self.look()

    async def look(self) -> bool:
        """Look once; True when a new policy became active."""
        seen = await asyncio.to_thread(_content, self._files)
        stable, self._seen = seen == self._seen, seen
        if not stable or seen == self._settled:
            return False
        found = await asyncio.to_thread(self._load)
        if await asyncio.to_thread(_content, self._files) != seen:
            return False
        self._settled = seen
        self._follow(await asyncio.to_thread(_files, self._path))
        if isinstance(found, PolicyError):
            self._reject(found, seen)
            return False
        return self._accept(found)

    def _load(self) -> Policy | PolicyError:
        try:
            return load(self._path)
        except PolicyError as error:
            return error

    def _follow(self, files: list[Path]) -> None:
        """Watch what the policy is made of now; other files than before are judged once more."""
        if files != self._files:
            self._files, self._settled = files, ""

    def _reject(self, error: PolicyError, seen: str) -> None:
        told = self.error == str(error)
        self.error, self.rejected = str(error), seen
        if self._on_error is not None and not told:
            self._on_error(error)

    def _accept(self, found: Policy) -> bool:
        self.error = self.rejected = None
        if found.digest == self.current.digest:
            return False
        self.current = found
        self._on_change(found)
        return True


def _files(path: str | Path) -> list[Path]:
    """Every file the policy is made of, those that are gone included."""
    return list(dict.fromkeys([main_file(path), *files_of(path)]))


def _content(files: list[Path]) -> str:
    """Digest of the bytes of the files; a file that is gone counts as its absence."""
    whole = hashlib.sha256()
    for file in files:
        try:
            raw = b"+" + file.read_bytes()
        except OSError:
            raw = b"-"
        whole.update(len(raw).to_bytes(8, "big") + raw)
    return "sha256:" + whole.hexdigest()
