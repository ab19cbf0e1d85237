"""Combine concurrent calls into one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batch(Generic[Item, Result]):
    """Collects the items that are added while a call runs, and passes them to the next call.  There is no timer.

    An error of a call is raised to every caller of its batch.
    """

    def __init__(self, call: Callable[[Sequence[Item]], Awaitable[Result]]) -> None:
        self._call = call
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._running: asyncio.Task[None] | None = None

    async def add(self, item: Item) -> Result:
        """Add an item, and return the result of the call that included it."""
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await done

    async def finish(self) -> None:
        """Wait for the calls that run or are due."""
        if self._running is not None:
            await asyncio.wait([self._running])

    async def _run(self) -> None:
        while self._waiting:
            # Drop the items of cancelled callers: nothing may be written for them after the cancellation.
            group = [(item, done) for item, done in self._waiting if not done.done()]
            self._waiting = []
            if not group:
                return
            outcome: Result | Exception
            try:
                outcome = await self._call([item for item, _ in group])
            except Exception as error:  # any error is passed to all callers of the batch
                outcome = error
            for _, done in group:
                if not done.done():
                    if isinstance(outcome, Exception):
                        done.set_exception(outcome)
                    else:
                        done.set_result(outcome)
