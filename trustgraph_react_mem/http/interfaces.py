"""The interfaces of the listener.  A new one is a module with a function ``routes()`` and a line here."""

from aiohttp import web

from . import native


def all_routes() -> list[web.RouteDef]:
    return [*native.routes()]
