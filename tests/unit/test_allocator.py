"""Threads share arenas, so that what one frees another uses."""

import subprocess
import sys

import pytest

from trustgraph_react_mem.allocator import ARENAS

PROGRAM = """
import ctypes, sys, threading
from trustgraph_react_mem.allocator import limit_arenas

if "limited" in sys.argv:
    limit_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
all_began = threading.Barrier(8)

def allocate():
    all_began.wait()
    for _ in range(100):
        libc.malloc(ctypes.c_size_t(1000))
    all_began.wait()

threads = [threading.Thread(target=allocate) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


def arenas_used(*arguments: str) -> int:
    """By eight threads at once, in a new process."""
    command = (sys.executable, "-c", PROGRAM, *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.count("<heap nr=")


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has arenas to limit")
def test_threads_share_two_arenas() -> None:
    assert arenas_used() > ARENAS
    assert 0 < arenas_used("limited") <= ARENAS
