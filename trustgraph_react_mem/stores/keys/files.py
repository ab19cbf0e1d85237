"""A key store in files: one small file per secret, in a directory that all processes share.

Invariants:
- Files have mode 0600, their directory 0700.  A change is durable on return: the file and its directory are synchronised.
- A reader sees a value or none, never a part of one.
- A destroyed or replaced value is overwritten before its file is removed.  What an interruption left is overwritten at the next
  start.
- Changes are made under a file lock, so that a secret cannot be created while the secrets of its scope are destroyed.
"""

import asyncio
import base64
import contextlib
import fcntl
import hashlib
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from ...directories import replace_private_file, sync_path
from ...errors import ConfigurationError, EngineUnavailable
from ...memory.scope import Scope

SUFFIX, GONE, DRAFT = ".key", ".gone", ".new"
LOCK = "lock"
LOCK_EVERY_S = 0.01


class FileKeyStore:
    """``KeyStore`` in ``directory``, which is created if needed."""

    remains = ""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.moved = False  # secrets were adopted from elsewhere
        self._changing = asyncio.Lock()
        try:
            directory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            directory.mkdir(exist_ok=True, mode=0o700)
            for leftover in (*directory.glob(f"*{GONE}"), *directory.glob(f"*{DRAFT}")):
                _destroy(leftover)
        except OSError as error:
            raise ConfigurationError(
                f"the key directory {directory} cannot be used ({error.strerror}): check its path and rights"
            ) from error

    async def read(self, scope: Scope, name: str) -> bytes | None:
        return _value(self._path(scope, name))

    async def create(self, scope: Scope, name: str, value: bytes, admit: Callable[[], Awaitable[None]]) -> bytes:
        path = self._path(scope, name)
        async with self.lock():
            existing = _value(path)
            if existing is not None:
                return existing
            await admit()
            await _run(_write, path, scope, value)
        return value

    async def adopt(self, scope: Scope, name: str, value: bytes) -> None:
        """Store a value from elsewhere unless the name exists.  The caller holds ``lock``."""
        self.moved = True
        path = self._path(scope, name)
        if not path.exists():
            await _run(_write, path, scope, value)

    async def replace(self, scope: Scope, name: str, old: bytes, new: bytes) -> bool:
        path = self._path(scope, name)
        async with self.lock():
            if _value(path) != old:
                return False
            await _run(_write, path, scope, new)
        return True

    async def destroy(self, scope: Scope, name: str = "") -> bool:
        async with self.lock():
            paths = [self._path(scope, name)] if name else list(self._directory.glob(f"{_digest(scope)}.*{SUFFIX}"))
            there = [path for path in paths if path.exists()]
            for path in there:
                await _run(_destroy, path)
        return bool(there)

    async def scopes(self, workspace: str) -> list[Scope]:
        owners = {_owner(path) for path in self._directory.glob(f"*{SUFFIX}")}
        found = {Scope.from_key(owner) for owner in owners if owner}
        return sorted((scope for scope in found if scope.workspace == workspace), key=lambda scope: scope.key)

    def any_scope(self) -> Scope | None:
        """One of the scopes that have a secret; None if there is none."""
        path = next(self._directory.glob(f"*{SUFFIX}"), None)
        return Scope.from_key(owner) if path is not None and (owner := _owner(path)) else None

    @contextlib.asynccontextmanager
    async def lock(self) -> AsyncIterator[None]:
        """Context manager: inside, no other process and no other task changes a secret."""
        async with self._changing:
            descriptor = os.open(self._directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                while not _try_lock(descriptor):  # noqa: ASYNC110 - another process holds it
                    await asyncio.sleep(LOCK_EVERY_S)
                yield
            finally:
                os.close(descriptor)

    def _path(self, scope: Scope, name: str) -> Path:
        return self._directory / f"{_digest(scope)}.{name}{SUFFIX}"


def _digest(scope: Scope) -> str:
    return hashlib.sha256(b"scope-key|" + scope.key.encode()).hexdigest()[:32]


def _value(path: Path) -> bytes | None:
    text = _read(path)
    return base64.b64decode(text.split("\n")[1]) if text is not None else None


def _owner(path: Path) -> str:
    return (_read(path) or "").split("\n")[0]


def _read(path: Path) -> str | None:
    """The file's text; None if there is none.

    A file is renamed before it is overwritten.  A reader that opened it earlier may see random bytes, so it looks again if the
    path has another file afterwards, or none.
    """
    try:
        while True:
            with path.open("rb") as file:
                text = file.read()
                if os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                    return text.decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise EngineUnavailable(f"the key file {path} cannot be read ({error}): restore it from a backup") from error


async def _run(work: Callable[..., None], *arguments: object) -> None:
    try:
        # Shielded: the lock must not be released while a thread is still writing.
        task = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise
    except OSError as error:
        raise EngineUnavailable(f"a key file cannot be written: {error.strerror}") from error


def _write(path: Path, scope: Scope, value: bytes) -> None:
    """Create or replace the file.  The bytes of the file that it replaces are overwritten."""
    former = path.with_name(f"{path.name}.{secrets.token_hex(4)}{GONE}")
    with contextlib.suppress(FileNotFoundError):
        os.link(path, former)
    replace_private_file(path, f"{scope.key}\n{base64.b64encode(value).decode()}\n")
    if former.exists():
        _destroy(former)


def _destroy(path: Path) -> None:
    """Take the name from the file, then overwrite it, then remove it."""
    gone = path
    if path.suffix == SUFFIX:
        gone = path.with_name(f"{path.name}.{secrets.token_hex(4)}{GONE}")
        path.replace(gone)
        sync_path(path.parent)
    if gone.stat().st_nlink == 1:  # else it is still in use: an interruption came before its replacement
        with gone.open("r+b") as file:
            file.write(secrets.token_bytes(gone.stat().st_size))
            file.flush()
            os.fsync(file.fileno())
    gone.unlink()  # if a power failure brings it back, the next start removes it


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
