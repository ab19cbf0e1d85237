"""Groups of tools."""

import pytest
from mcp import Client

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.mcp.server import McpSettings

from .conftest import in_process
from .test_tools import EIGHT

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.later]


async def test_eight_tools_are_the_default(bus: MemoryBus, user: str) -> None:
    async with Client(in_process(bus, user, settings=McpSettings())) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == EIGHT
        assert not (await client.list_resources()).resources


async def test_an_unknown_group_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_MEM_MCP_GROUPS", "graph")
    with pytest.raises(ConfigurationError, match=r"REACT_MEM_MCP_GROUPS = 'graph'.*'refine'"):
        McpSettings.load()
