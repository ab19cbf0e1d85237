"""The inverted index of a scope in memory, compared with a dictionary."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from trustgraph_react_mem.retrieval.columns import term_index
from trustgraph_react_mem.retrieval.columns.term_index import MOST_COUNTED, TermIndex

WORDS = ("horse", "paint", "river", "oslo", "june")


@settings(max_examples=examples(100), deadline=None)
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=20),
    removals=st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=8),
)
def test_postings_are_those_of_the_records_that_are_left(texts: list[list[str]], removals: list[tuple[int, int]]) -> None:
    """Also while pairs are unsorted, and after they were sorted in the middle of additions and removals."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_index, "UNSORTED", 7)
        index, left = TermIndex(), dict[int, Counter[str]]()
        for slot, words in enumerate(texts):
            assert index.add(slot, words) == len(words)
            left[slot] = Counter(words)
            for _, gone in (each for each in removals if each[0] == slot and each[1] in left):
                index.remove(gone)
                del left[gone]
            for word in WORDS:
                expected = [(held, counts[word]) for held, counts in left.items() if counts[word]]
                found = index.postings([word])
                assert [
                    (int(held), int(count)) for slots, each in found for held, count in zip(slots, each, strict=True)
                ] == expected
                assert (word in index) == bool(expected)
    table = index.counts([*WORDS, "horse", "absent"], len(texts))
    assert table.shape == (sum(any(word in counts for counts in left.values()) for word in WORDS), len(texts) + 1)
    assert not table[:, -1].any()


def test_a_term_that_fills_a_long_record_keeps_a_count_that_fits() -> None:
    index = TermIndex()
    assert index.add(0, ["row"] * (MOST_COUNTED + 5)) == MOST_COUNTED + 5
    ((slots, counts),) = index.postings(["row"])
    assert (slots.tolist(), counts.tolist()) == ([0], [MOST_COUNTED])


def test_a_pair_takes_a_few_bytes() -> None:
    index, rng = TermIndex(), np.random.default_rng(1)
    pairs = 0
    for slot in range(1000):
        words = [f"word-{number}" for number in rng.integers(0, 500, 12)]
        pairs += len(set(words))
        index.add(slot, words)
    assert index.bytes <= 20 * pairs
