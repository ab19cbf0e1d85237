"""MCP over streamable HTTP: ``/mcp``, also with a slash at the end, and ``/mcp/{collection}``.

The SDK speaks ASGI and the listener is aiohttp, so each request is handed over as one ASGI exchange.  Every exchange is
stateless with a JSON answer: it has its own session manager, nothing is kept between two, and no stream is ever open.  The
standalone stream of the older protocol (GET) is answered 405, and subscriptions are refused.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import httpx
from aiohttp import web

from ..errors import MemoryServiceError
from ..extras import missing_packages
from ..memory.text.well_formed import well_formed_json
from .access import Access
from .application import access_of
from .guards import errors_as
from .problems import headers_of, status_of
from .settings import McpSettings

PATHS = ("/mcp", "/mcp/", "/mcp/{collection}")
LONGEST_CALL_S = 660.0  # a step that the flow's model writes may take ten minutes
ACCESS = "react_mem.access"  # key of the ASGI scope
FRAMING = (b"content-length", b"transfer-encoding", b"content-encoding")  # of the body as it came
Exchange = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]


def routes() -> list[web.RouteDef]:
    """No routes if the extra ``mcp`` is not installed.  Raises: ConfigurationError (a variable of ``McpSettings``)."""
    if missing_packages("mcp"):
        return []
    settings = McpSettings.load()
    exchange: Exchange | None = None

    @errors_as(_problem)
    async def post(request: web.Request) -> web.Response:
        nonlocal exchange
        if exchange is None:  # the SDK takes half a second and 30 MB, for which the start of the listener does not wait
            exchange = await asyncio.to_thread(_exchange_with_server, settings)
        return await _post(request, exchange)

    return [web.post(path, post) for path in PATHS]


def _exchange_with_server(settings: McpSettings) -> Exchange:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from ..mcp.server import build_server

    async def find_access(request: Any) -> Access:
        access: Access = request.scope[ACCESS]
        return access

    server = build_server(find_access, settings)
    server.streamable_http_app(json_response=True, stateless_http=True)  # after it, session_manager has the inner server
    inner = server.session_manager.app

    async def exchange(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        manager = StreamableHTTPSessionManager(inner, json_response=True, stateless=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return exchange


async def _post(request: web.Request, exchange: Exchange) -> web.Response:
    access = await access_of(request, collection=request.match_info.get("collection", ""))
    if request.content_type != "application/json":
        return _json_rpc_error(415, -32700, f"the Content-Type is {request.content_type[:60]!r}: send application/json")
    headers = [(name, value) for name, value in request.raw_headers if name.lower() not in FRAMING]
    body = well_formed_json(await request.read())
    sent = httpx.Request("POST", f"http://mcp{request.rel_url}", headers=headers, content=body)

    async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await exchange({**scope, ACCESS: access}, receive, send)

    try:
        async with asyncio.timeout(LONGEST_CALL_S):
            reply = await httpx.ASGITransport(app).handle_async_request(sent)
            answer = await reply.aread()
    except TimeoutError:
        return _json_rpc_error(504, -32603, f"no answer within {LONGEST_CALL_S:g} s")
    if reply.status_code == 400 and b"Validation error: " in answer:  # which repeats the body in the words of pydantic
        return _json_rpc_error(400, -32600, "the body is no message of JSON-RPC 2.0: send one object with jsonrpc and method")
    kept = [(name, value) for name, value in reply.headers.items() if name not in ("content-length", "connection")]
    return web.Response(status=reply.status_code, headers=kept, body=answer)


def _problem(error: MemoryServiceError, request_id: str) -> web.Response:
    return _json_rpc_error(status_of(error), -32600, str(error), headers_of(error))


def _json_rpc_error(status: int, code: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return web.json_response(body, status=status, headers=headers)
