"""Subscriptions to events over a socket: service ``events``, operations ``subscribe`` and ``unsubscribe``."""

import asyncio

from ...errors import BadRequest, EngineUnavailable
from ...memory.json_object import json_type
from ..access import Access
from ..application import Listener
from . import frames
from .event import Kind, read_kinds
from .feed import events_after, read_cursor
from .frames import RequestFrame
from .sender import Sender


class Subscriptions:
    """Those of one socket, by the ``id`` of the message that made them."""

    def __init__(self, sender: Sender, listener: Listener) -> None:
        self._sender = sender
        self._listener = listener
        self._running: dict[str | int, asyncio.Task[None]] = {}

    def tasks(self) -> list[asyncio.Task[None]]:
        return list(self._running.values())

    async def end_all(self) -> None:
        for frame_id in list(self._running):
            await self._end(frame_id)

    async def serve(self, request: RequestFrame, access: Access) -> None:
        """``{"operation": "subscribe", "kinds", "after"}`` or ``{"operation": "unsubscribe", "id"}``.  Raises: BadRequest."""
        match request.body.get("operation"):
            case "subscribe":
                await self._subscribe(request, access)
            case "unsubscribe":
                ended = await self._end(request.body.get("id"))
                await self._sender.send({"id": request.id, "response": {"ended": ended}, "complete": True})
            case other:
                raise BadRequest(f"events has no operation {str(other)[:60]!r}: use subscribe or unsubscribe")

    async def _subscribe(self, request: RequestFrame, access: Access) -> None:
        named = request.body.get("kinds") or []
        if not isinstance(named, list):
            raise BadRequest(f"kinds must be a list of names, not {json_type(named)}")
        kinds = read_kinds(named)
        cursor = read_cursor(request.body.get("after") or "")
        most = self._listener.events.limits.subscriptions
        if request.id in self._running:
            raise BadRequest("a subscription of this socket has the same id: use another, or unsubscribe it")
        if len(self._running) >= most:
            raise BadRequest(f"this socket has {most} subscriptions, its maximum: unsubscribe one")
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._follow(request, access, kinds, cursor, started))
        self._running[request.id] = task
        task.add_done_callback(lambda _: self._running.pop(request.id, None))
        await started

    async def _follow(
        self, request: RequestFrame, access: Access, kinds: frozenset[Kind], cursor: str, started: asyncio.Future[None]
    ) -> None:
        """The first message says that the subscription has begun, and its cursor."""
        try:
            async with self._listener.events.follow(access.scope, kinds, self._listener.buses) as ring:
                begun = {"operation": "subscribed", "cursor": cursor or ring.cursor}
                await self._sender.send({"id": request.id, "response": begun, "complete": False})
                started.set_result(None)
                async for event in events_after(ring, begun["cursor"]):
                    if event.kind in kinds:
                        frame = {"id": request.id, "response": event.as_json(), "complete": False}
                        await self._sender.send(frame, event.cursor)
        except EngineUnavailable as error:
            if started.done():
                await self._sender.send(frames.error_frame(request.id, error))
            else:
                started.set_exception(error)

    async def _end(self, frame_id: object) -> bool:
        task = self._running.pop(frame_id, None) if isinstance(frame_id, str | int) else None
        if task is None:
            return False
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await self._sender.send({"id": frame_id, "response": {"operation": "unsubscribed"}, "complete": True})
        return True
