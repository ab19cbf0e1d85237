"""The least similarity of a memory to a question, for each known embedding model.

Similarities are calibrated (``EmbeddingProfile.calibrated``).  ``make calibrate`` measures them: see bench/calibrate.py.
A memory below the floor of its store is not shown, so that a question that memory does not know about gets no memories.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..memory.embedding import EmbeddingProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Calibrated similarities, 0 to 1.  0 = no floor."""

    facts: float = 0.0
    episodes: float = 0.0


FLOORS: Mapping[str, Floors] = {}


def floors_of(profile: EmbeddingProfile) -> Floors:
    """The floors of a model.  A model that was not measured has none."""
    return FLOORS.get(profile.name, Floors())
