"""Late interaction over the signs of token vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from trustgraph_react_mem.indexing.token_signs import late_scores, read_signs, write_signs
from trustgraph_react_mem.memory.ports import Signs

DIMENSION = 128


def signs(count: int, seed: int) -> Signs:
    return np.random.default_rng(seed).integers(0, 2**63, size=(count, DIMENSION // 64), dtype=np.uint64)


def unpacked(asked: Signs, record: Signs) -> np.ndarray:
    """(t, T) shares of equal signs, dimension by dimension."""
    ours, theirs = (np.unpackbits(each.view(np.uint8), axis=1) for each in (asked, record))
    return np.array([[(a == b).mean() for b in theirs] for a in ours])


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(1, 6), st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 10_000))
def test_a_score_is_the_weighted_mean_of_the_best_matches(asked: int, sizes: list[int], seed: int) -> None:
    question, records = signs(asked, seed), [signs(size, seed + row + 1) for row, size in enumerate(sizes)]
    best = np.array([unpacked(question, record).max(axis=1) for record in records]).T
    telling = best.max(axis=1) - best.mean(axis=1)
    expected = telling @ best / max(telling.sum(), 1e-6)
    np.testing.assert_allclose(late_scores(question, list(records)), expected, atol=1e-5)


def test_the_record_with_the_words_of_the_question_is_best() -> None:
    question, others = signs(3, 1), [signs(20, seed) for seed in range(2, 30)]
    scores = late_scores(question, [*others, np.concatenate([signs(9, 99), question])])
    assert scores.argmax() == len(others)
    assert scores.max() == pytest.approx(1.0)


def test_a_token_that_all_records_have_counts_nothing() -> None:
    common, rare = signs(1, 1), signs(1, 2)
    records = [np.concatenate([common, signs(3, seed)]) for seed in range(3, 9)]
    records.append(np.concatenate([common, rare]))
    alone = late_scores(rare, list(records))
    np.testing.assert_allclose(late_scores(np.concatenate([common, rare]), list(records)), alone, atol=1e-6)


def test_records_without_tokens_have_no_score() -> None:
    scores = late_scores(signs(2, 1), [None, signs(3, 2), None])
    assert np.isnan(scores).tolist() == [True, False, True]
    assert np.isnan(late_scores(signs(2, 1), [None, None])).all()
    assert np.isnan(late_scores(signs(0, 1), [signs(3, 2)])).all()
    assert len(late_scores(signs(2, 1), [])) == 0


def test_a_payload_gives_the_signs_back() -> None:
    given_signs = signs(37, 5)
    read = read_signs(write_signs(given_signs), DIMENSION)
    assert read is not None
    np.testing.assert_array_equal(read, given_signs)
