"""The program of docs/mcp.md runs as it stands there, and the page names what there is."""

import json
import os
import re
from pathlib import Path
from typing import get_args

import pytest

import trustgraph_react_mem
from trustgraph_react_mem.mcp.install import TOOLS, Program
from trustgraph_react_mem.mcp.server import REFINING

from .command import COMMAND, ReactMem

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mcp.md").read_text("utf-8")


@pytest.mark.slow
def test_the_program_of_the_page_runs(own: ReactMem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [program] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.setenv("PATH", f"{COMMAND.parent}:{os.environ['PATH']}")
    with own.up():
        assert own.run_program(program, tmp_path).strip() == "assistant Ana keeps her boat in Bergen"


def test_the_page_names_every_client_and_tool() -> None:
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section("Registration"), re.MULTILINE)) == {"--client", *get_args(Program)}
    assert set(re.findall(r"^\| `([a-z_]+)` \|", section("Tools"), re.MULTILINE)) == set(TOOLS)
    refining = {tool.__name__ for tool in REFINING}
    assert set(re.findall(r"^\| `([a-z_]+)` \|", section("Refinement"), re.MULTILINE)) == refining


def section(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_the_plugin_has_the_version_of_the_package() -> None:
    manifest = json.loads((ROOT / "plugins" / "claude-code" / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    assert manifest["version"] == trustgraph_react_mem.__version__
    market = json.loads((ROOT / "plugins" / ".claude-plugin" / "marketplace.json").read_text("utf-8"))
    assert (ROOT / "plugins" / market["plugins"][0]["source"] / ".claude-plugin" / "plugin.json").is_file()
