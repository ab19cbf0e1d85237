"""A workspace as TrustGraph's own templates lay it out, with only what an agent needs: blueprint, prompts, tools."""

import json
from typing import Any

from trustgraph_react_mem.config.blueprint import STOCK_AGENT_TOPICS

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
        "agent-manager:{id}": {"topics": dict(STOCK_AGENT_TOPICS)},
    },
    "interfaces": {
        "agent": _service("agent"),
        "prompt": _service("prompt"),
        "text-completion": _service("text-completion"),
        "embeddings": _service("embeddings"),
        "document-load": {"flow": "flow:tg:document-load:{workspace}:{id}"},
        "text-load": {"flow": "flow:tg:text-document-load:{workspace}:{id}"},
    },
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
    "template.question": {"prompt": "{{ question }}", "response-type": "text"},
    "template.plan-create": {"prompt": "Plan this task. {{ question }}", "response-type": "json"},
    "template.plan-step-execute": {"prompt": "Take this step. {{ goal }}", "response-type": "json"},
    "template.plan-synthesise": {"prompt": "Sum up. {{ question }}", "response-type": "text"},
    "template.supervisor-decompose": {"prompt": "Split this task. {{ question }}", "response-type": "json"},
    "template.supervisor-synthesise": {"prompt": "Sum up. {{ question }}", "response-type": "text"},
}

TOOLS: dict[str, Any] = {
    "ask": {"id": "ask", "name": "ask", "type": "text-completion", "description": "Ask a language model", "arguments": []},
    "later": {
        "id": "later",
        "name": "later",
        "type": "text-completion",
        "description": "Only after the first state",
        "applicable-states": ["second"],
        "group": ["special"],
    },
}


def configuration() -> dict[str, dict[str, dict[str, str]]]:
    """workspace -> type -> key -> JSON text: the workspace ``default`` with its blueprint, prompts and tools."""
    collection = {"collection": "default", "name": "default", "description": "", "tags": []}
    return {
        "__workspaces__": {"workspace": {"default": json.dumps({"enabled": True})}},
        "default": {
            "flow-blueprint": {"plain": json.dumps(BLUEPRINT)},
            "prompt": {key: json.dumps(value) for key, value in PROMPTS.items()},
            "tool": {key: json.dumps(value) for key, value in TOOLS.items()},
            "collection": {"default": json.dumps(collection)},
        },
    }
