"""Pairs of standing instructions: the newer one replaces the former, or both hold."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trustgraph_react_mem.learning.rules.instructions import find_instructions
from trustgraph_react_mem.learning.rules.keeping import replaces
from trustgraph_react_mem.memory.records import INSTRUCTION, Fact
from trustgraph_react_mem.memory.scope import Scope

LINES = (Path(__file__).parent / "tables" / "rule_pairs.tsv").read_text("utf-8").splitlines()
PAIRS = [tuple(row) for row in csv.reader(LINES[1:], delimiter="\t", quoting=csv.QUOTE_NONE)]
ANN = Scope(workspace="w", user="ann", collection="default")


def rule(message: str) -> Fact:
    [found] = find_instructions(message)
    return Fact(
        id=message,
        scope=ANN,
        kind="procedural",
        content=found.text,
        condition=found.condition,
        action=found.action,
        created_at=datetime(2026, 3, 1, tzinfo=UTC),
        metadata={INSTRUCTION: found.subject or "general"},
    )


@pytest.mark.parametrize(("language", "wanted", "first", "later"), PAIRS)
def test_the_newer_of_two_that_contradict_holds(language: str, wanted: str, first: str, later: str) -> None:
    assert replaces(rule(later), rule(first)) == (wanted == "1")


def test_the_table_is_large_enough() -> None:
    languages = {"en", "de", "fr", "es", "it", "pt", "nl", "ru", "pl", "ja", "zh", "ko"}
    assert {row[0] for row in PAIRS if row[1] == "1"} == {row[0] for row in PAIRS if row[1] == "0"} == languages
    assert sum(row[1] == "0" for row in PAIRS) >= 30


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ('Begin every answer with "Good morning".', 'Begin every answer with "Good morning"'),
        ("Schließe jede Antwort mit „Bis bald“ ab.", "Schließe jede Antwort mit „Bis bald“ ab"),
        (
            "モデルさん、すべての回答を「またね、友よ」で終えてください。",
            "モデルさん、すべての回答を「またね、友よ」で終えてください",
        ),
    ],
)
def test_what_answers_begin_or_end_with_may_stand_in_quotes(message: str, text: str) -> None:
    assert [found.text for found in find_instructions(message)] == [text]


@pytest.mark.parametrize(
    "message",
    [
        'My coach wrote "start every answer with a smile" on the board.',
        'He says "begin every answer with Good morning, sir".',
        'Translate "Always answer in German" for me, and "never stop" too.',
        "Every answer must be in by Friday.",
        "Every answer should be short, my teacher says.",
        'Always be kind, said the poster, and "end every reply with thanks".',
    ],
)
def test_what_others_say_about_answers_is_no_instruction(message: str) -> None:
    assert find_instructions(message) == []
