"""What memory adds to a TrustGraph flow, in a blueprint's own form.

One source for the embedded stack (which fills in the variables itself) and for the overlay on an installed blueprint.
Topic names of stock services are those of TrustGraph 2.11's templates.
"""

from collections.abc import Mapping
from typing import Any

from ..schema.topics import AGENT

STOCK_AGENTS = ("agent-manager", "agent-manager-react")


def _pair(spec: str, service: str) -> dict[str, str]:
    """The two topics of one request/response service under a spec's name; an empty spec name is the service's own pair."""
    prefix = f"{spec}-" if spec else ""
    return {
        f"{prefix}request": f"request:tg:{service}:{{workspace}}:{{id}}",
        f"{prefix}response": f"response:tg:{service}:{{workspace}}:{{id}}",
    }


STOCK_AGENT_TOPICS: dict[str, str] = {
    **_pair("", "agent"),
    "next": "request:tg:agent:{workspace}:{id}",
    **_pair("text-completion", "text-completion"),
    **_pair("prompt", "prompt-rag"),
    **_pair("mcp-tool", "mcp-tool"),
    **_pair("graph-rag", "graph-rag"),
    **_pair("structured-query", "structured-query"),
    **_pair("embeddings", "embeddings"),
    **_pair("row-embeddings-query", "row-embeddings"),
    "explainability": "flow:tg:triples-store:{workspace}:{id}",
    "librarian-request": "request:tg:librarian:{workspace}",
    "librarian-response": "response:tg:librarian:{workspace}",
}
"""The 20 topics of TrustGraph's ``agent-manager:{id}``."""

MEMORY_TOPICS: dict[str, str] = {
    **_pair("agent-facts", "agent-facts"),
    **_pair("agent-episodes", "agent-episodes"),
    **_pair("agent-conversations", "agent-conversations"),
    **_pair("agent-memory-jobs", "agent-memory-jobs"),
    **_pair("memory-prompt", "prompt"),
}
"""What the agent has beside the stock ones; ``memory-prompt`` is the ingest pair, so that background work queues elsewhere."""

SERVICES: dict[str, dict[str, str]] = {
    "agent-facts": {
        **_pair("", "agent-facts"),
        **_pair("embeddings", "embeddings"),
        **_pair("agent-memory-jobs", "agent-memory-jobs"),
    },
    "agent-episodes": {**_pair("", "agent-episodes"), **_pair("embeddings", "embeddings")},
    "agent-conversations": _pair("", "agent-conversations"),
    "agent-memory-jobs": {
        **_pair("", "agent-memory-jobs"),
        **_pair("embeddings", "embeddings"),
        **_pair("memory-prompt", "prompt"),
        "explainability": "flow:tg:triples-store:{workspace}:{id}",
    },
}
"""Our services: processor id -> its topics."""


def agent_topics(stock: Mapping[str, str] | None = None) -> dict[str, str]:
    """The agent's topics: those the installed stock agent has (or the template's), and ours."""
    return {**(STOCK_AGENT_TOPICS if stock is None else stock), **MEMORY_TOPICS}


def filled(topics: Mapping[str, str], **variables: str) -> dict[str, str]:
    """``{workspace}`` and ``{id}`` (and any other variable) replaced, as TrustGraph's flow service does it."""
    return {name: _fill(topic, variables) for name, topic in topics.items()}


def _fill(text: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def memory_processors(stock_agent_topics: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """The ``flow`` section's new keys: ``agent-manager-react-mem:{id}`` and our services."""
    flow: dict[str, dict[str, Any]] = {f"{AGENT}:{{id}}": {"topics": agent_topics(stock_agent_topics), "parameters": {}}}
    for name, topics in SERVICES.items():
        flow[f"{name}:{{id}}"] = {"topics": dict(topics), "parameters": {}}
    return flow


# ---------------------------------------------------------------------------------------------------- embedded flow


def embedded_processors(*, with_model: bool) -> dict[str, dict[str, Any]]:
    """The whole flow of the embedded stack: our processors and stand-ins for the stock services they use.

    There is one prompt service, and nothing that is not there is named: without ``with_model`` no text completion, and never a
    librarian, tools of other services or explainability.
    """
    completion = _pair("text-completion", "text-completion") if with_model else {}
    flow = memory_processors(
        {
            **_pair("", "agent"),
            "next": "request:tg:agent:{workspace}:{id}",
            **completion,
            **_pair("prompt", "prompt"),
            **_pair("embeddings", "embeddings"),
        }
    )
    for definition in flow.values():
        definition["topics"].pop("explainability", None)
    flow["prompt:{id}"] = {"topics": {**_pair("", "prompt"), **completion}, "parameters": {}}
    flow["embeddings:{id}"] = {"topics": _pair("", "embeddings"), "parameters": {}}
    if with_model:
        flow["text-completion:{id}"] = {"topics": _pair("", "text-completion"), "parameters": {}}
    return flow


def embedded_interfaces(*, with_model: bool) -> dict[str, dict[str, str]]:
    """What the flow offers to clients, as TrustGraph's flow service writes it down."""
    services = ["agent", "prompt", "embeddings", *SERVICES, *(["text-completion"] if with_model else [])]
    return {service: _pair("", service) for service in services}
