"""Directories and files for personal data: readable by their owner alone."""

import os
import stat
from pathlib import Path
from typing import TextIO

from .errors import ConfigurationError

STATE_FILE = "stack.json"  # in a data directory: the stack that serves it
PRIVATE_UMASK = 0o077
MARKS = ("stack.lock", "graph")  # one of them is in each directory of this program that holds data


def make_private_directory(path: Path) -> None:
    """Create the directory and its parents, readable by the owner alone.

    A directory that exists and is open to other accounts is closed to them, if it is empty or holds data of this program.

    Raises: ConfigurationError (a file is in the way, the place cannot be written, or it stays open to other accounts).
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _close_to_others(path)
    except OSError as error:
        reason = "a file is in the way" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
        raise ConfigurationError(
            f"the data directory {path} cannot be created ({reason}): choose another directory with --data or REACT_MEM_HOME"
        ) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise ConfigurationError(
            f"the data directory {path} cannot be written by this account: change its permissions, or choose another "
            "directory with --data or REACT_MEM_HOME"
        )


def _close_to_others(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & PRIVATE_UMASK:
        return
    if any(path.iterdir()) and not any((path / mark).exists() for mark in MARKS):
        raise ConfigurationError(
            f"the data directory {path} has mode {mode:04o}, which lets other accounts read it, and holds files of something "
            "else: choose another directory with --data or REACT_MEM_HOME, or run chmod 700 on it"
        )
    try:
        path.chmod(mode & ~PRIVATE_UMASK)
    except PermissionError:
        raise ConfigurationError(
            f"the data directory {path} has mode {mode:04o}, which lets other accounts read it, and belongs to another "
            "account: have its owner run chmod 700 on it, or choose another directory with --data or REACT_MEM_HOME"
        ) from None


def open_private_file(path: Path, *, errors: str = "strict") -> TextIO:
    """A new file that only its owner can read, open for writing, in place of one of that name.  Links are not followed.

    Raises: OSError.
    """
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    return os.fdopen(descriptor, "w", encoding="utf-8", errors=errors, newline="\n")


def replace_private_file(path: Path, text: str, *, sync: bool = True) -> None:
    """Write a file that only its owner can read, in one step: after a crash it is the former or the new one, never a part.

    ``sync`` False: a crash of the machine may bring the former file back.  Raises: OSError.
    """
    draft = path.with_name(f"{path.name}.new")
    with open_private_file(draft) as file:
        file.write(text)
        file.flush()
        if sync:
            os.fsync(file.fileno())
    draft.replace(path)
    if sync:
        sync_path(path.parent)


def sync_path(path: Path) -> None:
    """Flush a file to the disk, or the entries of a directory.  Raises: OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
