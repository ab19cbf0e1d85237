"""The routes of event streams and sockets."""

from aiohttp import web

from .socket import open_socket
from .stream import stream_events


def routes() -> list[web.RouteDef]:
    """``/api/v1/socket`` is the path that TrustGraph's own clients open."""
    return [
        web.get("/v1/events", stream_events, allow_head=False),
        web.get("/v1/socket", open_socket, allow_head=False),
        web.get("/api/v1/socket", open_socket, allow_head=False),
    ]
