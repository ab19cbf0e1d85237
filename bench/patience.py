"""Waiting for what a row measures, as long as it takes."""

import time
from collections.abc import Awaitable, Callable

PATIENCE_S = 3600.0  # nothing that works takes this long on any machine, and what hangs must end
ASK_EVERY_S = 15.0


async def patiently(ask: Callable[[float], Awaitable[int]], what: str) -> None:
    """Ask until nothing is left.  ``ask``: waits for at most the given seconds and returns how many are still open.

    Raises: TimeoutError (for ``PATIENCE_S`` seconds, the number did not change).
    """
    before, since = -1, time.monotonic()
    while left := await ask(ASK_EVERY_S):
        if left != before:
            before, since = left, time.monotonic()
        elif time.monotonic() - since > PATIENCE_S:
            raise TimeoutError(f"{left} {what} were left, and none ended within {PATIENCE_S / 60:.0f} minutes")
