"""A response with server-sent events, and ``GET /v1/events``: the events of one scope.

Source: WHATWG HTML, section 9.2 (server-sent events).
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from aiohttp import web
from pydantic import Field

from ...errors import NotAuthenticated
from ..application import LISTENER, access_of
from ..native.models import ScopeFields
from ..native.routing import read_query
from .feed import read_kinds

T = TypeVar("T")

HEADERS = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
KEEP_ALIVE = b": keep-alive\n\n"
KEEP_ALIVE_S = 20.0
BEGIN_S = 5.0
RETRY_MS = 3_000  # after which a browser connects again


def encode_event(body: Mapping[str, Any], name: str = "") -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


class EventStream:
    """``keep_alive_s``: seconds between comments in a silent stream.  ``begin``: sent before everything else.

    The headers go out with the first data, or after ``BEGIN_S`` without any: until then the answer can be an error.
    """

    begin = b""

    def __init__(
        self, request: web.Request, headers: Mapping[str, str] | None = None, keep_alive_s: float = KEEP_ALIVE_S
    ) -> None:
        self._request, self._keep_alive_s = request, keep_alive_s
        self._sent = asyncio.get_running_loop().time()
        self.response = web.StreamResponse(headers={**HEADERS, **(headers or {})})

    @property
    def begun(self) -> bool:
        return self.response.prepared

    async def send(self, data: bytes) -> None:
        """Waits for a client that reads slowly.  Raises: ConnectionError (it has left)."""
        if not self.begun:
            await self.response.prepare(self._request)
            data = self.begin + data
        await self.response.write(data)
        self._sent = asyncio.get_running_loop().time()

    async def end(self) -> web.StreamResponse:
        with contextlib.suppress(ConnectionError):
            await self.response.write_eof()
        return self.response

    async def each(self, source: AsyncIterator[T], *, quiet: Callable[[], bool] = lambda: True) -> AsyncIterator[T]:
        """The items of ``source``, with keep-alive comments between them.

        ``quiet``: whether a comment may be sent now.

        Raises: ConnectionError, NotAuthenticated (the key was revoked meanwhile), and what ``source`` raises.
        """
        waiting: asyncio.Task[T] | None = None
        listener, now = self._request.app[LISTENER], asyncio.get_running_loop().time
        check_s = listener.events.check_s
        checked = now()
        try:
            while True:
                waiting = waiting or asyncio.ensure_future(anext(source))
                done, _ = await asyncio.wait({waiting}, timeout=min(self._keep_alive_s, check_s))
                if now() - checked >= check_s:
                    if not await listener.still_admits(self._request):
                        raise NotAuthenticated("the key is not valid any more: it was revoked while this was answered")
                    checked = now()
                # Also between items of which none is sent, such as events that the client did not ask for.
                if now() - self._sent >= (self._keep_alive_s if self.begun else BEGIN_S) and quiet():
                    await self.send(KEEP_ALIVE)
                if not done:
                    continue
                task, waiting = waiting, None
                try:
                    item = task.result()
                except StopAsyncIteration:
                    return
                yield item
        finally:
            if waiting is not None:
                waiting.cancel()
                await asyncio.wait({waiting})


class EventsQuery(ScopeFields):
    kinds: Annotated[Sequence[str], Field(max_length=40)] = ()
    after: Annotated[str, Field(max_length=40)] = ""


def routes() -> list[web.RouteDef]:
    return [web.get("/v1/events", stream_events, allow_head=False)]


async def stream_events(request: web.Request) -> web.StreamResponse:
    """Sends events until the client leaves, its credential ends or the server stops.

    ``kinds``: names separated by commas.  ``Last-Event-ID`` or ``after``: the cursor to continue from; default: now.
    Raises: BadRequest, NotAuthenticated, NotPermitted, TooManyConnections, EngineUnavailable.
    """
    listener = request.app[LISTENER]
    hub = listener.events
    query = read_query(request, EventsQuery)
    access = await access_of(request, user=query.user_id, collection=query.collection)
    kinds = read_kinds(name.strip() for name in query.kinds)
    cursor = request.headers.get("Last-Event-ID") or query.after
    with hub.connect(access.principal):
        async with hub.follow(access.scope, listener.buses) as ring:
            stream = EventStream(request, {"Cache-Control": "no-store"}, hub.ping_s)
            with contextlib.suppress(ConnectionError):
                await stream.send(f"retry: {RETRY_MS}\n\n".encode())
                try:
                    async for event in stream.each(ring.events(cursor or ring.cursor)):
                        if event.kind in kinds:
                            await stream.send(f"id: {event.cursor}\n".encode() + encode_event(event.as_json(), event.kind))
                except NotAuthenticated:
                    await stream.send(encode_event({"reason": "the key is no longer valid"}, "closed"))
            return await stream.end()
