"""Pairs of a right and a wrong answer, written by hand: wordings of requirements, and values in another form."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trustgraph_react_mem.refine.checks import CheckedAnswer, Evidence, check

PAIRS = json.loads((Path(__file__).parent / "pairs.json").read_text("utf-8"))
SAID = datetime(2026, 4, 22, tzinfo=UTC)


def checked(pair: dict[str, Any], answer: str) -> CheckedAnswer:
    return check(answer, pair["question"], [Evidence("m0", pair["memory"], SAID)])


@pytest.mark.parametrize("pair", PAIRS, ids=[each["question"] for each in PAIRS])
def test_a_right_answer_passes_and_a_wrong_one_does_not(pair: dict[str, Any]) -> None:
    assert checked(pair, pair["right"]).faults == ()
    if pair["noticed"]:
        assert checked(pair, pair["wrong"]).faults


def test_few_wrong_answers_pass() -> None:
    assert len(PAIRS) >= 130
    assert sum(not pair["noticed"] for pair in PAIRS) <= len(PAIRS) // 12
