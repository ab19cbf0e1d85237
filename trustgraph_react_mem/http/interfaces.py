"""The interfaces of the listener.  A new one is a module with a function ``routes()`` and a line here."""

from aiohttp import web

from . import hindsight, mem0, native, seed_routes


def all_routes() -> list[web.RouteDef]:
    # mem0 first: its clients end every path with a slash, which the native interface accepts, too.
    return [*mem0.routes(), *hindsight.routes(), *seed_routes.routes(), *native.routes()]
