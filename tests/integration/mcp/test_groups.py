"""Groups of tools, and resources."""

import json

import pytest
from mcp import Client

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.mcp.server import McpSettings
from trustgraph_react_mem.memory.requests import AppendInvocation, StoreFact
from trustgraph_react_mem.schema import InvocationSummary

from .conftest import GROUP_WAYS, Open, Way, in_process
from .test_tools import EIGHT

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.later]


@pytest.fixture(params=GROUP_WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


async def test_eight_tools_are_the_default(bus: MemoryBus, user: str) -> None:
    async with Client(in_process(bus, user, settings=McpSettings())) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == EIGHT
        assert [str(each.uri) for each in (await client.list_resources()).resources] == ["memory://topics", "memory://stats"]


async def test_resources_are_private_data(connect: Open, user: str, bus: MemoryBus) -> None:
    for number in range(60):
        text = f"Ann's {number}th favourite tulip has a long and flowery name"
        await bus.call(StoreFact(user=user, content=text, metadata={"topic": f"tulip {number}"}))
    summary = InvocationSummary(query="What do I like?", result="Tulips", id="i1")
    await bus.call(AppendInvocation(user=user, conversation_id="c1", invocation=summary))
    async with connect(user) as client:
        read = {}
        for uri in ("memory://topics", "memory://stats", "memory://conversations/c1"):
            [content] = (await client.read_resource(uri)).contents
            assert content.mime_type == "application/json"
            read[uri] = json.loads(content.text)
            assert len(content.text.encode()) <= 2048
    topics = read["memory://topics"]["topics"]
    assert 5 < len(topics) < 40
    assert topics[0] == {"topic": "tulip 59", "known": "Ann's 59th favourite tulip has a long and flowery name."}
    assert read["memory://stats"]["semantic"] == "60"
    assert read["memory://conversations/c1"]["exchanges"][0]["answer"] == "Tulips"


async def test_an_unknown_group_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_MEM_MCP_GROUPS", "graph")
    with pytest.raises(ConfigurationError, match=r"REACT_MEM_MCP_GROUPS = 'graph'.*'refine'"):
        McpSettings.load()
