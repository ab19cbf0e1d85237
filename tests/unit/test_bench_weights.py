"""Fitting weights: what tells the evidence apart is found, a firm ridge keeps what was, nobody is tested on their own."""

import numpy as np
import pytest

from bench.weights import Case, Rows, fitted, leave_one_out
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES, WEIGHTS

COLUMN = FEATURE_NAMES.index("recency")  # without weight in the stack


def cases(dialogues: int = 3, *, telling: int = COLUMN) -> list[Case]:
    """Evidence stands where one column is high; the others are noise."""
    rng = np.random.default_rng(1)
    made = []
    for number in range(dialogues * 12):
        table = rng.standard_normal((len(FEATURE_NAMES), 120)).astype(np.float32) * np.float32(0.3)
        evidence = rng.choice(120, size=2, replace=False)
        table[telling, evidence] += 4
        made.append(Case(number % dialogues, "1", table, evidence))
    return made


def start() -> np.ndarray:
    return WEIGHTS.astype(np.float64)


def test_the_column_that_tells_gets_a_weight_and_the_order_improves() -> None:
    asked = cases()
    before = np.mean([case.covered(start() @ case.table) for case in asked], axis=0)
    covered, weights = leave_one_out(asked, ridge=0.001)
    assert weights.shape == (3, len(FEATURE_NAMES))
    assert (weights[:, COLUMN] > 0.5).all()
    assert (covered.mean(axis=0) >= before).all()
    assert covered.mean(axis=0)[0] > before[0] + 20


def test_a_firm_ridge_keeps_the_weights() -> None:
    rows = Rows.of(cases())
    assert fitted(rows, start(), np.full(len(WEIGHTS), 1e6)) == pytest.approx(start(), abs=1e-3)


def test_a_dialogue_is_tested_by_weights_of_the_others() -> None:
    others, own = cases(2), cases(1, telling=FEATURE_NAMES.index("uses"))
    for case in own:
        case.dialogue = 2
    _, weights = leave_one_out([*others, *own], ridge=0.001)
    assert weights[2, COLUMN] > 0.5
    assert abs(weights[2, FEATURE_NAMES.index("uses")]) < abs(weights[0, FEATURE_NAMES.index("uses")])


def test_a_small_scope_is_padded() -> None:
    case = Case(0, "1", np.ones((len(FEATURE_NAMES), 5), np.float32), np.array([1]))
    assert Rows.of([case]).columns.shape == (1, 81, len(FEATURE_NAMES))
