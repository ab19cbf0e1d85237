"""An event loop without threads, files or waiting: sleeping costs nothing, and a run is the same every time.

When nobody can go on, time jumps to the next timer.  When there is none either, nothing will ever happen again: ``Stuck``.
The order of tasks follows from the program alone, so a run repeats exactly when its random numbers do (and the order of sets
of strings: run with ``PYTHONHASHSEED`` set).
"""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, TypeVar

T = TypeVar("T")

MOST_ROUNDS = 1_000_000  # the simulated lives need 10,000 to 50,000


class Stuck(Exception):
    """Everybody waits for somebody else, or the time that was allowed has passed."""


class VirtualTimeLoop(asyncio.BaseEventLoop):
    """Gives up after ``limit_s`` seconds of its own time, or after ``most_rounds`` rounds of the loop."""

    def __init__(self, *, limit_s: float, most_rounds: int = MOST_ROUNDS) -> None:
        super().__init__()
        self._now_s = 0.0
        self._limit_s = limit_s
        self._rounds_left: float = most_rounds
        self._selector = self
        # what the base class takes for now; a float of some months is no finer than a clock of nanoseconds would be
        self._clock_resolution = 1e-6

    def time(self) -> float:
        return self._now_s

    def select(self, timeout_s: float | None) -> list[Any]:
        """What the base class does when no task can run: here it passes the time."""
        if timeout_s is None:
            raise Stuck("nobody has anything left to wait for, and not everybody is done")
        if timeout_s > 0:
            self._now_s += timeout_s
        self._rounds_left -= 1
        if self._rounds_left < 0:
            raise Stuck("it goes on and on, and its time hardly passes")
        if self._now_s > self._limit_s:
            raise Stuck(f"it did not come to rest within {timedelta(seconds=self._limit_s)}")
        return []

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> "asyncio.Future[T]":  # type: ignore[override]
        """There are no threads: it is done at once."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # whatever it is belongs to who awaits it
            future.set_exception(error)
        return future

    def give_time(self) -> None:
        """No limit from now on: for cleaning up."""
        self._limit_s = self._rounds_left = float("inf")

    def _process_events(self, event_list: list[Any]) -> None:
        return None

    def _write_to_self(self) -> None:
        return None


def run_in_virtual_time(main: Coroutine[Any, Any, T], *, limit_s: float = 30 * 86_400.0, most_rounds: int = MOST_ROUNDS) -> T:
    """As ``asyncio.run``.  What is left running at the end is cancelled.  Raises Stuck."""
    loop = VirtualTimeLoop(limit_s=limit_s, most_rounds=most_rounds)
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(main)
    finally:
        loop.give_time()
        for task in sorted(asyncio.all_tasks(loop), key=lambda task: task.get_name()):
            task.cancel()
        for _ in range(100):  # a task may wait for others that it cancels in turn
            if not asyncio.all_tasks(loop):
                break
            loop.call_soon(loop.stop)
            loop.run_forever()
        asyncio.set_event_loop(None)
        loop.close()


class LoopClock:
    """``Clock`` of the running loop's own time."""

    def __init__(self, start: datetime) -> None:
        self._start = start
        self._last = start

    def now(self) -> datetime:
        """Never the same time twice, as a real clock: what was written later is later."""
        at = self._start + timedelta(seconds=asyncio.get_running_loop().time())
        self._last = at if at > self._last else self._last + timedelta(microseconds=1)
        return self._last

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
