"""Sends the messages of a request in order without waiting for each confirmation.  All are confirmed at the end."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from trustgraph.schema import AgentResponse

MAX_UNCONFIRMED = 256  # maximum number of unconfirmed sends


class Outbox:
    """One per request.  Sends start in the order of the calls."""

    def __init__(self, send: Callable[[AgentResponse], Awaitable[None]]) -> None:
        self._send = send
        self._under_way: list[asyncio.Task[None]] = []

    async def respond(self, response: AgentResponse) -> None:
        """Send a message.  The last one of a dialogue waits for all confirmations.

        Raises: EngineUnavailable (a message was not confirmed; raised at the latest with the last message).
        """
        await self.post(self._deliver(response))
        if response.end_of_dialog:
            await self.drain()

    async def post(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a send without waiting for its confirmation.  With too many unconfirmed sends, wait for all of them."""
        self._under_way.append(asyncio.create_task(work))
        if len(self._under_way) >= MAX_UNCONFIRMED:
            await self.drain()

    async def drain(self) -> None:
        """Wait until every send is confirmed.  Raises the first failure."""
        under_way, self._under_way = self._under_way, []
        for outcome in await asyncio.gather(*under_way, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def _deliver(self, response: AgentResponse) -> None:
        await self._send(response)
