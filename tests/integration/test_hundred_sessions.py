"""`python -m bench sessions`: a scope that grew, learning, against the same memories read afresh."""

from collections import Counter
from typing import Any

import pytest

from bench.sentences import sentences
from bench.sessions import Size, dialogue, grow
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.later

SMALL = Size(sessions=6, turns=12, every=2, early=2, asked=10, learned_a_session=2)


def test_a_question_that_is_asked_has_one_answer_in_the_whole_bank() -> None:
    spoken, probes = dialogue(Size())
    assert [len(turns) for turns in spoken] == [100] * 100
    answers = Counter(utterance.question for utterance in sentences(10_000, seed=17))
    assert all(answers[probe.text] == 1 for probe in probes)
    assert all(spoken[probe.session][probe.turn % 100].question == probe.text for probe in probes)
    assert dialogue(Size())[1] == probes


async def test_both_ways_answer_the_same_questions_at_every_checkpoint() -> None:
    rows: Any = await grow(HashedEmbedder(), SMALL)
    assert [(row["sessions"], row["memories"]) for row in rows] == [(2, 24), (4, 48), (6, 72)]
    for row in rows:
        assert row["questions"] == 10
        assert row["gap"]["coverage@5"] == pytest.approx(row["grown"]["coverage@5"] - row["plain"]["coverage@5"])
        assert row["grown"]["coverage@5"] > 20
        assert 0 < row["grown"]["p50_ms"] <= row["grown"]["p95_ms"]
