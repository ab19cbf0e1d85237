"""How the MCP server is registered in other programs: by a command of the program, or by an entry that goes into its file.

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
    "search_memories",
    "add_memory",
    "get_memories",
    "get_memory",
    "update_memory",
    "delete_memory",
    "memory_feedback",
    "get_event_status",
)
_INPUT = {"type": "promptString", "id": "react-mem-key", "description": "Key of react-mem", "password": True}

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What to register: a command, or an address if ``url`` is set.  ``environment``: of the command."""

    name: str
    command: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """``commands``: to run in a shell.  ``entry``: else, to add to ``file``."""

    commands: tuple[str, ...] = ()
    entry: Entry | None = None
    file: str = ""


def register(program: Program, server: Server) -> Registration:
    """Raises: BadRequest (the program takes no address, or nothing else)."""
    match program:
        case "claude-code":
            given = json.dumps(_with_type(server, f"${{{KEY_VARIABLE}}}"))
            parts = ["claude", "mcp", "add-json", "--scope", "user", server.name, given]
            return Registration(commands=(shlex.join(parts),))
        case "codex":
            return Registration(commands=(shlex.join(["codex", "mcp", "add", *_codex_arguments(server)]),))
        case "vscode" if not server.url:
            given = json.dumps({"name": server.name, **_with_type(server, "")})
            return Registration(commands=(shlex.join(["code", "--add-mcp", given]),))
        case "trustgraph":
            if not server.url:
                raise BadRequest("TrustGraph's mcp-tool service needs --url: the address of /mcp as it sees it")
            return Registration(commands=tuple(_trustgraph_command(server, tool) for tool in TOOLS))
    return Registration(entry=_file_entry(program, server), file=FILES[program])


def trustgraph_entry(url: str, tool: str, key: str) -> Entry:
    """An entry of TrustGraph's configuration type ``mcp``.  The key is the same for all who use the workspace."""
    return {"url": url, "remote-name": tool, "auth-token": key}


def trustgraph_key(name: str, tool: str) -> str:
    """The key of an entry in TrustGraph's configuration."""
    return f"{name}-{tool.replace('_', '-')}"


def _with_type(server: Server, key: str) -> Entry:
    """With the kind of transport, which some programs ask for."""
    if server.url:
        return {"type": "http", "url": server.url, "headers": _headers(key)}
    return {"type": "stdio", **_local(server)}


def _local(server: Server) -> Entry:
    entry: Entry = {"command": server.command, "args": ["mcp"]}
    return entry | ({"env": dict(server.environment)} if server.environment else {})


def _headers(key: str) -> Entry:
    return {"Authorization": f"Bearer {key}"}


def _codex_arguments(server: Server) -> list[str]:
    if server.url:
        return [server.name, "--url", server.url, "--bearer-token-env-var", KEY_VARIABLE]
    environment = [part for name, value in server.environment.items() for part in ("--env", f"{name}={value}")]
    return [*environment, server.name, "--", server.command, "mcp"]


def _trustgraph_command(server: Server, tool: str) -> str:
    """The shell puts the key in: it is not shown here."""
    entry, hole = json.dumps(trustgraph_entry(server.url, tool, "KEY")), '"KEY"'
    before, _, after = entry.partition(hole)
    value = f'{shlex.quote(before + chr(34))}"${KEY_VARIABLE}"{shlex.quote(chr(34) + after)}'
    put = shlex.join(["tg-put-config-item", "--type", "mcp", "--key", trustgraph_key(server.name, tool), "--value"])
    return f"{put} {value}"


def _file_entry(program: Program, server: Server) -> Entry:
    """Raises: BadRequest."""
    if not server.url:
        return {"mcpServers": {server.name: _local(server)}}
    match program:
        case "cursor":
            remote: Entry = {"url": server.url, "headers": _headers(f"${{env:{KEY_VARIABLE}}}")}
        case "windsurf":
            remote = {"serverUrl": server.url, "headers": _headers(f"${{env:{KEY_VARIABLE}}}")}
        case "vscode":
            asked = _with_type(server, f"${{input:{_INPUT['id']}}}")
            return {"servers": {server.name: asked}, "inputs": [_INPUT]}
        case _:
            raise BadRequest(f"{program} cannot send a key to an address in its configuration file: leave --url out")
    return {"mcpServers": {server.name: remote}}
