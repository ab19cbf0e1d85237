"""Where each program has its MCP servers, and what an entry looks like there."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...errors import BadRequest

Client = Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex", "windsurf"]
Place = Literal["user", "project"]
KEY_VARIABLE = "REACT_MEM_KEY"
INPUT_ID = "react-mem-key"

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What to register: a command, or an address if ``url`` is set.  ``environment``: of the command."""

    command: str = ""
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """``section``: the object in the file that holds the servers.  ``remote``: an entry with an address; None = not possible.

    ``inputs``: what the program asks the person for; only VS Code has it.
    """

    section: str
    user_file: Callable[[Path], Path]
    project_file: str = ""
    local: Callable[[Target], Entry]
    remote: Callable[[str], Entry] | None = None
    inputs: tuple[Entry, ...] = ()
    toml: bool = False


def _command(target: Target) -> Entry:
    entry: Entry = {"command": target.command, "args": list(target.arguments)}
    return entry | ({"env": dict(target.environment)} if target.environment else {})


def _type_command(target: Target) -> Entry:
    return {"type": "stdio", **_command(target)}


def _headers(key: str) -> Entry:
    return {"Authorization": f"Bearer {key}"}


def _settings_folder(home: Path, name: str) -> Path:
    """Of an Electron program."""
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / name
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / name


PROGRAMS: Mapping[Client, Program] = {
    "claude-code": Program(
        section="mcpServers",
        user_file=lambda home: home / ".claude.json",
        project_file=".mcp.json",
        local=_type_command,
        remote=lambda url: {"type": "http", "url": url, "headers": _headers(f"${{{KEY_VARIABLE}}}")},
    ),
    "claude-desktop": Program(
        section="mcpServers",
        user_file=lambda home: _settings_folder(home, "Claude") / "claude_desktop_config.json",
        local=_command,
    ),
    "cursor": Program(
        section="mcpServers",
        user_file=lambda home: home / ".cursor" / "mcp.json",
        project_file=".cursor/mcp.json",
        local=_command,
        remote=lambda url: {"url": url, "headers": _headers(f"${{env:{KEY_VARIABLE}}}")},
    ),
    "vscode": Program(
        section="servers",
        user_file=lambda home: _settings_folder(home, "Code") / "User" / "mcp.json",
        project_file=".vscode/mcp.json",
        local=_type_command,
        remote=lambda url: {"type": "http", "url": url, "headers": _headers(f"${{input:{INPUT_ID}}}")},
        inputs=(
            {
                "type": "promptString",
                "id": INPUT_ID,
                "description": "Key of react-mem (react-mem keys create)",
                "password": True,
            },
        ),
    ),
    "codex": Program(
        section="mcp_servers",
        user_file=lambda home: Path(os.environ.get("CODEX_HOME") or home / ".codex") / "config.toml",
        project_file=".codex/config.toml",
        local=_command,
        remote=lambda url: {"url": url, "bearer_token_env_var": KEY_VARIABLE},
        toml=True,
    ),
    "windsurf": Program(
        section="mcpServers",
        user_file=lambda home: home / ".codeium" / "windsurf" / "mcp_config.json",
        local=_command,
        remote=lambda url: {"serverUrl": url, "headers": _headers(f"${{env:{KEY_VARIABLE}}}")},
    ),
}


def file_of(client: Client, place: Place, *, home: Path, project: Path) -> Path:
    """Raises: BadRequest (the program has no file in a project)."""
    program = PROGRAMS[client]
    if place == "user":
        return program.user_file(home)
    if not program.project_file:
        raise BadRequest(f"{client} has no configuration file in a project: leave --scope out")
    return project / program.project_file


def entry_of(client: Client, target: Target) -> Entry:
    """Raises: BadRequest (the program cannot use an address)."""
    program = PROGRAMS[client]
    if not target.url:
        return program.local(target)
    if program.remote is None:
        raise BadRequest(f"{client} cannot send a key to an address in its configuration file: leave --url out")
    return program.remote(target.url)
