"""The interfaces of the listener.  A new one is a module with a function ``routes()`` and a line here."""

from pathlib import Path

from aiohttp import web

from . import native
from .application import Context
from .proxy.resources import proxy_context
from .proxy.routes import routes as proxy_routes


def all_routes() -> list[web.RouteDef]:
    return [*native.routes(), *proxy_routes()]


def all_contexts(home: Path) -> list[Context]:
    """What the interfaces keep open.  ``home``: the data directory."""
    return [proxy_context(home)]
