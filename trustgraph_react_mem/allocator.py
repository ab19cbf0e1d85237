"""Memory that the C library keeps for a process of this package."""

import contextlib
import ctypes
import sys

_M_ARENA_MAX = -8  # of mallopt(3)
ARENAS = 2


def limit_arenas() -> None:
    """Let all threads share ``ARENAS`` arenas of glibc's malloc.  Call before threads start.

    By default up to eight threads a core have an arena each, and none uses what was freed in another: a stack with thirty
    threads kept half as much again as it used, and ever more.  Another C library is left as it is.  Setting
    M_TRIM_THRESHOLD, too, would make each array of numpy above 128 kB a new mapping, which takes ten times as long.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):  # musl has no mallopt
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)
