"""Grounding and merging over a table of statement pairs in several languages.

The rules were written on the pairs marked "written".  The pairs marked "scored" were added as a check and were not tuned to.
All dates are relative to Wednesday, 2026-05-06.  ``said`` is a line, or a list of lines.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trustgraph_react_mem.learning.checks.grounding import GroundingCheck
from trustgraph_react_mem.learning.checks.relation import classify_relation
from trustgraph_react_mem.learning.dialogue import DialogueLine
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

PAIRS: list[dict[str, Any]] = [
    json.loads(row) for row in (Path(__file__).parent / "tables" / "statement_pairs.jsonl").read_text("utf-8").splitlines()
]
SAID_AT = datetime(2026, 5, 6, 9, 0, tzinfo=UTC)
PROFILE = EmbeddingProfile(name="plain", dimension=4, unrelated=0.0, near_duplicate=0.9)
CLOSE = 0.95
MEANING = {"same": "same", "contradicts": "supersedes", "new": "other", "unsure": "other"}
LEAST_RIGHT = 0.95


async def judge(pair: dict[str, Any]) -> str:
    if "old" in pair:
        return MEANING[classify_relation(pair["new"], pair["old"], cosine=CLOSE, profile=PROFILE)]
    lines = [
        DialogueLine(
            number=number,
            role="user",
            speaker=pair["speaker"],
            text=text,
            turn_id=f"t{number}",
            invocation_id="i",
            said_at=SAID_AT,
        )
        for number, text in enumerate([pair["said"]] if isinstance(pair["said"], str) else pair["said"])
    ]
    held = await GroundingCheck(HashedEmbedder(64)).is_supported(pair["claim"], lines, speakers=[pair["speaker"]])
    return "supported" if held else "unsupported"


@pytest.mark.parametrize(("half", "least"), [("written", 1.0), ("scored", LEAST_RIGHT)])
async def test_pairs_of_statements(half: str, least: float) -> None:
    chosen = [pair for pair in PAIRS if pair["half"] == half]
    wrong = [(pair, judged) for pair in chosen if (judged := await judge(pair)) != pair["expected"]]
    assert len(wrong) <= (1 - least) * len(chosen), wrong


def test_the_table_covers_each_outcome_in_both_halves() -> None:
    assert len(PAIRS) >= 120
    outcomes = {"supported", "unsupported", "same", "other", "supersedes"}
    for half in ("written", "scored"):
        assert {pair["expected"] for pair in PAIRS if pair["half"] == half} == outcomes
    assert len({pair["language"] for pair in PAIRS}) >= 8
