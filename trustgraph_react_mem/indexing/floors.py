"""The least similarity of a memory to a question, for each known embedding model.

Similarities are calibrated (``EmbeddingProfile.calibrated``).  ``python -m bench embedding`` measures the floors.  A
question that memory knows nothing about gets no memories: if not even the most similar fact reaches ``facts``, none is shown.
Single facts have no floor, because a turn may be needed for its neighbourhood, although it is not similar itself.

A question that shares no word with any candidate ("Explain entropy", "Why is the sky blue?") is usually one about the world.
In an English memory it needs the higher floor ``unworded``, and in a large one, where the most similar of many is more similar
by chance, half as much again.  In other languages the model finds such questions as similar as those about the person: a floor
would hide most answers, so that something unrelated may be shown instead.

A floor needs a measurement of the model: no statistic of the similarities within a scope tells the questions to a person's own
memory from those to another's (582 questions of a LoCoMo file).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..memory.embedding import EmbeddingProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Calibrated similarities, 0 to 1.  0 = no floor."""

    facts: float = 0.0  # of the most similar fact
    episodes: float = 0.0  # of each episode
    unworded: float = 0.0  # of the most similar fact in an English memory, to a question without a common word


FLOORS: Mapping[str, Floors] = {
    "e5-small-v2": Floors(facts=0.15, episodes=0.4, unworded=0.2),
    "all-MiniLM-L6-v2-int8": Floors(facts=0.15, episodes=0.2),
    "all-MiniLM-L6-v2": Floors(facts=0.15, episodes=0.2),
}


def floors_of(profile: EmbeddingProfile) -> Floors:
    """The floors of a model.  A model that was not measured has none."""
    return FLOORS.get(profile.name, Floors())


def has_floors(profile: EmbeddingProfile) -> bool:
    """Whether the floors of the model were measured."""
    return profile.name in FLOORS
