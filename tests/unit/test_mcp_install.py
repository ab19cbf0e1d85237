"""How `react-mem mcp install` tells to register the server: the forms that each program documents, and never a key."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trustgraph_react_mem.cli.commands import app
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.mcp.install import FILES, Program, Server, register

URL = "http://127.0.0.1:8850/mcp"
LOCAL = Server(command="/opt/react mem", environment={"REACT_MEM_USER": "ann o'neill"})
REMOTE = Server(url=URL)
STARTED = {"command": "/opt/react mem", "args": ["mcp"], "env": {"REACT_MEM_USER": "ann o'neill"}}


def command_of(program: Program, server: Server) -> list[str]:
    [line] = register(program, server)
    return shlex.split(line)


def test_vs_code_takes_a_command_and_asks_for_the_key_of_an_address() -> None:
    *words, given = command_of("vscode", LOCAL)
    assert (words, json.loads(given)) == (["code", "--add-mcp"], {"name": "react-mem", "type": "stdio", **STARTED})
    shown = register("vscode", REMOTE)
    assert isinstance(shown, dict)
    assert shown["servers"]["react-mem"]["headers"] == {"Authorization": "Bearer ${input:react-mem-key}"}
    assert [(each["id"], each["password"]) for each in shown["inputs"]] == [("react-mem-key", True)]


@pytest.mark.parametrize(
    ("program", "remote"),
    [
        ("cursor", {"url": URL, "headers": {"Authorization": "Bearer ${env:REACT_MEM_KEY}"}}),
        ("windsurf", {"serverUrl": URL, "headers": {"Authorization": "Bearer ${env:REACT_MEM_KEY}"}}),
        ("claude-desktop", None),
    ],
)
def test_the_others_get_an_entry_for_their_file(program: Program, remote: dict[str, Any] | None) -> None:
    assert register(program, LOCAL) == {"mcpServers": {"react-mem": STARTED}}
    assert ".json" in FILES[program]
    if remote is None:
        with pytest.raises(BadRequest, match="--url"):
            register(program, REMOTE)
    else:
        assert register(program, REMOTE) == {"mcpServers": {"react-mem": remote}}


def test_trustgraph_gets_eight_entries_into_which_the_shell_puts_the_key() -> None:
    with pytest.raises(BadRequest, match="--url"):
        register("trustgraph", LOCAL)
    lines = register("trustgraph", REMOTE)
    assert isinstance(lines, list)
    assert len(lines) == 8
    script = "tg() { printf '%s\\n' \"$@\"; }\n" + lines[0].replace("tg-put-config-item", "tg", 1)
    done = subprocess.run(["sh", "-c", script], env={"REACT_MEM_KEY": "rm_a b"}, capture_output=True, text=True, check=True)
    *words, value = done.stdout.splitlines()
    assert words == ["--type", "mcp", "--key", "react-mem-search-memories", "--value"]
    assert json.loads(value) == {"url": URL, "remote-name": "search_memories", "auth-token": "rm_a b"}


def run(home: Path, *arguments: str) -> Any:
    environment = {"HOME": str(home), "REACT_MEM_HOME": str(home / "data"), "REACT_MEM_KEY": "tell-nobody"}
    return CliRunner().invoke(app, ["mcp", "install", *arguments], env=environment)


@pytest.mark.parametrize("program", ["claude-code", "cursor", "vscode", "codex", "windsurf", "trustgraph"])
def test_the_command_shows_it_without_the_key_and_writes_nothing(tmp_path: Path, program: str) -> None:
    shown = run(tmp_path, "--client", program, "--url", URL)
    assert shown.exit_code == 0, shown.output
    assert URL in shown.output
    assert "tell-nobody" not in shown.output
    assert list(tmp_path.rglob("*")) == []
