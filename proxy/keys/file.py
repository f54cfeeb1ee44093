"""Key provider ``file``: key versions in one file that only its owner may read. For development."""

import asyncio
import base64
import binascii
import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from proxy.keys import aead
from proxy.keys.errors import KekRefused, KekUnavailable, SealBroken
from proxy.keys.kek import Trim, Wrapped

Versions = dict[int, bytes]


class FileKek:
    """Keys in a JSON file of mode 0600; it is made when absent.

    Its grade is ``local-kek``: a rotation removes the old version from this file, but copies of
    the file (backups, free disk blocks) are the operator's to destroy.
    """

    provider = "file"

    def __init__(self, path: Path) -> None:
        self._path = path

    def used(self) -> bool:
        """Whether a ledger was begun with this file: one made by ``keys init`` alone was not."""
        return self._path.exists() and not _is_unused(self._path)

    def mark_used(self) -> None:
        """From now on ``used``; raises ``KekUnavailable`` if the file cannot be used."""
        if self._path.exists() and _is_unused(self._path):
            with _locked(self._path, fcntl.LOCK_EX):
                _replace(self._path, self._read())

    async def wrap(self, plaintext: bytes, aad: bytes) -> Wrapped:
        versions = await asyncio.to_thread(self._load_or_create)
        newest = max(versions)
        return Wrapped(str(newest), aead.seal(versions[newest], plaintext, aad))

    async def unwrap(self, wrapped: Wrapped, aad: bytes) -> bytes:
        return open_with(await asyncio.to_thread(self._load), wrapped, aad)

    async def rotate(self) -> str:
        versions = await asyncio.to_thread(self._change, _add_version)
        return str(max(versions))

    async def trim(self, keep: str, older: Sequence[str]) -> Trim:
        await asyncio.to_thread(self._change, lambda old: _from_version(old, int(keep)))
        return Trim("local-kek")

    async def close(self) -> None:
        return None

    def _load_or_create(self) -> Versions:
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return self._change(lambda old: old or {1: aead.new_key()}, create=True)
        return self._load()

    def _load(self) -> Versions:
        with _locked(self._path, fcntl.LOCK_SH):
            return self._read()

    def _read(self) -> Versions:
        try:
            mode = stat.S_IMODE(self._path.stat().st_mode)
            content = self._path.read_text()
        except OSError:
            raise KekUnavailable("the key file cannot be read") from None
        if mode & 0o077:
            raise KekUnavailable("the key file is readable by others than its owner")
        return _parse(content)

    def _change(self, change: Callable[[Versions], Versions], *, create: bool = False) -> Versions:
        with _locked(self._path, fcntl.LOCK_EX):
            missing = create and not self._path.exists()
            old = {} if missing else self._read()
            new = change(old)
            if new != old:
                _replace(self._path, new, unused=missing)
            return new


def open_with(versions: Versions, wrapped: Wrapped, aad: bytes) -> bytes:
    """Open a wrapped key with one of ``versions``; raises ``KekRefused``."""
    key = versions.get(int(wrapped.key_ref)) if wrapped.key_ref.isdecimal() else None
    if key is None:
        raise KekRefused("the key version does not exist")
    try:
        return aead.unseal(key, wrapped.blob, aad)
    except SealBroken:
        raise KekRefused("the wrapped key is not from this key") from None


def parse_key(encoded: str) -> bytes:
    """A base64 key of exactly 32 bytes; raises ``KekUnavailable``."""
    try:
        key = base64.b64decode(encoded, validate=True)
    except (ValueError, binascii.Error):
        raise KekUnavailable("a key is not valid base64") from None
    if len(key) != aead.KEY_BYTES:
        raise KekUnavailable("a key does not have 32 bytes")
    return key


def _parse(content: str) -> Versions:
    try:
        document: Any = json.loads(content)
        encoded = {int(version): str(key) for version, key in document["versions"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise KekUnavailable("the key file is damaged") from None
    if not encoded:
        raise KekUnavailable("the key file is empty")
    return {version: parse_key(key) for version, key in encoded.items()}


def _is_unused(path: Path) -> bool:
    """Whether a file says so; a damaged one does not."""
    try:
        document: Any = json.loads(path.read_text())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("unused") is True


def _add_version(old: Versions) -> Versions:
    return {**old, max(old, default=0) + 1: aead.new_key()}


def _from_version(old: Versions, keep: int) -> Versions:
    return {version: key for version, key in old.items() if version >= keep}


@contextmanager
def _locked(path: Path, kind: int) -> Iterator[None]:
    try:
        lock = os.open(path.with_name(path.name + ".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        raise KekUnavailable("the key file's folder cannot be used") from None
    try:
        fcntl.flock(lock, kind)
        yield
    finally:
        os.close(lock)


def _replace(path: Path, versions: Versions, *, unused: bool = False) -> None:
    """Write beside and rename, then overwrite the old bytes: a crash leaves one whole file."""
    encoded = {str(v): base64.b64encode(key).decode() for v, key in sorted(versions.items())}
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w") as target:
        json.dump({"versions": encoded} | ({"unused": True} if unused else {}), target)
        target.flush()
        os.fsync(target.fileno())
    old = path.open("r+b") if path.exists() else None
    fresh.replace(path)
    _sync_folder(path.parent)
    if old is not None:
        with old:
            _overwrite(old)


def _overwrite(old: Any) -> None:
    length = os.fstat(old.fileno()).st_size
    old.write(b"\0" * length)
    old.flush()
    os.fsync(old.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
