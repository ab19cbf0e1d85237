"""The least similarity of a memory to a question, for each known embedding model.

Similarities are calibrated (``EmbeddingProfile.calibrated``).  ``python -m bench embedding`` measures the floors.  A
question that memory knows nothing about gets no memories: if not even the most similar fact reaches ``facts``, none is shown.
Single facts have no floor, because a turn may be needed for its neighbourhood, although it is not similar itself.

A question that shares no word with any candidate ("Explain entropy", "Why is the sky blue?") is usually one about the world.
In an English memory it needs the higher floor ``unworded``, and in a large one, where the most similar of many is more similar
by chance, half as much again.  In other languages the model finds such questions as similar as those about the person: a floor
would hide most answers, so that something unrelated may be shown instead.

The similarities within a scope do not replace this measurement.  On 582 questions of a LoCoMo file, asked to the person's own
memory and to another's, with both measured models treated as unknown:

- Upper tail of the memories' similarities to one another: the best similarity of a question to its own memory is below their
  90th percentile for 26 % (MiniLM) and 88 % (e5) of the questions, below their median for 0.5 % and 31 %.  Memories resemble
  each other more than questions resemble them.  An exception for common words leaves the decision to the words alone.
- How far the best similarity stands out of all similarities of the same question (in standard deviations, or above their 99th
  percentile): a threshold that hides 2 % of the answers in the own memory hides 0 to 3 % of the questions to another's.
- The cosine itself: such a threshold hides 93 to 95 %.  So a floor needs a measurement of the model.
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
