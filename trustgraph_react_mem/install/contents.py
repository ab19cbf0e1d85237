"""What an installation writes beside the blueprint: our prompts, the default settings, descriptions of our services."""

import json

from ..config import prompts
from .plan import Key

DESCRIPTIONS = {
    "agent-facts": "Long-term memories of the agent: retrieve, store, history, forget",
    "agent-episodes": "Tasks the agent worked on, and how they went",
    "agent-conversations": "What was said in a conversation with the agent",
    "agent-memory-jobs": "Background work on memories",
}
TRUSTGRAPH_OWN = frozenset({"agent-react"})
"""A default of ours for workspaces without TrustGraph's; in a TrustGraph it is TrustGraph's to define."""


def contents() -> dict[Key, str]:
    """(configuration type, key) -> JSON text."""
    written: dict[Key, str] = {
        ("prompt", f"template.{name}"): json.dumps(entry) for name, entry in prompts().items() if name not in TRUSTGRAPH_OWN
    }
    written[("agent-mem", "default")] = "{}"
    for name, description in DESCRIPTIONS.items():
        # Not "visible": TrustGraph's list of flows fails for a flow without a visible interface.
        written[("interface-description", name)] = json.dumps({"description": description, "kind": "request-response"})
    return written
