"""Write docs/schema/*.json and docs/asyncapi.json from the wire dataclasses: `python docs/describe_wire.py`."""

import inspect
import json
from pathlib import Path
from typing import Any

import trustgraph.schema
from pydantic import TypeAdapter

from trustgraph_react_mem import __version__, schema
from trustgraph_react_mem.bus.rpc import WAITS_UNTIL
from trustgraph_react_mem.config.blueprint import AGENT
from trustgraph_react_mem.memory.requests import SERVICES as services
from trustgraph_react_mem.schema import topics

DOCS = Path(__file__).parent
DRAFT = "https://json-schema.org/draft/2020-12/schema"

SERVICES: dict[str, tuple[str, str, str]] = {
    topics.FACTS: ("FactsRequest", "FactsResponse", "Long-term memories, ranked."),
    topics.EPISODES: ("EpisodesRequest", "EpisodesResponse", "Problems that were worked on, and how it went."),
    topics.CONVERSATIONS: ("ConversationsRequest", "ConversationsResponse", "What was asked and answered."),
    topics.JOBS: ("JobsRequest", "JobsResponse", "Background work: submit, look, replay, erase with a receipt."),
    "agent": ("AgentRequest", "AgentResponse", f"The agent with memory ({AGENT}); responses are TrustGraph's own."),
}


def classes() -> dict[str, type]:
    """The wire classes by name."""
    requests = {record.__name__: record for record, _ in services.values()}
    return {name: getattr(schema, name) for name in schema.__all__} | requests


def json_schemas() -> dict[str, dict[str, Any]]:
    """One self-contained JSON Schema a wire class."""
    found = {}
    for name, cls in sorted(classes().items()):
        described = TypeAdapter(cls).json_schema(mode="serialization")
        described.pop("required", None)  # every field has a default, so that older messages still decode
        for nested in described.get("$defs", {}).values():
            nested.pop("required", None)
        found[name] = {"$schema": DRAFT, "$id": f"schema/{name}.json", **described}
    return found


def asyncapi() -> dict[str, Any]:
    """AsyncAPI 3.0: the topics, who sends and who receives."""
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    for service, (request, response, summary) in SERVICES.items():
        for kind, message in (("request", request), ("response", response)):
            channels[f"{service}-{kind}"] = _flow_channel(
                f"non-persistent://tg/{kind}/{service}:{{workspace}}:{{flow}}", message
            )
        operations[service] = {
            "action": "receive",
            "summary": summary,
            "channel": {"$ref": f"#/channels/{service}-request"},
            "reply": {"channel": {"$ref": f"#/channels/{service}-response"}},
        }
    channels["jobs"] = {
        "address": "persistent://tg/flow/agent-memory-jobs:{workspace}",
        "description": "Subscription agent-memory-jobs, Key_Shared; the partition key is the scope and its queue.",
        "parameters": {"workspace": {"description": "TrustGraph's workspace"}},
        "messages": {"JobEnvelope": {"$ref": "#/components/messages/JobEnvelope"}},
    }
    channels["changed"] = {
        "address": "non-persistent://tg/notify/agent-memory-changed",
        "description": "Sent after every write, so that caches refresh.",
        "messages": {"MemoryChanged": {"$ref": "#/components/messages/MemoryChanged"}},
    }
    operations["publishJob"] = {"action": "send", "channel": {"$ref": "#/channels/jobs"}}
    operations["runJob"] = {"action": "receive", "channel": {"$ref": "#/channels/jobs"}}
    operations["tellChange"] = {"action": "send", "channel": {"$ref": "#/channels/changed"}}
    operations["hearChange"] = {"action": "receive", "channel": {"$ref": "#/channels/changed"}}
    names = sorted({name for pair in SERVICES.values() for name in pair[:2]} | {"JobEnvelope", "MemoryChanged"})
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Memory for TrustGraph's agents",
            "version": __version__,
            "license": {"name": "Apache-2.0"},
            "description": "Messages are JSON. A request carries the property `id`; its responses carry the same.",
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {"messages": {name: _message(name) for name in names}},
    }


def _flow_channel(address: str, message: str) -> dict[str, Any]:
    return {
        "address": address,
        "parameters": {"workspace": {"description": "TrustGraph's workspace"}, "flow": {"description": "Id of the flow"}},
        "messages": {message: {"$ref": f"#/components/messages/{message}"}},
    }


def _message(name: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": {"type": "string"}}
    if name.endswith("Request"):
        until = "When the sender stops waiting, Unix time in ms: what has not begun by then is not begun. Absent: no limit."
        fields[WAITS_UNTIL] = {"type": "string", "pattern": "^[0-9]+$", "description": until}
    properties = {"type": "object", "properties": fields}
    if name in classes():
        return {"name": name, "headers": properties, "payload": {"$ref": f"schema/{name}.json"}}
    stock = inspect.getdoc(getattr(trustgraph.schema, name)) or name
    return {"name": name, "summary": f"TrustGraph's {stock.splitlines()[0].split('(')[0]}", "headers": properties}


def files() -> dict[Path, str]:
    """What this writes: path -> text."""
    described = {DOCS / "schema" / f"{name}.json": found for name, found in json_schemas().items()}
    described[DOCS / "asyncapi.json"] = asyncapi()
    return {path: json.dumps(value, indent=2, ensure_ascii=False) + "\n" for path, value in described.items()}


if __name__ == "__main__":
    (DOCS / "schema").mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, "utf-8")
