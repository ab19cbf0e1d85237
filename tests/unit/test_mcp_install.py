"""Entries in the configuration files of MCP hosts, against the documented form of each (``data/mcp_clients``)."""

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trustgraph_react_mem.cli.commands import app
from trustgraph_react_mem.errors import BadRequest, ConfigurationError
from trustgraph_react_mem.mcp.install import trustgraph
from trustgraph_react_mem.mcp.install.clients import PROGRAMS, Client, Target, entry_of, file_of
from trustgraph_react_mem.mcp.install.files import read_file, replace_file, snippet, with_entry

FILES = Path(__file__).with_name("data") / "mcp_clients"
URL = "http://127.0.0.1:8850/mcp"
CLIENTS = list(PROGRAMS)
COMMAND = Target(command="/opt/react-mem", arguments=("mcp",), environment={"REACT_MEM_USER": "ann"})
REMOTE: dict[Client, dict[str, Any]] = {
    "claude-code": {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${REACT_MEM_KEY}"}},
    "cursor": {"url": URL, "headers": {"Authorization": "Bearer ${env:REACT_MEM_KEY}"}},
    "vscode": {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${input:react-mem-key}"}},
    "codex": {"url": URL, "bearer_token_env_var": "REACT_MEM_KEY"},
    "windsurf": {"serverUrl": URL, "headers": {"Authorization": "Bearer ${env:REACT_MEM_KEY}"}},
}


def load(client: Client, text: str) -> dict[str, Any]:
    content: dict[str, Any] = tomllib.loads(text) if PROGRAMS[client].toml else json.loads(text)
    return content


def example(client: Client) -> str:
    [path] = FILES.glob(f"{client}.*")
    return path.read_text("utf-8")


@pytest.mark.parametrize("client", CLIENTS)
def test_other_entries_stay_and_ours_is_replaced(client: Client) -> None:
    text, section = example(client), PROGRAMS[client].section
    for target in (COMMAND, Target(url=URL), COMMAND):
        if target.url and client not in REMOTE:
            with pytest.raises(BadRequest, match="--url"):
                entry_of(client, target)
            continue
        entry = entry_of(client, target)
        started = {"command": "/opt/react-mem", "args": ["mcp"], "env": {"REACT_MEM_USER": "ann"}}
        expected = REMOTE[client] if target.url else started
        assert {name: value for name, value in entry.items() if target.url or name != "type"} == expected
        text = with_entry(text, PROGRAMS[client], "react-mem", entry, remote=bool(target.url))
        found, before = load(client, text), load(client, example(client))
        assert found[section].pop("react-mem") == entry
        asked = found.get("inputs", [])
        found["inputs"] = [each for each in asked if each["id"] != "react-mem-key"] if asked else before.get("inputs")
        before.setdefault("inputs", None)
        assert found == before
    again = with_entry(text, PROGRAMS[client], "react-mem", entry_of(client, COMMAND), remote=False)
    assert again == text


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("text", ["", "\n"])
def test_a_new_file_is_what_the_snippet_shows(client: Client, text: str) -> None:
    entry = entry_of(client, COMMAND)
    shown = snippet(PROGRAMS[client], "react-mem", entry, remote=False)
    assert load(client, with_entry(text, PROGRAMS[client], "react-mem", entry, remote=False)) == load(client, shown)


def test_comments_of_other_tables_stay() -> None:
    first = with_entry(example("codex"), PROGRAMS["codex"], "react-mem", entry_of("codex", COMMAND), remote=False)
    assert first.startswith(example("codex"))
    moved = example("codex").replace("# figma needs a token", '[mcp_servers."react-mem"]\nurl = "old"\n\n# figma needs a token')
    changed = with_entry(moved, PROGRAMS["codex"], "react-mem", entry_of("codex", COMMAND), remote=False)
    for kept in ("# my settings", "# the default", "# figma needs a token\n[mcp_servers.figma]"):
        assert kept in changed
        assert kept in first
    assert '"old"' not in changed


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("vscode", '{\n  // my servers\n  "servers": {}\n}'),
        ("vscode", '{"servers": {},}'),
        ("vscode", '{"servers": []}'),
        ("vscode", "[]"),
        ("cursor", '{"mcpServers": {"a": {}, "a": {"command": "x"}}}'),
        ("cursor", '{"mcpServers": {}, "size": 1.0e3}'),
        ("cursor", "[" * 100_000),
        ("codex", "model = "),
        ("codex", "mcp_servers = { figma = { url = 'x' } }"),
        ("codex", 'note = """\n[mcp_servers.react-mem]\n"""\n[mcp_servers.react-mem]\nurl = "old"\n'),
    ],
)
def test_a_file_that_would_lose_something_is_refused(client: Client, text: str) -> None:
    with pytest.raises(BadRequest):
        with_entry(text, PROGRAMS[client], "react-mem", entry_of(client, COMMAND), remote=False)


def test_the_former_file_is_kept_with_its_permissions(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "mcp.json", tmp_path / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}", "utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    backup = replace_file(link, "{}", '{"mcpServers": {}}')
    assert backup is not None
    assert backup.read_text("utf-8") == "{}"
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == stat.S_IMODE(backup.stat().st_mode) == 0o640
    assert replace_file(tmp_path / "new" / "mcp.json", "", "{}") is None
    with pytest.raises(ConfigurationError, match="changed by another program"):
        replace_file(link, "{}", "lost")
    assert "lost" not in real.read_text("utf-8")
    assert not [path for path in real.parent.iterdir() if path.name.startswith(".")]  # no half-written file
    real.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_file(link)


def run(home: Path, *arguments: str) -> Any:
    environment = {"HOME": str(home), "REACT_MEM_HOME": str(home / "data"), "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}
    return CliRunner().invoke(app, ["mcp", "install", *arguments], env=environment)


def test_the_command_writes_or_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "umask", lambda mask: 0)  # of this process
    path = file_of("cursor", "user", home=tmp_path, project=tmp_path)
    assert run(tmp_path, "--client", "cursor", "--dry-run").exit_code == 0
    assert not path.exists()
    assert run(tmp_path, "--client", "cursor", "--user", "ann").exit_code == 0
    entry = json.loads(path.read_text("utf-8"))["mcpServers"]["react-mem"]
    assert entry["args"] == ["mcp"]
    assert Path(entry["command"]).is_absolute()
    assert entry["env"] == {"REACT_MEM_HOME": str(tmp_path / "data"), "REACT_MEM_USER": "ann"}
    assert run(tmp_path, "--client", "cursor", "--url", URL).exit_code == 0
    assert len(list(path.parent.glob("mcp.json.*.bak"))) == 1
    path.write_text("{ // mine\n}", "utf-8")
    refused = run(tmp_path, "--client", "cursor")
    assert refused.exit_code == 2
    assert '"mcpServers"' in refused.output
    assert path.read_text("utf-8") == "{ // mine\n}"
    nowhere, no_project = ["--client", "cursor", "--url", "nowhere"], ["--client", "windsurf", "--scope", "project"]
    for wrong in (["--client", "zed"], nowhere, no_project):
        assert run(tmp_path, *wrong).exit_code == 2


def test_the_tools_are_entries_of_trustgraph() -> None:
    values = {key: json.loads(value) for key, value in trustgraph.entries("react-mem", URL, "secret").items()}
    assert len(values) == 8
    assert values["react-mem-search-memories"] == {"url": URL, "remote-name": "search_memories", "auth-token": "secret"}


def test_a_key_is_never_shown(tmp_path: Path) -> None:
    shown = CliRunner().invoke(
        app, ["mcp", "install", "--client", "trustgraph", "--url", URL, "--dry-run"], env={"REACT_MEM_KEY": "tell-nobody"}
    )
    assert shown.exit_code == 0
    assert "tell-nobody" not in shown.output


def test_half_a_character_in_a_file_stays(tmp_path: Path) -> None:
    path, text = tmp_path / ".claude.json", '{"history": ["cut \\ud83d", "caf\u00e9"]}'
    path.write_text(text, "utf-8")
    entry = entry_of("claude-code", COMMAND)
    replace_file(path, text, with_entry(text, PROGRAMS["claude-code"], "react-mem", entry, remote=False))
    assert json.loads(path.read_text("utf-8")) == {**json.loads(text), "mcpServers": {"react-mem": entry}}


def test_a_protected_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    path.chmod(0o444)
    with pytest.raises(ConfigurationError, match=r"read-only: make it writable"):
        replace_file(path, "{}", '{"a": 1}')
    assert (path.read_text(), list(tmp_path.iterdir())) == ("{}", [path])
