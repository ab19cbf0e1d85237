"""Which web pages may open a socket.  A browser sends no credential by itself, but names the page's origin."""

from urllib.parse import urlsplit

from aiohttp import web

from ...errors import NotPermitted


def check_origin(request: web.Request) -> None:
    """Only pages of this server.  A program that is no browser sends no ``Origin``.  Raises: NotPermitted."""
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.host.lower():
        raise NotPermitted(f"pages of {origin[:100]!r} may not open a socket of this server")
