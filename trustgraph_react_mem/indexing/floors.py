"""The least similarity of a memory to a question, for each known embedding model.

Similarities are calibrated (``EmbeddingProfile.calibrated``).  ``make calibrate`` measures the floors (bench/calibrate.py).  A
question that memory knows nothing about gets no memories: if not even the most similar fact reaches ``facts``, none is shown.
Single facts have no floor, because a turn may be needed for its neighbourhood, although it is not similar itself.

A question that shares no word with any candidate ("Explain entropy", "Why is the sky blue?") is usually one about the world.
It needs the higher floor ``unworded`` of its language: a model that was trained on English alone finds any two texts of another
language similar.  In a large memory, where the most similar of many is more similar by chance, it needs half as much again.

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
from dataclasses import dataclass, field

from ..memory.embedding import EmbeddingProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Calibrated similarities, 0 to 1.  0 = no floor."""

    facts: float = 0.0  # of the most similar fact
    episodes: float = 0.0  # of each episode
    unworded: Mapping[str, float] = field(default_factory=dict)  # by language; "": others in Latin script; others: 1

    def choose_floor(self, language: str) -> float:
        """The least similarity of the most similar fact to a question without a common word.  ``language``: of the facts."""
        if not self.unworded:
            return self.facts
        return self.unworded.get(language, self.unworded[""] if language not in OTHER_SCRIPTS else 1.0)


OTHER_SCRIPTS = frozenset({"ar", "el", "he", "hi", "ja", "ko", "ru", "th", "zh"})
FLOORS: Mapping[str, Floors] = {
    "e5-small-v2": Floors(
        facts=0.15, episodes=0.4, unworded={"en": 0.2, "": 0.37, "nl": 0.39, "ru": 0.43, "ja": 0.55, "ko": 0.57, "zh": 0.56}
    ),
    "all-MiniLM-L6-v2-int8": Floors(facts=0.15, episodes=0.2),
    "all-MiniLM-L6-v2": Floors(facts=0.15, episodes=0.2),
}


def floors_of(profile: EmbeddingProfile) -> Floors:
    """The floors of a model.  A model that was not measured has none."""
    return FLOORS.get(profile.name, Floors())


def has_floors(profile: EmbeddingProfile) -> bool:
    """Whether the floors of the model were measured."""
    return profile.name in FLOORS
