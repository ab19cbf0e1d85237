"""Right and wrong answers, written by hand.

``pairs.json``: one memory each; wordings of requirements, and values in another form.  ``banks.json``: six memories for ten
questions, so that each answer could be about something else.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trustgraph_react_mem.refine.checks import CheckedAnswer, Evidence, check

PAIRS = json.loads((Path(__file__).parent / "pairs.json").read_text("utf-8"))
BANKS = json.loads((Path(__file__).parent / "banks.json").read_text("utf-8"))
OF_BANKS = [(bank["memories"], each) for bank in BANKS for each in bank["answers"]]
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


@pytest.mark.parametrize(("memories", "pair"), OF_BANKS, ids=[each["question"] for _, each in OF_BANKS])
def test_an_answer_is_told_from_what_the_memories_say_of_something_else(memories: list[str], pair: dict[str, Any]) -> None:
    shown = [Evidence(f"m{number}", text, SAID) for number, text in enumerate(memories)]
    if not pair.get("accused"):
        assert check(pair["right"], pair["question"], shown).faults == ()
    if pair.get("noticed", True):
        assert check(pair["wrong"], pair["question"], shown).faults


def test_few_answers_among_other_memories_are_misjudged() -> None:
    answers = [each for _, each in OF_BANKS]
    assert len(answers) >= 160
    assert sum(each.get("accused", False) for each in answers) <= len(answers) // 50
    assert sum(not each.get("noticed", True) for each in answers) <= len(answers) // 4
