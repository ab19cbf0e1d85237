"""TrustGraph's own service ``mcp-tool`` calls our tools, with the configuration that `react-mem mcp install` shows."""

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestServer

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.http import mcp as http_mcp
from trustgraph_react_mem.http.access import Buses
from trustgraph_react_mem.http.application import Listener, make_application
from trustgraph_react_mem.http.identity import Identity
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.mcp.install import TOOLS, trustgraph_entry, trustgraph_key
from trustgraph_react_mem.memory.requests import StoreFact
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

from .conftest import needs_trustgraph

pytestmark = pytest.mark.stock

WORKSPACE = "default"


def stock_service() -> Any:
    """TrustGraph's service with its own code for the configuration and the call, and without its connection to the bus."""
    from trustgraph.agent.mcp_tool.service import Service

    service = Service.__new__(Service)
    service.mcp_services = {}
    return service


@needs_trustgraph("2.9.3", "the service cannot call a server with any released MCP package")
async def test_trustgraphs_service_calls_our_tools(tmp_path: Path) -> None:
    settings = StoreSettings(keys=tmp_path / "keys")
    async with (
        EmbeddedStack(tmp_path / "data", model="none", embeddings=HashedEmbedder(), settings=settings) as stack,
        await MemoryBus.connect(stack.address) as bus,
    ):
        keys = KeyFile(stack.home)
        listener = Listener(buses=Buses(stack.address), authenticate=Identity(keys.resolve))
        async with TestServer(make_application(listener, http_mcp.routes())) as server:
            _, secret = keys.create("user", user="ana", collections=("team",))
            url = str(server.make_url("/mcp/team"))
            entries = {trustgraph_key("react-mem", tool): json.dumps(trustgraph_entry(url, tool, secret)) for tool in TOOLS}
            await bus.config_put("mcp", entries)
            await bus.call(StoreFact(user="bo", collection="team", content="Bo keeps a boat called Heron"))
            service = stock_service()
            await service.on_mcp_config(WORKSPACE, {"mcp": await bus.config_get("mcp")}, 1)

            async def call(tool: str, **parameters: Any) -> Any:
                return await service.invoke_tool(WORKSPACE, f"react-mem-{tool}", parameters)

            added = await call("add-memory", content="The boat is called Mimi")
            assert added["status"] == "active"
            found = await call("search-memories", query="what is the boat called?", limit=3)
            assert [item["memory"] for item in found["results"]] == ["The boat is called Mimi"]
            gone = await call("delete-memory", id=added["id"])
            assert gone["complete"]
            assert (await call("search-memories", query="boat"))["results"] == []
            refused = await call("get-memory", id=added["id"])
            assert added["id"] in refused  # the text of the error, which the agent reads
        await listener.buses.close()
