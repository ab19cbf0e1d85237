"""What ``docs/proof.md``, ``docs/pitfalls.md``, ``docs/rmm.md`` and ``docs/seeds.md`` name exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "proof.md").read_text("utf-8")
RMM = (ROOT / "docs" / "rmm.md").read_text("utf-8")
SEEDS = (ROOT / "docs" / "seeds.md").read_text("utf-8")
PITFALLS = (ROOT / "docs" / "pitfalls.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT + PITFALLS + RMM + SEEDS)))
REQUIREMENTS = [line for line in SEEDS.splitlines() if line.startswith("| ") and not line.startswith("| requirement")]


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_named_test_exists(file: str, name: str) -> None:
    assert name in _functions(file)


@cache
def _functions(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("heading", ["The ten faults", "The ten attacks"])
def test_all_ten_have_a_test(heading: str) -> None:
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    numbered = [line for line in section.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(line.split("|")[1]) for line in numbered] == list(range(1, 11))
    assert all("::test_" in line for line in numbered)


def test_the_table_of_pitfalls_is_whole() -> None:
    assert re.findall(r"^\| *(\d+) *\|", PITFALLS, re.MULTILINE) == [str(number) for number in range(1, 19)]


def test_every_row_of_the_degradation_table_and_every_edge_case_has_a_test() -> None:
    """Seed sections F.4 to F.7: six edge cases, concurrency, storage; six points of failure and the kinds of citation."""
    section = RMM.split("## When something fails\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith(("| fails", "| section"))]
    assert all("::test_" in row for row in rows)
    assert len(rows) == 16
    cases = [row.split("|")[1].strip() for row in rows if row.startswith("| F.")]
    assert cases == ["F.4.1", "F.4.2", "F.4.3", "F.4.4", "F.4.5", "F.4.6", "F.5", "F.6"]


def test_each_named_edge_case_and_failure_stands_in_the_table() -> None:
    """A test of these sections that no row names would be lost from sight."""
    file = "tests/integration/test_reward_handler.py"
    written = set(re.findall(r"def (test_f[4-7]_\w+)", (ROOT / file).read_text("utf-8")))
    assert written == {name for where, name in NAMED if where == file and re.match(r"test_f[4-7]_", name)}


@pytest.mark.parametrize("row", REQUIREMENTS, ids=lambda row: row.split("|")[1].strip())
def test_a_requirement_names_a_test_or_says_that_it_is_not_built(row: str) -> None:
    _, _, built, shown, _ = row.split("|")
    assert "::test_" in shown or re.search(r"planned|not built: |another way: ", built), "names no test and no reason"
    for module in re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", built):
        places = (ROOT / "trustgraph_react_mem" / module, ROOT / module)
        assert any(place.exists() for place in places), f"{module} does not exist"


def test_conversations_that_a_requirement_names_exist() -> None:
    named = re.findall(r"::test_conversation` \(`([\w-]+)`\)", SEEDS)
    data = "".join(path.read_text("utf-8") for path in (ROOT / "tests" / "conversations" / "data").glob("*.yaml"))
    assert named
    assert all(name in data for name in named)
