"""Memory that the C library keeps for a process of this package."""

import contextlib
import ctypes
import sys

_M_TRIM_THRESHOLD = -1  # mallopt(3)
_M_ARENA_MAX = -8
ARENAS = 2
TRIM_BYTES = 128 * 1024


def limit_arenas() -> None:
    """Let all threads share ``ARENAS`` arenas of glibc's malloc, and return their free ends.  Call before threads start.

    By default up to eight threads a core have an arena each, and none uses what was freed in another: a stack with thirty
    threads kept half as much again as it used, and ever more.  Another C library is left as it is.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):  # musl has no mallopt
            mallopt = ctypes.CDLL(None).mallopt
            mallopt(_M_ARENA_MAX, ARENAS)
            mallopt(_M_TRIM_THRESHOLD, TRIM_BYTES)
