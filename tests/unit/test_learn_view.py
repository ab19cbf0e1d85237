"""`react-mem learn status` for people."""

import io
import re
from typing import Any

import pytest
from rich.console import Console

from trustgraph_react_mem.cli.console import Screen
from trustgraph_react_mem.cli.learn import FIGURES, show
from trustgraph_react_mem.learning.reward_log import describe_learning
from trustgraph_react_mem.rerank import CALIBRATED, Weights

pytestmark = pytest.mark.later


def rows(count: int = 40) -> list[dict[str, float]]:
    """Citations become more, retrieval alone would find less and less of them; each tenth answer is malformed."""
    made = []
    for number in range(count):
        row = {"at": 1.0e9 + number, "learning": 1.0, "weight_norm": number / 50, "trust": 0.75, "bank_size": 100.0 + number}
        if number % 10 == 9:
            made.append(row | {"malformed": 1.0, "absent": 0.0})
            continue
        rate = 0.2 if number < count / 2 else 0.6
        made.append(
            row
            | {"malformed": 0.0, "absent": 0.0, "citation_rate": rate, "reward": 2 * rate - 1}
            | {"recall_prior": 1 - number / count, "mrr_prior": 0.5, "mrr_shown": 1.0}
        )
    return made


def screen() -> Screen:
    made = Screen(json_output=False)
    made.out = Console(file=io.StringIO(), width=120, highlight=False)
    return made


def said(made: Screen) -> str:
    file = made.out.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def state(given: list[dict[str, float]]) -> dict[str, Any]:
    return describe_learning(given, 3, Weights.start(CALIBRATED, profile="p", dimension=4))


def test_status_says_what_is_learned_and_has_every_figure_with_its_meaning() -> None:
    made = screen()
    show(made, state(rows()))
    text = said(made)
    assert "calibrated, version 3" in text
    assert "trust    0.50" in text
    assert "40: reward -0.20, citation rate 0.40, malformed 10%" in text
    text = text.split("mean of 10 turns")[1]
    for title, meaning in FIGURES.values():
        (line,) = (line for line in text.splitlines() if line.startswith(title + "  "))
        assert meaning in line
    assert re.search(r"citation rate +0\.2 +0\.6 ", text)
