"""Figures of the bench: percentiles, ratios, names, and the form of its file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.row import Row, percentile
from bench.sentences import questions, sentences

VALUES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=50)


@given(VALUES)
def test_percentiles_lie_within_the_measurements_and_rise(values: list[float]) -> None:
    figures = [percentile(values, percent) for percent in (0, 50, 95, 100)]
    assert figures[0] == min(values)
    assert figures[-1] == max(values)
    assert figures == sorted(figures)


def test_a_percentile_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no measurements"):
        percentile([], 50)


def test_a_row_as_json_has_the_agreed_keys_and_a_ratio_only_beside_a_baseline() -> None:
    alone = Row("search", 12.3456, "ms").as_json()
    beside = Row("turn", 30.0, "ms", "note", baseline=120.0).as_json()
    assert set(alone) == {"name", "value", "unit", "baseline", "ratio", "note"}
    assert (alone["value"], alone["baseline"], alone["ratio"]) == (12.35, None, None)
    assert beside["ratio"] == 0.25
    assert json.loads(json.dumps(beside)) == beside


@given(st.integers(0, 1000), st.integers(0, 5))
def test_load_is_the_same_for_the_same_seed(count: int, seed: int) -> None:
    made = sentences(count, seed)
    assert made == sentences(count, seed)
    assert len(made) == count


def test_no_two_questions_are_the_same() -> None:
    assert len(set(questions(500))) == 500
