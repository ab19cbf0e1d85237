"""What ``docs/proof.md`` names exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "proof.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_named_test_exists(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("heading", ["The ten faults", "The ten attacks"])
def test_all_ten_have_a_test(heading: str) -> None:
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    numbered = [line for line in section.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(line.split("|")[1]) for line in numbered] == list(range(1, 11))
    assert all("::test_" in line for line in numbered)
