"""The interfaces of the listener.  A new one is a module with a function ``routes()`` and a line here."""

from aiohttp import web

from . import native
from .events.routes import routes as event_routes


def all_routes() -> list[web.RouteDef]:
    return [*native.routes(), *event_routes()]
