"""Tool configuration: every type, groups and states, and that a broken one takes nobody with it."""

import json
from typing import Any

import pytest

from trustgraph_react_mem.turn.tools import MEMORY_TOOLS, Tool, add_memory_tools, load_tools

SERVICES = {
    "jokes": json.dumps(
        {
            "id": "jokes",
            "request-queue": "request:tg:jokes",
            "response-queue": "response:tg:jokes",
            "config-params": [{"name": "style", "required": True}, {"name": "length"}],
        }
    )
}
ARGUMENTS = [{"name": "topic", "type": "string", "description": "of the joke"}]


def load(**tools: dict[str, Any]) -> Any:
    return load_tools({key: json.dumps({"name": key, "description": "d", **data}) for key, data in tools.items()}, SERVICES)


@pytest.mark.parametrize(
    ("data", "arguments"),
    [
        ({"type": "knowledge-query", "collection": "c"}, ["question"]),
        ({"type": "text-completion"}, ["question"]),
        ({"type": "structured-query"}, ["question"]),
        ({"type": "row-embeddings-query", "schema-name": "s", "limit": "7"}, ["query"]),
        ({"type": "mcp-tool", "mcp-tool": "m", "arguments": ARGUMENTS}, ["topic"]),
        ({"type": "prompt", "template": "t", "arguments": ARGUMENTS}, ["topic"]),
        ({"type": "tool-service", "service": "jokes", "style": "dry", "arguments": ARGUMENTS}, ["topic"]),
        ({"type": "mcp-tool", "mcp-tool": "m"}, []),
    ],
)
def test_each_type_of_stock_is_known(data: dict[str, Any], arguments: list[str]) -> None:
    tools = load(it=data)
    assert tools.warnings == ()
    (tool,) = tools.tools
    assert [argument.name for argument in tool.arguments] == arguments


def test_a_tool_service_brings_its_queues_and_the_values_it_wants() -> None:
    (tool,) = load(joke={"type": "tool-service", "service": "jokes", "style": "dry", "other": 1, "arguments": ARGUMENTS}).tools
    assert tool.settings["request-queue"] == "request:tg:jokes"
    assert tool.settings["config-values"] == {"style": "dry"}


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"type": "crystal-ball"}, "crystal-ball"),
        ({"type": "mcp-tool"}, "mcp-tool"),
        ({"type": "prompt", "template": "t", "arguments": "topic"}, "arguments"),
        ({"type": "tool-service", "service": "unknown"}, "unknown"),
        ({"type": "tool-service", "service": "jokes"}, "style"),
        ({"type": "text-completion", "group": "default"}, "group"),
        ({"type": "text-completion", "applicable-states": [1]}, "applicable-states"),
        ({"type": "text-completion", "state": 3}, "state"),
        ({"type": "row-embeddings-query", "schema-name": "s", "limit": "many"}, "limit"),
        ({"type": ["text-completion"]}, "type"),
    ],
)
def test_a_broken_tool_is_left_out_by_name_and_the_others_stay(data: dict[str, Any], named: str) -> None:
    tools = load(broken=data, good={"type": "text-completion"})
    assert [tool.name for tool in tools.tools] == ["good"]
    (warning,) = tools.warnings
    assert named in warning
    assert "broken" in warning


@pytest.mark.parametrize(
    ("config", "groups", "state", "offered"),
    [
        ({}, None, "", True),
        ({}, ["default"], "", True),
        ({}, ["other"], "", False),
        ({}, [], "", False),
        ({}, ["*"], "", True),
        ({"group": ["a", "b"]}, None, "", False),
        ({"group": ["a", "b"]}, ["b"], "", True),
        ({"applicable-states": ["undefined"]}, None, "", True),
        ({"applicable-states": ["ready"]}, None, "", False),
        ({"applicable-states": ["ready"]}, None, "ready", True),
        ({"applicable-states": []}, None, "ready", False),
    ],
)
def test_groups_and_states(config: dict[str, Any], groups: list[str] | None, state: str, offered: bool) -> None:
    tools = load(it={"type": "text-completion", **config})
    assert bool(tools.available(groups, state)) is offered


def test_a_configured_tool_hides_the_memory_tool_of_its_name() -> None:
    mine = Tool(name="store-fact", description="mine", kind="prompt")
    tools = add_memory_tools((mine,), read=True, store=True)
    assert [tool.name for tool in tools] == ["store-fact", "retrieve-facts", "recall-episodes"]
    assert tools[0] is mine
    assert [tool.name for tool in add_memory_tools((), read=True, store=False)] == ["retrieve-facts", "recall-episodes"]
    assert [tool.name for tool in add_memory_tools((), read=False, store=True)] == ["store-fact"]
    assert len(MEMORY_TOOLS) == 3
