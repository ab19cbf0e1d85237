"""The models: the agents of the workspace's flows, and those of the configured endpoint, with its embeddings."""

import time
from typing import Any

from aiohttp import web

from ...models.server_events import read_object
from ..application import LISTENER, principal_of
from ..guards import reads_body
from .context import AGENT_PREFIX, read_body, unknown_model
from .errors import ProxyError, in_openai_format
from .passing import without_own_keys
from .resources import PROXY
from .upstream import open_upstream, read_answer, returned_headers

STARTED = int(time.time())


@in_openai_format
async def list_models(request: web.Request) -> web.StreamResponse:
    return web.json_response({"object": "list", "data": await _models(request)})


@in_openai_format
async def get_model(request: web.Request) -> web.StreamResponse:
    name = request.match_info["model"]
    found = next((model for model in await _models(request) if model.get("id") == name), None)
    if found is None:
        raise unknown_model(name)
    return web.json_response(found)


@reads_body
@in_openai_format
async def embed(request: web.Request) -> web.StreamResponse:
    """Embeddings of the endpoint.  They have nothing to do with memory."""
    await principal_of(request)
    body = await read_body(request)
    async with open_upstream(request.app[PROXY], request, "/embeddings", without_own_keys(body)) as response:
        answer = await read_answer(request.app[PROXY], response)
    return web.Response(status=response.status, body=answer, headers=returned_headers(response.headers))


async def _models(request: web.Request) -> list[dict[str, Any]]:
    """Raises: NotAuthenticated, EngineUnavailable.  An endpoint that does not answer only lacks in the list."""
    principal = await principal_of(request)
    proxy = request.app[PROXY]
    bus = await request.app[LISTENER].buses.open(principal.workspace)
    state = await proxy.flow_state(bus)
    agents = [
        {"id": f"{AGENT_PREFIX}{flow}", "object": "model", "created": STARTED, "owned_by": "trustgraph"} for flow in state.flows
    ]
    if not proxy.settings.upstream()[0]:
        return agents
    try:
        async with open_upstream(proxy, request, "/models", None) as response:
            offered = (read_object(await read_answer(proxy, response)) or {}).get("data")
    except ProxyError:
        return agents
    named = [each for each in offered if isinstance(each, dict) and each.get("id")] if isinstance(offered, list) else []
    defaults = {"object": "model", "created": STARTED, "owned_by": "upstream"}
    return [*agents, *({**defaults, **model} for model in named)]
