"""Sends the messages of a request in order without waiting for each confirmation.  All are confirmed at the end.

Invariant: a dialogue sends at most ``BURST`` pieces of streamed text and then one every ``PIECE_INTERVAL_S``.  Pieces that come
faster are joined.  Response topics are not persistent, so the broker drops what a reader is too slow to take: a stock gateway
has room for 1,000 messages.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from trustgraph.schema import AgentResponse

MAX_UNCONFIRMED = 256  # maximum number of unconfirmed sends
BURST = 64  # pieces that may be sent at once
PIECE_INTERVAL_S = 0.02

_STREAMED = ("thought", "answer")
Respond = Callable[[AgentResponse], Coroutine[Any, Any, None]]


class Outbox:
    """One per request.  Sends start in the order of the calls."""

    def __init__(self, send: Respond) -> None:
        self._send = send
        self._under_way: list[asyncio.Task[None]] = []
        self._held: list[AgentResponse] = []  # pieces of one message that wait to be sent as one
        self._timer: asyncio.TimerHandle | None = None
        self._earliest_s = 0.0  # loop time from which the next piece may be sent, if there were no burst

    async def respond(self, response: AgentResponse) -> None:
        """Send a message.  The last one of a dialogue waits for all confirmations.

        Raises: EngineUnavailable (a message was not confirmed; raised at the latest with the last message).
        """
        if self._held and not _continues(self._held[-1], response):
            self._send_held()
        if _is_piece(response):
            self._held.append(response)
            self._schedule()
        else:
            self._start(self._send(response))
        await self._limit()
        if response.end_of_dialog:
            await self.drain()

    async def post(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a send without waiting for its confirmation.  With too many unconfirmed sends, wait for all of them."""
        self._start(work)
        await self._limit()

    async def drain(self) -> None:
        """Wait until every send is confirmed.  Raises the first failure."""
        self._send_held()
        under_way, self._under_way = self._under_way, []
        for outcome in await asyncio.gather(*under_way, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    def _schedule(self) -> None:
        """Send the held pieces now, or when the next piece is due."""
        loop = asyncio.get_running_loop()
        wait_s = self._earliest_s - loop.time() - BURST * PIECE_INTERVAL_S
        if wait_s <= 0:
            self._send_held()
        elif self._timer is None:
            self._timer = loop.call_later(wait_s, self._send_held)

    def _send_held(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._held:
            return
        piece = replace(self._held[-1], content="".join(each.content for each in self._held))
        self._held = []
        self._earliest_s = max(self._earliest_s, asyncio.get_running_loop().time()) + PIECE_INTERVAL_S
        self._start(self._send(piece))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._under_way.append(asyncio.create_task(work))

    async def _limit(self) -> None:
        if len(self._under_way) >= MAX_UNCONFIRMED:
            await self.drain()


def _is_piece(response: AgentResponse) -> bool:
    return response.message_type in _STREAMED and not response.end_of_message and not response.end_of_dialog


def _continues(piece: AgentResponse, response: AgentResponse) -> bool:
    same = (piece.message_type, piece.message_id) == (response.message_type, response.message_id)
    return same and _is_piece(response)
