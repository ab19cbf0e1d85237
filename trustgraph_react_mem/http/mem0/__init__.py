"""The interface of mem0: the paths of its platform, versions 1 to 3, with and without a slash at the end.

A mem0 project is a collection here, a run is a conversation, and the user is the one of the key.  docs/http-peers.md has the
whole table.  Paths under ``/v1/memories`` without the slash belong to the native interface, whose objects hold most of these
fields too.  mem0's clients always send it.

Invariants: every answer has a body with JSON, because mem0's clients parse one from each 2xx; an error has both ``detail``
and ``error``, because they read either.

Source: mem0ai 2.2.1 (Python) and mem0ai 3.3.1 (TypeScript).
"""

from aiohttp import web

from ...errors import MemoryServiceError
from ..access import choose_collection
from ..application import principal_of
from ..guards import Handler, errors_as
from ..principal import named_collection
from ..problems import headers_of, status_of
from . import adding, changing, reading

NATIVE = "/v1/memories/"  # without a slash at the end, these paths belong to the native interface


def routes() -> list[web.RouteDef]:
    table: list[tuple[str, str, Handler]] = [
        ("GET", "/v1/ping/", ping),
        ("POST", "/v3/memories/add/", adding.add),
        ("POST", "/v1/memories/", adding.add),
        *(("POST", f"/{version}/memories/search/", reading.search) for version in ("v1", "v2", "v3")),
        *(("POST", f"/{version}/memories/", reading.list_page) for version in ("v2", "v3")),
        ("GET", "/v1/memories/", reading.list_page),
        ("DELETE", "/v1/memories/", changing.delete_scope),
        ("GET", "/v1/memories/{id}/", reading.get),
        ("PUT", "/v1/memories/{id}/", changing.update),
        ("PATCH", "/v1/memories/{id}/", changing.update),
        ("DELETE", "/v1/memories/{id}/", changing.delete),
        ("GET", "/v1/memories/{id}/history/", reading.history),
        ("GET", "/v1/entities/", reading.list_entities),
        *(("DELETE", f"/{version}/entities/{{kind}}/{{name}}/", changing.delete_entity) for version in ("v1", "v2")),
        ("GET", "/v1/event/{id}/", adding.get_event),
    ]
    return [
        web.route(method, path, errors_as(failure)(handler))
        for method, with_slash, handler in table
        for path in dict.fromkeys([with_slash, with_slash if with_slash.startswith(NATIVE) else with_slash.rstrip("/")])
    ]


def failure(error: MemoryServiceError, request_id: str) -> web.Response:
    """An error in mem0's shape."""
    body = {"detail": str(error), "error": str(error), "code": error.wire_type, "request_id": request_id}
    return web.json_response(body, status=status_of(error), headers=headers_of(error))


async def ping(request: web.Request) -> web.Response:
    """Checks the key.  A client asks when it is made, before it names a user, which a service key does in each request."""
    collection = choose_collection(await principal_of(request), named_collection(request))
    return web.json_response({"status": "ok", "org_id": "default", "project_id": collection, "user_email": None})
