"""Waiting for what a row measures: as long as it takes, with a word of progress."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

PATIENCE_S = 3600.0  # nothing that works takes this long on any machine, and what hangs must end
REPORT_S = 15.0


class Progress:
    """What a row is doing, printed every ``REPORT_S`` seconds while it is measured."""

    def __init__(self) -> None:
        self.doing = ""

    @asynccontextmanager
    async def reported(self, name: str) -> AsyncIterator[None]:
        self.doing = ""
        task = asyncio.create_task(self._report(name, time.monotonic()))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _report(self, name: str, began: float) -> None:
        while True:
            await asyncio.sleep(REPORT_S)
            print(f"{name}: {time.monotonic() - began:.0f} s so far  {self.doing}", file=sys.stderr, flush=True)


progress = Progress()


async def patiently(ask: Callable[[float], Awaitable[int]], what: str) -> None:
    """Ask until nothing is left.  ``ask``: waits for at most the given seconds and returns how many are still open.

    Raises: TimeoutError (for ``PATIENCE_S`` seconds, the number did not change).
    """
    before, since = -1, time.monotonic()
    while left := await ask(REPORT_S):
        progress.doing = f"{left} {what} left"
        if left != before:
            before, since = left, time.monotonic()
        elif time.monotonic() - since > PATIENCE_S:
            raise TimeoutError(f"{left} {what} were left, and none ended within {PATIENCE_S / 60:.0f} minutes")
