"""``GET /v1/events``: the events of one scope as server-sent events."""

import contextlib
from collections.abc import Sequence
from typing import Annotated

from aiohttp import web
from pydantic import Field

from ...errors import NotAuthenticated
from ..application import LISTENER, access_of
from ..native.models import ScopeFields
from ..native.routing import read_query
from .event_stream import EventStream, encode_event
from .feed import events_after, read_kinds

RETRY_MS = 3_000  # after which a browser connects again


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
            stream = EventStream(request, {"Cache-Control": "no-store"}, hub.limits.ping_s)
            with contextlib.suppress(ConnectionError):
                await stream.send(f"retry: {RETRY_MS}\n\n".encode())
                try:
                    async for event in stream.each(events_after(ring, cursor or ring.cursor)):
                        if event.kind in kinds:
                            await stream.send(f"id: {event.cursor}\n".encode() + encode_event(event.as_json(), event.kind))
                except NotAuthenticated:
                    await stream.send(encode_event({"reason": "the key is no longer valid"}, "closed"))
            return await stream.end()
