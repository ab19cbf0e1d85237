"""Withdrawals of instructions against a table of 138 messages; patterns were written on one half of it (``w``)."""

import csv
import time
from pathlib import Path

import pytest

from trustgraph_react_mem.learning.rules.instructions import find_instructions
from trustgraph_react_mem.learning.rules.revocations import find_revocations

LINES = (Path(__file__).parent / "revocation_cases.tsv").read_text("utf-8").splitlines()
CASES = [tuple(row) for row in csv.reader(LINES[1:], delimiter="\t", quoting=csv.QUOTE_NONE)]


@pytest.mark.parametrize(("half", "wanted", "text"), CASES)
def test_the_table(half: str, wanted: str, text: str) -> None:
    found = find_revocations(text)
    assert (found[0].reach if found else "-") == wanted
    if found:
        assert find_instructions(text) == []


@pytest.mark.parametrize("piece", ["you don't have to ", "a, ", "forget about ", "больше не ", "もう", "不用", "이제 "])
def test_time_is_bounded(piece: str) -> None:
    find_revocations("compile the patterns")
    started = time.process_time()
    find_revocations(piece * (100_000 // len(piece)))
    find_revocations((piece * 300)[:299])
    assert time.process_time() - started < 0.5
