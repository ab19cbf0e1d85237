"""A workspace as TrustGraph's own templates lay it out, with only what an agent needs: blueprint, prompts, tools."""

import json
from typing import Any

PROMPT_TOPICS = {
    name: {
        "request": f"request:tg:{name}:{{workspace}}:{{id}}",
        "response": f"response:tg:{name}:{{workspace}}:{{id}}",
        "text-completion-request": f"request:tg:{completion}:{{workspace}}:{{id}}",
        "text-completion-response": f"response:tg:{completion}:{{workspace}}:{{id}}",
    }
    for name, completion in (("prompt", "text-completion"), ("prompt-rag", "text-completion-rag"))
}


def _service(name: str) -> dict[str, str]:
    return {"request": f"request:tg:{name}:{{workspace}}:{{id}}", "response": f"response:tg:{name}:{{workspace}}:{{id}}"}


def _client(spec: str, service: str) -> dict[str, str]:
    return {f"{spec}-{end}": topic for end, topic in _service(service).items()}


STOCK_AGENT_TOPICS: dict[str, str] = {
    **_service("agent"),
    "next": "request:tg:agent:{workspace}:{id}",
    **_client("text-completion", "text-completion"),
    **_client("prompt", "prompt-rag"),
    **_client("mcp-tool", "mcp-tool"),
    **_client("graph-rag", "graph-rag"),
    **_client("structured-query", "structured-query"),
    **_client("embeddings", "embeddings"),
    **_client("row-embeddings-query", "row-embeddings"),
    "explainability": "flow:tg:triples-store:{workspace}:{id}",
    "librarian-request": "request:tg:librarian:{workspace}",
    "librarian-response": "response:tg:librarian:{workspace}",
}
"""The 20 topics of the ``agent-manager:{id}`` of TrustGraph 2.11's templates."""

BLUEPRINT: dict[str, Any] = {
    "description": "An agent with its prompt and model services",
    "tags": ["agent"],
    "parameters": {},
    "blueprint": {},
    "flow": {
        "prompt:{id}": {"topics": PROMPT_TOPICS["prompt"]},
        "prompt-rag:{id}": {"topics": PROMPT_TOPICS["prompt-rag"]},
        "text-completion:{id}": {"topics": _service("text-completion")},
        "text-completion-rag:{id}": {"topics": _service("text-completion-rag")},
        "embeddings:{id}": {"topics": _service("embeddings")},
        "mcp-tool:{id}": {"topics": _service("mcp-tool")},
        "graph-rag:{id}": {"topics": _service("graph-rag")},
        "structured-query:{id}": {"topics": _service("structured-query")},
        "row-embeddings:{id}": {"topics": _service("row-embeddings")},
        "triples-query:{id}": {"topics": _service("triples")},
        "triples-write:{id}": {"topics": {"input": "flow:tg:triples-store:{workspace}:{id}"}},
        "agent-manager:{id}": {"topics": dict(STOCK_AGENT_TOPICS)},
    },
    "interfaces": {
        "agent": _service("agent"),
        "prompt": _service("prompt"),
        "text-completion": _service("text-completion"),
        "embeddings": _service("embeddings"),
        "triples": _service("triples"),
        "document-load": {"flow": "flow:tg:document-load:{workspace}:{id}"},
        "text-load": {"flow": "flow:tg:text-document-load:{workspace}:{id}"},
    },
}

ORCHESTRATED = json.loads(json.dumps(BLUEPRINT))
"""The same with TrustGraph's orchestrator in the ReAct agent's place."""
ORCHESTRATED["flow"]["agent-orchestrator:{id}"] = ORCHESTRATED["flow"].pop("agent-manager:{id}")

BARE: dict[str, Any] = {
    "description": "Our agent with a prompt service and nothing else",
    "blueprint": {},
    "flow": {
        "prompt-rag:{id}": BLUEPRINT["flow"]["prompt-rag:{id}"],
        "text-completion-rag:{id}": BLUEPRINT["flow"]["text-completion-rag:{id}"],
        "agent-manager-react-mem:{id}": {
            "topics": {
                name: topic for name, topic in STOCK_AGENT_TOPICS.items() if name.startswith(("request", "response", "prompt"))
            }
        },
    },
    "interfaces": BLUEPRINT["interfaces"],
}

REACT = """You answer questions step by step.
{% if tools %}Tools:
{% for tool in tools %}- {{ tool.name }}: {{ tool.description }}
{% for arg in tool.arguments %}  {{ arg.name }} ({{ arg.type }}): {{ arg.description }}
{% endfor %}{% endfor %}{% endif %}
Write "Thought:" and then either "Action:" with "Args:" or "Final Answer:".

Question: {{ question }}
{% for step in history %}Thought: {{ step.thought }}
Action: {{ step.action }}
Observation: {{ step.observation }}
{% endfor %}"""

PROMPTS: dict[str, Any] = {
    "system": "You are a helpful assistant.",
    "template.agent-react": {"prompt": REACT, "response-type": "text"},
    "template.ask-template": {"prompt": "{{ question }}", "response-type": "text"},
    "template.question": {"prompt": "{{ question }}", "response-type": "text"},
    "template.plan-create": {"prompt": "Plan this task. {{ framing }} {{ question }}", "response-type": "json"},
    "template.plan-step-execute": {"prompt": "Take this step. {{ goal }}", "response-type": "json"},
    "template.plan-synthesise": {"prompt": "Sum up. {{ question }}", "response-type": "text"},
    "template.supervisor-decompose": {"prompt": "Split this task. {{ framing }} {{ question }}", "response-type": "json"},
    "template.supervisor-synthesise": {"prompt": "Sum up. {{ question }}", "response-type": "text"},
}


def _tool(name: str, kind: str, *arguments: str, **more: Any) -> dict[str, Any]:
    described = [{"name": argument, "type": "string", "description": f"The {argument}"} for argument in arguments]
    return {"id": name, "name": name, "type": kind, "description": f"About {name}", "arguments": described, **more}


TOOLS: tuple[dict[str, Any], ...] = (
    _tool("ask", "text-completion"),
    _tool("ask-template", "prompt", "question", template="ask-template"),
    _tool("weather", "mcp-tool", "city", **{"mcp-tool": "weather"}),
    _tool("hold", "mcp-tool", "city", **{"mcp-tool": "hold"}),
    _tool("knowledge", "knowledge-query", collection="atlas"),
    _tool("table", "structured-query", collection="atlas"),
    _tool("rows", "row-embeddings-query", collection="atlas", **{"schema-name": "capitals"}),
    _tool("joke", "tool-service", "topic", service="jokes", style="pun"),
    _tool("first", "text-completion", group=["stepwise"], state="second"),
    _tool("later", "text-completion", group=["special", "stepwise"], **{"applicable-states": ["second"]}),
)
JOKES = {
    "id": "jokes",
    "request-queue": "non-persistent://tg/request/joke",
    "response-queue": "non-persistent://tg/response/joke",
    "config-params": [{"name": "style", "required": True}],
}
ODD = _tool("odd", "of-a-kind-that-nobody-knows")
WORKSPACES = ("default", "other", "third", "operated")
"""``other`` has a tool of an unknown type beside a good one, ``third`` and ``operated`` have no tools at all."""


def configuration() -> dict[str, dict[str, dict[str, str]]]:
    """workspace -> type -> key -> JSON text: each workspace with blueprints, prompts and tools."""
    collection = {"collection": "default", "name": "default", "description": "", "tags": []}
    tools = {"default": TOOLS, "other": (TOOLS[0], TOOLS[3], ODD), "third": (), "operated": ()}
    common = {
        "flow-blueprint": {
            "plain": json.dumps(BLUEPRINT),
            "orchestrated": json.dumps(ORCHESTRATED),
            "bare": json.dumps(BARE),
        },
        "prompt": {key: json.dumps(value) for key, value in PROMPTS.items()},
        "tool-service": {"jokes": json.dumps(JOKES)},
        "collection": {"default": json.dumps(collection)},
    }
    return {
        "__workspaces__": {"workspace": {name: json.dumps({"enabled": True}) for name in WORKSPACES}},
        **{
            name: {**common, "tool": {tool["id"]: json.dumps(tool) for tool in tools[name]}} if tools[name] else dict(common)
            for name in WORKSPACES
        },
    }
