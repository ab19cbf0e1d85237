"""The interfaces of the listener.  A new one is a module with a function ``routes()`` and a line here."""

from pathlib import Path

from aiohttp import web

from . import mcp, mem0, native, seed_routes
from .application import Context
from .events.stream import routes as event_routes
from .proxy.resources import proxy_context
from .proxy.routes import routes as proxy_routes
from .ui.routes import routes as ui_routes


def all_routes() -> list[web.RouteDef]:
    # mem0 first: its clients end every path with a slash, which the native interface accepts, too.
    peers = [*mem0.routes(), *seed_routes.routes()]
    return [*peers, *native.routes(), *event_routes(), *proxy_routes(), *mcp.routes(), *ui_routes()]


def all_contexts(home: Path) -> list[Context]:
    """What the interfaces keep open.  ``home``: the data directory."""
    return [proxy_context(home)]
