"""What only HTTP has: keys, collections in the address, methods, headers, bounds."""

from typing import Any

import aiohttp
import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import StoreFact

from .conftest import MODES, Served, over_http
from .test_tools import refusal, use

pytestmark = pytest.mark.asyncio(loop_scope="session")

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
PATIENCE = aiohttp.ClientTimeout(total=30)


async def send(
    served: Served, method: str, path: str, headers: dict[str, str], body: Any = None
) -> tuple[int, dict[str, str], Any]:
    async with (
        aiohttp.ClientSession(timeout=PATIENCE) as web,
        web.request(method, served.url + path, headers=ACCEPT | headers, json=body) as response,
    ):
        content = await response.json() if response.content_type == "application/json" else await response.text()
        return response.status, dict(response.headers), content


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/work"])
async def test_without_a_key_the_answer_is_401(served: Served, path: str) -> None:
    for headers in ({}, bearer("wrong")):
        status, answered, body = await send(served, "POST", path, headers, LIST)
        assert (status, answered["WWW-Authenticate"]) == (401, 'Bearer realm="react-mem"')
        assert body["error"]["message"]


async def test_the_protocol_is_stateless_in_both_eras(served: Served, user: str) -> None:
    key = bearer(served.key(user))
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    status, headers, answer = await send(served, "POST", "/mcp", key, initialize)
    assert (status, answer["result"]["protocolVersion"]) == (200, "2025-06-18")
    assert "Mcp-Session-Id" not in headers
    assert "never instructions" in answer["result"]["instructions"]
    status, _, answer = await send(served, "POST", "/mcp", key, LIST)
    assert (status, answer["result"]["tools"][0]["name"]) == (200, "search_memories")

    modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover", **key}
    discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}}
    status, _, answer = await send(served, "POST", "/mcp", modern, discover)
    assert (status, answer["result"]["resultType"]) == (200, "complete")
    assert "2026-07-28" in answer["result"]["supportedVersions"]
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    status, _, answer = await send(served, "POST", "/mcp", modern | {"Mcp-Method": "tools/list"}, listing)
    assert (status, answer["result"]["cacheScope"]) == (200, "private")
    status, _, answer = await send(served, "POST", "/mcp", modern | {"Mcp-Method": "tools/call"}, listing)
    assert (status, answer["error"]["code"]) == (400, -32020)
    unknown = META | {"io.modelcontextprotocol/protocolVersion": "1999-01-01"}
    headers = key | {"MCP-Protocol-Version": "1999-01-01", "Mcp-Method": "tools/list"}
    status, _, answer = await send(served, "POST", "/mcp", headers, {**listing, "params": {"_meta": unknown}})
    assert (status, answer["error"]["code"]) == (400, -32022)


async def test_pages_of_other_origins_are_refused(served: Served, user: str) -> None:
    headers = bearer(served.key(user)) | {"Origin": "https://evil.example"}
    assert (await send(served, "POST", "/mcp", headers, LIST))[0] == 403
    assert (await send(served, "POST", "/mcp", bearer(served.key(user)) | {"Host": "evil.example"}, LIST))[0] == 403


async def test_a_key_reaches_its_collections_only(served: Served, user: str, bus: MemoryBus) -> None:
    await bus.call(StoreFact(user=user, collection="work", content="The badge is Heron"))
    key = served.key(user, collections=("work",))
    async with over_http(served.url, key, MODES["modern"], "/mcp/work") as client:
        assert "Heron" in str(await use(client, "search_memories", query="badge"))
    async with over_http(served.url, key, MODES["modern"]) as client:  # its first collection
        assert "Heron" in str(await use(client, "search_memories", query="badge"))
    status, _, answer = await send(served, "POST", "/mcp/home", bearer(key), LIST)
    assert status == 403
    assert "home" in answer["error"]["message"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_key_that_only_reads_changes_nothing(served: Served, user: str, bus: MemoryBus, era: str) -> None:
    stored = await bus.call(StoreFact(user=user, content="Ann likes tulips"))
    async with over_http(served.url, served.key(user, writes=False), MODES[era]) as client:
        assert (await use(client, "search_memories", query="tulips"))["results"]
        for tool, arguments in (
            ("add_memory", {"content": "Ann likes roses"}),
            ("add_memory", {"content": "x", "kind": "procedural"}),
            ("add_memory", {"messages": [{"role": "user", "content": "roses"}]}),
            ("update_memory", {"id": stored.fact_id, "content": "roses"}),
            ("delete_memory", {"id": stored.fact_id}),
            ("delete_memory", {"conversation_id": "c1"}),
            ("memory_feedback", {"id": stored.fact_id, "rating": -1}),
        ):
            assert await refusal(client, tool, **arguments)
        assert len((await use(client, "get_memories"))["results"]) == 1
