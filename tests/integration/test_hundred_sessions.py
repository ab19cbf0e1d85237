"""`python -m bench sessions`: a scope that grew, learning, against the same memories read afresh."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.sentences import sentences
from bench.sessions import Size, dialogue, grow
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.later

SMALL = Size(sessions=6, turns=12, every=2, early=2, asked=10, learned_a_session=2)


def test_a_question_that_is_asked_has_one_answer_in_the_whole_bank() -> None:
    spoken, probes = dialogue(Size(), None)
    assert [len(turns) for turns in spoken] == [100] * 100
    answers = Counter(utterance.question for utterance in sentences(10_000, seed=17))
    assert all(answers[probe.text] == len(probe.evidence) == 1 for probe in probes)
    place = {turn.name: number for number, turns in enumerate(spoken) for turn in turns}
    assert all(place[name] <= probe.session for probe in probes for name in probe.evidence)
    assert dialogue(Size(), None)[1] == probes


def test_turns_of_a_file_come_first_and_made_up_ones_fill_the_bank(tmp_path: Path) -> None:
    conversation = {
        "speaker_a": "Ann",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ann", "dia_id": f"D1:{number}", "text": f"line {number}"} for number in range(1, 20)],
    }
    asked = [{"question": "Which line?", "answer": "x", "category": 4, "evidence": ["D1:15"]}]
    file = tmp_path / "l.json"
    file.write_text(json.dumps([{"sample_id": "c", "conversation": conversation, "qa": asked}]), encoding="utf-8")
    spoken, probes = dialogue(SMALL, file)
    names = [turn.name for turns in spoken for turn in turns]
    assert len(names) == SMALL.sessions * SMALL.turns
    assert names[18:20] == ["c D1:19", "made 0"]
    assert [(probe.text, probe.session) for probe in probes] == [("Which line?", 1)]


async def test_both_ways_answer_the_same_questions_at_every_checkpoint() -> None:
    rows: Any = await grow(HashedEmbedder(), SMALL)
    assert [(row["sessions"], row["memories"]) for row in rows] == [(2, 24), (4, 48), (6, 72)]
    for row in rows:
        assert row["questions"] == 10
        assert row["gap"]["coverage@5"] == pytest.approx(row["grown"]["coverage@5"] - row["plain"]["coverage@5"])
        assert row["grown"]["coverage@5"] > 20
        assert 0 < row["grown"]["p50_ms"] <= row["grown"]["p95_ms"]
