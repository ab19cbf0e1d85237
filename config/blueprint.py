"""The processors and topics that memory adds to a TrustGraph flow, in the format of a blueprint.

Used both for the embedded stack (which fills in the variables itself) and for the overlay on an installed blueprint.  Topic
names of stock services are those of TrustGraph 2.11's templates.
"""

from collections.abc import Mapping
from typing import Any

from ..schema.topics import AGENT


def _pair(spec: str, service: str) -> dict[str, str]:
    """The request and response topics of a service, under the name of a client spec.  "": the service's own topics."""
    prefix = f"{spec}-" if spec else ""
    return {
        f"{prefix}request": f"request:tg:{service}:{{workspace}}:{{id}}",
        f"{prefix}response": f"response:tg:{service}:{{workspace}}:{{id}}",
    }


def _clients(*services: str) -> dict[str, str]:
    """The topics of these services, each under the name of the service."""
    return {name: topic for service in services for name, topic in _pair(service, service).items()}


_INGESTION = _pair("memory-prompt", "prompt")  # a prompt service of its own, so that background work does not delay answers
MEMORY_TOPICS: dict[str, str] = {
    **_clients("agent-facts", "agent-episodes", "agent-conversations", "agent-memory-jobs"),
    **_INGESTION,
}
"""Additional topics of the agent."""

SERVICES: dict[str, dict[str, str]] = {
    "agent-facts": {**_pair("", "agent-facts"), **_clients("embeddings", "agent-memory-jobs")},
    "agent-episodes": {**_pair("", "agent-episodes"), **_clients("embeddings")},
    "agent-conversations": _pair("", "agent-conversations"),
    "agent-memory-jobs": {
        **_pair("", "agent-memory-jobs"),
        **_clients("embeddings"),
        **_INGESTION,
        "explainability": "flow:tg:triples-store:{workspace}:{id}",
    },
}
"""Our services: processor id -> its topics."""


def fill_topics(topics: Mapping[str, str], **variables: str) -> dict[str, str]:
    """Replace variables such as ``{workspace}`` and ``{id}`` in the topics, like TrustGraph's flow service."""
    return {name: _fill(topic, variables) for name, topic in topics.items()}


def _fill(text: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def memory_processors(agent_topics: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """New entries for the ``flow`` section of a blueprint: ``agent-manager-react-mem:{id}`` and our services.

    ``agent_topics``: those of the agent that it replaces.
    """
    flow: dict[str, dict[str, Any]] = {f"{AGENT}:{{id}}": {"topics": {**agent_topics, **MEMORY_TOPICS}, "parameters": {}}}
    for name, topics in SERVICES.items():
        flow[f"{name}:{{id}}"] = {"topics": dict(topics), "parameters": {}}
    return flow


# ---------------------------------------------------------------------------------------------------- embedded flow


def embedded_processors(*, with_model: bool) -> dict[str, dict[str, Any]]:
    """The flow of the embedded stack: our processors, and replacements for the stock services that they use.

    It has one prompt service, and text completion only if ``with_model``.  It has no librarian, no tools of other services and
    no explainability, so no topic of these is named.
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
    if not with_model:  # so that the jobs know it
        for topic in _INGESTION:
            del flow["agent-memory-jobs:{id}"]["topics"][topic]
    flow["prompt:{id}"] = {"topics": {**_pair("", "prompt"), **completion}, "parameters": {}}
    flow["embeddings:{id}"] = {"topics": _pair("", "embeddings"), "parameters": {}}
    if with_model:
        flow["text-completion:{id}"] = {"topics": _pair("", "text-completion"), "parameters": {}}
    return flow


def embedded_interfaces(*, with_model: bool) -> dict[str, dict[str, str]]:
    """The interfaces of the flow for clients, in the format of TrustGraph's flow service."""
    services = ["agent", "prompt", "embeddings", *SERVICES, *(["text-completion"] if with_model else [])]
    return {service: _pair("", service) for service in services}
