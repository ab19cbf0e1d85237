"""Which stack runs in a data directory, and the lock that lets one process use it."""

import fcntl
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from .bus.address import BusAddress
from .directories import STATE_FILE, make_private_directory
from .errors import ConfigurationError

LOCK_FILE = "stack.lock"
STARTING = b"stack"  # content of the lock file of a process that will serve the directory
WORKSPACE = "default"
FLOW = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class StackInfo:
    """A running stack: the content of ``stack.json``."""

    pid: int
    url: str
    workspace: str = WORKSPACE
    flow: str = FLOW
    started_at: str = ""
    description: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> BusAddress:
        return BusAddress(url=self.url)


def running_stack(home: Path) -> StackInfo | None:
    """The stack that is running in this data directory, or None.  A free lock: it ended without removing its file."""
    if _read_held_lock(home) is None:
        return None
    try:
        return StackInfo(**json.loads((home / STATE_FILE).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def is_stack_starting(home: Path) -> bool:
    """Whether a stack has locked this data directory and does not serve it yet."""
    return running_stack(home) is None and _read_held_lock(home) == STARTING


def _read_held_lock(home: Path) -> bytes | None:
    """The content of the lock file.  None: no process holds the lock."""
    content = b""
    try:
        with (home / LOCK_FILE).open("rb") as lock:
            content = lock.read()
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return content
    except OSError:
        return None
    return None


def lock_directory(home: Path, *, starts_stack: bool = False) -> BinaryIO:
    """Lock a data directory for this process, until the file is closed.  It is created if it does not exist.

    ``starts_stack``: others may wait until this process serves the directory (``is_stack_starting``).

    Raises: ConfigurationError (another stack or program uses it, or this account cannot write there).
    """
    make_private_directory(home)
    try:
        lock = (home / LOCK_FILE).open("ab")
    except OSError as error:  # such as a file that another account made, with sudo
        raise ConfigurationError(
            f"{home / LOCK_FILE} cannot be opened ({error.strerror}): give all files of the directory to this account, "
            "or choose another directory with --data"
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        other = running_stack(home)
        who = f"process {other.pid}" if other else "another process (a stack that starts, or a program)"
        raise ConfigurationError(f"{home} is in use by {who}: use that stack, stop it, or name another directory") from None
    (home / STATE_FILE).unlink(missing_ok=True)  # of a stack that was killed
    lock.truncate(0)
    if starts_stack:
        lock.write(STARTING)
        lock.flush()
    return lock
