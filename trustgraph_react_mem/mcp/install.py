"""How the MCP server is registered in other programs: by commands of the program, or by an entry that goes into its file.

Nothing is written.  No key is shown either, only the name of the variable that holds it.  The forms are those that each program
documents.
"""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import BadRequest

Program = Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex", "windsurf", "trustgraph"]
NAME = "react-mem"  # of the entry
KEY_VARIABLE = "REACT_MEM_KEY"
#: Where an entry goes, below the home directory unless another place is named.
FILES: Mapping[Program, str] = {
    "claude-desktop": "claude_desktop_config.json (Settings > Developer > Edit Config)",
    "cursor": "~/.cursor/mcp.json",
    "vscode": "mcp.json (command MCP: Open User Configuration)",
    "windsurf": "~/.codeium/windsurf/mcp_config.json",
}
#: The tools that TrustGraph's service ``mcp-tool`` calls, one entry of its configuration each.
TOOLS = (
    *("search_memories", "add_memory", "get_memories", "get_memory"),
    *("update_memory", "delete_memory", "memory_feedback", "get_event_status"),
)

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What to register: a command, or an address if ``url`` is set.  ``environment``: of the command."""

    command: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    url: str = ""


def register(program: Program, server: Server) -> Entry | list[str]:
    """The entry for a file of the program, or commands to run in a shell.

    Raises: BadRequest (the program takes no address, or nothing else).
    """
    name, url = NAME, server.url
    local: Entry = {"command": server.command, "args": ["mcp"]}
    if server.environment:
        local["env"] = dict(server.environment)

    def remote(key: str, address: str = "url") -> Entry:
        return {address: url, "headers": {"Authorization": f"Bearer {key}"}}

    def with_type(key: str) -> Entry:
        return {"type": "http", **remote(key)} if url else {"type": "stdio", **local}

    match program, bool(url):
        case "claude-code", _:
            given = json.dumps(with_type(f"${{{KEY_VARIABLE}}}"))
            return [shlex.join(["claude", "mcp", "add-json", "--scope", "user", name, given])]
        case "codex", True:
            return [shlex.join(["codex", "mcp", "add", name, "--url", url, "--bearer-token-env-var", KEY_VARIABLE])]
        case "codex", False:
            environment = [part for key, value in server.environment.items() for part in ("--env", f"{key}={value}")]
            return [shlex.join(["codex", "mcp", "add", *environment, name, "--", server.command, "mcp"])]
        case "vscode", False:
            return [shlex.join(["code", "--add-mcp", json.dumps({"name": name, **with_type("")})])]
        case "vscode", True:
            asked = {"type": "promptString", "id": "react-mem-key", "description": "Key of react-mem", "password": True}
            return {"servers": {name: with_type(f"${{input:{asked['id']}}}")}, "inputs": [asked]}
        case "trustgraph", True:
            return [_trustgraph_command(server, tool) for tool in TOOLS]
        case "trustgraph", False:
            raise BadRequest("TrustGraph's mcp-tool service needs --url: the address of /mcp as it sees it")
        case "claude-desktop", True:
            raise BadRequest(f"{program} cannot send a key to an address in its configuration file: leave --url out")
        case _, True:
            local = remote(f"${{env:{KEY_VARIABLE}}}", "serverUrl" if program == "windsurf" else "url")
    return {"mcpServers": {name: local}}


def trustgraph_entry(url: str, tool: str, key: str) -> Entry:
    """An entry of TrustGraph's configuration type ``mcp``.  The key is the same for all who use the workspace."""
    return {"url": url, "remote-name": tool, "auth-token": key}


def trustgraph_key(name: str, tool: str) -> str:
    """The key of an entry in TrustGraph's configuration."""
    return f"{name}-{tool.replace('_', '-')}"


def _trustgraph_command(server: Server, tool: str) -> str:
    """The shell puts the key in: it is not shown here."""
    before, _, after = json.dumps(trustgraph_entry(server.url, tool, "KEY")).rpartition("KEY")
    put = shlex.join(["tg-put-config-item", "--type", "mcp", "--key", trustgraph_key(NAME, tool), "--value"])
    return f'{put} {shlex.quote(before)}"${KEY_VARIABLE}"{shlex.quote(after)}'
