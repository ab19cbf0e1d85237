"""Derive a blueprint with memory: the agent is replaced, the memory services are added, interfaces stay the same."""

import copy
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..config.blueprint import SERVICES, memory_processors
from ..errors import ConfigurationError
from ..schema.topics import AGENT


class _Processor(BaseModel):
    model_config = ConfigDict(extra="allow")

    topics: dict[str, str] = Field(default_factory=dict)


class _Blueprint(BaseModel):
    """The parts of a blueprint that the overlay depends on."""

    model_config = ConfigDict(extra="allow")

    flow: dict[str, _Processor] = Field(default_factory=dict)
    interfaces: dict[str, Any] = Field(default_factory=dict)
    tags: list[str] = Field(default_factory=list)


def _check(blueprint: Mapping[str, Any], name: str) -> None:
    try:
        _Blueprint.model_validate(blueprint, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigurationError(
            f"blueprint {name!r} is not in TrustGraph's format at {place} ({first['msg']}): repair it, or choose another"
        ) from None


def agent_key(blueprint: Mapping[str, Any], name: str) -> str:
    """The ``flow`` key of the processor that consumes the agent interface's requests.

    Raises:
        ConfigurationError: no agent interface, or not exactly one consumer of it.
    """
    interface = blueprint.get("interfaces", {}).get("agent")
    if not isinstance(interface, Mapping) or "request" not in interface:
        raise ConfigurationError(f"blueprint {name!r} has no agent interface: choose one that has it (such as 'everything')")
    consumers: list[str] = [
        key
        for key, definition in blueprint.get("flow", {}).items()
        if definition.get("topics", {}).get("request") == interface["request"]
    ]
    if not consumers:
        raise ConfigurationError(f"in blueprint {name!r} nothing consumes {interface['request']!r}: it has no agent to replace")
    if len(consumers) > 1:
        raise ConfigurationError(
            f"in blueprint {name!r} {', '.join(sorted(consumers))} all consume {interface['request']!r}: keep one of them first"
        )
    return consumers[0]


def overlay_blueprint(blueprint: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The same blueprint with our agent instead of the stock agent.

    The topics of the stock agent are kept, whatever their names.  Services that the blueprint lacks (row embeddings in an older
    one, for example) stay absent: all of them are optional for the agent.

    Raises:
        ConfigurationError: the blueprint has no agent, already has memory, or uses one of our processor ids.
    """
    _check(blueprint, name)
    replaced = agent_key(blueprint, name)
    if replaced.split(":", 1)[0] == AGENT:
        raise ConfigurationError(f"blueprint {name!r} already has memory: choose the blueprint it was derived from")
    ours = memory_processors(blueprint["flow"][replaced]["topics"])
    taken = [key for key in ours if key in blueprint["flow"]]
    if taken:
        raise ConfigurationError(
            f"blueprint {name!r} already has processors named {', '.join(sorted(taken))}: rename them first"
        )
    result: dict[str, Any] = copy.deepcopy(dict(blueprint))
    flow: dict[str, Any] = {}
    for key, definition in result["flow"].items():
        if key == replaced:
            flow |= ours
            flow[f"{AGENT}:{{id}}"]["parameters"] = definition.get("parameters", {})
        else:
            flow[key] = definition
    result["flow"] = _with_available_services(flow)
    result["description"] = f"{blueprint.get('description', name)} (agent with memory)"
    result["tags"] = [*[tag for tag in blueprint.get("tags", []) if tag != "agent-mem"], "agent-mem"]
    result.setdefault("blueprint", {})
    return result


def _with_available_services(flow: dict[str, Any]) -> dict[str, Any]:
    """Send background prompts to the agent's prompt service if the blueprint has no ``prompt``."""
    provided = {definition.get("topics", {}).get("request") for definition in flow.values()}
    if "request:tg:prompt:{workspace}:{id}" in provided:
        return flow
    agent = flow[f"{AGENT}:{{id}}"]["topics"]
    if "prompt-request" not in agent:
        return flow
    for name in (AGENT, *SERVICES):
        topics = flow[f"{name}:{{id}}"]["topics"]
        if "memory-prompt-request" in topics:
            topics["memory-prompt-request"] = agent["prompt-request"]
            topics["memory-prompt-response"] = agent["prompt-response"]
    return flow
