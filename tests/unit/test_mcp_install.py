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
from trustgraph_react_mem.mcp.install import Program, Server, register

URL = "http://127.0.0.1:8850/mcp"
LOCAL = Server(name="react-mem", command="/opt/react mem", environment={"REACT_MEM_USER": "ann o'neill"})
REMOTE = Server(name="react-mem", url=URL)
STARTED = {"command": "/opt/react mem", "args": ["mcp"], "env": {"REACT_MEM_USER": "ann o'neill"}}
BY_ADDRESS = {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${REACT_MEM_KEY}"}}


def command_of(program: Program, server: Server) -> list[str]:
    [line] = register(program, server).commands
    return shlex.split(line)


def test_claude_code_takes_the_entry_as_json() -> None:
    begins = ["claude", "mcp", "add-json", "--scope", "user", "react-mem"]
    for server, entry in ((LOCAL, {"type": "stdio", **STARTED}), (REMOTE, BY_ADDRESS)):
        *words, given = command_of("claude-code", server)
        assert (words, json.loads(given)) == (begins, entry)


def test_codex_takes_variables_and_the_command_after_two_dashes_or_an_address() -> None:
    environment = ["--env", "REACT_MEM_USER=ann o'neill"]
    assert command_of("codex", LOCAL) == ["codex", "mcp", "add", *environment, "react-mem", "--", "/opt/react mem", "mcp"]
    by_address = ["--url", URL, "--bearer-token-env-var", "REACT_MEM_KEY"]
    assert command_of("codex", REMOTE) == ["codex", "mcp", "add", "react-mem", *by_address]


def test_vs_code_takes_a_command_and_asks_for_the_key_of_an_address() -> None:
    *words, given = command_of("vscode", LOCAL)
    assert (words, json.loads(given)) == (["code", "--add-mcp"], {"name": "react-mem", "type": "stdio", **STARTED})
    shown = register("vscode", REMOTE)
    assert shown.entry is not None
    assert shown.entry["servers"]["react-mem"]["headers"] == {"Authorization": "Bearer ${input:react-mem-key}"}
    assert [(each["id"], each["password"]) for each in shown.entry["inputs"]] == [("react-mem-key", True)]


@pytest.mark.parametrize(
    ("program", "remote"),
    [
        ("cursor", {"url": URL, "headers": {"Authorization": "Bearer ${env:REACT_MEM_KEY}"}}),
        ("windsurf", {"serverUrl": URL, "headers": {"Authorization": "Bearer ${env:REACT_MEM_KEY}"}}),
        ("claude-desktop", None),
    ],
)
def test_the_others_get_an_entry_for_their_file(program: Program, remote: dict[str, Any] | None) -> None:
    shown = register(program, LOCAL)
    assert (shown.commands, shown.entry) == ((), {"mcpServers": {"react-mem": STARTED}})
    assert ".json" in shown.file
    if remote is None:
        with pytest.raises(BadRequest, match="--url"):
            register(program, REMOTE)
    else:
        assert register(program, REMOTE).entry == {"mcpServers": {"react-mem": remote}}


def test_trustgraph_gets_eight_entries_into_which_the_shell_puts_the_key() -> None:
    with pytest.raises(BadRequest, match="--url"):
        register("trustgraph", LOCAL)
    lines = register("trustgraph", REMOTE).commands
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


def test_the_command_names_itself_by_its_full_path_and_keeps_its_options(tmp_path: Path) -> None:
    entry = json.loads(run(tmp_path, "--client", "cursor", "--user", "ann", "--json").output)["entry"]["mcpServers"][
        "react-mem"
    ]
    assert entry["args"] == ["mcp"]
    assert Path(entry["command"]).is_absolute()
    assert entry["env"] == {"REACT_MEM_HOME": str(tmp_path / "data"), "REACT_MEM_USER": "ann"}
    for wrong in (["--client", "zed"], ["--client", "cursor", "--url", "nowhere"], ["--client", "cursor", "--name", "a b"]):
        assert run(tmp_path, *wrong).exit_code == 2
