"""Arguments that a tool does not have: mistakes are named, and what hosts send is left out."""

from typing import Any

import pytest
from mcp import Client

from trustgraph_react_mem.bus.external_client import MemoryBus

from .conftest import Open, in_process
from .test_tools import refusal, use

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    ("tool", "arguments", "unknown", "remedy"),
    [
        ("search_memories", {"query": "x", "limits": 5}, "'limits'", "limit, types, since"),
        ("search_memories", {"query": "x", "Limit": 5, "untill": "2026"}, "'Limit', 'untill'", "use query"),
        ("add_memory", {"content": "x", "meta": {}}, "'meta'", "metadata"),
        ("add_memory", {"text": "y", "user_id": "bob"}, "'text', 'user_id'", "content"),
        ("get_memory", {"id": "x", "user": "bob"}, "'user'", "use id, history"),
        ("delete_memory", {"id": "x", "run_id": "r"}, "'run_id'", "conversation_id"),
        ("get_memory", {"id": "x", "x" * 5000: 1}, "'xxx", "use id"),
        ("draft", {"query": "x", "companion": "generic"}, "'companion'", "companion_type"),
    ],
)
async def test_an_unknown_argument_is_named_with_the_known_ones(
    connect: Open, user: str, tool: str, arguments: dict[str, Any], unknown: str, remedy: str
) -> None:
    async with connect(user) as client:
        told = await refusal(client, tool, **arguments)
        assert told.startswith(f"{tool} has no argument {unknown}")
        assert remedy in told
        assert len(told) < 500
        assert (await use(client, "get_memories"))["results"] == []


async def test_null_leaves_an_argument_out(connect: Open, user: str) -> None:
    async with connect(user) as client:
        stored = await use(client, "add_memory", content="Ann sails", messages=None, source=None, metadata=None)
        found = await use(client, "search_memories", query="Who sails?", limit=None, types=None, since=None)
        assert [each["id"] for each in found["results"]] == [stored["id"]]
        assert await refusal(client, "search_memories", query=None) == "query = null: should be a valid string"
        assert "needs either" in await refusal(client, "delete_memory", id=None, conversation_id=None)


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("search_memories", {}, "query is missing: add it"),
        ("search_memories", {"query": 5}, "query = 5: should be a valid string"),
        ("search_memories", {"query": "x", "limit": 500}, "limit = 500: should be less than or equal to 50"),
        ("search_memories", {"query": "x", "types": ["all"]}, "types.0 = 'all': should be 'facts', 'rules' or 'episodes'"),
        (
            "search_memories",
            {"query": "x", "since": "noon"},
            "since 'noon' is not a time: use ISO 8601, such as 2026-05-01T10:00:00Z",
        ),
        ("add_memory", {"messages": ["tea"]}, "messages.0 = 'tea': should be an object"),
        ("add_memory", {}, "add_memory needs either content or messages: pass one of the two"),
        ("get_event_status", {"operation_id": "x"}, "no operation 'x' here: add_memory and delete_memory return the ids"),
    ],
)
async def test_a_wrong_argument_is_named_with_value_and_remedy(
    bus: MemoryBus, user: str, tool: str, arguments: dict[str, Any], told: str
) -> None:
    async with Client(in_process(bus, user)) as client:
        assert await refusal(client, tool, **arguments) == told
