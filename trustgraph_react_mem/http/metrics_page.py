"""``GET /metrics``: the metrics of this process in Prometheus' text format."""

from ipaddress import ip_address

from aiohttp import hdrs, web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from ..errors import NotPermitted
from .application import principal_of


def routes() -> list[web.RouteDef]:
    return [web.get("/metrics", _export)]


async def _export(request: web.Request) -> web.Response:
    """For callers of this machine, and for admin keys.  Raises: NotAuthenticated, NotPermitted."""
    if not _is_local(request.remote) and (await principal_of(request)).kind != "admin":
        raise NotPermitted("metrics from another machine need an admin key")
    return web.Response(body=generate_latest(), headers={hdrs.CONTENT_TYPE: CONTENT_TYPE_LATEST})


def _is_local(remote: str | None) -> bool:
    try:
        return remote is not None and ip_address(remote).is_loopback
    except ValueError:
        return False
