"""Sends messages over a socket, in order, and gives up on a client that does not read."""

import asyncio
import contextlib
import json
import logging

from aiohttp import web

from .frames import Frame
from .hub import EventLimits

logger = logging.getLogger(__name__)

SLOW = 1013  # close code: try again later
FLUSH_S = 1.0
MOST_REASON = 120  # bytes; a close frame takes 123


class Sender:
    """``run`` sends what ``send`` was given.  ``cursor``: of the last event that was sent."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport | None, limits: EventLimits) -> None:
        self.cursor = ""
        self._socket = socket
        self._transport = transport
        self._limits = limits
        self._queue: asyncio.Queue[tuple[Frame, str]] = asyncio.Queue(limits.queued)
        self._closing: asyncio.Task[None] | None = None

    async def send(self, frame: Frame, cursor: str = "") -> None:
        """Wait for room and return; the message is sent later.  After a close, messages are dropped."""
        if self._closing is not None:
            return
        try:
            async with asyncio.timeout(self._limits.slow_s):
                await self._queue.put((frame, cursor))
        except TimeoutError:
            logger.info("closing a socket whose client took no message for %g s", self._limits.slow_s)
            await self.close(SLOW, f"too slow; last cursor {self.cursor}" if self.cursor else "too slow")

    async def run(self) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                frame, cursor = await self._queue.get()
                await self._socket.send_str(json.dumps(frame, ensure_ascii=False))
                self.cursor = cursor or self.cursor
                self._queue.task_done()

    async def close(self, code: int, reason: str) -> None:
        """Close the socket.  What was sent before goes first, unless the client is slow."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(code, reason))
        await asyncio.shield(self._closing)

    async def ended(self) -> None:
        """Return once a close that began has ended."""
        if self._closing is not None:
            await self._closing

    async def _close(self, code: int, reason: str) -> None:
        if code != SLOW:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FLUSH_S):
                    await self._queue.join()
        try:
            async with asyncio.timeout(self._limits.close_s):
                await self._socket.close(code=code, message=reason.encode()[:MOST_REASON])
        except (TimeoutError, ConnectionError):
            if self._transport is not None:
                self._transport.abort()  # a client that does not read would keep the connection and its buffers
