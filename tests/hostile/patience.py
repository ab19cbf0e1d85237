"""An event loop whose clock passes more slowly while attacked processes wait for a processor.

Limits of time are about what a stack does, not about what else the machine does.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SAMPLE_EVERY_S = 0.5
SLOWEST = 0.02  # of the true time, so that each limit is reached
NS_PER_S = 1e9


class PatientClock:
    """Seconds, less those in which a thread of this process or its children was ready to run and did not.

    ``waited``: for each thread, how long it has waited for a processor.
    """

    def __init__(self, waited: Callable[[], dict[int, float]], true: Callable[[], float] = time.monotonic) -> None:
        self._waited, self._true = waited, true
        self._sampled_at = true()
        self._known = waited()
        self._passed, self._rate = 0.0, 1.0

    def __call__(self) -> float:
        """Never less than before: what was measured counts for the time that follows."""
        since_s = self._true() - self._sampled_at
        if since_s >= SAMPLE_EVERY_S:
            self._passed += since_s * self._rate
            known, self._known = self._known, self._waited()
            longest_s = max((waited - known.get(thread, 0.0) for thread, waited in self._known.items()), default=0.0)
            self._rate = max(SLOWEST, 1.0 - longest_s / since_s)
            self._sampled_at += since_s
            since_s = 0.0
        return self._passed + since_s * self._rate


class PatientLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = PatientClock(waited_by_threads)
        super().__init__()

    def time(self) -> float:
        return self._clock()


def waited_by_threads() -> dict[int, float]:
    """For each thread of this process and its descendants the seconds for which it waited for a processor."""
    found: dict[int, float] = {}
    for process in _family(os.getpid()):
        for thread in _listed(f"/proc/{process}/task"):
            with contextlib.suppress(OSError, IndexError):  # it ended, or the kernel does not tell
                found[int(thread)] = int(Path(f"/proc/{process}/task/{thread}/schedstat").read_bytes().split()[1]) / NS_PER_S
    return found


def _family(process: int) -> Iterator[int]:
    yield process
    for thread in _listed(f"/proc/{process}/task"):
        with contextlib.suppress(OSError):
            for child in Path(f"/proc/{process}/task/{thread}/children").read_bytes().split():
                yield from _family(int(child))


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
