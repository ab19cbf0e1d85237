"""Free disk space.  Writes are refused before the disk is full, because engines lose data or crash on a full one: a write to a
mapped file of qdrant-edge ends the process (SIGBUS)."""

import logging
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from .errors import DiskFull

logger = logging.getLogger(__name__)

MOST_SHARED = 64  # folders and limits; a process has two


class DiskSpace:
    """The free space where ``directory`` is.

    It is measured at each question, which takes 10 microseconds.  A disk can fill in a moment.

    ``least_bytes``: refuse work below this.  0: refuse nothing.
    """

    def __init__(
        self, directory: Path, least_bytes: int, *, measure: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
    ) -> None:
        self.directory = directory
        self.least_bytes = least_bytes
        self._measure = measure
        self._full = False  # as logged last

    def free(self) -> int:
        """Free bytes.  Raises: OSError."""
        return self._measure(next(path for path in (self.directory, *self.directory.parents) if path.exists()))

    def check(self, what: str) -> None:
        """Raises: DiskFull (``what`` is refused), OSError."""
        free = self.free() if self.least_bytes > 0 else 0
        full = free < self.least_bytes
        if full != self._full:
            self._full = full
            told = "error: disk full, writes are refused" if full else "the disk has room again, writes are accepted"
            logger.log(logging.ERROR if full else logging.WARNING, "%s: %d MB are free", told, free / 2**20)
        if full:
            raise DiskFull(
                f"disk full: {free / 2**20:.0f} MB are free at {self.directory}, and {what} needs "
                f"{self.least_bytes / 2**20:.0f} MB: free some space, then writing resumes by itself "
                "(REACT_MEM_MIN_FREE_MB is the limit)"
            )


@lru_cache(maxsize=MOST_SHARED)
def shared_disk_space(directory: Path, least_bytes: int) -> DiskSpace:
    """The one ``DiskSpace`` of this folder and limit in the process: a full disk is logged once."""
    return DiskSpace(directory, least_bytes)
