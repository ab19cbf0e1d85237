"""How much memory the embedded graph engine may use.

The engine rewrites a group of 131,072 records at a checkpoint if their texts have grown, and copies one at a time.  It needs
about 3.5 times their bytes for that.  With too little it fails, and a copy even ends the process (Ladybug 0.22.0).
"""

import os
from pathlib import Path

SHARE = 0.25  # of the machine's memory
LEAST, MOST = 256 * 2**20, 8 * 2**30
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def choose_pool_bytes() -> int:
    """A share of the memory of this machine or container.  It is used only as the stored texts need it."""
    return int(min(max(SHARE * _memory_bytes(), LEAST), MOST))


def _memory_bytes() -> int:
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(machine, int(_CGROUP_LIMIT.read_text("ascii")))
    except (OSError, ValueError):  # no such file, or "max"
        return machine
