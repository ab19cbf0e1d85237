"""Holds publishers back while the embedded broker's store is replaced."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class PublishGate:
    """``async with gate.passed(): publish`` and ``async with gate.closed(): replace the store``."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._inside = 0

    @asynccontextmanager
    async def passed(self) -> AsyncIterator[None]:
        """Waits while the gate is closed."""
        await self._open.wait()
        self._inside += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._quiet.set()

    @asynccontextmanager
    async def closed(self) -> AsyncIterator[None]:
        """Entered when those inside have left."""
        self._open.clear()
        try:
            await self._quiet.wait()
            yield
        finally:
            self._open.set()
