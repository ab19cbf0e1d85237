"""Many calls at once made as one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batch(Generic[Item, Result]):
    """Items that are added while a call runs are passed to the next one together.  Nothing waits for a timer.

    An error of the call is raised to everyone who added to it.
    """

    def __init__(self, call: Callable[[Sequence[Item]], Awaitable[Result]]) -> None:
        self._call = call
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._running: asyncio.Task[None] | None = None

    async def add(self, item: Item) -> Result:
        """Returns the result of the call that had the item."""
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await done

    async def _run(self) -> None:
        while self._waiting:
            # a caller that was cancelled while it waited gets no write after its cancellation
            group = [(item, done) for item, done in self._waiting if not done.done()]
            self._waiting = []
            if not group:
                return
            try:
                result = await self._call([item for item, _ in group])
            except Exception as error:  # whatever it is belongs to every caller of the group
                for _, done in group:
                    if not done.done():
                        done.set_exception(error)
            else:
                for _, done in group:
                    if not done.done():
                        done.set_result(result)
