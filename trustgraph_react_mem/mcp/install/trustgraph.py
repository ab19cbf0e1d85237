"""The tools as entries of TrustGraph's configuration type ``mcp``, which its service ``mcp-tool`` reads.

An entry is one tool: ``{"url", "remote-name", "auth-token"}``.  The token is the same for all who use the workspace, so for
this server they are one user.
"""

import json
from collections.abc import Mapping

TYPE = "mcp"
TOOLS = (
    "search_memories",
    "add_memory",
    "get_memories",
    "get_memory",
    "update_memory",
    "delete_memory",
    "memory_feedback",
    "get_event_status",
)


def entries(name: str, url: str, key: str) -> Mapping[str, str]:
    """Key of the configuration -> value as JSON.  ``key``: of the HTTP interface; "" = none is stored."""
    token = {"auth-token": key} if key else {}
    return {f"{name}-{tool.replace('_', '-')}": json.dumps({"url": url, "remote-name": tool, **token}) for tool in TOOLS}
