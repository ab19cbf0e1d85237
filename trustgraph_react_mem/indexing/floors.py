"""The least similarity of a memory to a question, for each known embedding model.

Similarities are calibrated (``EmbeddingProfile.calibrated``).  ``make calibrate`` measures the floors (bench/calibrate.py).  A
question that memory knows nothing about gets no memories: if not even the most similar fact reaches ``facts``, none is shown.
Single facts have no floor, because a turn may be needed for its neighbourhood, although it is not similar itself.

Without a measurement, the scope's own distribution takes its place: the mean similarity of its memories to one another stands
for unrelated texts.  In a memory of one subject this mean is high.  A question that shares a word with a memory is therefore
answered, however low its similarity.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Matrix

SCOPE_FLOOR = 0.075  # calibrated with the mean of the scope
LEAST_MEMORIES = 16  # fewer say nothing about a distribution
HIGHEST_MEAN = 0.95  # of memories that all say nearly the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Calibrated similarities, 0 to 1.  0 = no floor."""

    facts: float = 0.0  # of the most similar fact
    episodes: float = 0.0  # of each episode


FLOORS: Mapping[str, Floors] = {
    "e5-small-v2": Floors(facts=0.15, episodes=0.4),
    "all-MiniLM-L6-v2-int8": Floors(facts=0.15, episodes=0.2),
    "all-MiniLM-L6-v2": Floors(facts=0.15, episodes=0.2),
}


def floors_of(profile: EmbeddingProfile) -> Floors:
    """The floors of a model.  A model that was not measured has none."""
    return FLOORS.get(profile.name, Floors())


def has_floors(profile: EmbeddingProfile) -> bool:
    """Whether the floors of the model were measured."""
    return profile.name in FLOORS


def scope_floor(profile: EmbeddingProfile, memories: Matrix) -> tuple[EmbeddingProfile, float]:
    """Scale and floor of facts for a model that was not measured, from a sample of a scope's memories.

    ``memories`` (n, d): vectors of unit length, zeros for a memory without one.  Too few: the profile itself, and no floor.
    """
    rows = memories[np.any(memories, axis=1)]
    count = len(rows)
    if count < LEAST_MEMORIES:
        return profile, 0.0
    total = rows.sum(axis=0)
    mean = float(total @ total - count) / (count * (count - 1))  # of all pairs, without computing them
    return replace(profile, unrelated=max(0.0, min(HIGHEST_MEAN, mean))), SCOPE_FLOOR
