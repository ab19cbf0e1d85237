"""``GET /v1/events``: the events of one scope as server-sent events (HTML standard, section 9.2)."""

import asyncio
import contextlib
import json

from aiohttp import web

from ...errors import BadRequest
from ..application import LISTENER, Listener, access_of
from .event import Event, Kind, read_kinds
from .feed import Ring, events_after, read_cursor
from .hub import EventHub

PARAMETERS = ("kinds", "after", "user_id", "collection")
RETRY_MS = 3_000  # after which a browser connects again


async def stream_events(request: web.Request) -> web.StreamResponse:
    """Sends events until the client leaves, its credential ends or the server stops.

    ``kinds``: names separated by commas.  ``Last-Event-ID`` or ``after``: the cursor to continue from; default: now.
    Raises: BadRequest, NotAuthenticated, NotPermitted, TooManyConnections, EngineUnavailable.
    """
    listener = request.app[LISTENER]
    hub = listener.events
    if unknown := sorted(set(request.query) - set(PARAMETERS)):
        raise BadRequest(f"the query parameter {unknown[0][:60]!r} is unknown: use {', '.join(PARAMETERS)}")
    access = await access_of(request, user=request.query.get("user_id", ""), collection=request.query.get("collection", ""))
    kinds = read_kinds(name.strip() for name in request.query.get("kinds", "").split(",") if name.strip())
    cursor = read_cursor(request.headers.get("Last-Event-ID") or request.query.get("after", ""))
    with hub.connect(), hub.connect_as(access.principal):
        async with hub.follow(access.scope, kinds, listener.buses) as ring:
            response = web.StreamResponse(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
            response.content_type = "text/event-stream"
            await response.prepare(request)
            with contextlib.suppress(ConnectionError, TimeoutError):
                await _send(response, hub, f"retry: {RETRY_MS}\n\n")
                await _run(request, response, listener, ring, cursor or ring.cursor, kinds)
            return response


async def _run(
    request: web.Request,
    response: web.StreamResponse,
    listener: Listener,
    ring: Ring,
    cursor: str,
    kinds: frozenset[Kind],
) -> None:
    """Raises: ConnectionError, TimeoutError (the client takes no data)."""
    hub = listener.events
    events = events_after(ring, cursor)
    checked = sent = asyncio.get_running_loop().time()
    pending = asyncio.ensure_future(anext(events))
    closing = asyncio.ensure_future(hub.closing.wait())
    try:
        while not closing.done():
            pause_s = min(hub.limits.ping_s, hub.limits.check_s)
            await asyncio.wait((pending, closing), timeout=pause_s, return_when=asyncio.FIRST_COMPLETED)
            now = asyncio.get_running_loop().time()
            if now - checked >= hub.limits.check_s:
                checked = now
                if not await listener.still_admits(request):
                    await _send(response, hub, 'event: closed\ndata: {"reason": "the key is no longer valid"}\n\n')
                    return
            if not pending.done():
                if now - sent >= hub.limits.ping_s:
                    sent = now
                    await _send(response, hub, ": keep-alive\n\n")
                continue
            sent = now
            event = pending.result()
            pending = asyncio.ensure_future(anext(events))
            if event.kind in kinds:
                await _send(response, hub, _frame(event))
    finally:
        for task in (pending, closing):
            task.cancel()
        await asyncio.gather(pending, closing, return_exceptions=True)


def _frame(event: Event) -> str:
    data = json.dumps(event.as_json(), ensure_ascii=False)
    return f"id: {event.cursor}\nevent: {event.kind}\ndata: {data}\n\n"


async def _send(response: web.StreamResponse, hub: EventHub, text: str) -> None:
    async with asyncio.timeout(hub.limits.slow_s):
        await response.write(text.encode())
