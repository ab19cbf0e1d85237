"""The names at the top of the package: lazy, typed, and none beside them."""

import subprocess
import sys
from pathlib import Path

import pytest

import trustgraph_react_mem

ROOT = Path(__file__).parents[2]
NAMES = [name for name in trustgraph_react_mem.__all__ if not name.startswith("_")]


def python(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)


def test_the_package_alone_loads_nothing() -> None:
    done = python("import sys, trustgraph_react_mem as t; dir(t); print(*(m for m in sys.modules if m.startswith(t.__name__)))")
    assert done.stdout.split() == ["trustgraph_react_mem"], done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_the_class_itself(name: str) -> None:
    assert getattr(trustgraph_react_mem, name).__name__ == name
    assert name in dir(trustgraph_react_mem)


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(AttributeError, match="MemoryManager"):
        trustgraph_react_mem.Nonsense  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.slow
def test_a_type_checker_knows_the_names_and_no_others(tmp_path: Path) -> None:
    """In an editable install, which is a path on sys.path."""
    (tmp_path / "program.py").write_text(
        f"from trustgraph_react_mem import {', '.join(NAMES)}\nfrom trustgraph_react_mem.testing import HashedEmbedder\n"
        "reveal_type(MemoryManager.open('x'))\nfrom trustgraph_react_mem import Nonsense\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent", "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        check=False,
    )
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, done.stdout + done.stderr
    assert '"Nonsense"' in errors[0]
    assert 'Revealed type is "trustgraph_react_mem.manager.manager.MemoryManager"' in done.stdout


@pytest.mark.parametrize("name", ["schema", "config"])
def test_a_folder_of_the_root_is_no_package_of_its_own(name: str) -> None:
    done = python(f"import {name}")
    assert done.returncode != 0
    assert f"import trustgraph_react_mem.{name}" in done.stderr.splitlines()[-1]
