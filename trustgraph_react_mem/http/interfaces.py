"""The interfaces of the listener.  A new one is a module with a function ``routes()`` and a line here."""

from aiohttp import web

from . import mcp, mem0, native, proxy, seed_routes
from .events.stream import routes as event_routes
from .ui.routes import routes as ui_routes


def all_routes() -> list[web.RouteDef]:
    # mem0 first: its clients end every path with a slash, which the native interface accepts, too.
    peers = [*mem0.routes(), *seed_routes.routes()]
    return [*peers, *native.routes(), *event_routes(), *proxy.routes(), *mcp.routes(), *ui_routes()]
