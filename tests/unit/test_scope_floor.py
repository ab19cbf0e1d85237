"""The similarity floor of a model that was not measured: from the memories of the scope itself."""

import numpy as np
import pytest

from trustgraph_react_mem.indexing.floors import HIGHEST_MEAN, LEAST_MEMORIES, SCOPE_FLOOR, has_floors, scope_floor
from trustgraph_react_mem.memory.embedding import PROFILES, TRUSTGRAPH_MODELS, EmbeddingProfile
from trustgraph_react_mem.memory.ports import Matrix

PROFILE = EmbeddingProfile(name="not-measured", dimension=64)


def alike(count: int, shared: float) -> Matrix:
    """(count, 64) unit vectors whose cosines to one another are ``shared``."""
    rows = np.zeros((count, 64), np.float32)
    rows[:, 0] = np.sqrt(shared)
    rows[np.arange(count), 1 + np.arange(count)] = np.sqrt(1 - shared)
    return rows


@pytest.mark.parametrize("shared", [0.0, 0.1, 0.75])
def test_the_mean_of_the_memories_stands_for_unrelated_texts(shared: float) -> None:
    scale, floor = scope_floor(PROFILE, alike(40, shared))
    assert scale.unrelated == pytest.approx(shared, abs=1e-5)
    assert floor == SCOPE_FLOOR
    assert scale.calibrated(shared) == pytest.approx(0.0, abs=1e-5)  # below the floor, whatever the range of the model
    assert scale.calibrated(shared + 0.1 * (1 - shared)) > floor
    assert scale.name == PROFILE.name


def test_a_memory_without_a_vector_does_not_count() -> None:
    rows = alike(LEAST_MEMORIES, 0.5)
    with_gaps = np.vstack([rows, np.zeros((50, 64), np.float32)])
    assert scope_floor(PROFILE, with_gaps)[0].unrelated == pytest.approx(0.5, abs=1e-5)


def test_few_memories_have_no_floor_and_equal_ones_no_division_by_zero() -> None:
    assert scope_floor(PROFILE, alike(LEAST_MEMORIES - 1, 0.5)) == (PROFILE, 0.0)
    assert scope_floor(PROFILE, np.zeros((0, 64), np.float32)) == (PROFILE, 0.0)
    same, floor = scope_floor(PROFILE, np.repeat(alike(1, 0.0), 30, axis=0))
    assert same.unrelated == HIGHEST_MEAN
    assert same.calibrated(1.0) > floor


def test_of_the_models_that_trustgraph_offers_its_default_was_measured() -> None:
    measured = [name for name, profile in TRUSTGRAPH_MODELS.items() if has_floors(profile)]
    assert measured == ["sentence-transformers/all-MiniLM-L6-v2"]
    assert not has_floors(PROFILES["multilingual-e5-small"])
