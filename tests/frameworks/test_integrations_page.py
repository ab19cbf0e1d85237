"""The snippet of docs/integrations.md and each program of examples/frameworks runs as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text("utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES = sorted((ROOT / "examples" / "frameworks").glob("*.py"))
REMEMBERED = "Miso is allergic to chicken."
EMBEDDINGS = "all-MiniLM-L6-v2-int8"  # the smallest one


def run(arguments: list[str], tmp_path: Path) -> str:
    own = {"REACT_MEM_KEYS": str(tmp_path / "keys"), "REACT_MEM_EMBEDDINGS": EMBEDDINGS, "REACT_MEM_MODEL": "none"}
    no_key = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=tmp_path, env=no_key | own, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("snippet", SNIPPETS, ids=["langgraph"])
def test_a_snippet_runs_and_recalls(snippet: str, tmp_path: Path) -> None:
    assert REMEMBERED in run(["-c", snippet], tmp_path).splitlines()[-1]


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_recalls(program: Path, tmp_path: Path) -> None:
    said = run([str(program)], tmp_path)  # a scripted model repeats what it is shown, and nothing else
    assert REMEMBERED in said or "recalled: Ana lives in Porto." in said.splitlines()


def test_the_examples_are_as_short_as_the_page_says() -> None:
    assert "at most\n60 lines" in PAGE
    assert [path.name for path in EXAMPLES if len(path.read_text("utf-8").splitlines()) > 60] == []


def test_every_framework_of_the_page_is_at_the_tested_version() -> None:
    lines = (ROOT / "tests/frameworks/requirements.txt").read_text("utf-8").splitlines()
    pinned = dict(line.strip().split("==") for line in lines if "==" in line)
    for name in ("langgraph", "langgraph-checkpoint", "langmem", "openai-agents", "google-adk", "agent-framework-core"):
        version = pinned[name]
        assert f"{name} {version}" in PAGE or f"{name} {'.'.join(version.split('.')[:2])}" in PAGE
