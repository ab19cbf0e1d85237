"""What an installation writes besides the blueprint: prompts, default settings, descriptions of the services."""

import json

from ..config import prompts
from .plan import Key

DESCRIPTIONS = {
    "agent-facts": "Long-term memories of the agent: retrieve, store, history, forget",
    "agent-episodes": "Tasks of the agent and their outcome",
    "agent-conversations": "Conversations with the agent",
    "agent-memory-jobs": "Background jobs of the memory",
}
DEFAULTS = {"memory-note": "shared"}
"""TrustGraph's gateway names no user, so people must learn that others see what they tell the agent."""

TRUSTGRAPH_OWN = frozenset({"agent-react"})
"""Our defaults for workspaces without TrustGraph.  TrustGraph defines them itself."""


def contents() -> dict[Key, str]:
    """(configuration type, key) -> JSON text."""
    written: dict[Key, str] = {
        ("prompt", f"template.{name}"): json.dumps(entry) for name, entry in prompts().items() if name not in TRUSTGRAPH_OWN
    }
    written[("agent-mem", "default")] = json.dumps(DEFAULTS)
    for name, description in DESCRIPTIONS.items():
        # Not "visible": TrustGraph's list of flows fails for a flow without a visible interface.
        written[("interface-description", name)] = json.dumps({"description": description, "kind": "request-response"})
    return written
