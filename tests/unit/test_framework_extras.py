"""The modules for agent frameworks name the extra to install where their framework is not."""

import importlib
import importlib.util
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
MODULES = {
    "langgraph": "langgraph",
    "agents": "openai_agents",
    "google.adk": "google_adk",
    "agent_framework": "agent_framework",
}


@pytest.mark.parametrize(("library", "module"), MODULES.items())
def test_a_missing_framework_is_named_with_its_extra(library: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, extra = f"trustgraph_react_mem.frameworks.{module}", module.replace("_", "-")
    for known in [each for each in sys.modules if each == library or each.startswith(f"{library}.")]:
        monkeypatch.delitem(sys.modules, known)
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ImportError, match=rf"pip install 'trustgraph-react-mem\[{extra}\]'"):
        importlib.import_module(name)
    assert extra in EXTRAS
