"""Withdrawals of instructions against a table of messages; patterns were written on one half of it (``w``)."""

import csv
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trustgraph_react_mem.learning.rules.instructions import Instruction, find_instructions
from trustgraph_react_mem.learning.rules.keeping import replaces, withdrawn_rules
from trustgraph_react_mem.learning.rules.permissions import find_permissions, permitted_rules
from trustgraph_react_mem.learning.rules.revocations import find_revocations
from trustgraph_react_mem.memory.records import INSTRUCTION, Fact
from trustgraph_react_mem.memory.scope import Scope

LINES = (Path(__file__).parent / "revocation_cases.tsv").read_text("utf-8").splitlines()
CASES = [tuple(row) for row in csv.reader(LINES[1:], delimiter="\t", quoting=csv.QUOTE_NONE)]
ENDS = [row.split("\t") for row in (Path(__file__).parent / "tables" / "withdrawals.tsv").read_text("utf-8").splitlines()[1:]]


def as_rule(instruction: Instruction, day: int) -> Fact:
    return Fact(
        id=f"rule-{day}",
        scope=Scope(workspace="w", user="ana", collection="c"),
        kind="procedural",
        content=instruction.text,
        created_at=datetime(2026, 3, day, 9, tzinfo=UTC),
        source=f"conversation-{day}",
        condition=instruction.condition,
        action=instruction.action,
        metadata={INSTRUCTION: instruction.subject or "general"},
    )


@pytest.mark.parametrize(("ends", "given", "later"), ENDS)
def test_a_later_message_ends_a_rule(ends: str, given: str, later: str) -> None:
    [rule] = [as_rule(each, 1) for each in find_instructions(given)]
    withdrawn = [found for each in find_revocations(later) for found in withdrawn_rules(each, [rule], "conversation-2")]
    replaced = any(replaces(as_rule(each, 2), rule) for each in find_instructions(later))
    permitted = any(permitted_rules(each, [rule], rule.source) for each in find_permissions(later) if not each.excepts)
    assert (bool(withdrawn) or replaced or permitted) == (ends == "1")


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


@pytest.mark.parametrize("piece", ["you can ", "my, ", "wieder ", "emojis are fine, ", "また", "可以", "다시 "])
def test_time_for_permissions_is_bounded(piece: str) -> None:
    find_permissions("compile the patterns")
    [rule] = [as_rule(each, 1) for each in find_instructions("Stop using emojis.")]
    started = time.process_time()
    for text in (piece * (100_000 // len(piece)), (piece * 300)[:299]):
        for each in find_permissions(text):
            permitted_rules(each, [rule], rule.source)
    assert time.process_time() - started < 0.5
